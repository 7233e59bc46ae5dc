import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import type { Route, RouteRequest } from '../lib/route.ts';
import { type Authenticate, authenticateHeader, requireScope } from './authenticate.ts';
import { prefersMediaType } from './prefers-media-type.ts';
import type { RateLimiter } from './rate-limit.ts';
import { sendResult } from './request-state.ts';
import { compileRequest, refuseImpossiblePath, signalOf, takeForToken } from './take-request.ts';
import { listUnknownFields } from './validate.ts';

export type RouteDoors<Ctx> = {
  readonly ctx: Ctx;
  readonly authenticate: Authenticate<Caller>;
  readonly tokenLimiter: RateLimiter | undefined;
  readonly clock: Clock;
};

/**
 * Makes the handler of a public operation: the life of a request after the limit by address and the routing, in the order of
 * checks that the decisions give. Each step throws its refusal. The reply is written with `JSON.stringify`: a serialiser
 * generated from the reply schema leaves out every field that the schema does not name, silently.
 */
export function serveRoute<Ctx>(
  route: Route<Ctx>,
  doors: RouteDoors<Ctx>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { params, query, body, bodyProblems, refusalExtras } = route;
  const moreProblems = (_request: FastifyRequest, value: unknown) => bodyProblems?.(value) ?? [];
  const take = compileRequest({ params, query, body, moreProblems, refusalExtras });
  return async (request, reply) => {
    refuseImpossiblePath(request.params);
    const caller = await authenticateHeader(request.headers.authorization, doors.authenticate);
    request.visit.accountId = caller.accountId;
    await takeForToken(caller.limitedAs, request, reply, doors);
    requireScope(caller, route.scope);
    const input = routeRequest(request, reply.raw, await take(request), body);
    const result = await route.handle(doors.ctx, caller, input);
    if (route.files !== undefined) reply.header('vary', 'accept');
    sendResult(reply, result);
  };
}

/** The last two members are worked out when they are first asked for: most operations need neither. */
function routeRequest(
  request: FastifyRequest,
  response: ServerResponse,
  body: unknown,
  bodySchema: TSchema | undefined,
): RouteRequest<unknown, unknown, unknown> {
  let unknownFields: readonly string[] | undefined;
  let signal: AbortSignal | undefined;
  return {
    params: request.params,
    query: request.query,
    body,
    get unknownFields() {
      unknownFields ??= bodySchema === undefined ? [] : listUnknownFields(bodySchema, body);
      return unknownFields;
    },
    prefers: (mediaType) => prefersMediaType(request.headers.accept, mediaType),
    get signal() {
      signal ??= signalOf(response);
      return signal;
    },
  };
}
