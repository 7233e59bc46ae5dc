import { ApiError } from '../lib/errors.ts';
import { publicId } from '../lib/ids.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { OrderState } from '../orders/status.ts';
import type { WorkLineRow } from './sql.ts';

/** Each state in words, for the detail of a refusal. */
const STATE_TEXTS: Readonly<Record<OrderState, string>> = {
  awaiting_payment: 'it is not paid for',
  placed: 'it has not been promoted',
  on_hold: 'it is on hold',
  released: 'it has been promoted already',
  in_production: 'its production has started',
  dispatched: 'it has been dispatched',
  delivered: 'it has been delivered',
  cancelled: 'it is cancelled',
};

/** The path of a line's operations, as a refusal names it. */
export function linePath(order: LockedOrder, line: Pick<WorkLineRow, 'id'>): string {
  return `/orders/${order.reference}/lines/${publicId('line', line.id)}`;
}

/** Throws 409 `conflict` for a line that is paused, with the reason and how it is resumed. */
export function refusePaused(order: LockedOrder, line: WorkLineRow, what: 'started' | 'finished'): void {
  if (line.pause === null) return;
  const { code, reason } = line.pause;
  const detail = `This line is paused (${code}: ${reason}), and nothing of it is ${what}. Resume it first: POST ${linePath(order, line)}/resume.`;
  throw new ApiError('conflict', detail);
}

/** The detail of a refusal for a line of which nothing is left to make. */
export const NOTHING_LEFT = 'Nothing of this line is left to make: its pieces are cancelled or shipped.';

/**
 * Throws 409 `conflict` unless the order is in one of the states.
 * The detail says what cannot be done, and the state of the order.
 */
export function refuseUnless(order: LockedOrder, states: readonly OrderState[], what: string): void {
  if (states.includes(order.state)) return;
  throw new ApiError('conflict', `This order cannot be ${what}: ${STATE_TEXTS[order.state]}.`);
}
