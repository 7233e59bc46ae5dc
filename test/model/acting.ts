import assert from 'node:assert/strict';
import type { ErrorCode } from '../../src/lib/error-catalogue.ts';
import { type Model, type ModelOrder, newName } from './model.ts';
import type { Random } from './random.ts';
import { type Reply, SKUS, type World } from './world.ts';

/** Something that is done in a step, drawn beforehand: in words, and the work, which says how it was answered. */
export type Plan = { readonly told: string; readonly run: () => Promise<string> };

/** A kind of step; no plan when there is nothing yet to do it with. */
export type Action = {
  readonly name: string;
  readonly weight: number;
  readonly plan: (world: World, random: Random) => Plan | undefined;
};

/** An answer that the model foretells. */
export type Foretold = { readonly status: number; readonly code?: ErrorCode };

export const CONFLICT: Foretold = { status: 409, code: 'conflict' };
export const SHORT: Foretold = { status: 409, code: 'out_of_stock' };
export const UNFINISHED: Foretold = { status: 409, code: 'pieces_not_finished' };
export const MISSING: Foretold = { status: 409, code: 'pieces_short' };
export const INVALID: Foretold = { status: 422, code: 'validation_failed' };
export const UNKNOWN: Foretold = { status: 404, code: 'not_found' };
export const DONE: Foretold = { status: 200 };
export const MADE: Foretold = { status: 201 };

/** Characters of an answer that a failure shows. */
const SHOWN_MAX = 600;

/** Holds an answer to what was foretold, and says it in a few words. */
export function answered(reply: Reply, foretold: Foretold): string {
  const code = reply.status < 400 ? undefined : reply.body.code;
  assert.deepEqual(
    { status: reply.status, code },
    { status: foretold.status, code: foretold.code },
    reply.text.slice(0, SHOWN_MAX),
  );
  return code === undefined ? String(reply.status) : `${reply.status} ${foretold.code}`;
}

/**
 * One of the orders that fit, mostly, and any at all now and then, so that much is refused; the younger ones more
 * often.
 */
export function pickOrder(model: Model, random: Random, fits: (order: ModelOrder) => boolean): ModelOrder | undefined {
  const fitting = random.chance(0.85) ? model.orders.filter(fits) : [];
  const from = fitting.length > 0 ? fitting : model.orders;
  if (from.length === 0) return undefined;
  return random.pick(random.chance(0.7) ? from.slice(-12) : from);
}

/** An order by its id or its reference, in any case. */
export function nameOf(order: ModelOrder, random: Random): string {
  return random.pick([order.id, order.id, order.reference, order.reference.toLowerCase()]);
}

/** Whether a request of an operator is sent again under its key, or its key is used for something else. */
export type Again = 'no' | 'the same' | 'another';

export function drawAgain(random: Random): Again {
  return random.chance(0.2) ? random.pick(['the same', 'another'] as const) : 'no';
}

/**
 * An operator's request under a key of its own. Sent again under the key it is answered alike, and does nothing more;
 * another request under the key of one that was done is refused.
 */
export async function operate(
  world: World,
  request: { readonly method?: string; readonly path: string; readonly body?: object },
  foretold: Foretold,
  again: Again,
): Promise<Reply> {
  const key = newName(world.model, 'key');
  const send = (): Promise<Reply> => world.operate(request.method ?? 'POST', request.path, request.body, key);
  const reply = await send();
  answered(reply, foretold);
  if (again === 'the same') answered(await send(), foretold);
  if (again === 'another' && reply.status < 300) {
    const body = { items: [{ sku: SKUS[0], quantity: 1 }], reference: 'another request' };
    answered(await world.operate('POST', '/stock/receipts', body, key), CONFLICT);
  }
  return reply;
}

/** Pounds of an answer as pence. */
export function penceOf(pounds: unknown): number {
  assert.equal(typeof pounds, 'number');
  return Math.round(Number(pounds) * 100);
}
