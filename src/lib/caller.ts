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

/** Who makes a request. Every statement that serves a customer names this account. */
export type Caller = {
  readonly accountId: Uuid;
  /** The key of the token limit: the token, or an app at an account. */
  readonly limitedAs: string;
  readonly scopes: ReadonlySet<Scope>;
};
