import type { Caller, PersonRole, Scope, SignedIn } from './caller.ts';
import type { ErrorCode } from './error-catalogue.ts';
import type { Problem } from './errors.ts';
import type { Once, Operator, OperatorRole } from './operator.ts';
import type { Static, TSchema } from './typebox.ts';
import type { UnknownField } from './validation/validate.ts';

/** Callers of the public API whose token has the scope; where roles are named, people need one of them. */
export type CallerAccess = { readonly scope: Scope; readonly rolesOfPeople?: readonly PersonRole[] };

/** Operators with one of the roles, and admins. */
export type OperatorAccess = { readonly roles: readonly OperatorRole[] };

/** People of an account who have signed in and have one of the roles. */
export type PersonAccess = { readonly people: readonly PersonRole[] };

/** Anyone: to sign in, or by a link. */
export type OpenAccess = { readonly anyone: true };

export type PortalAccess = PersonAccess | OpenAccess;

/** What an operation of the public API gets: parsed, and valid by the route's own schemas. */
export type RouteRequest<Params, Query, Body> = {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Members of the body that the schema does not know. They are ignored, with a warning. */
  readonly unknownFields: readonly UnknownField[];
  /** Whether the client prefers one of the route's `files` to JSON. */
  readonly prefers: (mediaType: string) => boolean;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
};

/** What an operation of the operations API gets; its schemas know all of its body and query. */
export type OpsRequest<Params, Query, Body> = RouteRequest<Params, Query, Body> & {
  /** Handed to `actOnce` by a POST or PATCH. */
  readonly once: Once;
};

/** Where a request of the portal comes from. */
export type Browser = {
  /** Stands for the address of the network, as the address limit counts it. */
  readonly ipKey: string;
  /** The header `User-Agent`, empty when there is none. */
  readonly userAgent: string;
};

/** What an operation of the portal gets; its schemas know all of its body and query. */
export type PortalRequest<Params, Query, Body> = RouteRequest<Params, Query, Body> & { readonly browser: Browser };

/** As `PortalRequest`, of a person who has signed in. */
export type PersonRequest<Params, Query, Body> = PortalRequest<Params, Query, Body> & {
  /** The Idempotency-Key, where the operation takes one; `""` otherwise. */
  readonly key: string;
};

export type RouteReply = {
  readonly status: number;
  /** Sent as JSON; bytes and streams are sent as they are, under the media type of the route's reply. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set for a body with long lists: it is written in pieces. */
  readonly isLarge?: boolean;
};

/** Days in UTC, such as `2026-11-22`. */
export type Deprecation = {
  readonly since: string;
  /** The first day on which the operation is no longer answered; unset while its end is not decided. */
  readonly sunset?: string;
  /** What to use in its place, as a sentence. */
  readonly instead: string;
};

type RouteHead<Access> = {
  readonly access: Access;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the base address of its API, parameters as `:id`. */
  readonly path: string;
  /** The operation's name in the OpenAPI document and the client, `placeOrder`. */
  readonly operationId: string;
  readonly summary: string;
  /** More about it for the reference page, in Markdown. */
  readonly description?: string;
  /** Set for what must get through an overload: it has places of its own. */
  readonly isUrgent?: true;
  /** Set once another operation replaces it. It works as before, and its answers say so in headers. */
  readonly deprecated?: Deprecation;
  /** Codes beyond those of every operation: for state, stock, resources that a body names. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Checks what the schema cannot express.
   * Its problems are reported with those of the shape, in one refusal. Takes whatever JSON was sent, and
   * leaves out what the schema finds anyway.
   */
  readonly bodyProblems?: (body: unknown) => readonly Problem[];
  /** Set where a request without a body is one with an empty object: none of its members is required. */
  readonly bodyIsOptional?: true;
  /** Top-level members of a refusal beside its problems, such as the valid event names. */
  readonly refusalExtras?: (problems: readonly Problem[]) => Record<string, unknown>;
  /**
   * The reply's schema for each success status.
   * Null is a reply without a body; a media type in place of a schema is a file of that type.
   */
  readonly replies: Readonly<Record<number, Access extends CallerAccess ? TSchema | null : TSchema | string | null>>;
  /** Media types that status 200 can also have, for a client whose `Accept` prefers them. */
  readonly files?: readonly string[];
  /** The member of the reply that is a list, which a client that prefers `text/csv` gets as CSV. */
  readonly csv?: string;
  /** Members of a record that its CSV leaves out: a signed address ends in an hour, and a file is kept. */
  readonly csvWithout?: readonly string[];
  /** Headers of a success status beside those of every reply: `{ 200: ['Idempotent-Replayed'] }`. */
  readonly replyHeaders?: Readonly<Record<number, readonly string[]>>;
};

/** What only operations of operators have. */
type OpsHead = {
  /** Whether it moves money: a request without an `Idempotency-Key` is then refused. */
  readonly movesMoney?: true;
};

/** What only operations of people have. */
type PersonHead = {
  /** Whether a request without an `Idempotency-Key` is refused: a repeat of it must be known. */
  readonly takesKey?: true;
};

type Handle<Access, Ctx, Params, Query, Body> = Access extends CallerAccess
  ? (ctx: Ctx, caller: Caller, request: RouteRequest<Params, Query, Body>) => Promise<RouteReply>
  : Access extends PersonAccess
    ? (ctx: Ctx, person: SignedIn, request: PersonRequest<Params, Query, Body>) => Promise<RouteReply>
    : Access extends OpenAccess
      ? (ctx: Ctx, request: PortalRequest<Params, Query, Body>) => Promise<RouteReply>
      : (ctx: Ctx, operator: Operator, request: OpsRequest<Params, Query, Body>) => Promise<RouteReply>;

/** What only operations of one of the three have. */
type OwnHead<Access> = (Access extends OperatorAccess ? OpsHead : unknown) &
  (Access extends PersonAccess ? PersonHead : unknown);

type Mounted<Access, Ctx> = RouteHead<Access> &
  OwnHead<Access> & {
    readonly params: TSchema | undefined;
    readonly query: TSchema | undefined;
    readonly body: TSchema | undefined;
    readonly handle: Handle<Access, Ctx, unknown, unknown, unknown>;
  };

/** One operation of the public API: all that `http/` needs in order to mount it. */
export type Route<Ctx> = Mounted<CallerAccess, Ctx>;

/** One operation of the operations API. */
export type OpsRoute<Ctx> = Mounted<OperatorAccess, Ctx>;

/** One operation of the portal for people who have signed in. */
export type PersonRoute<Ctx> = Mounted<PersonAccess, Ctx>;

/** One operation of the portal for anyone. */
export type OpenRoute<Ctx> = Mounted<OpenAccess, Ctx>;

export type PortalRoute<Ctx> = PersonRoute<Ctx> | OpenRoute<Ctx>;

/** An operation of any of the three. */
export type AnyRoute<Ctx> = Route<Ctx> | OpsRoute<Ctx> | PortalRoute<Ctx>;

/**
 * Describes an operation of one of the three APIs; `access` says of which.
 * The handler's `params`, `query` and `body` take their static types from the schemas, which are
 * enforced before it is called. This is the one parsed border at which the types are believed.
 */
export function route<
  Ctx,
  Access extends CallerAccess | OperatorAccess | PortalAccess,
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
>(
  described: RouteHead<Access> &
    OwnHead<Access> & {
      readonly params?: Params;
      readonly query?: Query;
      readonly body?: Body;
      readonly handle: Handle<Access, Ctx, Static<Params>, Static<Query>, Static<Body>>;
    },
): Mounted<Access, Ctx> {
  return {
    ...described,
    params: described.params,
    query: described.query,
    body: described.body,
    handle: described.handle as Handle<Access, Ctx, unknown, unknown, unknown>,
  };
}

/** Whether a route belongs to the operations API. */
export function isOpsRoute<Ctx>(route: AnyRoute<Ctx>): route is OpsRoute<Ctx> {
  return 'roles' in route.access;
}

/** Whether a route belongs to the portal. */
export function isPortalRoute<Ctx>(route: AnyRoute<Ctx>): route is PortalRoute<Ctx> {
  return isPersonRoute(route) || 'anyone' in route.access;
}

/** Whether a route belongs to the portal, and is only for people who have signed in. */
export function isPersonRoute<Ctx>(route: AnyRoute<Ctx>): route is PersonRoute<Ctx> {
  return 'people' in route.access;
}
