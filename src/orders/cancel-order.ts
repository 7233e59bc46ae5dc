import { fullRefundPostings, postRefund } from '../billing/ledger.ts';
import type { Caller } from '../lib/caller.ts';
import { isoTime } from '../lib/clock.ts';
import { type Db, hasSqlState, sqlStateOf } from '../lib/db.ts';
import { ApiError, notFound } from '../lib/errors.ts';
import { newId, parseId, parseOrderReference, publicId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, toPounds } from '../lib/money.ts';
import type { Cancellation } from './cancel-schema.ts';
import type { OrdersContext } from './context.ts';
import { type Move, moveOrder } from './move-order.ts';
import {
  cancelLines,
  type LockedOrder,
  lockOrder,
  lockSetupRights,
  type NewRefund,
  passOnSetupRights,
  recordRefunds,
} from './move-sql.ts';
import { findOrderById, findOrderId } from './sql.ts';
import { cancellationView } from './view.ts';

/**
 * Cancels an order within its window and gives all of its money back (spec 4.1, `POST /orders/{id}/cancel`). Refund, cancel,
 * history and event are one transaction, the refund first: a crash at any instruction leaves all of it or nothing, and a refund
 * that fails leaves the order as it was (502). Cancelled before: the same answer again, with `already_cancelled`.
 *
 * Locks the order, then the setup rights that it relied on, and the balance last. Throws 404 for an unknown order and another
 * account's, 409 `conflict` once it is dispatched, 409 `cancellation_window_closed` after the window.
 */
export async function cancelOrder(ctx: OrdersContext, caller: Caller, idOrReference: string): Promise<Cancellation> {
  const { accountId } = caller;
  const id = await orderIdOf(ctx, accountId, idOrReference);
  if (id === undefined) throw notFound();
  const now = ctx.clock.now();
  const { isRepeat } = await ctx.database.transaction(async (tx) => {
    const order = await lockOrder(tx, accountId, id);
    if (order === undefined) throw notFound();
    if (order.state === 'cancelled') return { isRepeat: true };
    refuseLate(order, now);
    await lockSetupRights(tx, accountId, id);
    const refundedPence = await refund(tx, accountId, order, now);
    await passOnSetupRights(tx, accountId, id);
    await cancelLines(tx, accountId, id);
    await moveOrder(tx, ctx.config, order, cancelledByCustomer(order, refundedPence), now);
    return { isRepeat: false };
  });
  if (!isRepeat) ctx.wakeDeliveries();
  const cancelled = await findOrderById(ctx.database, accountId, id);
  if (cancelled === undefined) throw new Error('an order that was cancelled is gone');
  return cancellationView(cancelled, isRepeat);
}

async function orderIdOf(ctx: OrdersContext, accountId: Uuid, idOrReference: string): Promise<Uuid | undefined> {
  const id = parseId('ord', idOrReference);
  if (id !== undefined) return id;
  const reference = parseOrderReference(idOrReference);
  return reference === undefined ? undefined : findOrderId(ctx.database, accountId, reference);
}

/** In the order of the decisions: dispatched or delivered first, then the window, whose last millisecond still counts. */
function refuseLate(order: LockedOrder, now: Date): void {
  if (order.state === 'dispatched' || order.state === 'delivered') {
    throw new ApiError('conflict', 'This order has been dispatched and can no longer be cancelled. Contact support.');
  }
  if (now.getTime() <= order.cancellable_until.getTime()) return;
  throw new ApiError(
    'cancellation_window_closed',
    `This order could be cancelled until ${isoTime(order.cancellable_until)}. Contact support.`,
    { extras: { placed_at: isoTime(order.placed_at), cancellable_until: isoTime(order.cancellable_until) } },
  );
}

/** Gives everything back that was paid and not given back before; returns what went to the balance. */
async function refund(tx: Db, accountId: Uuid, order: LockedOrder, now: Date): Promise<Pence> {
  const balancePence = pence(order.balance_paid_pence);
  const methodPence = pence(order.method_paid_pence);
  if (balancePence + methodPence === 0) return balancePence;
  try {
    const postings = fullRefundPostings(amountsOf(order), { balancePence, methodPence });
    await postRefund(tx, { accountId, orderId: order.id, postings, reference: order.reference, now });
    await recordRefunds(tx, { accountId, orderId: order.id, refunds: refundsOf(order, now), actor: 'customer', now });
    return balancePence;
  } catch (error) {
    throw isRefusal(error) ? refundFailed(error) : error;
  }
}

function amountsOf(order: LockedOrder) {
  return {
    subtotalPence: pence(order.subtotal_pence),
    setupPence: pence(order.setup_pence),
    shippingPence: pence(order.shipping_pence),
    vatPence: pence(order.vat_pence),
    dutyPence: pence(order.duty_pence),
  };
}

/** The balance is paid back at once; what a card or direct debit paid is owed until somebody has paid it out. */
function refundsOf(order: LockedOrder, now: Date): NewRefund[] {
  const id = (): Uuid => newId(now.getTime());
  const balance: NewRefund[] =
    order.balance_paid_pence === 0
      ? []
      : [{ id: id(), method: 'balance', payment_id: null, amount_pence: order.balance_paid_pence, state: 'done' }];
  const owed = order.payments.map(
    (payment): NewRefund => ({
      id: id(),
      method: payment.method,
      payment_id: payment.id,
      amount_pence: payment.amount_pence,
      state: 'owed',
    }),
  );
  return [...balance, ...owed];
}

/**
 * Whether the refund itself was refused or ran out of time (decisions, "`refund_failed`"). A database that is away is no
 * refusal, and neither is a deadlock, whose loser is run again.
 */
function isRefusal(error: unknown): boolean {
  if (hasSqlState(error, STATEMENT_TIMEOUT, LOCK_TIMEOUT)) return true;
  return sqlStateOf(error) !== undefined && !(error instanceof ApiError);
}

const STATEMENT_TIMEOUT = '57014';
const LOCK_TIMEOUT = '55P03';

function refundFailed(cause: unknown): ApiError {
  return new ApiError(
    'refund_failed',
    'The refund failed, so the order was not cancelled and nothing has changed. It is safe to try again.',
    { cause },
  );
}

function cancelledByCustomer(order: LockedOrder, refundedPence: Pence): Move {
  return {
    to: 'cancelled',
    action: 'cancel',
    actor: 'customer',
    reason: '',
    events: [
      {
        event: 'order.cancelled',
        data: {
          order_id: publicId('ord', order.id),
          reference: order.reference,
          status: 'cancelled',
          refunded_gbp: toPounds(refundedPence),
          cancelled_by: 'api',
        },
      },
    ],
  };
}
