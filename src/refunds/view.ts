import { isoTime } from '../lib/clock.ts';
import { publicId } from '../lib/ids.ts';
import { type Pence, pence, sumPence, toPounds, ZERO_PENCE } from '../lib/money.ts';
import type { OrderParts } from '../orders/read-sql.ts';
import type { Cancellation } from './schema.ts';

/** The answer to a cancel (spec 2.6). What is listed as pending is not paid out yet. */
export function cancellationView(order: OrderParts, isRepeat: boolean): Cancellation {
  const backToBalance = order.refunds.filter(({ method }) => method === 'balance');
  const owedOf = new Map<string | null, Pence>();
  for (const { payment_id: id, state, amount_pence: amount } of order.refunds) {
    if (state === 'owed') owedOf.set(id, sumPence([owedOf.get(id) ?? ZERO_PENCE, pence(amount)]));
  }
  return {
    id: publicId('ord', order.id),
    reference: order.reference,
    status: 'cancelled',
    cancelled: true,
    refunded_gbp: toPounds(sumPence(backToBalance.map((refund) => pence(refund.amount_pence)))),
    pending_manual_refund: order.payments
      .filter(({ id }) => owedOf.has(id))
      .map((payment) => ({
        payment_id: publicId('pay', payment.id),
        method: payment.method,
        amount_gbp: toPounds(owedOf.get(payment.id) ?? ZERO_PENCE),
        reference: payment.provider_reference,
        paid_at: isoTime(new Date(payment.paid_at)),
      })),
    cancellable_until: isoTime(order.cancellable_until),
    ...(isRepeat ? { already_cancelled: true } : {}),
  };
}
