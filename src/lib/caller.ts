import { ApiError } from './errors.ts';
import type { Uuid } from './ids.ts';

/** The scopes a token can carry (spec 5.3). */
export const SCOPES = [
  'orders:read',
  'orders:write',
  'products:read',
  'products:write',
  'tax:read',
  'shipping:read',
] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * What a person may do for their account.
 * An owner does all and decides who may come in, a manager all but that, `orders` places and follows orders, a reader
 * changes nothing.
 */
export const PERSON_ROLES = ['owner', 'manager', 'orders', 'reader'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

const READING: readonly Scope[] = ['orders:read', 'products:read', 'tax:read', 'shipping:read'];

/** The scopes of each role in the public API. */
export const SCOPES_OF_ROLE: Readonly<Record<PersonRole, readonly Scope[]>> = {
  owner: SCOPES,
  manager: SCOPES,
  orders: SCOPES.filter((scope) => scope === 'orders:write' || READING.includes(scope)),
  reader: READING,
};

/** A person who has signed in. */
export type PortalPerson = {
  readonly userId: Uuid;
  readonly role: PersonRole;
  readonly sessionId: Uuid;
};

/** Who makes a request. Every statement that serves a customer names this account. */
export type Caller = {
  readonly accountId: Uuid;
  /** The key of the token limit: the token, an app at an account, or a session. */
  readonly limitedAs: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Set for a session of the portal; not for a token. */
  readonly person?: PortalPerson;
};

/** A caller who has signed in. */
export type SignedIn = Caller & { readonly person: PortalPerson };

/** Whether a person makes the request, and not a token. */
export function isSignedIn(caller: Caller): caller is SignedIn {
  return caller.person !== undefined;
}

/**
 * Throws 403 when the caller's token lacks a scope (spec 5.4).
 * A `detail` is for a part of an operation that needs more than its route asks for.
 */
export function requireScope(
  caller: Caller,
  scope: Scope,
  detail = `This endpoint needs a token with the scope ${scope}.`,
): void {
  if (caller.scopes.has(scope)) return;
  throw new ApiError('insufficient_scope', detail, {
    extras: { required_scope: scope },
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
}
