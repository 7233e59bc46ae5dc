import type { Static, TSchema } from 'typebox';
import type { Caller, Scope } from './caller.ts';
import type { ErrorCode } from './error-catalogue.ts';
import type { Problem } from './errors.ts';

/** What a request carries once it has passed the doors: parsed and valid by the route's own schemas. */
export type RouteRequest<Params, Query, Body> = {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Paths of body members that the schema does not know; they are ignored, and may be warned about. */
  readonly unknownFields: readonly string[];
  /** Whether the client would rather have one of the route's `files` than JSON. */
  readonly prefers: (mediaType: string) => boolean;
  /** Ends when the client has gone away. */
  readonly signal: AbortSignal;
};

export type RouteReply = {
  readonly status: number;
  /** What is sent as JSON; bytes are sent as they are, under the `content-type` among the headers. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

type Handle<Ctx, Params, Query, Body> = (
  ctx: Ctx,
  caller: Caller,
  request: RouteRequest<Params, Query, Body>,
) => Promise<RouteReply>;

type RouteHead = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the base address, parameters as `:id`. */
  readonly path: string;
  readonly scope: Scope;
  /** The operation's name in the OpenAPI document and the client, `placeOrder`. */
  readonly operationId: string;
  readonly summary: string;
  /** More about it for the reference page, in Markdown. */
  readonly description?: string;
  /** What it refuses with beyond what the doors refuse every operation with: state, stock, resources that a body names. */
  readonly errors?: readonly ErrorCode[];
  /**
   * What the schema cannot say of the body: found together with its shape, so that one refusal tells everything. Takes whatever
   * JSON was sent, and leaves out what the schema finds anyway.
   */
  readonly bodyProblems?: (body: unknown) => readonly Problem[];
  /** What stands at the top level of a refusal beside its problems: the valid names of an event. */
  readonly refusalExtras?: (problems: readonly Problem[]) => Record<string, unknown>;
  /** The reply's schema for each success status; null for a reply without a body. */
  readonly replies: Readonly<Record<number, TSchema | null>>;
  /** Media types that status 200 is also given as, to a client whose `Accept` prefers them. */
  readonly files?: readonly string[];
  /** Headers that a success status adds to those of every reply, by name: `{ 200: ['Idempotent-Replayed'] }`. */
  readonly replyHeaders?: Readonly<Record<number, readonly string[]>>;
};

/** One operation of the public API. `app/` mounts it; what stands here is all that it needs to know. */
export type Route<Ctx> = RouteHead & {
  readonly params: TSchema | undefined;
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
  readonly handle: Handle<Ctx, unknown, unknown, unknown>;
};

/**
 * Describes an operation. The handler's `params`, `query` and `body` take their static types from the schemas, which the
 * doors enforce before it is called; that is the one parsed border at which the types are believed.
 */
export function route<
  Ctx,
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
>(
  head: RouteHead & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    readonly handle: Handle<Ctx, Static<Params>, Static<Query>, Static<Body>>;
  },
): Route<Ctx> {
  return {
    ...head,
    params: head.params,
    query: head.query,
    body: head.body,
    handle: head.handle as Handle<Ctx, unknown, unknown, unknown>,
  };
}
