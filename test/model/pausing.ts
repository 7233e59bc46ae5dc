import assert from 'node:assert/strict';
import { type Action, answered, CONFLICT, DONE, drawAgain, nameOf, operate, pickOrder } from './acting.ts';
import { type ModelLine, type ModelOrder, move, openOf } from './model.ts';
import type { Random } from './random.ts';
import type { Reply } from './world.ts';

// How operators stop work on a line in production, and go on with it.

function pickLine(order: ModelOrder, random: Random, fits: (line: ModelLine) => boolean): ModelLine {
  const fitting = order.lines.filter(fits);
  return random.pick(fitting.length > 0 && random.chance(0.85) ? fitting : order.lines);
}

const isUnderWay = ({ state }: ModelOrder): boolean => state === 'in_production';
const isPaused = (line: ModelLine): boolean => line.pausedAt !== undefined;

/** The answer shows the pause of each line, and as the hold of the order the one that began first. */
function assertHold(order: ModelOrder, { body }: Reply): void {
  const pauses = order.lines.flatMap(({ pausedAt }) => pausedAt ?? []);
  const hold = body.hold as { opened_at: string } | null;
  assert.equal(hold?.opened_at, pauses.length === 0 ? undefined : new Date(Math.min(...pauses)).toISOString());
  assert.equal(body.status, 'in_production');
  assert.deepEqual(
    (body.lines as { hold: object | null }[]).map((line) => line.hold !== null),
    order.lines.map(isPaused),
  );
}

const pause: Action = {
  name: 'pause',
  weight: 4,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, isUnderWay);
    if (order === undefined) return undefined;
    const line = pickLine(order, random, (one) => !isPaused(one) && openOf(one) > 0);
    const [path, again] = [`/orders/${nameOf(order, random)}/lines/${line.id}/pause`, drawAgain(random)];
    return {
      told: `line ${order.lines.indexOf(line)} of order ${order.index}`,
      run: async () => {
        world.model.touched.add(order);
        const foretold = isUnderWay(order) && !isPaused(line) && openOf(line) > 0 ? DONE : CONFLICT;
        if (foretold === DONE) {
          line.pausedAt = world.model.now;
          move(world.model, order, 'pause_line', order.state);
        }
        const reply = await operate(world, { path, body: { reason: 'The ink is late' } }, foretold, again);
        if (foretold === DONE) assertHold(order, reply);
        return answered(reply, foretold);
      },
    };
  },
};

const resume: Action = {
  name: 'resume line',
  weight: 4,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ lines }) => lines.some(isPaused));
    if (order === undefined) return undefined;
    const line = pickLine(order, random, isPaused);
    const [path, again] = [`/orders/${nameOf(order, random)}/lines/${line.id}/resume`, drawAgain(random)];
    return {
      told: `line ${order.lines.indexOf(line)} of order ${order.index}`,
      run: async () => {
        world.model.touched.add(order);
        const foretold = isUnderWay(order) && isPaused(line) ? DONE : CONFLICT;
        if (foretold === DONE) {
          line.pausedAt = undefined;
          move(world.model, order, 'resume_line', order.state);
        }
        const reply = await operate(world, { path }, foretold, again);
        if (foretold === DONE) assertHold(order, reply);
        return answered(reply, foretold);
      },
    };
  },
};

export const PAUSING: readonly Action[] = [pause, resume];
