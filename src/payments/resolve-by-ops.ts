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
 * Ends a payment attempt by hand, for an operator who has looked it up with the provider, when the service cannot: its keys were
 * taken away, or the provider has forgotten the payment. Where there is a provider it is asked first, and its answer counts. What
 * follows is what would have followed from the provider's own word: the order is paid, or waits on. Should money come after all, it
 * pays the order if that still waits for it, else it is owed to the customer.
 *
 * Throws 404 for an order or an attempt of it that is not there; 409 for an attempt that has ended, and for one that is to have
 * succeeded although it was never begun with the provider: that one can have taken no money.
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
    // Under the lock of the order, so that of two operators at once only one finds it under way.
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

/** An intent is stored before it can take money: without one nothing was ever charged. */
function endOf(attempt: AttemptRow, outcome: ResolveAttemptBody['outcome']): AttemptEnd {
  if (outcome === 'failed') return { kind: 'failed', reason: 'The payment did not take place.' };
  if (attempt.intent_id !== null) return { kind: 'paid', intentId: attempt.intent_id };
  const detail = 'This payment was never begun with the provider, so it has taken no money: it can only have failed.';
  throw new ApiError('conflict', detail);
}
