import type { Uuid } from '../../src/lib/ids.ts';
import type { OrderState } from '../../src/orders/status.ts';

// The shop as plain objects: what every rule says must have become of each order, balance and shelf. It is written
// from the specification and the decisions, and uses nothing of the service. Money is whole pence; times are
// milliseconds.

export type ModelLine = {
  readonly id: string;
  readonly sku: string;
  readonly quantity: number;
  readonly unitPence: number;
  /** Clothing for young children, without VAT. */
  readonly isZeroRated: boolean;
  /** The print-ready files that it waits for; none for a blank. */
  readonly files: readonly string[];
  /** Whether it is printed with the account's stored embroidery, which has a setup. */
  readonly isEmbroidered: boolean;
  /** Whose pieces it makes again. */
  readonly replaces: ModelLine | undefined;
  cancelled: number;
  shipped: number;
  spoiled: number;
  done: number[];
  isStarted: boolean;
  /** When it was paused; undefined unless it is. */
  pausedAt: number | undefined;
  allocated: number;
  consumed: number;
  released: number;
  /** Of what is promised, the pieces for which there is no blank, and since when there are any. */
  short: number;
  shortSince: number;
  /** Pieces that live replacements make again. */
  replaced: number;
};

/** A charge of a card or direct debit. `intent` is what the provider has of it, and whether we have heard so. */
export type ModelAttempt = {
  readonly pence: number;
  readonly createdAt: number;
  state: 'under way' | 'succeeded' | 'failed';
  intent: { isHeard: boolean; status: 'unconfirmed' | 'accepted' | 'declined' | 'cancelled' } | undefined;
  isReturned: boolean;
  /** As the database names it, once it was seen. */
  id: Uuid | undefined;
};

/** What paid for an order: the balance has no attempt. */
export type ModelPayment = {
  readonly attempt: ModelAttempt | undefined;
  pence: number;
  /** Given back of it, paid out or not, and how much of that is still owed. */
  back: number;
  owed: number;
  /** Set off against the debt for it, once it was returned. */
  setOff: number;
  /** It came for an order that needed no money any more. */
  readonly isUnwanted?: boolean;
};

export type ModelOrder = {
  readonly index: number;
  readonly id: string;
  readonly reference: string;
  readonly externalReference: string | undefined;
  readonly account: ModelAccount;
  readonly isReplacement: boolean;
  readonly placedAt: number;
  readonly cancellableUntil: number;
  readonly lines: readonly ModelLine[];
  totalPence: number;
  setupPence: number;
  vatPence: number;
  /** What its VAT is on: goods, setup and shipping. */
  netPence: number;
  /** Inside the United Kingdom, where there is VAT. */
  readonly isTaxed: boolean;
  readonly country: string;
  line1: string;
  state: OrderState;
  heldFrom: OrderState | undefined;
  isPaid: boolean;
  /** The balance first, then cards and direct debits, the oldest first. */
  readonly payments: ModelPayment[];
  unwantedPence: number;
  refundedPence: number;
  owedPence: number;
  /** Taken back of what was sold. */
  creditedPence: number;
  /** Whether pieces of it were cancelled whose money was kept, and whether money was given back for no piece. */
  hasKept: boolean;
  hasGoodwill: boolean;
  attempt: ModelAttempt | undefined;
  readonly attempts: ModelAttempt[];
  cancelledBy: 'api' | 'ops' | undefined;
  readonly shipments: { id: string; carrier: string; trackingNumber: string; pieces: number }[];
  readonly events: string[];
  /** What it came to and what was paid of it, at each `order.payment_failed`. */
  readonly failures: { totalPence: number; paidPence: number }[];
  readonly history: [action: string, to: OrderState][];
  readonly tasks: string[];
};

export type ModelAccount = {
  readonly name: string;
  balancePence: number;
  hasMethod: boolean;
  /** Paid orders that rely on the account's embroidery setup: while there is one, it has been paid. */
  readonly relying: Set<ModelOrder>;
  readonly topUps: Map<string, number>;
};

export type Shelf = { onHand: number; allocated: number };

export type Model = {
  now: number;
  /** Whether only finished pieces ship (`SHIP_REQUIRES`). */
  readonly shipsFinished: boolean;
  /** Counts what needs a name of its own. */
  names: number;
  readonly accounts: readonly ModelAccount[];
  readonly orders: ModelOrder[];
  readonly shelves: Map<string, Shelf>;
  /** Print-ready files that are made. */
  readonly files: Set<string>;
  /** Orders that the present step may have changed. */
  readonly touched: Set<ModelOrder>;
};

/** A name that nothing else of this history has. */
export function newName(model: Model, what: string): string {
  model.names += 1;
  return `${what}-${model.names}`;
}

/** What there is of a variant that nobody was promised. */
export function availableOf(model: Model, sku: string): number {
  const { onHand, allocated } = shelfOf(model, sku);
  return Math.max(onHand - allocated, 0);
}

export function shelfOf(model: Model, sku: string): Shelf {
  const shelf = model.shelves.get(sku);
  if (shelf === undefined) throw new Error(`the model has no ${sku}`);
  return shelf;
}

/** Notes what was done to an order, where it is now and what was told of it. */
export function move(model: Model, order: ModelOrder, action: string, to: OrderState, ...events: string[]): void {
  order.history.push([action, to]);
  order.events.push(...events);
  if (events.includes('order.payment_failed')) {
    order.failures.push({ totalPence: order.totalPence, paidPence: paidOf(order) });
  }
  if (to === 'on_hold' && order.state !== 'on_hold') order.heldFrom = order.state;
  if (to !== 'on_hold') order.heldFrom = undefined;
  order.state = to;
  // What cancels the last piece of a line ends its pause.
  for (const line of order.lines) if (openOf(line) === 0) line.pausedAt = undefined;
  model.touched.add(order);
}

export function openOf(line: ModelLine): number {
  return line.quantity - line.cancelled - line.shipped;
}

/** The pieces that are done at every print job, shipped or not; of a blank line all, once it has started. */
export function finishedOf(line: ModelLine): number {
  return line.isStarted ? Math.min(line.quantity - line.cancelled - missingOf(line), ...line.done) : 0;
}

export function promisedOf(line: ModelLine): number {
  return line.allocated - line.consumed - line.released;
}

/** What lies on the shelf for a line. */
export function startableOf(line: ModelLine): number {
  return promisedOf(line) - line.short;
}

/** Pieces of a started line that were spoiled and are not being made again. */
export function missingOf(line: ModelLine): number {
  return line.isStarted ? promisedOf(line) : 0;
}

// Stock and production
// ------------------------------------------------------------------------------------------------------

/** Whether the pieces are there, over all lines of a variant together. */
export function isInStock(model: Model, wanted: readonly { sku: string; quantity: number }[]): boolean {
  return shortOf(model, wanted).length === 0;
}

/** The variants of which there is too little, in the order of the lines. */
export function shortOf(model: Model, wanted: readonly { sku: string; quantity: number }[]): string[] {
  const sums = new Map<string, number>();
  for (const { sku, quantity } of wanted) sums.set(sku, (sums.get(sku) ?? 0) + quantity);
  return [...sums].filter(([sku, quantity]) => quantity > availableOf(model, sku)).map(([sku]) => sku);
}

/** What an order needs when it is promoted. */
export function neededBy(order: ModelOrder): { sku: string; quantity: number }[] {
  return order.lines.map((line) => ({ sku: line.sku, quantity: openOf(line) })).filter(({ quantity }) => quantity > 0);
}

/** Promotes an order for which everything is there. */
export function promote(model: Model, order: ModelOrder): void {
  for (const line of order.lines) {
    line.allocated = openOf(line);
    shelfOf(model, line.sku).allocated += line.allocated;
  }
  move(model, order, 'promote', 'released');
}

/** Takes the pieces of a line off the shelf. */
export function start(model: Model, order: ModelOrder, line: ModelLine): void {
  const shelf = shelfOf(model, line.sku);
  const pieces = startableOf(line);
  line.consumed += pieces;
  line.isStarted = true;
  shelf.onHand -= pieces;
  shelf.allocated -= pieces;
  const events = order.state === 'released' ? ['order.in_production'] : [];
  move(model, order, 'start_line', 'in_production', ...events);
}

/**
 * Takes pieces for spoiled ones, some of which had been finished; of what else was done only as much is undone as the
 * rest does not cover. What is not there is promised.
 */
export function spoil(model: Model, order: ModelOrder, line: ModelLine, quantity: number, finished: number): void {
  const shelf = shelfOf(model, line.sku);
  const taken = Math.min(quantity, availableOf(model, line.sku));
  const short = quantity - taken;
  const left = line.quantity - line.cancelled - missingOf(line) - quantity;
  line.done = line.done.map((done) => Math.min(done - finished, left));
  shelf.onHand -= taken;
  line.spoiled += quantity;
  if (short > 0) {
    if (line.short === 0) line.shortSince = model.now;
    line.short += short;
    line.allocated += short;
    shelf.allocated += short;
    order.tasks.push('line_short');
  }
  move(model, order, 'spoil', order.state);
}

/** Gives what nobody else was promised to the lines that are short of it, the one that was so first before others. */
export function supply(model: Model, sku: string): void {
  const waiting = model.orders
    .flatMap((order) => order.lines.map((line) => ({ order, line })))
    .filter(({ line }) => line.sku === sku && line.short > 0)
    .toSorted((a, b) => a.line.shortSince - b.line.shortSince);
  const { onHand, allocated } = shelfOf(model, sku);
  let free = onHand - allocated + waiting.reduce((sum, { line }) => sum + line.short, 0);
  for (const { order, line } of waiting) {
    const given = Math.max(0, Math.min(line.short, free));
    free -= given;
    line.short -= given;
    if (given > 0) model.touched.add(order);
  }
}

/** Whether every piece that is not cancelled has shipped. */
export function isComplete(order: ModelOrder): boolean {
  return order.lines.every((line) => openOf(line) === 0);
}

// Payment
// -------------------------------------------------------------------------------------------------------------------

/** The provider charges no less. */
const CHARGE_PENCE_MIN = 30;

export function paidOf(order: ModelOrder): number {
  return order.payments.reduce((sum, { pence }) => sum + pence, 0) - order.unwantedPence;
}

/** What is given back and owed of an order is what its payments say. */
export function leftOfPayments(order: ModelOrder): number {
  return order.payments.reduce((sum, { pence, back }) => sum + pence - back, 0);
}

/** From now on the order keeps the right to its setup alive. */
export function markPaid(order: ModelOrder): void {
  order.isPaid = true;
  if (order.lines.some(({ isEmbroidered }) => isEmbroidered)) order.account.relying.add(order);
}

export type Taken = 'covered' | 'attempted' | 'nothing';

/**
 * Who pays what is due of an order: the balance all of it; or the balance its part and the card or direct debit the
 * rest, no less than its minimum; or nobody anything (decisions, "Charge", "Small remainders"; domain, "Balance and
 * method").
 */
export function take(order: ModelOrder, now: number, mayCharge: boolean): Taken {
  const { account } = order;
  const due = order.totalPence - paidOf(order);
  const [balance] = order.payments;
  if (balance === undefined) throw new Error('every order has the balance among its payments');
  if (account.balancePence >= due) {
    account.balancePence -= due;
    balance.pence += due;
    markPaid(order);
    return 'covered';
  }
  if (!mayCharge || !account.hasMethod || due < CHARGE_PENCE_MIN) return 'nothing';
  const charged = Math.max(due - account.balancePence, CHARGE_PENCE_MIN);
  account.balancePence -= due - charged;
  balance.pence += due - charged;
  order.attempt = {
    pence: charged,
    createdAt: now,
    state: 'under way',
    intent: undefined,
    isReturned: false,
    id: undefined,
  };
  order.attempts.push(order.attempt);
  return 'attempted';
}

/** How long a top-up settles an order by itself (`AUTO_SETTLE_HOURS`). */
export function settledUntil(order: ModelOrder): number {
  return order.placedAt + 72 * 3_600_000;
}

/** The orders of an account that wait for their payment and are not too old, the oldest first. */
export function waitingOf(model: Model, account: ModelAccount): ModelOrder[] {
  return model.orders.filter(
    (order) =>
      order.account === account &&
      order.state === 'awaiting_payment' &&
      order.attempt === undefined &&
      settledUntil(order) >= model.now,
  );
}

/**
 * The provider takes back what had counted as paid: what was still to be paid out of it is set off, and an order that
 * has not started is held, one that is held already too, unless all of it was.
 */
export function returnPayment(model: Model, order: ModelOrder, attempt: ModelAttempt): void {
  attempt.isReturned = true;
  order.tasks.push('payment_returned');
  const payment = order.payments.find((one) => one.attempt === attempt);
  const setOff = payment?.owed ?? 0;
  if (payment !== undefined) Object.assign(payment, { owed: 0, setOff });
  order.owedPence -= setOff;
  order.refundedPence += setOff;
  if (['placed', 'released', 'on_hold'].includes(order.state) && setOff < attempt.pence)
    move(model, order, 'hold', 'on_hold', 'order.on_hold');
  else move(model, order, 'payment_returned', order.state);
}
