import assert from 'node:assert/strict';
import {
  type Action,
  answered,
  CONFLICT,
  DONE,
  drawAgain,
  type Foretold,
  INVALID,
  nameOf,
  operate,
  penceOf,
  pickOrder,
  UNKNOWN,
} from './acting.ts';
import { drive, type Fortune, feeling, fortuneOf, toldFortune } from './charging.ts';
import { type Model, type ModelLine, type ModelOrder, openOf } from './model.ts';
import { backToBalance, cancelSome, cancelWhole, priceOf } from './money-back.ts';
import type { Random } from './random.ts';

// How orders are cancelled: by their owner within the hour, by operators as a whole and in part.

const REFUND_FAILED: Foretold = { status: 502, code: 'refund_failed' };
const TOO_LATE: Foretold = { status: 409, code: 'cancellation_window_closed' };

/** Ends a charge that is under way before an order is cancelled; false when nobody can say how it ended. */
function resolve(model: Model, order: ModelOrder, fortune: Fortune): boolean {
  if (order.attempt === undefined) return true;
  return drive(model, order, order.attempt, { aim: 'stop', fortune }) !== 'unresolved';
}

/**
 * Where the clock stands when a customer cancels: anywhere, or at the last millisecond that still counts, or one
 * later.
 */
const MOMENTS = ['now', 'now', 'now', 'last', 'late'] as const;

const cancel: Action = {
  name: 'cancel',
  weight: 7,
  plan: (world, random) => {
    const { now } = world.model;
    const order = pickOrder(
      world.model,
      random,
      ({ cancellableUntil, state }) => cancellableUntil >= now && state !== 'cancelled' && state !== 'dispatched',
    );
    if (order === undefined) return undefined;
    const isOwn = random.chance(0.95);
    const shopper = isOwn ? world.shopperOf(order.account) : random.pick(world.shoppers);
    const name = nameOf(order, random);
    const fortune = fortuneOf(random);
    const moment = random.pick(MOMENTS);
    return {
      told: `order ${order.index} by ${shopper.account.name}, ${moment} [${toldFortune(fortune)}]`,
      run: async () => {
        const { model } = world;
        const edge = order.cancellableUntil + (moment === 'late' ? 1 : 0);
        if (moment !== 'now' && edge > model.now) model.now = edge;
        model.touched.add(order);
        const foretold = shopper.account === order.account ? cancelByOwner(model, order, fortune) : UNKNOWN;
        const reply = await feeling(world, fortune, () => world.ask(shopper, 'POST', `/orders/${name}/cancel`));
        const told = answered(reply, foretold);
        if (reply.status === 200) checkResult(order, reply.body);
        return told;
      },
    };
  },
};

/** In the order of the decisions: cancelled before, dispatched, the window, the refund. */
function cancelByOwner(model: Model, order: ModelOrder, fortune: Fortune): Foretold {
  if (order.state === 'cancelled') return DONE;
  if (order.state === 'dispatched') return CONFLICT;
  if (model.now > order.cancellableUntil) return TOO_LATE;
  if (!resolve(model, order, fortune)) return REFUND_FAILED;
  cancelWhole(model, order, 'api', order.totalPence - order.creditedPence);
  return DONE;
}

/** What went back to the balance, and what is listed as still to be paid out. */
function checkResult(order: ModelOrder, body: Record<string, unknown>): void {
  assert.equal(penceOf(body.refunded_gbp), backToBalance(order));
  const pending = body.pending_manual_refund as { amount_gbp: number }[];
  assert.deepEqual(
    pending.map(({ amount_gbp: amount }) => penceOf(amount)),
    order.payments.filter(({ owed }) => owed > 0).map(({ owed }) => owed),
  );
  assert.deepEqual([body.id, body.status, body.cancelled], [order.id, 'cancelled', true]);
}

const cancelByOps: Action = {
  name: 'ops cancel',
  weight: 3,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ state }) => state !== 'cancelled');
    if (order === undefined) return undefined;
    const [path, again, fortune] = [`/orders/${nameOf(order, random)}/cancel`, drawAgain(random), fortuneOf(random)];
    const keeps = random.chance(0.2);
    const body = {
      reason: 'asked by phone',
      ...(keeps ? { refund: 'none' } : random.chance(0.3) ? { refund: 'full' } : {}),
    };
    return {
      told: `order ${order.index}${keeps ? ' without a refund' : ''} [${toldFortune(fortune)}]`,
      run: async () => {
        const { model } = world;
        model.touched.add(order);
        const isResolved = resolve(model, order, fortune);
        const foretold = isResolved ? DONE : REFUND_FAILED;
        if (isResolved && order.state !== 'cancelled') {
          cancelWhole(model, order, 'ops', keeps ? 0 : order.totalPence - order.creditedPence);
        }
        // A repeat would find the provider in another mood.
        const mayRepeat = isResolved ? again : 'no';
        return answered(
          await feeling(world, fortune, () => operate(world, { path, body }, foretold, mayRepeat)),
          foretold,
        );
      },
    };
  },
};

const cancelPieces: Action = {
  name: 'ops cancel pieces',
  weight: 6,
  plan: (world, random) => {
    const isOpen = ({ state, isPaid, lines }: ModelOrder): boolean =>
      isPaid && state !== 'cancelled' && lines.some((line) => openOf(line) > 0);
    const order = pickOrder(world.model, random, isOpen);
    if (order === undefined) return undefined;
    const [path, again] = [`/orders/${nameOf(order, random)}/cancel`, drawAgain(random)];
    const pieces = drawPieces(order, random);
    const isByLine = random.chance(0.3);
    const keeps = random.chance(0.15);
    const isTwice = random.chance(0.04);
    const refund = keeps ? { refund: 'none' } : {};
    const lines = [...pieces].map(([line, quantity]) => ({ line_id: line.id, quantity }));
    const named = isByLine
      ? { line_ids: [...pieces.keys()].map(({ id }) => id) }
      : { items: isTwice ? [...lines, ...lines] : lines };
    return {
      told: `order ${order.index} ${[...pieces].map(([line, quantity]) => `${isByLine ? 'all' : quantity} of line ${order.lines.indexOf(line)}`).join(', ')}${keeps ? ' without a refund' : ''}${isTwice ? ' named twice' : ''}`,
      run: async () => {
        const { model } = world;
        model.touched.add(order);
        const asked = isByLine ? new Map([...pieces.keys()].map((line) => [line, openOf(line)])) : pieces;
        const foretold = refusalOf(order, asked, isTwice && !isByLine);
        const price = foretold === DONE ? priceOf(order, asked) : undefined;
        const reply = await operate(
          world,
          { path, body: { reason: 'one too many', ...named, ...refund } },
          foretold,
          again,
        );
        const told = answered(reply, foretold);
        if (price === undefined) return told;
        const back = penceOf(reply.body.refunded_gbp) + penceOf(reply.body.refund_owed_gbp);
        const given = back - order.refundedPence - order.owedPence;
        if (keeps) assert.equal(given, 0, 'what is kept');
        else
          assert.ok(
            given >= price.least && given <= price.most,
            `${given} went back: ${price.least} to ${price.most} should`,
          );
        if (keeps) order.hasKept = true;
        const isWhole = order.lines.every((line) => line.cancelled + (asked.get(line) ?? 0) === line.quantity);
        if (isWhole) cancelWhole(model, order, 'ops', given);
        else cancelSome(model, order, asked, given);
        return `${told}, ${given} back`;
      },
    };
  },
};

/** Some pieces of some lines: mostly what is left, or a part of it, now and then too many. */
function drawPieces(order: ModelOrder, random: Random): Map<ModelLine, number> {
  const open = order.lines.filter((line) => openOf(line) > 0);
  const from = open.length > 0 && random.chance(0.95) ? open : order.lines;
  const chosen = from.filter(() => random.chance(0.6));
  const lines = chosen.length > 0 ? chosen : [random.pick(from)];
  return new Map(
    lines.map((line) => {
      const left = openOf(line);
      if (left === 0) return [line, 1];
      return [line, random.chance(0.05) ? left + 1 : random.chance(0.5) ? left : random.between(1, left)];
    }),
  );
}

function refusalOf(order: ModelOrder, pieces: ReadonlyMap<ModelLine, number>, isTwice: boolean): Foretold {
  if (order.attempt !== undefined || order.state === 'cancelled' || !order.isPaid) return CONFLICT;
  if (isTwice) return INVALID;
  return [...pieces].every(([line, quantity]) => quantity > 0 && quantity <= openOf(line)) ? DONE : INVALID;
}

export const CANCELLING: readonly Action[] = [cancel, cancelByOps, cancelPieces];
