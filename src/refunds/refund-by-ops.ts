import { postToOrder } from '../billing/ledger.ts';
import { refundPaidPostings } from '../billing/postings.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, notFound, validationFailed } from '../lib/errors.ts';
import { parseId, type Uuid } from '../lib/ids.ts';
import { fromPounds, type Pence, pence, sumPence, toPounds } from '../lib/money.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { setOffRefunds } from '../payments/disputes/set-off-sql.ts';
import { mailUndone } from './mail-undone.ts';
import type { GoodwillBody } from './ops-schema.ts';
import { creditForGoodwill, uncreditedOf } from './refund-amounts.ts';
import { readSoldOrder, refundCredit, unrefundedPence } from './refund-order.ts';
import { markRefundsPaid } from './refund-sql.ts';

/**
 * Refunds a part of an order as a goodwill, whatever its state.
 * What the balance paid goes back to it at once, the rest is owed (`splitRefund`). People of the account who want it
 * are mailed. Throws 422 above what is left of what was paid, 409 for an order that has not been paid for.
 */
export async function refundByOps(
  ctx: PaymentsContext,
  operator: Operator,
  idOrReference: string,
  request: { readonly body: GoodwillBody; readonly once: Once },
): Promise<OpsOrder> {
  const { body, once } = request;
  const amountPence = goodwillPence(body.amount_gbp);
  const act = { action: 'refund', detail: body };
  return operateOn(ctx, operator, { id: idOrReference, once }, act, async (tx, order, now) => {
    const { reason } = body;
    await refundLocked(tx, ctx, order, { amountPence, actor: actorOf(operator), reason, now });
    await mailUndone(ctx, tx, order, { what: 'refund', amountPence, reason });
  });
}

/** The amount of a goodwill. Throws 422 for one with parts of a penny. */
export function goodwillPence(amountPounds: number): Pence {
  const amountPence = fromPounds(amountPounds);
  if (amountPence === undefined || amountPence === 0)
    throw refusedAmount('decimals', 'must be pounds with at most two decimals.');
  return amountPence;
}

/** Refunds a part of a locked order as a goodwill, in the caller's transaction: as `refundByOps`. */
export async function refundLocked(
  tx: Db,
  ctx: Pick<PaymentsContext, 'config'>,
  order: LockedOrder,
  given: { readonly amountPence: Pence; readonly actor: string; readonly reason: string; readonly now: Date },
): Promise<void> {
  const { amountPence, actor, reason, now } = given;
  if (order.paid_at === null)
    throw new ApiError('conflict', 'This order has not been paid for: nothing can be refunded.');
  await giveGoodwill(tx, order, amountPence, { kind: 'goodwill', actor, reason }, now);
  await moveOrder(tx, ctx.config, order, { to: order.state, action: 'refund', actor, reason, events: [] }, now);
}

async function giveGoodwill(
  tx: Db,
  order: LockedOrder,
  amountPence: Pence,
  why: { readonly kind: 'goodwill'; readonly actor: string; readonly reason: string },
  now: Date,
): Promise<void> {
  const sold = await readSoldOrder(tx, order);
  const leftPence = Math.min(uncreditedOf(sold).totalPence, unrefundedPence(order));
  if (amountPence > leftPence) {
    throw refusedAmount(
      'out_of_bounds',
      `must be at most £${toPounds(pence(leftPence))}, which is what is left of what was paid.`,
    );
  }
  // The reason stands beside the lines, where an erasure can empty it.
  await refundCredit(tx, order, creditForGoodwill(sold, amountPence, 'Goodwill'), why, now);
}

function refusedAmount(code: 'decimals' | 'out_of_bounds', message: string): ApiError {
  return validationFailed([{ path: 'amount_gbp', code, message }]);
}

/**
 * Marks what is owed of a payment as paid out by hand.
 * A repeat for the same payment is a no-op until more of it is owed. If the provider took the payment back, what the
 * customer owes for it is set off first: the customer already has that money. Throws 404 for a payment that the order
 * does not have, 409 for one of which nothing was ever owed.
 */
export async function markRefundPaid(
  ctx: PaymentsContext,
  operator: Operator,
  target: { readonly idOrReference: string; readonly paymentId: string },
  once: Once,
): Promise<OpsOrder> {
  const paymentId = parseId('pay', target.paymentId);
  if (paymentId === undefined) throw notFound();
  const act = { action: 'refund_paid', detail: { payment_id: target.paymentId } };
  return operateOn(ctx, operator, { id: target.idOrReference, once }, act, async (tx, order, now) => {
    const orderId = order.id;
    const payment = order.payments.find(({ id }) => id === paymentId);
    if (payment === undefined) throw notFound();
    const owedPence = owedOf(order, paymentId);
    if (owedPence === 0) return;
    const { account_id: accountId, reference } = order;
    const setOffPence = pence(Math.min(owedPence, payment.due_pence));
    await setOffRefunds(tx, { accountId, orderId, paymentId, setOffPence, now });
    await markRefundsPaid(tx, { accountId, orderId, paymentId, now });
    const actor = actorOf(operator);
    await moveOrder(
      tx,
      ctx.config,
      order,
      { to: order.state, action: 'refund_paid', actor, reason: '', events: [] },
      now,
    );
    await postToOrder(tx, {
      accountId,
      orderId,
      postings: [
        ...refundPaidPostings(setOffPence, 'receivables'),
        ...refundPaidPostings(pence(owedPence - setOffPence), 'bank'),
      ],
      reference,
      now,
    });
  });
}

function owedOf(order: LockedOrder, paymentId: Uuid): Pence {
  const refunds = order.refunds.filter(({ payment_id: id }) => id === paymentId);
  if (refunds.length === 0) throw new ApiError('conflict', 'Nothing is owed for this payment.');
  return sumPence(refunds.flatMap((refund) => (refund.state === 'owed' ? [pence(refund.amount_pence)] : [])));
}
