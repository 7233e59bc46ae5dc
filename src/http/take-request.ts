import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import { notFound, type Problem, validationFailed } from '../lib/errors.ts';
import type { TSchema } from '../lib/typebox.ts';
import { compileQuery, compileShape, findBadText, type Shape } from '../lib/validation/validate.ts';
import { hasBody, readJsonBody } from './body.ts';
import { type RateLimiter, rejectLimited, tighter } from './rate-limit.ts';

// The steps that requests of both APIs have in common.

/** Longer than any id or reference; anything above is an unknown path (bad input A22). */
const PARAMETER_CHARACTERS_MAX = 200;

/**
 * Throws 404 for an id that cannot exist.
 * That is one that is empty, too long, or has characters that no id has (bad input A20 to A22).
 */
export function rejectImpossiblePath(params: unknown): void {
  if (typeof params !== 'object' || params === null) return;
  for (const value of Object.values(params)) {
    const isPossible = typeof value === 'string' && value !== '' && value.length <= PARAMETER_CHARACTERS_MAX;
    if (!isPossible || IMPOSSIBLE_IN_ID.test(value)) throw notFound();
  }
}

// Control characters, an encoded slash, and half of a surrogate pair.
const IMPOSSIBLE_IN_ID = /[\p{Cc}\p{Cs}/\\]/u;

/**
 * Counts the request against the token's limit.
 * Sets the headers of the limit that the client must watch.
 */
export async function applyTokenLimit(
  limitedAs: string,
  request: FastifyRequest,
  reply: FastifyReply,
  options: { readonly tokenLimiter: RateLimiter | undefined; readonly clock: Clock },
): Promise<void> {
  if (options.tokenLimiter === undefined) return;
  const allowance = await options.tokenLimiter.take(limitedAs);
  reply.headers(tighter(request.state.ipAllowance, allowance));
  rejectLimited(allowance, 'token', options.clock);
}

/** The parts of an operation that describe its requests. */
export type RequestShape = {
  readonly params: TSchema | undefined;
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
  /** Whether the operation takes no body: one that is sent is checked and dropped. */
  readonly takesNoMembers: boolean;
  /** Throws a refusal that comes before those of the shape. */
  readonly refuse: ((request: FastifyRequest) => void) | undefined;
  /** Whether a request without a body is one with an empty object. */
  readonly bodyIsOptional?: true | undefined;
  /** Checks that no schema expresses, reported together with the shape. */
  readonly moreProblems: ((request: FastifyRequest, body: unknown) => readonly Problem[]) | undefined;
  /** Top-level members of a refusal beside its problems. */
  readonly refusalExtras: ((problems: readonly Problem[]) => Record<string, unknown>) | undefined;
};

/**
 * Takes a request: reads its body and checks it.
 * `admit` is called once, when nothing more is to arrive and before the body is parsed.
 */
export type TakeRequest = (request: FastifyRequest, admit: (bodyBytes: number) => Promise<void>) => Promise<unknown>;

/**
 * Compiles an operation's schemas into one step that reads the body and checks it with params and
 * query, and reports all problems at once. The body is undefined where the operation takes none.
 */
export function compileRequest(shape: RequestShape): TakeRequest {
  const params = shape.params === undefined ? undefined : compileShape(shape.params);
  const query = shape.query === undefined ? undefined : compileQuery(shape.query);
  const body = shape.body === undefined ? undefined : compileShape(shape.body);
  return async (request, admit) => {
    if (params !== undefined && params(request.params).length > 0) throw notFound();
    const problems = query?.(request.query) ?? [];
    const mayBeUnsent = shape.takesNoMembers || shape.bodyIsOptional === true;
    const isSent = !mayBeUnsent || hasBody(request.raw);
    const unsent = shape.bodyIsOptional === true ? {} : undefined;
    const isRead = body !== undefined && isSent;
    const value = isRead ? await takeBody(request.raw, { shape: body, problems, admit }) : unsent;
    if (!isRead) await admit(0);
    shape.refuse?.(request);
    if (shape.moreProblems !== undefined) {
      const named = new Set(problems.map(({ path }) => path));
      problems.push(...shape.moreProblems(request, value).filter(({ path }) => !named.has(path)));
    }
    if (problems.length > 0) throw validationFailed(problems, shape.refusalExtras?.(problems));
    return shape.takesNoMembers ? undefined : value;
  };
}

/** The size of an order of a few hundred lines. */
const LARGE_BYTES = 32_768;

async function takeBody(
  raw: IncomingMessage,
  { shape, problems, admit }: { shape: Shape; problems: Problem[]; admit: (bodyBytes: number) => Promise<void> },
): Promise<unknown> {
  const { value, bytes, mayHoldBadText } = await readJsonBody(raw, admit);
  const badText = mayHoldBadText ? findBadText(value) : [];
  problems.push(...badText);
  const named = new Set(badText.map((problem) => problem.path));
  problems.push(...shape(value).filter((problem) => !named.has(problem.path)));
  // Reading such a body took milliseconds, and so does what comes next: others are served in between.
  if (bytes > LARGE_BYTES) await nextLoop();
  return value;
}

/** Aborts when the response closes before it has finished: the client has gone. */
export function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
