import {
  leftOfPayments,
  type Model,
  type ModelLine,
  type ModelOrder,
  move,
  openOf,
  promisedOf,
  shelfOf,
  supply,
} from './model.ts';

// How money and pieces go back, as the specification and the decisions say it.

/**
 * Gives money of an order back: to the balance what that paid and has not got back, then to cards and direct debits,
 * the oldest first. Theirs is owed until somebody pays it out, but for what the provider took back itself: that is owed
 * less, and a new task names the rest.
 */
export function giveBack(order: ModelOrder, pence: number): void {
  let left = pence;
  let setOff = 0;
  for (const payment of order.payments) {
    const part = Math.min(left, payment.pence - payment.back);
    payment.back += part;
    left -= part;
    if (payment.attempt?.isReturned === true) {
      payment.setOff += part;
      setOff += part;
    }
    if (payment.attempt === undefined) order.account.balancePence += part;
    if (payment.attempt === undefined || payment.attempt.isReturned) order.refundedPence += part;
    else {
      payment.owed += part;
      order.owedPence += part;
    }
  }
  const returned = order.payments.filter(({ attempt }) => attempt?.isReturned === true);
  const isOwed = returned.some((payment) => payment.pence > payment.setOff);
  if (setOff > 0 && isOwed) order.tasks.push('payment_returned');
  if (left > 0) throw new Error(`order ${order.index}: ${left} pence more are given back than were paid`);
}

/** What has gone back to the balance. */
export function backToBalance(order: ModelOrder): number {
  return order.payments[0]?.back ?? 0;
}

/** What may still be taken back of a paid order. */
export function leftToCredit(order: ModelOrder): number {
  return Math.min(order.totalPence - order.creditedPence, leftOfPayments(order));
}

/**
 * Cancels a whole order; all of its money goes back but for what is kept on purpose. `pence` is what goes back of
 * what was sold.
 */
export function cancelWhole(model: Model, order: ModelOrder, by: 'api' | 'ops', pence: number): void {
  const pieces = new Map(order.lines.map((line) => [line, openOf(line)]));
  releasePieces(model, order, pieces);
  if (order.isPaid) credit(order, pence);
  else giveBack(order, leftOfPayments(order));
  order.account.relying.delete(order);
  order.cancelledBy = by;
  cancelPieces(pieces);
  move(model, order, 'cancel', 'cancelled', 'order.cancelled');
}

/** Cancels some pieces of an order of which others remain; `pence` is what goes back. */
export function cancelSome(
  model: Model,
  order: ModelOrder,
  pieces: ReadonlyMap<ModelLine, number>,
  pence: number,
): void {
  releasePieces(model, order, pieces);
  credit(order, pence);
  cancelPieces(pieces);
  if (!needsSetup(order.lines)) order.account.relying.delete(order);
  const isDispatched = order.lines.every((line) => openOf(line) === 0);
  if (isDispatched) move(model, order, 'cancel_lines', 'dispatched', 'order.dispatched');
  else move(model, order, 'cancel_lines', order.state);
}

/** Takes a part of a sale back and gives its money back. */
export function credit(order: ModelOrder, pence: number): void {
  order.creditedPence += pence;
  giveBack(order, pence);
}

function cancelPieces(pieces: ReadonlyMap<ModelLine, number>): void {
  for (const [line, quantity] of pieces) {
    line.cancelled += quantity;
    if (line.replaces !== undefined) line.replaces.replaced -= quantity;
  }
}

/** What was promised and not taken goes back to the shelf; who cancels what was started leaves work for a person. */
function releasePieces(model: Model, order: ModelOrder, pieces: ReadonlyMap<ModelLine, number>): void {
  let hasStarted = false;
  const skus = new Set<string>();
  for (const [line, quantity] of pieces) {
    const released = Math.min(promisedOf(line), quantity);
    line.released += released;
    line.short = Math.max(0, line.short - released);
    if (released > 0) {
      shelfOf(model, line.sku).allocated -= released;
      skus.add(line.sku);
    }
    if (line.isStarted && quantity > released) hasStarted = true;
  }
  for (const sku of skus) supply(model, sku);
  if (hasStarted) order.tasks.push('cancelled_after_start');
}

/** Whether the work of a setup is still needed, or done: a line of it has pieces left or was started. */
function needsSetup(
  lines: readonly Pick<ModelLine, 'isEmbroidered' | 'isStarted' | 'quantity' | 'cancelled'>[],
): boolean {
  return lines.some((line) => line.isEmbroidered && (line.isStarted || line.cancelled < line.quantity));
}

/**
 * What cancelling pieces gives back: their price, a setup that nothing needs any more, and the VAT on both by class;
 * what remains is not repriced, and shipping and duty go with the last piece alone. In pence from `least` to `most`:
 * exact where the order has one rate of VAT, to two pence where it has two, since their shares of the shipping are
 * not shown.
 */
export function priceOf(
  order: ModelOrder,
  pieces: ReadonlyMap<ModelLine, number>,
): { readonly least: number; readonly most: number } {
  const after = order.lines.map((line) => ({ ...line, cancelled: line.cancelled + (pieces.get(line) ?? 0) }));
  const left = order.totalPence - order.creditedPence;
  if (after.every((line) => line.cancelled === line.quantity)) {
    return order.hasGoodwill || order.hasKept ? { least: 0, most: left } : { least: left, most: left };
  }
  const isSetupFree = needsSetup(order.lines) && !needsSetup(after);
  const setup = isSetupFree ? order.setupPence : 0;
  const ofRate = (isZeroRated: boolean): number =>
    [...pieces].reduce(
      (sum, [line, quantity]) => sum + (line.isZeroRated === isZeroRated ? line.unitPence * quantity : 0),
      0,
    );
  const taxed = ofRate(false) + setup;
  const net = taxed + ofRate(true);
  const vat = vatOf(order, taxed, net);
  return { least: order.hasGoodwill ? 0 : net + vat.least, most: Math.min(net + vat.most, left) };
}

/** Of what hangs on the share of the shipping, which is not shown. */
const SLACK_PENCE = 2;

function vatOf(order: ModelOrder, taxed: number, net: number): { readonly least: number; readonly most: number } {
  if (!order.isTaxed || taxed === 0) return { least: 0, most: 0 };
  if (order.lines.some((line) => line.isZeroRated)) {
    const vat = Math.round(taxed / 5);
    return { least: vat - SLACK_PENCE, most: vat + SLACK_PENCE };
  }
  // What is given back before and after, each rounded once: so the parts sum to the whole.
  const before = cancelledNet(order);
  const vat = vatKept(order, before) - vatKept(order, before + net);
  return { least: vat, most: vat };
}

/** The VAT of what is left when goods of so many pence are cancelled, half up. */
function vatKept(order: ModelOrder, cancelled: number): number {
  return Math.floor((2 * order.vatPence * (order.netPence - cancelled) + order.netPence) / (2 * order.netPence));
}

/** What the pieces cost that are cancelled already, with the setup that went with them. */
function cancelledNet(order: ModelOrder): number {
  const hasSetup = order.setupPence > 0 && !needsSetup(order.lines);
  return order.lines.reduce((sum, line) => sum + line.unitPence * line.cancelled, hasSetup ? order.setupPence : 0);
}
