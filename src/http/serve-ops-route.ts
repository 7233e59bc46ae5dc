import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { Clean } from 'typebox/value';
import type { Clock } from '../lib/clock.ts';
import type { Problem } from '../lib/errors.ts';
import type { Operator } from '../lib/operator.ts';
import type { OpsRoute } from '../lib/ops-route.ts';
import { type Authenticate, authenticateHeader, requireRole } from './authenticate.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requestHash } from './request-hash.ts';
import { sendResult } from './request-state.ts';
import { compileRequest, refuseImpossiblePath, signalOf, takeForToken } from './take-request.ts';

export type OpsDoors<Ctx> = {
  readonly ctx: Ctx;
  readonly authenticate: Authenticate<Operator>;
  readonly tokenLimiter: RateLimiter | undefined;
  readonly clock: Clock;
};

/**
 * Makes the handler of an operation of the operations API: the same doors in the same order as of the public API, with a role in
 * place of a scope and the `Idempotency-Key` of what changes something (domain, "Operators").
 */
export function serveOpsRoute<Ctx>(
  route: OpsRoute<Ctx>,
  doors: OpsDoors<Ctx>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const changes = route.method !== 'GET';
  const moreProblems = (request: FastifyRequest) => (changes ? keyProblems(keyOf(request)) : []);
  const take = compileRequest({ params: route.params, query: route.query, body: route.body, moreProblems });
  return async (request, reply) => {
    refuseImpossiblePath(request.params);
    const operator = await authenticateHeader(request.headers.authorization, doors.authenticate);
    request.visit.operatorId = operator.id;
    await takeForToken(operator.tokenId, request, reply, doors);
    requireRole(operator, route.roles);
    const sent = await take(request);
    const { params, query } = request;
    const once = {
      key: changes ? keyOf(request) : undefined,
      requestHash: requestHash(request.method, pathOf(request), sent),
    };
    const input = { params, query, body: declaredOf(route.body, sent), once, signal: signalOf(reply.raw) };
    const result = await route.handle(doors.ctx, operator, input);
    const mediaType = route.replies[result.status];
    sendResult(reply, result, typeof mediaType === 'string' ? mediaType : undefined);
  };
}

/** A body without the members that the operation does not know: they are ignored, and the audit log must not keep them. */
function declaredOf(schema: TSchema | undefined, body: unknown): unknown {
  return schema === undefined ? body : Clean(schema, body);
}

/** Two headers of the name arrive as one with a comma and a blank between, which is no key. */
function keyOf(request: FastifyRequest): string | undefined {
  const value = request.headers['idempotency-key'];
  return typeof value === 'string' ? value : undefined;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

const KEY = /^[\x21-\x7e]{1,255}$/;

function keyProblems(key: string | undefined): Problem[] {
  if (key === undefined || KEY.test(key)) return [];
  const message = 'must be one key of 1 to 255 visible ASCII characters.';
  return [{ path: 'Idempotency-Key', code: 'pattern', message }];
}
