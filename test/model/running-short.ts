import { type Action, answered, DONE, drawAgain, MADE, nameOf, operate, pickOrder } from './acting.ts';
import { availableOf, type ModelLine, missingOf, openOf, shelfOf, spoil as spoilIn, supply } from './model.ts';

// Pieces are spoiled when no blank is left, and blanks come in for them. By chance alone both are rare.

const canSpoil = (line: ModelLine): boolean => line.isStarted && openOf(line) > missingOf(line);

/** A count finds no more than is promised, and then a piece is spoiled. */
const spoilTheLast: Action = {
  name: 'spoil with no blank left',
  weight: 4,
  plan: (world, random) => {
    const order = pickOrder(
      world.model,
      random,
      ({ state, lines }) => state === 'in_production' && lines.some(canSpoil),
    );
    const line = order?.lines.find(canSpoil);
    if (order === undefined || line === undefined || order.state !== 'in_production') return undefined;
    const quantity = random.between(1, openOf(line) - missingOf(line));
    const [path, again] = [`/orders/${nameOf(order, random)}/lines/${line.id}/spoil`, drawAgain(random)];
    return {
      told: `${quantity} of line ${order.lines.indexOf(line)} of order ${order.index}`,
      run: async () => {
        const { model } = world;
        const shelf = shelfOf(model, line.sku);
        shelf.onHand -= availableOf(model, line.sku);
        const items = [{ sku: line.sku, on_hand: shelf.onHand }];
        answered(await operate(world, { path: '/stock/counts', body: { items } }, MADE, 'no'), MADE);
        spoilIn(model, order, line, quantity, 0);
        return answered(await operate(world, { path, body: { quantity, reason: 'misprint' } }, DONE, again), DONE);
      },
    };
  },
};

/** A few pieces come in of a variant that lines are short of: for some of them, for all, or for more. */
const receiveForShort: Action = {
  name: 'receive for a short line',
  weight: 3,
  plan: (world, random) => {
    const short = world.model.orders.flatMap(({ lines }) => lines.filter((line) => line.short > 0));
    if (short.length === 0) return undefined;
    const { sku } = random.pick(short);
    const quantity = random.between(1, 4);
    const again = drawAgain(random);
    return {
      told: `${quantity} ${sku}`,
      run: async () => {
        shelfOf(world.model, sku).onHand += quantity;
        supply(world.model, sku);
        const body = { items: [{ sku, quantity }] };
        return answered(await operate(world, { path: '/stock/receipts', body }, MADE, again), MADE);
      },
    };
  },
};

export const RUNNING_SHORT: readonly Action[] = [spoilTheLast, receiveForShort];
