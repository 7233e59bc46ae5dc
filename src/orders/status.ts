/** The internal states of an order, finer than the public ones (decisions, "Internal order states"). */
export type OrderState =
  | 'awaiting_payment'
  | 'placed'
  | 'on_hold'
  | 'released'
  | 'in_production'
  | 'dispatched'
  | 'delivered'
  | 'cancelled';

export const PUBLIC_STATUSES = [
  'pending',
  'confirmed',
  'in_production',
  'dispatched',
  'delivered',
  'cancelled',
] as const;
export type PublicStatus = (typeof PUBLIC_STATUSES)[number];

/** The one table from internal state to public status; the public status is stored nowhere. */
const STATUS_OF: Readonly<Record<OrderState, PublicStatus>> = {
  awaiting_payment: 'pending',
  placed: 'pending',
  on_hold: 'pending',
  released: 'confirmed',
  in_production: 'in_production',
  dispatched: 'dispatched',
  delivered: 'delivered',
  cancelled: 'cancelled',
};

/** All internal states. */
export const ORDER_STATES: readonly OrderState[] = [
  'awaiting_payment',
  'placed',
  'on_hold',
  'released',
  'in_production',
  'dispatched',
  'delivered',
  'cancelled',
];

/** The status that the public API shows for a state. */
export function publicStatus(state: OrderState): PublicStatus {
  return STATUS_OF[state];
}

/** The internal states of a public status. */
export function statesOf(status: PublicStatus): OrderState[] {
  return ORDER_STATES.filter((state) => STATUS_OF[state] === status);
}

/** Whether the cancellation window is open; its last millisecond counts (spec 4.1, cancel). */
export function isWindowOpen(cancellableUntil: Date, now: Date): boolean {
  return now.getTime() <= cancellableUntil.getTime();
}

/** Whether an order in a state can still be cancelled by its owner, the window aside (spec 3.1). */
export function isCancellable(state: OrderState): boolean {
  return state !== 'dispatched' && state !== 'delivered' && state !== 'cancelled';
}

export type PaymentStatus = 'paid' | 'processing' | 'failed' | 'refunded' | 'part_refunded';

/** The payment status from what was paid, refunded and is due (decisions, "GET order"). */
export function paymentStatus(order: {
  readonly totalPence: number;
  readonly paidPence: number;
  readonly refundedPence: number;
  /** A charge is under way, and its outcome is not known yet. */
  readonly isCharging: boolean;
}): PaymentStatus {
  if (order.isCharging) return 'processing';
  if (order.refundedPence > 0) return order.refundedPence >= order.paidPence ? 'refunded' : 'part_refunded';
  return order.paidPence >= order.totalPence ? 'paid' : 'failed';
}

/**
 * The finished pieces of a line: those that are done at every print job, shipped ones included.
 * Pieces of a blank line need no finishing. They are finished once the line has started and has their blanks.
 */
export function finishedQuantity(line: {
  readonly quantity: number;
  readonly quantityCancelled: number;
  readonly started: boolean;
  /** Pieces without a blank in production: spoiled, and not started again. */
  readonly missing: number;
  /** The pieces done of each print job. */
  readonly done: readonly number[];
}): number {
  if (!line.started) return 0;
  return Math.min(line.quantity - line.quantityCancelled - line.missing, ...line.done);
}

export type LineStatus = 'queued' | 'printing' | 'part_shipped' | 'shipped' | 'cancelled';

/** A line's state, computed from its quantities (domain, "Lines"). */
export function lineStatus(line: {
  readonly quantity: number;
  readonly quantityCancelled: number;
  readonly quantityShipped: number;
  readonly started: boolean;
}): LineStatus {
  if (line.quantityCancelled === line.quantity) return 'cancelled';
  if (line.quantityShipped + line.quantityCancelled === line.quantity) return 'shipped';
  if (line.quantityShipped > 0) return 'part_shipped';
  return line.started ? 'printing' : 'queued';
}
