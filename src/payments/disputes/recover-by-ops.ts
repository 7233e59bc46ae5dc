import { ApiError, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { actorOf, type Once, type Operator } from '../../lib/operator.ts';
import { operateOn } from '../../orders/operate.ts';
import type { OpsOrder } from '../../orders/ops-schema.ts';
import { findAttempt } from '../attempt-sql.ts';
import type { PaymentsContext } from '../context.ts';
import { collectByBank, recoverableOf } from './recovered.ts';

/**
 * Records that a returned payment was collected by bank: all that is still owed for it.
 * It is booked as received, and the task is closed. An order that is held for it stays on hold; every role that may
 * resume orders may then resume it.
 *
 * Throws 404 for a payment that the order does not have; 409 for one that was not returned, or for which nothing is
 * owed.
 */
export async function recoverByOps(
  ctx: PaymentsContext,
  operator: Operator,
  target: { readonly idOrReference: string; readonly paymentId: string },
  once: Once,
): Promise<OpsOrder> {
  const paymentId = parseId('pay', target.paymentId);
  if (paymentId === undefined) throw notFound();
  const act = { action: 'recover_payment', detail: { payment_id: target.paymentId } };
  return operateOn(ctx, operator, { id: target.idOrReference, once }, act, async (tx, order, now) => {
    const attempt = await findAttempt(tx, paymentId);
    if (attempt === undefined || !order.payments.some(({ id }) => id === paymentId)) throw notFound();
    if (attempt.recovered_at !== null) throw new ApiError('conflict', 'This payment has been collected already.');
    if (attempt.returned_at === null) throw new ApiError('conflict', 'This payment was not returned: nothing is owed.');
    const amountPence = await recoverableOf(tx, order, attempt);
    if (amountPence <= 0) {
      throw new ApiError('conflict', 'Nothing is owed for this payment: all of it was set off against refunds.');
    }
    await collectByBank(ctx, tx, { order, attempt, amountPence, actor: actorOf(operator) }, now);
  });
}
