import { publicId } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import type { OrderEvent } from '../webhooks/events.ts';
import type { WaitingRow } from './settle-sql.ts';

/** The event of a waiting order that is paid, and so created (spec 6.3). */
export function orderCreatedEvent(order: WaitingRow): Extract<OrderEvent, { event: 'order.created' }> {
  return {
    event: 'order.created',
    data: {
      order_id: publicId('ord', order.id),
      reference: order.reference,
      external_reference: order.external_reference ?? '',
      // The literal is right although the order starts as pending (decisions, "Where two sentences pull apart", 2).
      status: 'confirmed',
      total: toPounds(pence(order.total_pence)),
      currency: 'GBP',
      item_count: order.item_count,
    },
  };
}

/** The event of a failed charge: how much is paid, which method failed, and why (spec 6.3). */
export function paymentFailedEvent(
  order: WaitingRow,
  failure: { readonly method: string; readonly reason: string },
): Extract<OrderEvent, { event: 'order.payment_failed' }> {
  return {
    event: 'order.payment_failed',
    data: {
      order_id: publicId('ord', order.id),
      reference: order.reference,
      amount_gbp: toPounds(pence(order.total_pence)),
      paid_gbp: toPounds(pence(order.total_pence - order.due_pence)),
      remaining_gbp: toPounds(pence(order.due_pence)),
      failed_method: failure.method,
      reason: failure.reason,
    },
  };
}
