import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from './error-catalogue.ts';
import type { Once, Operator, OperatorRole } from './operator.ts';
import type { RouteReply } from './route.ts';

/** What a request of the operations API carries once it has passed the doors. */
export type OpsRequest<Params, Query, Body> = {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Of a POST or PATCH; handed to `actOnce`. */
  readonly once: Once;
  readonly signal: AbortSignal;
};

type Handle<Ctx, Params, Query, Body> = (
  ctx: Ctx,
  operator: Operator,
  request: OpsRequest<Params, Query, Body>,
) => Promise<RouteReply>;

type OpsRouteHead = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Relative to `/ops/v1`, parameters as `:id`. */
  readonly path: string;
  /** Who may call it beside an admin. */
  readonly roles: readonly OperatorRole[];
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** What it refuses with beyond what the doors refuse every operation with, and a used key with. */
  readonly errors?: readonly ErrorCode[];
  /** The reply's schema for each success status; a media type in place of a schema is a file of that type. */
  readonly replies: Readonly<Record<number, TSchema | string | null>>;
};

/** One operation of the operations API. */
export type OpsRoute<Ctx> = OpsRouteHead & {
  readonly params: TSchema | undefined;
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
  readonly handle: Handle<Ctx, unknown, unknown, unknown>;
};

/** Describes an operation; as `route`, its schemas are the static types of the handler's input. */
export function opsRoute<
  Ctx,
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
>(
  head: OpsRouteHead & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    readonly handle: Handle<Ctx, Static<Params>, Static<Query>, Static<Body>>;
  },
): OpsRoute<Ctx> {
  return {
    ...head,
    params: head.params,
    query: head.query,
    body: head.body,
    handle: head.handle as Handle<Ctx, unknown, unknown, unknown>,
  };
}
