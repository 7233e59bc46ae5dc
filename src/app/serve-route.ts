import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { notFound, type Problem, validationFailed } from '../lib/errors.ts';
import type { Route, RouteRequest } from '../lib/route.ts';
import { type Authenticate, authenticateHeader, requireScope } from './authenticate.ts';
import { readJsonBody } from './body.ts';
import { type RateLimiter, refuseLimited, tighter } from './rate-limit.ts';
import { compileQuery, compileShape, findBadText, listUnknownFields, type Shape } from './validate.ts';
import { sendJson } from './visit.ts';

export type RouteDoors<Ctx> = {
  readonly ctx: Ctx;
  readonly authenticate: Authenticate;
  readonly tokenLimiter: RateLimiter | undefined;
  readonly clock: Clock;
};

/** Longer than any id or reference; anything above is an unknown path (bad input A22). */
const PARAMETER_CHARACTERS_MAX = 200;

/**
 * Makes the handler of a public operation: the life of a request after the limit by address and the routing, in the order of
 * checks that the decisions give. Each step throws its refusal. The reply is written with `JSON.stringify`: a serialiser
 * generated from the reply schema leaves out every field that the schema does not name, silently.
 */
export function serveRoute<Ctx>(
  route: Route<Ctx>,
  doors: RouteDoors<Ctx>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const check = compileRequest(route);
  return async (request, reply) => {
    refuseImpossiblePath(request.params);
    const caller = await authenticateHeader(request.headers.authorization, doors.authenticate);
    request.visit.accountId = caller.accountId;
    await takeForToken(caller, request, reply, doors);
    requireScope(caller, route.scope);
    const input = await check(request, reply);
    const result = await route.handle(doors.ctx, caller, input);
    const text = result.body === undefined ? undefined : JSON.stringify(result.body);
    sendJson(reply, { status: result.status, headers: result.headers, text });
  };
}

/** Counts the request against the token's limit, and tells the client which of the two limits it must watch. */
async function takeForToken<Ctx>(
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  doors: RouteDoors<Ctx>,
): Promise<void> {
  if (doors.tokenLimiter === undefined) return;
  const allowance = await doors.tokenLimiter.take(caller.limitedAs);
  reply.headers(tighter(request.visit.ipAllowance, allowance));
  refuseLimited(allowance, 'token', doors.clock);
}

/** An id that is empty, endless or holds what no id can hold names nothing, so the path does not exist (bad input A20 to A22). */
function refuseImpossiblePath(params: unknown): void {
  if (typeof params !== 'object' || params === null) return;
  for (const value of Object.values(params)) {
    const isPossible = typeof value === 'string' && value !== '' && value.length <= PARAMETER_CHARACTERS_MAX;
    if (!isPossible || IMPOSSIBLE_IN_ID.test(value)) throw notFound();
  }
}

// Control characters, a slash that came in encoded, and half of a surrogate pair.
const IMPOSSIBLE_IN_ID = /[\p{Cc}\p{Cs}/\\]/u;

type Check = (request: FastifyRequest, reply: FastifyReply) => Promise<RouteRequest<unknown, unknown, unknown>>;

/** Compiles a route's schemas into one step that reads and checks params, query and body, and reports all problems at once. */
function compileRequest<Ctx>(route: Route<Ctx>): Check {
  const params = route.params === undefined ? undefined : compileShape(route.params);
  const query = route.query === undefined ? undefined : compileQuery(route.query);
  const body = route.body === undefined ? undefined : { schema: route.body, shape: compileShape(route.body) };
  return async (request, reply) => {
    if (params !== undefined && params(request.params).length > 0) throw notFound();
    const problems = query?.(request.query) ?? [];
    const value = body === undefined ? undefined : await takeBody(request.raw, body.shape, problems);
    const named = new Set(problems.map(({ path }) => path));
    problems.push(...(route.bodyProblems?.(value) ?? []).filter(({ path }) => !named.has(path)));
    if (problems.length > 0) throw validationFailed(problems, route.refusalExtras?.(problems));
    return routeRequest(request, reply.raw, value, body?.schema);
  };
}

async function takeBody(raw: IncomingMessage, shape: Shape, problems: Problem[]): Promise<unknown> {
  const { value, mayHoldBadText } = await readJsonBody(raw);
  const badText = mayHoldBadText ? findBadText(value) : [];
  problems.push(...badText);
  const named = new Set(badText.map((problem) => problem.path));
  problems.push(...shape(value).filter((problem) => !named.has(problem.path)));
  return value;
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
    get signal() {
      signal ??= signalOf(response);
      return signal;
    },
  };
}

/** A response that closes before it has finished has lost its client. */
function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
