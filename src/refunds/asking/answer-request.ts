import { isKeyUsed } from '../../accounts/act-once.ts';
import { closeTasks } from '../../accounts/close-task.ts';
import { mailPeople, type Notice } from '../../accounts/notices/mail-people.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { actorOf, type Once, type Operator } from '../../lib/operator.ts';
import { moveOrder } from '../../orders/move-order.ts';
import type { LockedOrder } from '../../orders/move-sql.ts';
import { actOnOrder } from '../../orders/operate.ts';
import type { PaymentsContext } from '../../payments/context.ts';
import { resolveCharge } from '../../payments/resolve-attempt.ts';
import { cancelLocked, refuseNoRefund } from '../cancel-by-ops.ts';
import { openPieces } from '../cancel-whole.ts';
import { readSoldOrder } from '../refund-order.ts';
import type { AcceptRequestBody, OpsCancellationRequest, RefuseRequestBody } from './ops-schema.ts';
import { findOpsRequest, getOpsRequest } from './read-for-ops.ts';
import { type AskedRow, endRequest, findAnyRequest } from './sql.ts';

// An answer and what it does are one transaction, under the lock of the order: after a crash there is both or neither,
// and of two answers at once, of an answer and a withdrawal, or of an answer and the last parcel, exactly one wins.

type Answering<Body> = { readonly id: string; readonly body: Body; readonly once: Once };

/**
 * Accepts a request: cancels the order, or its lines that have not started, as an operator does.
 * The request ends first, so that the cancel does not let it lapse. Throws 404; 403 for no refund by a role that may
 * not keep money; 409 when the request is not open, and when no line is left that has not started; 502 `refund_failed`
 * as a cancel does.
 */
export async function acceptRequest(
  ctx: PaymentsContext,
  operator: Operator,
  { id, body, once }: Answering<AcceptRequestBody>,
): Promise<OpsCancellationRequest> {
  const { message, cancel = 'whole', refund = 'full' } = body;
  refuseNoRefund(operator, refund);
  const { order_id: orderId } = await findOpsRequest(ctx, id);
  // As with a cancel: a used key cancels nothing, and pieces of an unpaid order are not cancelled.
  if (cancel === 'whole' && !(await isKeyUsed(ctx, operator, once))) await resolveCharge(ctx, 'any', orderId);
  return answer(ctx, operator, { id, once, action: 'accept_cancellation', detail: body }, async (tx, order, now) => {
    const by = { actor: actorOf(operator), reason: message, keepsMoney: refund === 'none' };
    const items = cancel === 'whole' ? undefined : await notStarted(tx, order);
    const end = { state: 'accepted', message, isWhole: items === undefined } as const;
    const body = items === undefined ? {} : { items };
    return { end, act: async () => void (await cancelLocked(tx, ctx, order, { ...by, body }, now)) };
  });
}

/** The pieces of the lines that have not started. Throws 409 when there are none. */
async function notStarted(tx: Db, order: LockedOrder): Promise<{ line_id: string; quantity: number }[]> {
  const { lines } = await readSoldOrder(tx, order);
  const open = openPieces(lines.filter(({ isStarted }) => !isStarted));
  if (open.size === 0) {
    throw new ApiError('conflict', 'Every line that is left has started. Cancel the whole order, or refuse.');
  }
  return lines.flatMap(({ id }) => {
    const quantity = open.get(id);
    return quantity === undefined ? [] : [{ line_id: publicId('line', id as Uuid), quantity }];
  });
}

/**
 * Refuses a request with a reason; the order goes on.
 * Throws 404, and 409 when the request is not open.
 */
export async function refuseRequest(
  ctx: PaymentsContext,
  operator: Operator,
  { id, body: { message }, once }: Answering<RefuseRequestBody>,
): Promise<OpsCancellationRequest> {
  const answering = { id, once, action: 'refuse_cancellation', detail: { message } };
  return answer(ctx, operator, answering, async (tx, order, now) => {
    const actor = actorOf(operator);
    const move = { to: order.state, action: 'refuse_cancellation', actor, reason: message, events: [] };
    const end = { state: 'refused', message, isWhole: false } as const;
    return { end, act: async () => void (await moveOrder(tx, ctx.config, order, move, now)) };
  });
}

type End = { readonly state: 'accepted' | 'refused'; readonly message: string; readonly isWhole: boolean };

/** Ends an open request of a locked order and does what its answer says, once per Idempotency-Key. */
async function answer(
  ctx: PaymentsContext,
  operator: Operator,
  answering: { readonly id: string; readonly once: Once; readonly action: string; readonly detail: object },
  decide: (tx: Db, order: LockedOrder, now: Date) => Promise<{ end: End; act: () => Promise<void> }>,
): Promise<OpsCancellationRequest> {
  const { id, once, action, detail } = answering;
  const { id: requestId, order_id: orderId } = await findOpsRequest(ctx, id);
  const act = { action, detail: { request_id: id, ...detail } };
  await actOnOrder(ctx, operator, { orderId, once }, act, async (tx, order, now) => {
    const request = await findAnyRequest(tx, requestId);
    if (request === undefined) throw new Error('a request of a locked order is gone');
    if (request.state !== 'open') throw new ApiError('conflict', endedDetail(request, order));
    const { end, act: effect } = await decide(tx, order, now);
    const { account_id: accountId, task_id: taskId } = request;
    const answeredBy = actorOf(operator);
    const ended = { accountId, id: requestId, state: end.state, answer: end.message, answeredBy, now };
    if (!(await endRequest(tx, ended))) throw new Error('an open request of a locked order could not be ended');
    await closeTasks(tx, [taskId], now);
    await effect();
    const to = { accountId, kind: 'cancellation_answered', about: publicId('creq', requestId) } as const;
    await mailPeople(ctx, tx, to, (shop) => noticeOf(order.reference, end, shop));
  });
  return getOpsRequest(ctx, id);
}

function endedDetail({ state }: AskedRow, order: LockedOrder): string {
  if (state === 'lapsed') return `This request has lapsed: ${order.reference} is ${order.state} already.`;
  return `This request is ${state} already.`;
}

function noticeOf(reference: string, { state, message, isWhole }: End, shop: string): Notice {
  const did =
    state === 'refused'
      ? 'cannot cancel the order, and says why:'
      : isWhole
        ? 'has cancelled the order, as you asked:'
        : 'has cancelled what was not started, and sends the rest:';
  return {
    subject: state === 'refused' ? `${reference} is not cancelled` : `${reference} was cancelled as you asked`,
    paragraphs: [`${shop} ${did}`, message],
    link: { label: 'See the order', path: `/orders/${reference}` },
  };
}
