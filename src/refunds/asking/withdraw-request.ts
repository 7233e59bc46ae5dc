import { closeTasks } from '../../accounts/close-task.ts';
import type { Caller } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import type { CancellationRequest } from '../../orders/asking/request-schema.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { moveOrder } from '../../orders/move-order.ts';
import { lockOwnOrder, ownOrderId } from '../../orders/reading/own-order.ts';
import { endRequest, findLatestRequest } from './sql.ts';
import { askedView } from './view.ts';

/**
 * Withdraws the open request to cancel an order, and closes its task.
 * Against an answer at the same moment exactly one wins. A repeat changes nothing. Throws 404, and 409 for an order
 * about which nothing was asked, or whose request has ended otherwise. Locks the order.
 */
export async function withdrawRequest(
  ctx: Pick<OrdersContext, 'database' | 'clock' | 'config'>,
  caller: Caller,
  idOrReference: string,
): Promise<CancellationRequest> {
  const { accountId } = caller;
  const orderId = await ownOrderId(ctx, caller, idOrReference);
  return ctx.database.transaction(async (tx) => {
    const order = await lockOwnOrder(tx, caller, orderId);
    const request = await findLatestRequest(tx, accountId, order.id);
    if (request === undefined) throw new ApiError('conflict', `You have not asked to cancel ${order.reference}.`);
    if (request.state === 'withdrawn') return askedView(request);
    if (request.state !== 'open') throw new ApiError('conflict', endedDetail(request.state, order.reference));
    const now = ctx.clock.now();
    const end = { accountId, id: request.id, state: 'withdrawn', answer: '', answeredBy: null, now } as const;
    if (!(await endRequest(tx, end))) throw new Error('an open request of a locked order could not be ended');
    await closeTasks(tx, [request.task_id], now);
    const move = { to: order.state, action: 'withdraw_cancellation', actor: 'customer', reason: '', events: [] };
    await moveOrder(tx, ctx.config, order, move, now);
    const withdrawn = await findLatestRequest(tx, accountId, order.id);
    if (withdrawn === undefined) throw new Error('a request that was withdrawn is gone');
    return askedView(withdrawn);
  });
}

function endedDetail(state: 'accepted' | 'refused' | 'lapsed', reference: string): string {
  if (state === 'lapsed') return `Your request is over: ${reference} was cancelled or dispatched before an answer.`;
  return `The shop has ${state} your request, so it cannot be withdrawn any more.`;
}
