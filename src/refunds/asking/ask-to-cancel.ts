import { REQUEST_TASK } from '../../accounts/close-task.ts';
import { openTask } from '../../accounts/open-task.ts';
import type { Caller } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, validationFailed } from '../../lib/errors.ts';
import { newId, publicId } from '../../lib/ids.ts';
import type { CancellationRequest } from '../../orders/asking/request-schema.ts';
import { REQUESTS_OF_ORDER_MAX } from '../../orders/asking/request-view.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { moveOrder } from '../../orders/move-order.ts';
import type { LockedOrder } from '../../orders/move-sql.ts';
import { lockOwnOrder, ownOrderId } from '../../orders/reading/own-order.ts';
import { isCancellable, isWindowOpen } from '../../orders/status.ts';
import type { AskToCancelBody } from './schema.ts';
import { type AskedRow, findLatestRequest, insertRequest } from './sql.ts';
import { askedView } from './view.ts';

const HOUR_MS = 3_600_000;

export type Asked = { readonly kind: 'asked' | 'repeated'; readonly request: CancellationRequest };

/**
 * Asks the shop to cancel an order whose window is over, and opens a task with a deadline.
 * The order goes on meanwhile. Request, task and history are one transaction under the lock of the order. A repeat of
 * the open request with the same reason and text is answered with it. Throws 404; 422 for the reason `other` without a
 * text; 409 inside the window, for an order that is dispatched, cancelled or erased, while another request is open, and
 * beyond `REQUESTS_OF_ORDER_MAX`.
 */
export async function askToCancel(
  ctx: Pick<OrdersContext, 'database' | 'clock' | 'config'>,
  caller: Caller,
  idOrReference: string,
  body: AskToCancelBody,
): Promise<Asked> {
  refuseShape(body);
  const orderId = await ownOrderId(ctx, caller, idOrReference);
  return ctx.database.transaction(async (tx) => {
    const order = await lockOwnOrder(tx, caller, orderId);
    const before = await findLatestRequest(tx, caller.accountId, order.id);
    if (before?.state === 'open' && before.reason === body.reason && before.text === (body.text ?? '')) {
      return { kind: 'repeated', request: askedView(before) };
    }
    // Read after the lock: a call that waited for it must not be dated before the one that had it.
    const now = ctx.clock.now();
    refuseOrder(order, now);
    refuseAnother(order, before);
    await write(tx, ctx.config, order, { body, now });
    const made = await findLatestRequest(tx, caller.accountId, order.id);
    if (made === undefined) throw new Error('a request that was written is gone');
    return { kind: 'asked', request: askedView(made) };
  });
}

function refuseShape({ reason, text = '' }: AskToCancelBody): void {
  if (reason !== 'other' || /\S/.test(text)) return;
  const message = 'Say why: the reason other needs a text.';
  throw validationFailed([{ path: 'text', code: 'required', message }]);
}

function refuseOrder(order: LockedOrder, now: Date): void {
  const { state, reference, cancellable_until: until } = order;
  if (state === 'cancelled') throw new ApiError('conflict', `${reference} is cancelled already.`);
  if (!isCancellable(state)) {
    const detail = `${reference} has been dispatched, so it cannot be cancelled. If something is wrong with it, report a problem: POST /orders/${reference}/problems.`;
    throw new ApiError('conflict', detail);
  }
  if (order.erased_at !== null) {
    throw new ApiError('conflict', `The personal data of ${reference} is erased, so it is not made any more.`);
  }
  if (!isWindowOpen(until, now)) return;
  const detail = `Until ${isoTime(until)} you cancel ${reference} yourself, without asking: POST /orders/${reference}/cancel.`;
  throw new ApiError('conflict', detail);
}

function refuseAnother({ reference }: LockedOrder, before: (AskedRow & { asked: number }) | undefined): void {
  if (before === undefined) return;
  if (before.state === 'open') {
    const detail = `You have asked to cancel ${reference} already, and the shop has not answered yet. Withdraw that request to ask anew: DELETE /orders/${reference}/cancellation-request.`;
    throw new ApiError('conflict', detail);
  }
  if (before.asked < REQUESTS_OF_ORDER_MAX) return;
  throw new ApiError('conflict', `You have asked ${before.asked} times to cancel ${reference}. Contact support.`);
}

async function write(
  tx: Db,
  config: OrdersContext['config'],
  order: LockedOrder,
  { body: { reason, text = '' }, now }: { readonly body: AskToCancelBody; readonly now: Date },
): Promise<void> {
  const { account_id: accountId, id: orderId, reference } = order;
  const id = newId(now.getTime());
  const dueAt = new Date(now.getTime() + config.cancellationAnswerHours * HOUR_MS);
  const note = `The customer asks to cancel ${reference}: ${reason.replaceAll('_', ' ')}. Accept or refuse ${publicId('creq', id)}; the order goes on until then.`;
  const taskId = await openTask(tx, { accountId, orderId, kind: REQUEST_TASK, note, dueAt }, now);
  await insertRequest(tx, { accountId, id, orderId, reason, text, taskId, now, dueAt });
  // An order that is held stays held.
  const move = { to: order.state, action: 'ask_to_cancel', actor: 'customer', reason, events: [] };
  await moveOrder(tx, config, order, move, now);
}
