import { isoTime } from '../../lib/clock.ts';
import { publicId } from '../../lib/ids.ts';
import { isCancellable, isWindowOpen, type OrderState } from '../status.ts';
import type { CancellationRequest } from './request-schema.ts';
import type { RequestRow } from './request-sql.ts';

/** An order is asked about no more often than this, withdrawn requests among them. */
export const REQUESTS_OF_ORDER_MAX = 5;

/** A request to cancel, as its customer sees it. */
export function requestView(row: Omit<RequestRow, 'asked'>): CancellationRequest {
  const { id, state, reason, text } = row;
  const isAnswered = row.answered_by !== null;
  const endedAt = row.ended_at === null ? null : isoTime(new Date(row.ended_at));
  return {
    id: publicId('creq', id),
    state,
    reason,
    text,
    asked_at: isoTime(new Date(row.asked_at)),
    answer_by: isoTime(new Date(row.answer_due_at)),
    answer: isAnswered ? row.answer : null,
    answered_at: isAnswered ? endedAt : null,
    ended_at: endedAt,
    actions: { withdraw: { available: state === 'open' } },
  };
}

/** Whether the customer of an order can ask to cancel it: its window is over, and it is not on its way. */
export function canAsk(
  order: {
    readonly state: OrderState;
    readonly cancellable_until: Date;
    readonly erased_at: Date | null;
    readonly request: Pick<RequestRow, 'state' | 'asked'> | null;
  },
  now: Date,
): boolean {
  const { state, request } = order;
  if (!isCancellable(state) || isWindowOpen(order.cancellable_until, now) || order.erased_at !== null) return false;
  return request === null || (request.state !== 'open' && request.asked < REQUESTS_OF_ORDER_MAX);
}
