import assert from 'node:assert/strict';
import {
  type Action,
  answered,
  DONE,
  type Foretold,
  INVALID,
  MADE,
  nameOf,
  penceOf,
  pickOrder,
  SHORT,
  UNKNOWN,
} from './acting.ts';
import { drive, type Fortune, feeling, fortuneOf, toldFortune } from './charging.ts';
import {
  type Model,
  type ModelAccount,
  type ModelLine,
  type ModelOrder,
  move,
  newName,
  paidOf,
  shortOf,
  take,
} from './model.ts';
import type { Random } from './random.ts';
import { KINDS, type Kind, PICTURES, type Reply, type Shopper, SKUS_OF, STORED, type World } from './world.ts';

// What customers do before an order stands: estimates, orders, repeats.

const HOME = {
  contact_name: 'Ada Byron',
  line1: '12 Mill Lane',
  city: 'Leeds',
  postcode: 'LS1 4DY',
  country_code: 'GB',
};
const ADDRESSES = [
  HOME,
  { ...HOME, city: 'Belfast', postcode: 'BT1 5GS' },
  { ...HOME, city: 'Lyon', postcode: '69001', country_code: 'FR', phone: '+33 4 00 00 00 00' },
  { ...HOME, city: 'Portland', county: 'OR', postcode: '97201', country_code: 'US', phone: '+1 503 555 0100' },
] as const;
type Place = (typeof ADDRESSES)[number];

/** How a tee is printed: as stored in several manners, with a picture that comes with the order, or not at all. */
const PRINTS = ['first', 'both', 'label', 'picture', 'none'] as const;
type Item = {
  readonly kind: Kind;
  readonly sku: string;
  readonly quantity: number;
  readonly print: (typeof PRINTS)[number];
  readonly picture: number;
};

type Basket = { readonly items: readonly Item[]; readonly address: Place; readonly type: 'bulk' | 'sample' };

/** What is wrong with a request on purpose. */
type Flaw = 'none' | 'quantity' | 'product' | 'variant' | 'area';

function drawBasket(random: Random): Basket {
  const items = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, (): Item => {
    const kind = random.pick(KINDS);
    const quantity = random.chance(0.85) ? random.between(1, 6) : random.between(7, 60);
    const print = kind === 'tee' ? random.pick(PRINTS) : 'none';
    const picture = random.chance(0.1) ? random.between(1, PICTURES - 1) : 1;
    return { kind, sku: random.pick(SKUS_OF[kind]), quantity, print, picture };
  });
  const address = random.chance(0.75) ? HOME : random.pick(ADDRESSES);
  return { items, address, type: random.chance(0.9) ? 'bulk' : 'sample' };
}

function bodyOf(world: World, shopper: Shopper, basket: Basket, flaw: Flaw, reference: string | undefined): object {
  const others = world.shoppers.find((other) => other !== shopper);
  const items = basket.items.map((item, index) => {
    const isFlawed = index === 0;
    const areas = [{ print_area: 'neck_label', method: 'dtf', artwork_url: world.pictureUrl(item.picture) }];
    return {
      product_id: isFlawed && flaw === 'product' ? others?.products[item.kind] : shopper.products[item.kind],
      variant_sku: isFlawed && flaw === 'variant' ? 'CAP-TWILL-BLK' : item.sku,
      quantity: isFlawed && flaw === 'quantity' ? 0 : item.quantity,
      ...(isFlawed && flaw === 'area'
        ? { print_jobs: [{ area: 'right_sleeve', method: 'dtf' }] }
        : jobsOf(item, areas)),
    };
  });
  return {
    items,
    shipping_address: basket.address,
    type: basket.type,
    ...(reference === undefined ? {} : { external_reference: reference }),
  };
}

function jobsOf({ kind, print }: Item, areas: readonly object[]): object {
  const [sleeve, label] = STORED.map(({ print_area: area, method }) => ({ area, method }));
  if (kind !== 'tee' || print === 'none') return { print_jobs: [] };
  if (print === 'first') return {};
  if (print === 'picture') return { decoration: { areas } };
  return { print_jobs: print === 'both' ? [sleeve, label] : [label] };
}

/** The print-ready files that a line waits for, each account having its own. */
function filesOf(account: ModelAccount, { print, picture }: Item): string[] {
  const stored = STORED.map(({ print_area: area }) => `${account.name}: ${area}`);
  if (print === 'both') return stored;
  if (print === 'first') return stored.slice(0, 1);
  if (print === 'label') return stored.slice(1);
  return print === 'picture' ? [`${account.name}: picture ${picture}`] : [];
}

function refusalOf(model: Model, basket: Basket, flaw: Flaw): Foretold | undefined {
  if (flaw === 'product') return UNKNOWN;
  if (flaw !== 'none') return INVALID;
  return shortOf(model, basket.items).length > 0 ? SHORT : undefined;
}

function drawFlaw(random: Random): Flaw {
  return random.chance(0.94) ? 'none' : random.pick(['quantity', 'product', 'variant', 'area'] as const);
}

const toldBasket = ({ items, address, type }: Basket): string =>
  `${type} to ${address.country_code}: ${items.map(({ sku, quantity, print }) => `${quantity} ${sku} (${print})`).join(', ')}`;

const place: Action = {
  name: 'place',
  weight: 20,
  plan: (world, random) => {
    const shopper = random.pick(world.shoppers);
    const { account } = shopper;
    const basket = drawBasket(random);
    const flaw = drawFlaw(random);
    const fortune = fortuneOf(random);
    const asksFirst = random.chance(0.2);
    const reference = random.chance(0.5) ? newName(world.model, 'order') : undefined;
    return {
      told: `${account.name}, ${toldBasket(basket)}${flaw === 'none' ? '' : `, wrong ${flaw}`} [${toldFortune(fortune)}]`,
      run: async () => {
        const { model } = world;
        const body = bodyOf(world, shopper, basket, flaw, reference);
        const refusal = refusalOf(model, basket, flaw);
        const estimate = asksFirst ? await world.ask(shopper, 'POST', '/orders/estimate', body) : undefined;
        if (estimate !== undefined) answered(estimate, refusal ?? DONE);
        const reply = await feeling(world, fortune, () => world.ask(shopper, 'POST', '/orders', body));
        const told = answered(reply, refusal ?? MADE);
        if (refusal !== undefined) {
          checkShort(model, basket, reply);
          return told;
        }
        const charged = reply.body.charged as Record<string, unknown>;
        if (estimate !== undefined) assert.equal(estimate.body.total, charged.total, 'an estimate is what is charged');
        const order = newOrder(model, account, basket, reference, reply.body);
        pay(model, order, fortune);
        assert.equal(reply.body.payment_status, paymentStatusOf(order));
        return `${told} ${paymentStatusOf(order)}`;
      },
    };
  },
};

function checkShort(model: Model, basket: Basket, { body }: Reply): void {
  if (body.code !== 'out_of_stock') return;
  const oversold = body.oversold as { variant_sku: string }[];
  assert.deepEqual(
    oversold.map(({ variant_sku: sku }) => sku),
    shortOf(model, basket.items),
  );
}

/** The setup of the stored embroidery, paid with the first paid order as long as one of an account relies on it. */
const SETUP_PENCE = 1_800;

/** An order as it was answered, its amounts held to each other. */
function newOrder(
  model: Model,
  account: ModelAccount,
  basket: Basket,
  externalReference: string | undefined,
  body: Record<string, unknown>,
): ModelOrder {
  const charged = body.charged as Record<string, unknown>;
  const amount = (name: string): number => penceOf(charged[name]);
  const { lineItems } = body.items as {
    lineItems: { id: string; unit_price: number; line_price: number; artwork_ready: boolean }[];
  };
  const lines = basket.items.map((item, index): ModelLine => {
    const shown = lineItems[index];
    assert.ok(shown);
    const files = filesOf(account, item);
    assert.equal(
      shown.artwork_ready,
      files.every((file) => model.files.has(file)),
      `artwork of line ${index}`,
    );
    assert.equal(penceOf(shown.line_price), penceOf(shown.unit_price) * item.quantity);
    const isEmbroidered = item.print === 'both' || item.print === 'first';
    const rest = { files, isEmbroidered, isZeroRated: item.kind === 'suit', replaces: undefined };
    return newLine({
      id: shown.id,
      sku: item.sku,
      quantity: item.quantity,
      unitPence: penceOf(shown.unit_price),
      ...rest,
    });
  });
  const isRelying = lines.some(({ isEmbroidered }) => isEmbroidered);
  assert.equal(amount('setup_total'), isRelying && account.relying.size === 0 ? SETUP_PENCE : 0, 'the setup');
  assert.equal(
    amount('subtotal'),
    lines.reduce((sum, line) => sum + line.unitPence * line.quantity, 0),
  );
  const netPence = amount('subtotal') + amount('setup_total') + amount('shipping_cost');
  assert.equal(amount('total'), netPence + amount('vat_amount') + amount('duty_amount'));
  const isTaxed = basket.address.country_code === 'GB';
  checkVat(lines, isTaxed, netPence, amount('vat_amount'));
  const order = blankOrder(model, {
    id: String(body.id),
    reference: String(body.reference),
    externalReference,
    account,
    isReplacement: false,
    lines,
    totalPence: amount('total'),
    setupPence: amount('setup_total'),
    vatPence: amount('vat_amount'),
    netPence,
    isTaxed,
    country: basket.address.country_code,
    line1: basket.address.line1,
  });
  return order;
}

/** A fifth of all that is not clothing for young children and of its share of the shipping, half up; nothing abroad. */
function checkVat(lines: readonly ModelLine[], isTaxed: boolean, netPence: number, vatPence: number): void {
  const isFree = !isTaxed || lines.every(({ isZeroRated }) => isZeroRated);
  const isWhole = lines.every(({ isZeroRated }) => !isZeroRated);
  if (isFree) assert.equal(vatPence, 0, 'VAT');
  else if (isWhole) assert.equal(vatPence, Math.floor((2 * netPence + 5) / 10), 'VAT');
  else assert.ok(vatPence > 0 && vatPence < Math.floor((2 * netPence + 5) / 10), `VAT of ${vatPence} on ${netPence}`);
}

type NewLine = Pick<
  ModelLine,
  'id' | 'sku' | 'quantity' | 'unitPence' | 'isZeroRated' | 'files' | 'isEmbroidered' | 'replaces'
>;

export function newLine(line: NewLine): ModelLine {
  const counts = {
    cancelled: 0,
    shipped: 0,
    spoiled: 0,
    allocated: 0,
    consumed: 0,
    released: 0,
    short: 0,
    shortSince: 0,
    replaced: 0,
  };
  return { ...line, ...counts, done: line.files.map(() => 0), isStarted: false, pausedAt: undefined };
}

type NewOrder = Pick<
  ModelOrder,
  | 'id'
  | 'reference'
  | 'externalReference'
  | 'account'
  | 'isReplacement'
  | 'lines'
  | 'totalPence'
  | 'setupPence'
  | 'vatPence'
  | 'netPence'
  | 'isTaxed'
  | 'country'
  | 'line1'
>;

const WINDOW_MS = 3_600_000;

/** An order that nothing was paid for yet, added to the model. */
export function blankOrder(model: Model, order: NewOrder): ModelOrder {
  const made: ModelOrder = {
    ...order,
    index: model.orders.length,
    placedAt: model.now,
    cancellableUntil: model.now + WINDOW_MS,
    state: 'awaiting_payment',
    heldFrom: undefined,
    isPaid: false,
    payments: [{ attempt: undefined, pence: 0, back: 0, owed: 0, setOff: 0 }],
    unwantedPence: 0,
    refundedPence: 0,
    owedPence: 0,
    creditedPence: 0,
    hasKept: false,
    hasGoodwill: false,
    attempt: undefined,
    attempts: [],
    cancelledBy: undefined,
    shipments: [],
    events: [],
    failures: [],
    history: [],
    tasks: [],
  };
  model.orders.push(made);
  model.touched.add(made);
  return made;
}

function pay(model: Model, order: ModelOrder, fortune: Fortune): void {
  const taken = take(order, model.now, true);
  if (taken === 'covered') move(model, order, 'place', 'placed', 'order.created');
  else if (taken === 'nothing') move(model, order, 'place', 'awaiting_payment', 'order.payment_failed');
  else {
    move(model, order, 'place', 'awaiting_payment');
    if (order.attempt !== undefined) drive(model, order, order.attempt, { aim: 'charge', fortune });
  }
}

/** How an order stands with its money, for its owner. */
export function paymentStatusOf(order: ModelOrder): string {
  if (order.attempt !== undefined) return 'processing';
  const paid = paidOf(order);
  // Money that the order did not need was never a part of what was paid for it, nor is it when it is paid back.
  const unwanted = order.payments.filter(({ isUnwanted }) => isUnwanted);
  const refunded = order.refundedPence - unwanted.reduce((sum, { back, owed }) => sum + back - owed, 0);
  if (refunded > 0) return refunded >= paid ? 'refunded' : 'part_refunded';
  return paid >= order.totalPence ? 'paid' : 'failed';
}

const estimate: Action = {
  name: 'estimate',
  weight: 3,
  plan: (world, random) => {
    const shopper = random.pick(world.shoppers);
    const basket = drawBasket(random);
    const flaw = drawFlaw(random);
    return {
      told: `${shopper.account.name}, ${toldBasket(basket)}${flaw === 'none' ? '' : `, wrong ${flaw}`}`,
      run: async () => {
        const reply = await world.ask(
          shopper,
          'POST',
          '/orders/estimate',
          bodyOf(world, shopper, basket, flaw, undefined),
        );
        return answered(reply, refusalOf(world.model, basket, flaw) ?? DONE);
      },
    };
  },
};

/** The same reference again, with whatever body: the first order comes back, to its owner alone. */
const repeat: Action = {
  name: 'repeat',
  weight: 4,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ externalReference }) => externalReference !== undefined);
    const reference = order?.externalReference;
    if (order === undefined || reference === undefined) return undefined;
    const shopper = random.chance(0.7) ? world.shopperOf(order.account) : random.pick(world.shoppers);
    const isOwn = shopper.account === order.account;
    const basket = drawBasket(random);
    return {
      told: `${shopper.account.name} order ${order.index} of ${order.account.name}`,
      run: async () => {
        const reply = await world.ask(shopper, 'POST', '/orders', bodyOf(world, shopper, basket, 'none', reference));
        world.model.touched.add(order);
        if (!isOwn) return answered(reply, { status: 409, code: 'duplicate_external_reference' });
        const told = answered(reply, DONE);
        assert.deepEqual(
          [reply.body.id, reply.body.payment_status, reply.body.status],
          [order.id, paymentStatusOf(order), PUBLIC[order.state]],
        );
        return told;
      },
    };
  },
};

/** The six public statuses (decisions, "Internal order states"). */
const PUBLIC: Readonly<Record<ModelOrder['state'], string>> = {
  awaiting_payment: 'pending',
  placed: 'pending',
  on_hold: 'pending',
  released: 'confirmed',
  in_production: 'in_production',
  dispatched: 'dispatched',
  delivered: 'delivered',
  cancelled: 'cancelled',
};

const read: Action = {
  name: 'read',
  weight: 3,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, () => true);
    if (order === undefined) return undefined;
    const shopper = random.chance(0.85) ? world.shopperOf(order.account) : random.pick(world.shoppers);
    const name = nameOf(order, random);
    return {
      told: `${shopper.account.name} order ${order.index}`,
      run: async () => {
        const reply = await world.ask(shopper, 'GET', `/orders/${name}`);
        world.model.touched.add(order);
        if (shopper.account !== order.account) return answered(reply, UNKNOWN);
        const told = answered(reply, DONE);
        const { status, payment_status: payment, total, version, hold, shipments } = reply.body;
        assert.deepEqual(
          [status, payment, penceOf(total), version, hold !== null, (shipments as object[]).length],
          [
            PUBLIC[order.state],
            paymentStatusOf(order),
            order.totalPence,
            order.events.length,
            order.state === 'on_hold' || order.lines.some(({ pausedAt }) => pausedAt !== undefined),
            order.shipments.length,
          ],
        );
        return told;
      },
    };
  },
};

export const PLACING: readonly Action[] = [place, estimate, repeat, read];
