import { openTask } from '../accounts/open-task.ts';
import { postToOrder } from '../billing/ledger.ts';
import {
  chargeReturnedPostings,
  methodChargePostings,
  refundPaidPostings,
  refundPostings,
  salePostings,
} from '../billing/postings.ts';
import type { Db } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, poundsText, sumPence, ZERO_PENCE } from '../lib/money.ts';
import { holdMove } from '../orders/hold-move.ts';
import { moveOrder } from '../orders/move-order.ts';
import { type LockedOrder, lockAnyOrder } from '../orders/move-sql.ts';
import type { OrderState } from '../orders/status.ts';
import {
  type AttemptRow,
  findAttempt,
  leaveAttempt,
  markReturned,
  recordMethodPayment,
  recordUnwantedMoney,
  releaseAttempt,
  setOffRefunds,
} from './attempt-sql.ts';
import { chargedAmounts } from './charged-amounts.ts';
import type { PaymentsContext } from './context.ts';
import { orderCreatedEvent, paymentFailedEvent } from './events.ts';
import { findWaitingOrder, type WaitingRow } from './settle-sql.ts';

/** What the end of an attempt takes of the context. */
export type ChargeEndContext = Pick<PaymentsContext, 'database' | 'clock' | 'config' | 'wakeDeliveries'>;

export type AttemptEnd = (
  | { readonly kind: 'paid'; readonly intentId: string }
  | { readonly kind: 'failed'; readonly reason: string }
) & {
  /** Who says so and why, where it was a person and not the provider. */
  readonly byHand?: { readonly actor: string; readonly note: string };
};

/**
 * Ends an attempt, whoever has learned how it went: the request, the sweep, a callback, a cancel. Only the caller that ends it
 * posts anything, in one transaction with what it means for the order: paid, it is `placed` and `order.created` is told; failed,
 * it waits on and `order.payment_failed` is told. Money that comes for an order that is cancelled or paid otherwise is owed to the
 * customer (domain, "Payment"). Returns how the attempt stands in the end. Locks the order, then the attempt, and the balance.
 */
export async function endAttempt(
  ctx: ChargeEndContext,
  attempt: AttemptRow,
  end: AttemptEnd,
): Promise<'paid' | 'failed'> {
  const now = ctx.clock.now();
  const isOurs = await ctx.database.transaction((tx) => endAttemptWithin(ctx, tx, { attempt, end }, now));
  if (isOurs) {
    ctx.wakeDeliveries();
    return end.kind;
  }
  const ended = await findAttempt(ctx.database, attempt.id);
  return ended?.state === 'succeeded' ? 'paid' : 'failed';
}

/**
 * As `endAttempt`, inside the caller's transaction; the caller wakes the deliveries once it has committed. False when somebody else
 * has ended the attempt, and then nothing is written.
 */
export async function endAttemptWithin(
  ctx: ChargeEndContext,
  tx: Db,
  { attempt, end }: { readonly attempt: AttemptRow; readonly end: AttemptEnd },
  now: Date,
): Promise<boolean> {
  const order = await lockAnyOrder(tx, attempt.order_id);
  if (order === undefined) throw new Error('a payment attempt is without its order');
  const state = end.kind === 'paid' ? 'succeeded' : 'failed';
  const reason = end.kind === 'paid' ? '' : end.reason;
  if (!(await leaveAttempt(tx, attempt.id, { state, reason, now }))) return false;
  const waiting = await findWaitingOrder(tx, attempt.account_id, attempt.order_id);
  const by = { actor: end.byHand?.actor ?? 'system', note: end.byHand?.note ?? reason };
  const ending = { order, waiting, attempt, by, now };
  if (end.kind === 'failed') await fail(ctx, tx, { ...ending, reason });
  else await pay(ctx, tx, { ...ending, intentId: end.intentId });
  return true;
}

type Ending = {
  readonly order: LockedOrder;
  /** Undefined when it no longer waits for a payment. */
  readonly waiting: WaitingRow | undefined;
  readonly attempt: AttemptRow;
  /** Who ended it, and what the history says of it. */
  readonly by: { readonly actor: string; readonly note: string };
  readonly now: Date;
};

async function fail(ctx: ChargeEndContext, tx: Db, ending: Ending & { readonly reason: string }): Promise<void> {
  const { order, waiting, attempt, by, reason, now } = ending;
  if (waiting === undefined || order.attempt_id !== attempt.id) return;
  await releaseAttempt(tx, attempt.account_id, order.id, attempt.id);
  await moveOrder(
    tx,
    ctx.config,
    order,
    {
      to: 'awaiting_payment',
      action: 'payment_failed',
      actor: by.actor,
      reason: by.note,
      events: [paymentFailedEvent(waiting, { method: attempt.method, reason })],
    },
    now,
  );
}

async function pay(ctx: ChargeEndContext, tx: Db, ending: Ending & { readonly intentId: string }): Promise<void> {
  const { order, waiting, attempt, by, intentId, now } = ending;
  const payment = {
    accountId: attempt.account_id,
    orderId: order.id,
    id: attempt.id,
    method: attempt.method,
    amountPence: attempt.amount_pence,
    intentId,
    now,
  };
  const amountPence = pence(attempt.amount_pence);
  const of = { accountId: attempt.account_id, orderId: order.id, reference: order.reference, now };
  const charge = methodChargePostings(attempt.method, amountPence);
  if (!isWanted(order, waiting, attempt)) {
    await recordUnwantedMoney(tx, { ...payment, refundId: newId(now.getTime()) });
    const owed = refundPostings({ balancePence: ZERO_PENCE, owedPence: amountPence });
    await postToOrder(tx, { ...of, postings: [...charge, ...owed] });
    await openTask(
      tx,
      {
        accountId: attempt.account_id,
        orderId: order.id,
        kind: 'unwanted_payment',
        note: `£${poundsText(amountPence)} by ${attempt.method} came for an order that no longer needs it: pay it back.`,
      },
      now,
    );
    await note(ctx, tx, order, { action: 'unwanted_payment', actor: by.actor, reason: by.note }, now);
    return;
  }
  await recordMethodPayment(tx, payment);
  await moveOrder(
    tx,
    ctx.config,
    order,
    { to: 'placed', action: 'settle', actor: by.actor, reason: by.note, events: [orderCreatedEvent(waiting)] },
    now,
  );
  await postToOrder(tx, { ...of, postings: [...charge, ...salePostings(chargedAmounts(waiting))] });
}

/** Whether the money is just what an order still waits for, and nothing else is under way that may pay it too. */
function isWanted(order: LockedOrder, waiting: WaitingRow | undefined, attempt: AttemptRow): waiting is WaitingRow {
  if (waiting === undefined || waiting.due_pence !== attempt.amount_pence) return false;
  return order.attempt_id === attempt.id || order.attempt_id === null;
}

async function note(
  ctx: ChargeEndContext,
  tx: Db,
  order: LockedOrder,
  what: { readonly action: string; readonly actor: string; readonly reason: string },
  now: Date,
): Promise<void> {
  await moveOrder(tx, ctx.config, order, { to: order.state, ...what, events: [] }, now);
}

/** The reason of a hold that stands for a payment that was taken back. */
export const PAYMENT_RETURNED = 'payment_returned';

/** What took a payment back: a direct debit that failed later, all of it; or a dispute, as much as that is about. */
export type ReturnedPayment =
  | { readonly why: 'failed' }
  | { readonly why: 'disputed'; readonly disputeId: string; readonly amountPence: number };

/**
 * A payment that had counted comes back, or a part of it: a direct debit that failed later, or a charge that is disputed. The customer
 * owes that much; an order that has not started is held; operators get a task; nothing that was is rewritten (domain, "Direct debit").
 * What was still to be paid back of it by hand is set off as far as it goes: the customer has that money now, and neither owes the
 * other any of it. Once for each payment and dispute, however often it is told. Returns whether this call was the one. Locks the order.
 */
export async function returnPayment(
  ctx: ChargeEndContext,
  attempt: AttemptRow,
  back: ReturnedPayment,
): Promise<boolean> {
  const now = ctx.clock.now();
  const isOurs = await ctx.database.transaction(async (tx) => {
    const order = await lockAnyOrder(tx, attempt.order_id);
    if (order === undefined) throw new Error('a payment attempt is without its order');
    const disputeId = back.why === 'disputed' ? back.disputeId : null;
    const wholePence = attempt.amount_pence;
    const returnedPence = pence(back.why === 'disputed' ? Math.min(back.amountPence, wholePence) : wholePence);
    if (!(await markReturned(tx, attempt.id, { returnedPence, disputeId, now }))) return false;
    const reason = WHY[back.why];
    const setOffPence = pence(Math.min(owedOf(order, attempt.id), returnedPence));
    if (setOffPence < returnedPence && HELD_FOR_RETURN.includes(order.state)) {
      const held = holdMove(order, { code: PAYMENT_RETURNED, reason, actor: 'system' }, now);
      await moveOrder(tx, ctx.config, order, held, now);
    } else await note(ctx, tx, order, { action: PAYMENT_RETURNED, actor: 'system', reason }, now);
    await setOffRefunds(tx, { ...ownerOf(attempt), paymentId: attempt.id, setOffPence, now });
    const task = { kind: PAYMENT_RETURNED, note: returnedNote(order, attempt, { reason, returnedPence, setOffPence }) };
    await openTask(tx, { ...ownerOf(attempt), ...task }, now);
    const postings = [
      ...chargeReturnedPostings(attempt.method, returnedPence),
      ...refundPaidPostings(setOffPence, 'receivables'),
    ];
    await postToOrder(tx, { ...ownerOf(attempt), reference: order.reference, postings, now });
    return true;
  });
  if (isOurs) ctx.wakeDeliveries();
  return isOurs;
}

/** Nothing of it has started; one that is on hold for another reason must not go on once that is settled. */
const HELD_FOR_RETURN: readonly OrderState[] = ['placed', 'released', 'on_hold'];

const WHY = {
  failed: 'The payment failed after it had been accepted.',
  disputed: 'The payment is disputed.',
} as const;

/** What is still to be paid back of a payment by hand. */
function owedOf(order: LockedOrder, paymentId: Uuid): Pence {
  const owed = order.refunds.filter((refund) => refund.payment_id === paymentId && refund.state === 'owed');
  return sumPence(owed.map((refund) => pence(refund.amount_pence)));
}

function returnedNote(
  order: LockedOrder,
  attempt: AttemptRow,
  { reason, returnedPence, setOffPence }: { reason: string; returnedPence: Pence; setOffPence: Pence },
): string {
  const isAll = returnedPence === attempt.amount_pence;
  const duePence = pence(returnedPence - setOffPence);
  const amount = `£${poundsText(pence(attempt.amount_pence))} by ${attempt.method}`;
  const back = isAll ? '' : ` £${poundsText(returnedPence)} of it came back.`;
  const what = `${amount} for order ${order.reference}: ${reason}${back}`;
  const setOff = `£${poundsText(setOffPence)} of it was still to be paid back, and is not any more: pay ${isAll ? 'nothing' : 'no more than is still listed'} back.`;
  if (duePence === 0) return `${what} ${setOff}`;
  const notBack = isAll ? 'this payment is' : 'that much of this payment is';
  const collect = `Collect £${poundsText(duePence)}. If the order is cancelled instead, ${notBack} not to be paid back.`;
  return setOffPence === 0 ? `${what} ${collect}` : `${what} ${setOff} ${collect}`;
}

function ownerOf(attempt: AttemptRow): { accountId: Uuid; orderId: Uuid } {
  return { accountId: attempt.account_id, orderId: attempt.order_id };
}
