import assert from 'node:assert/strict';
import { promoteDueOrders } from '../../src/production/auto-promote.ts';
import {
  type Action,
  answered,
  CONFLICT,
  DONE,
  drawAgain,
  type Foretold,
  INVALID,
  MADE,
  MISSING,
  nameOf,
  operate,
  pickOrder,
  SHORT,
  UNFINISHED,
  UNKNOWN,
} from './acting.ts';
import {
  finishedOf,
  isComplete,
  isInStock,
  type Model,
  type ModelLine,
  type ModelOrder,
  missingOf,
  move,
  neededBy,
  newName,
  openOf,
  promote as promoteIn,
  shelfOf,
  spoil as spoilIn,
  startableOf,
  start as startIn,
  supply,
} from './model.ts';
import { blankOrder, newLine } from './placing.ts';
import type { Random } from './random.ts';
import { SKUS } from './world.ts';

// What operators do with orders and stock.

/** What comes of a promotion, done in the model when it is. */
function promoted(model: Model, order: ModelOrder): Foretold {
  model.touched.add(order);
  if (order.state !== 'placed') return CONFLICT;
  if (!isInStock(model, neededBy(order))) return SHORT;
  promoteIn(model, order);
  return DONE;
}

const isPlaced = ({ state }: ModelOrder): boolean => state === 'placed';

const promote: Action = {
  name: 'promote',
  weight: 9,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, isPlaced);
    if (order === undefined) return undefined;
    const [path, again] = [`/orders/${nameOf(order, random)}/promote`, drawAgain(random)];
    return {
      told: `order ${order.index}`,
      run: async () => {
        const foretold = promoted(world.model, order);
        return answered(await operate(world, { path }, foretold, again), foretold);
      },
    };
  },
};

const promoteMany: Action = {
  name: 'promote many',
  weight: 2,
  plan: (world, random) => {
    const first = pickOrder(world.model, random, isPlaced);
    if (first === undefined) return undefined;
    const orders = new Set([first]);
    for (let count = random.between(1, 4); count > 0; count -= 1) orders.add(random.pick(world.model.orders));
    const ids = [...orders].map((order) => nameOf(order, random));
    const again = drawAgain(random);
    return {
      told: `orders ${[...orders].map(({ index }) => index).join(', ')}`,
      run: async () => {
        const foretold = [...orders].map((order) => promoted(world.model, order));
        const reply = await operate(world, { path: '/orders/promote', body: { ids } }, DONE, again);
        const results = reply.body.results as { ok: boolean; code?: string }[];
        assert.deepEqual(
          results.map(({ ok, code }) => [ok, code]),
          foretold.map((one) => [one === DONE, one.code]),
        );
        return results.map(({ ok, code }) => (ok ? 'ok' : code)).join(', ');
      },
    };
  },
};

/** The oldest first, only what nobody can cancel any more; one that is short keeps no other back. */
const autoPromote: Action = {
  name: 'promote what is due',
  weight: 1,
  plan: (world) => ({
    told: '',
    run: async () => {
      const { ctx, model } = world;
      const due = model.orders
        .filter((order) => isPlaced(order) && order.cancellableUntil < model.now)
        .toSorted((a, b) => a.cancellableUntil - b.cancellableUntil || a.index - b.index);
      const count = due.filter((order) => promoted(model, order) === DONE).length;
      assert.equal((await promoteDueOrders(ctx)).promoted, count);
      return `${count} of ${due.length}`;
    },
  }),
};

const isWorked = ({ state }: ModelOrder): boolean => state === 'released' || state === 'in_production';

function pickLine(order: ModelOrder, random: Random, fits: (line: ModelLine) => boolean): ModelLine {
  const fitting = order.lines.filter(fits);
  return random.pick(fitting.length > 0 && random.chance(0.9) ? fitting : order.lines);
}

const start: Action = {
  name: 'start',
  weight: 12,
  plan: (world, random) => {
    const isWaiting = (line: ModelLine): boolean =>
      line.isStarted ? startableOf(line) > 0 || line.short > 0 : openOf(line) > 0;
    const order = pickOrder(world.model, random, (known) => isWorked(known) && known.lines.some(isWaiting));
    if (order === undefined) return undefined;
    const line = pickLine(order, random, isWaiting);
    const stranger = random.chance(0.03) ? random.pick(world.model.orders) : order;
    const [path, again] = [`/orders/${nameOf(stranger, random)}/lines/${line.id}/start`, drawAgain(random)];
    return {
      told: `line ${order.lines.indexOf(line)} of order ${order.index}${stranger === order ? '' : ` as of ${stranger.index}`}`,
      run: async () => {
        const { model } = world;
        model.touched.add(order);
        const foretold = stranger === order ? startable(model, order, line) : UNKNOWN;
        if (foretold === DONE) startIn(model, order, line);
        return answered(await operate(world, { path }, foretold, again), foretold);
      },
    };
  },
};

const NOT_READY: Foretold = { status: 409, code: 'artwork_not_ready' };

function startable(model: Model, order: ModelOrder, line: ModelLine): Foretold {
  const isWaiting = line.isStarted ? startableOf(line) > 0 : openOf(line) > 0;
  if (!isWorked(order) || !isWaiting || line.pausedAt !== undefined) return CONFLICT;
  if (line.files.some((file) => !model.files.has(file))) return NOT_READY;
  // A count may have found fewer pieces than were promised.
  return shelfOf(model, line.sku).onHand < startableOf(line) ? SHORT : DONE;
}

const isStarted = (line: ModelLine): boolean => line.isStarted;
const isUnderWay = ({ state }: ModelOrder): boolean => state === 'in_production';

const finish: Action = {
  name: 'finish',
  weight: 5,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, isUnderWay);
    if (order === undefined) return undefined;
    const line = pickLine(order, random, isStarted);
    const quantity = random.between(1, Math.max(1, line.quantity - line.cancelled) + (random.chance(0.1) ? 1 : 0));
    const isUnknown = random.chance(0.03);
    const [path, again] = [`/orders/${nameOf(order, random)}/lines/${line.id}/finish`, drawAgain(random)];
    return {
      told: `${quantity} of line ${order.lines.indexOf(line)} of order ${order.index}${isUnknown ? ', on no area of it' : ''}`,
      run: async () => {
        world.model.touched.add(order);
        const live = line.quantity - line.cancelled;
        const most = Math.min(live, ...line.done.map((done) => live - done));
        const isRight = quantity <= most && !isUnknown;
        const mayWork = isUnderWay(order) && line.isStarted && line.pausedAt === undefined;
        const isThere = quantity <= most - missingOf(line);
        const foretold = !mayWork ? CONFLICT : !isRight ? INVALID : isThere ? DONE : MISSING;
        if (foretold === DONE) {
          line.done = line.done.map((done) => done + quantity);
          move(world.model, order, 'finish', order.state);
        }
        const body = { quantity, ...(isUnknown ? { area: 'moon' } : {}) };
        return answered(await operate(world, { path, body }, foretold, again), foretold);
      },
    };
  },
};

const spoil: Action = {
  name: 'spoil',
  weight: 3,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, isUnderWay);
    if (order === undefined) return undefined;
    const line = pickLine(order, random, (one) => one.isStarted && openOf(one) > 0);
    const quantity = random.between(1, Math.min(4, openOf(line) + 1));
    const finished = random.chance(0.3) ? random.between(0, quantity) : undefined;
    const [path, again] = [`/orders/${nameOf(order, random)}/lines/${line.id}/spoil`, drawAgain(random)];
    return {
      told: `${quantity} of line ${order.lines.indexOf(line)} of order ${order.index}`,
      run: async () => {
        world.model.touched.add(order);
        const isRight =
          quantity <= openOf(line) - missingOf(line) && (finished ?? 0) <= Math.max(0, finishedOf(line) - line.shipped);
        const foretold = !isUnderWay(order) || !line.isStarted ? CONFLICT : isRight ? DONE : INVALID;
        if (foretold === DONE) spoilIn(world.model, order, line, quantity, finished ?? 0);
        const body = { quantity, reason: 'misprint', ...(finished === undefined ? {} : { finished }) };
        return answered(await operate(world, { path, body }, foretold, again), foretold);
      },
    };
  },
};

const hold: Action = {
  name: 'hold',
  weight: 3,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ state }) => state === 'placed' || state === 'released');
    if (order === undefined) return undefined;
    const [path, again] = [`/orders/${nameOf(order, random)}/hold`, drawAgain(random)];
    return {
      told: `order ${order.index}`,
      run: async () => {
        world.model.touched.add(order);
        const foretold = order.state === 'placed' || order.state === 'released' ? DONE : CONFLICT;
        if (foretold === DONE) move(world.model, order, 'hold', 'on_hold', 'order.on_hold');
        return answered(
          await operate(world, { path, body: { reason: 'The logo looks wrong' } }, foretold, again),
          foretold,
        );
      },
    };
  },
};

const resume: Action = {
  name: 'resume',
  weight: 4,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ state }) => state === 'on_hold');
    if (order === undefined) return undefined;
    const [path, again] = [`/orders/${nameOf(order, random)}/resume`, drawAgain(random)];
    return {
      told: `order ${order.index}`,
      run: async () => {
        world.model.touched.add(order);
        const from = order.state === 'on_hold' ? order.heldFrom : undefined;
        if (from !== undefined) move(world.model, order, 'resume', from);
        const foretold = from === undefined ? CONFLICT : DONE;
        return answered(await operate(world, { path }, foretold, again), foretold);
      },
    };
  },
};

const replace: Action = {
  name: 'replacement',
  weight: 2,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ lines }) =>
      lines.some(({ shipped, replaced }) => shipped > replaced),
    );
    if (order === undefined) return undefined;
    const line = pickLine(order, random, ({ shipped, replaced }) => shipped > replaced);
    const left = line.shipped - line.replaced;
    const quantity = Math.max(1, random.chance(0.15) ? left + 1 : random.between(1, Math.max(1, left)));
    const [path, again] = [`/orders/${nameOf(order, random)}/replacement`, drawAgain(random)];
    return {
      told: `${quantity} of line ${order.lines.indexOf(line)} of order ${order.index}`,
      run: async () => {
        world.model.touched.add(order);
        const foretold = quantity <= left ? MADE : INVALID;
        const body = { items: [{ line_id: line.id, quantity }], reason: 'arrived torn' };
        const reply = await operate(world, { path, body }, foretold, again);
        if (foretold === MADE) {
          move(world.model, order, 'replace', order.state);
          made(world.model, { order, line, quantity }, reply.body);
        }
        return answered(reply, foretold);
      },
    };
  },
};

/** A replacement costs nothing, and is paid for from the first. */
function made(
  model: Model,
  of: { order: ModelOrder; line: ModelLine; quantity: number },
  body: Record<string, unknown>,
): void {
  const { order, line, quantity } = of;
  const [shown] = body.lines as { id: string }[];
  const replaces = line;
  const { sku, files, isZeroRated } = line;
  const copy = newLine({
    id: shown?.id ?? '',
    sku,
    quantity,
    unitPence: 0,
    isZeroRated,
    files,
    isEmbroidered: false,
    replaces,
  });
  line.replaced += quantity;
  const { account, country, line1 } = order;
  const made = blankOrder(model, {
    id: String(body.id),
    reference: String(body.reference),
    externalReference: undefined,
    account,
    isReplacement: true,
    lines: [copy],
    totalPence: 0,
    setupPence: 0,
    vatPence: 0,
    netPence: 0,
    isTaxed: false,
    country,
    line1,
  });
  made.isPaid = true;
  move(model, made, 'place', 'placed', 'order.created');
}

const makeFiles: Action = {
  name: 'make print files',
  weight: 2,
  plan: (world) => ({
    told: '',
    run: async () => {
      await world.makePrintFiles();
      const { model } = world;
      // What nobody needs any more is not made; a later order that needs it has it made.
      for (const { lines, state } of model.orders) {
        for (const { files, quantity, cancelled, shipped } of lines) {
          if (state === 'cancelled' || quantity === cancelled + shipped) continue;
          for (const file of files) model.files.add(file);
        }
      }
      return `${model.files.size} ready`;
    },
  }),
};

const receive: Action = {
  name: 'receive stock',
  weight: 3,
  plan: (world, random) => {
    const skus = SKUS.filter(() => random.chance(0.4));
    const items = (skus.length > 0 ? skus : SKUS.slice(0, 1)).map((sku) => ({ sku, quantity: random.between(1, 30) }));
    const again = drawAgain(random);
    return {
      told: items.map(({ sku, quantity }) => `${quantity} ${sku}`).join(', '),
      run: async () => {
        for (const { sku, quantity } of items) shelfOf(world.model, sku).onHand += quantity;
        for (const { sku } of items) supply(world.model, sku);
        return answered(await operate(world, { path: '/stock/receipts', body: { items } }, MADE, again), MADE);
      },
    };
  },
};

/** A count may find less than is promised. */
const count: Action = {
  name: 'count stock',
  weight: 2,
  plan: (world, random) => {
    const sku = random.pick(SKUS);
    const { onHand } = shelfOf(world.model, sku);
    const found = random.chance(0.2) ? random.between(0, onHand) : Math.max(0, onHand + random.between(-3, 3));
    const isUnknown = random.chance(0.05);
    const again = drawAgain(random);
    return {
      told: isUnknown ? 'of nothing that we know' : `${found} ${sku}`,
      run: async () => {
        const items = [{ sku, on_hand: found }, ...(isUnknown ? [{ sku: 'NOTHING', on_hand: 1 }] : [])];
        if (!isUnknown) {
          shelfOf(world.model, sku).onHand = found;
          supply(world.model, sku);
        }
        const foretold = isUnknown ? INVALID : MADE;
        return answered(await operate(world, { path: '/stock/counts', body: { items } }, foretold, again), foretold);
      },
    };
  },
};

// Parcels
// -------------------------------------------------------------------------------------------------------------------

const ship: Action = {
  name: 'ship',
  weight: 10,
  plan: (world, random) => {
    const { shipsFinished } = world.model;
    const isLeft = (line: ModelLine): boolean =>
      line.isStarted &&
      line.pausedAt === undefined &&
      openOf(line) > missingOf(line) &&
      (!shipsFinished || finishedOf(line) > line.shipped);
    const order = pickOrder(world.model, random, (known) => isUnderWay(known) && known.lines.some(isLeft));
    if (order === undefined) return undefined;
    const parcel = drawParcel(world.model, order, random, isLeft);
    const isTwice = random.chance(0.03);
    const [path, again] = [`/orders/${nameOf(order, random)}/shipments`, drawAgain(random)];
    const items = [...parcel].map(([line, quantity]) => ({ line_id: line.id, quantity }));
    const tracking = { carrier: random.pick(['Royal Mail', 'DHL']), tracking_number: newName(world.model, 'RM') };
    return {
      told: `order ${order.index}: ${[...parcel].map(([line, quantity]) => `${quantity} of line ${order.lines.indexOf(line)}`).join(', ')}${isTwice ? ', named twice' : ''}`,
      run: async () => {
        world.model.touched.add(order);
        const foretold = isTwice ? INVALID : shippable(world.model, order, parcel);
        const body = { ...tracking, items: isTwice ? [...items, ...items] : items };
        const reply = await operate(world, { path, body }, foretold, again);
        if (foretold === MADE) {
          for (const [line, quantity] of parcel) line.shipped += quantity;
          assert.deepEqual(
            (reply.body.warnings as { code: string; path: string }[]).filter(
              ({ code }) => code === 'unfinished_pieces',
            ),
            [...parcel.keys()].flatMap((line, index) => warningOf(line, index)),
          );
          const id = String(reply.body.shipment_id);
          const pieces = [...parcel.values()].reduce((sum, quantity) => sum + quantity, 0);
          const { carrier, tracking_number: trackingNumber } = tracking;
          order.shipments.push({ id, carrier, trackingNumber, pieces });
          if (isComplete(order))
            move(world.model, order, 'ship', 'dispatched', 'order.shipment_created', 'order.dispatched');
          else move(world.model, order, 'ship', order.state, 'order.shipment_created');
        }
        return answered(reply, foretold);
      },
    };
  },
};

/** More pieces have shipped than anybody finished. */
function warningOf(line: ModelLine, index: number): object[] {
  const finished = finishedOf(line);
  const message = `Shipped pieces of this line: ${line.shipped}; finished pieces: ${finished}.`;
  return line.shipped > finished ? [{ code: 'unfinished_pieces', path: `items[${index}].quantity`, message }] : [];
}

function drawParcel(
  { shipsFinished }: Model,
  order: ModelOrder,
  random: Random,
  isLeft: (line: ModelLine) => boolean,
): Map<ModelLine, number> {
  const ready = order.lines.filter(isLeft);
  const from = ready.length > 0 && random.chance(0.93) ? ready : order.lines;
  const chosen = from.filter(() => random.chance(0.7));
  return new Map(
    (chosen.length > 0 ? chosen : [random.pick(from)]).map((line) => {
      const finished =
        shipsFinished && random.chance(0.8) ? finishedOf(line) - line.shipped : openOf(line) - missingOf(line);
      const left = Math.max(1, finished);
      return [line, random.chance(0.05) ? left + 1 : random.chance(0.6) ? left : random.between(1, left)];
    }),
  );
}

function shippable(model: Model, order: ModelOrder, parcel: ReadonlyMap<ModelLine, number>): Foretold {
  if (!isWorked(order)) return CONFLICT;
  if ([...parcel].some(([line, quantity]) => quantity > openOf(line))) return INVALID;
  const isWorking = (line: ModelLine): boolean => isStarted(line) && line.pausedAt === undefined;
  if (![...parcel.keys()].every(isWorking)) return CONFLICT;
  if ([...parcel].some(([line, quantity]) => quantity > openOf(line) - missingOf(line))) return MISSING;
  const isFinished = [...parcel].every(([line, quantity]) => line.shipped + quantity <= finishedOf(line));
  return model.shipsFinished && !isFinished ? UNFINISHED : MADE;
}

/** A parcel that is sent again has another number; it is told of once. */
const correct: Action = {
  name: 're-dispatch',
  weight: 3,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ shipments }) => shipments.length > 0);
    if (order === undefined) return undefined;
    const shipment = order.shipments.length > 0 ? random.pick(order.shipments) : undefined;
    const number =
      shipment !== undefined && random.chance(0.2) ? shipment.trackingNumber : `RM-${random.between(1, 999)}`;
    const again = drawAgain(random);
    const path = `/orders/${nameOf(order, random)}/shipments/${shipment?.id ?? 'shp_01jc0000000000000000000000'}`;
    return {
      told: `order ${order.index} ${number}`,
      run: async () => {
        world.model.touched.add(order);
        const foretold = shipment === undefined ? UNKNOWN : DONE;
        if (shipment !== undefined && shipment.trackingNumber !== number) {
          shipment.trackingNumber = number;
          move(world.model, order, 'correct_shipment', order.state);
        }
        const request = { method: 'PATCH', path, body: { tracking_number: number } };
        return answered(await operate(world, request, foretold, again), foretold);
      },
    };
  },
};

const readdress: Action = {
  name: 'change address',
  weight: 2,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ state }) => state !== 'cancelled' && state !== 'dispatched');
    if (order === undefined) return undefined;
    const line1 = `${random.between(1, 3)} Mill Lane`;
    const isElsewhere = random.chance(0.2);
    const again = drawAgain(random);
    const path = `/orders/${nameOf(order, random)}/address`;
    return {
      told: `order ${order.index} to ${line1}${isElsewhere ? ' in Australia' : ''}`,
      run: async () => {
        world.model.touched.add(order);
        const isOver = order.state === 'cancelled' || order.state === 'dispatched';
        const foretold = isOver || isElsewhere ? CONFLICT : DONE;
        if (foretold === DONE && order.line1 !== line1) {
          order.line1 = line1;
          move(world.model, order, 'change_address', order.state);
        }
        const body = { line1, ...(isElsewhere ? { country_code: 'AU', postcode: '2000' } : {}) };
        return answered(await operate(world, { method: 'PATCH', path, body }, foretold, again), foretold);
      },
    };
  },
};

export const MAKING: readonly Action[] = [
  promote,
  promoteMany,
  autoPromote,
  start,
  finish,
  spoil,
  hold,
  resume,
  replace,
  makeFiles,
  receive,
  count,
  ship,
  correct,
  readdress,
];
