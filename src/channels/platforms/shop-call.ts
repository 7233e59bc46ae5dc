import type { Context } from '../../lib/context.ts';
import { unavailable } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { CallOptions, CallResult } from '../../lib/outbound/call.ts';
import { serviceFor } from '../../lib/turns/owner.ts';
import { isPage, jsonWithin } from './json-within.ts';
import { isMembers, type Members } from './members.ts';

/**
 * Why a shop could not be asked.
 *
 * `refused`: it does not let us in. `busy`: it asks us to wait. `away`: no answer, or one of its own failure. `broken`:
 * an answer that is none of its platform. `rejected`: it refuses this one request.
 */
export type FaultKind = 'refused' | 'busy' | 'away' | 'broken' | 'rejected';

/**
 * The code of a request that a shop refuses while it is not ready for it, as it holds its order.
 * It is made again for ever.
 */
export const WAITS_FOR_SHOP = 'waits_for_shop';

/** A shop is at fault. The message is a sentence for its people, and holds nothing that the shop sent. */
export class ShopFault extends Error {
  override name = 'ShopFault';
  readonly kind: FaultKind;
  readonly retryAfterSeconds: number | undefined;
  /** The code by which a shop refuses a request, for the code of its platform; empty without one. */
  readonly code: string;

  constructor(kind: FaultKind, message: string, retryAfterSeconds?: number, code = '') {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
    this.code = code;
  }
}

/** The code of a fault: there is no shop where it should be, so that nothing else works either. */
export const NO_SHOP_THERE = 'no_shop_there';

/** The code of a fault: the shop knows who asks, and refuses this. That may be one thing alone. */
export const FORBIDDEN = 'forbidden';

/** Whether a shop that knows who asks refuses one thing, or all of them. */
export function isForbidden(error: unknown): error is ShopFault {
  return error instanceof ShopFault && error.kind === 'refused' && error.code === FORBIDDEN;
}

/** Whether a shop has not answered, or with what is no answer: to one request, or as a whole. */
export function isBadAnswer(error: unknown): error is ShopFault {
  return error instanceof ShopFault && (error.kind === 'away' || error.kind === 'broken');
}

/** Whether a shop refuses one request: it lets us in, and is well. */
export function isRejected(error: unknown): error is ShopFault {
  return error instanceof ShopFault && error.kind === 'rejected';
}

/** Whether a fault may be of one request alone. */
export function mayBeOfOne(error: unknown): error is ShopFault {
  return isBadAnswer(error) || isRejected(error);
}

export type ShopAnswer = { readonly status: number; readonly headers: Headers; readonly json: unknown };

/**
 * Asks a shop for something below its address.
 * Resolves to an answer of success, or to undefined for what is not there. Throws `ShopFault` for every other.
 */
export type ShopCall = (
  method: CallOptions['method'],
  path: string,
  body?: Readonly<Record<string, unknown>>,
) => Promise<ShopAnswer | undefined>;

/**
 * Has a shop write something.
 * That there is no such place in the shop is a fault, and never taken for done: it may be switched off for a moment.
 */
export async function writeTo(
  { call }: { readonly call: ShopCall },
  method: 'POST' | 'PUT',
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<ShopAnswer> {
  const answer = await call(method, path, body);
  if (answer !== undefined) return answer;
  throw new ShopFault('broken', 'The shop has no place for what it was sent (404): it may be switched off.');
}

const TIMEOUT_MS = 20_000;
/** A page of orders with all that plug-ins add to them. */
const ANSWER_BYTES_MAX = 8 * 1_048_576;
const RETRY_SECONDS_MAX = 3_600;

/** Makes calls to the shop of an account. Throws 503 where the fault is ours. */
export function callsTo(
  ctx: Pick<Context, 'outbound'>,
  of: {
    readonly accountId: Uuid;
    readonly address: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    /** In place of the time that a page of orders may take. */
    readonly timeoutMs?: number;
    /** Whether the JSON of a 401 or 403 is the platform's own; each is when left out. */
    readonly isRefusal?: (json: Members) => boolean;
  },
): ShopCall {
  return async (method, path, body) => {
    of.signal.throwIfAborted();
    const result = await ctx.outbound.call(`${of.address}${path}`, {
      owner: serviceFor(of.accountId),
      method,
      headers: {
        ...of.headers,
        accept: 'application/json',
        'user-agent': 'Platen-channels/1',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      timeoutMs: of.timeoutMs ?? TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    if (result.kind === 'unavailable') throw unavailable('Shops cannot be called right now.', new Error(result.error));
    return answerOf(result, of.isRefusal ?? (() => true));
  };
}

function answerOf(
  result: Exclude<CallResult, { kind: 'unavailable' }>,
  isRefusal: (json: Members) => boolean,
): ShopAnswer | undefined {
  if (result.kind === 'failed') throw new ShopFault('away', `The shop does not answer. ${result.error}`);
  const { status, headers, text, retryAfterSeconds } = result;
  if (status === 429 || (status === 503 && retryAfterSeconds !== undefined)) {
    const seconds = Math.min(retryAfterSeconds ?? 60, RETRY_SECONDS_MAX);
    throw new ShopFault('busy', `The shop asks to be left alone for ${seconds} seconds.`, seconds);
  }
  if (status >= 500) {
    throw new ShopFault(
      'away',
      `The shop answers with an error of its own (${status}).`,
      undefined,
      codeOf(jsonWithin(text)),
    );
  }
  if (status >= 300 && status < 400) {
    throw new ShopFault('broken', `The shop is at another address: it redirects (${status}). Connect it by that one.`);
  }
  const json = jsonWithin(text);
  if (status === 401 || status === 403) {
    // What stands before the shop, and has never looked at what lets us in.
    if (!isMembers(json) || !isRefusal(json)) throw new ShopFault('broken', inTheWay(status));
    const words = `The shop does not let the print shop in any more (${status}). Connect it again.`;
    throw new ShopFault('refused', words, undefined, status === 403 ? FORBIDDEN : '');
  }
  if (json === undefined) {
    throw new ShopFault('broken', `The shop answers with what is no JSON (${status}): ${kindOf(headers, text)}.`);
  }
  if (status === 404 || status === 410) return undefined;
  if (status >= 400) {
    throw new ShopFault('rejected', `The shop refuses this request (${status}).`, undefined, codeOf(json));
  }
  return { status, headers, json };
}

function inTheWay(status: number): string {
  return `Something before the shop turns the print shop away (${status}), as a firewall or a security plug-in does. It is tried again; who runs the site can let the requests of the print shop through.`;
}

function codeOf(json: unknown): string {
  return isMembers(json) && typeof json.code === 'string' ? json.code : '';
}

function kindOf(headers: Headers, text: string): string {
  if (text.trim() === '') return 'nothing at all';
  const isForPeople = (headers.get('content-type') ?? '').includes('html') || isPage(text) || /^\s*</.test(text);
  return isForPeople ? 'a page for people, as a firewall or a page of maintenance does' : 'a plug-in may write into it';
}
