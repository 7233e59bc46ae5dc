import { ApiError, notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import { actOnOrder } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from '../orders/read-ops-order.ts';
import { CHARGE_WITHIN_MS, readAttempt, tryBalance } from './attempt.ts';
import { type AttemptEnd, endAttemptWithin } from './attempt-end.ts';
import { type AttemptRow, findAttempt, isUnderWay } from './attempt-sql.ts';
import type { PaymentsContext } from './context.ts';
import type { ResolveAttemptBody } from './ops-schema.ts';

/**
 * Ends a payment attempt by hand, for an operator who has looked it up with the provider.
 * For attempts that the service cannot end: its keys were removed, or the provider has forgotten the payment. If
 * there is a provider, it is asked first, and its answer counts. What follows is the same as from the provider's own
 * answer: the order is paid, or keeps waiting. Money that arrives later pays the order if that still waits for it;
 * otherwise it is owed to the customer.
 *
 * Throws 404 for an unknown order, or an attempt that it does not have; 409 for an attempt that has ended, and for
 * `succeeded` on an attempt that was never begun with the provider: that one cannot have taken money.
 */
export async function resolveByOps(
  ctx: PaymentsContext,
  operator: Operator,
  target: { readonly idOrReference: string; readonly attemptId: string },
  request: { readonly body: ResolveAttemptBody; readonly once: Once },
): Promise<OpsOrder> {
  const { body, once } = request;
  const orderId = await opsOrderIdOf(ctx, target.idOrReference);
  const attemptId = parseId('pay', target.attemptId);
  const found = attemptId === undefined ? undefined : await findAttempt(ctx.database, attemptId);
  if (found === undefined || found.order_id !== orderId) throw notFound();
  if (ctx.payments !== undefined && isUnderWay(found)) await readAttempt(ctx, found.id, CHARGE_WITHIN_MS);
  const detail = { attempt_id: target.attemptId, ...body };
  const act = { action: 'resolve_payment', detail };
  await actOnOrder(ctx, operator, { orderId, once }, act, async (tx, _order, now) => {
    // Read under the lock of the order, so that of two operators at once only one finds it under way.
    const attempt = await findAttempt(tx, found.id);
    if (attempt === undefined) throw notFound();
    const byHand = { actor: actorOf(operator), note: body.reason };
    const end = { ...endOf(attempt, body.outcome), byHand };
    const isOurs = isUnderWay(attempt) && (await endAttemptWithin(ctx, tx, { attempt, end }, now));
    if (!isOurs) throw new ApiError('conflict', 'This payment attempt has ended already. Look at how it ended.');
  });
  if (body.outcome === 'failed') await tryBalance(ctx, found);
  return readOpsOrder(ctx, orderId);
}

/** An intent is stored before it can take money, so without one nothing was charged. */
function endOf(attempt: AttemptRow, outcome: ResolveAttemptBody['outcome']): AttemptEnd {
  if (outcome === 'failed') return { kind: 'failed', reason: 'The payment did not take place.' };
  if (attempt.intent_id !== null) return { kind: 'paid', intentId: attempt.intent_id };
  const detail = 'This payment was never begun with the provider, so it has taken no money: it can only have failed.';
  throw new ApiError('conflict', detail);
}
