import { mailPeople } from '../accounts/notices/mail-people.ts';
import { openTask } from '../accounts/open-task.ts';
import { nearToPaid } from '../artwork/needs/needs.ts';
import { postToOrder } from '../billing/ledger.ts';
import { methodChargePostings, refundPostings, salePostings } from '../billing/postings.ts';
import type { Db } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, poundsText, ZERO_PENCE } from '../lib/money.ts';
import { moveOrder } from '../orders/move-order.ts';
import { type LockedOrder, lockAnyOrder } from '../orders/move-sql.ts';
import {
  type AttemptRow,
  findAttempt,
  markEnded,
  recordMethodPayment,
  recordUnwantedPayment,
  releaseAttempt,
} from './attempt-sql.ts';
import { chargedAmounts } from './charged-amounts.ts';
import type { ChargeEndContext } from './context.ts';
import { bookHeldDisputes } from './disputes/book-disputes.ts';
import { orderCreatedEvent, paymentFailedEvent } from './events.ts';
import { countAttempt } from './metrics.ts';
import { findWaitingOrder, type WaitingRow } from './settle-sql.ts';
import { claimSetups, keepClaim } from './setups/claim-setups.ts';

export type AttemptEnd = (
  | { readonly kind: 'paid'; readonly intentId: string }
  | { readonly kind: 'failed'; readonly reason: string }
) & {
  /** Who ended it and why, if an operator did and not the provider. */
  readonly byHand?: { readonly actor: string; readonly note: string };
};

/**
 * Ends an attempt and books what follows for its order.
 * The request, the sweep, a callback and a cancel all end attempts here. Only the call that changes the attempt's row
 * posts anything, in one transaction with the order. Paid: the order becomes `placed`, and `order.created` is
 * published. Failed: the order keeps waiting, and `order.payment_failed` is published. Money for an order that is
 * cancelled or was paid otherwise is owed to the customer (domain, "Payment"). Returns the outcome, whether this call
 * or another ended the attempt. Locks the order, then the attempt, then the balance.
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
 * As `endAttempt`, inside the caller's transaction.
 * The caller wakes the deliveries after its commit. Returns false, and writes nothing, if another call ended the
 * attempt.
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
  if (!(await markEnded(tx, attempt.id, { state, reason, now }))) return false;
  tx.afterCommit(() => countAttempt({ method: attempt.method, outcome: end.kind }));
  const waiting = await findWaitingOrder(tx, attempt.account_id, attempt.order_id);
  const by = { actor: end.byHand?.actor ?? 'system', note: end.byHand?.note ?? reason };
  const ending = { order, waiting, attempt, by, now };
  if (end.kind === 'failed') await fail(ctx, tx, { ...ending, reason });
  else {
    await pay(ctx, tx, { ...ending, intentId: end.intentId });
    await bookHeldDisputes(ctx, tx, attempt, now);
  }
  return true;
}

type Ending = {
  readonly order: LockedOrder;
  /** Undefined if the order no longer waits for a payment. */
  readonly waiting: WaitingRow | undefined;
  readonly attempt: AttemptRow;
  /** Who ended it, and the reason for the history. */
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
  const { reference, account_id: accountId } = order;
  await mailPeople(ctx, tx, { accountId, kind: 'payment_failed', about: attempt.id }, () => ({
    subject: `The payment for order ${reference} failed`,
    paragraphs: [
      `${poundsText(pence(attempt.amount_pence))} for the order ${reference} could not be charged: ${reason}`,
      'The order waits until it is paid. It is paid from the balance as soon as that covers it.',
    ],
    link: { label: 'See the order', path: `/orders/${reference}` },
  }));
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
    await recordUnwantedPayment(tx, { ...payment, refundId: newId(now.getTime()) });
    const owed = refundPostings({ balancePence: ZERO_PENCE, owedPence: amountPence });
    await postToOrder(tx, { ...of, postings: [...charge, ...owed] });
    await openUnwantedTask(tx, attempt, amountPence, 'came for an order that no longer needs it', now);
    const note = { to: order.state, action: 'unwanted_payment', actor: by.actor, reason: by.note, events: [] };
    await moveOrder(tx, ctx.config, order, note, now);
    return;
  }
  const { order: cheaper, unwantedPence } = await claimSetups(tx, ctx, order, { incomingPence: amountPence, now });
  const paid = { ...waiting, ...amountsOf(cheaper) };
  await recordMethodPayment(tx, { ...payment, unwantedPence, refundId: newId(now.getTime()) });
  await keepClaim(tx, of);
  await moveOrder(
    tx,
    ctx.config,
    cheaper,
    { to: 'placed', action: 'settle', actor: by.actor, reason: by.note, events: [orderCreatedEvent(paid)] },
    now,
  );
  const owed = refundPostings({ balancePence: ZERO_PENCE, owedPence: unwantedPence });
  await postToOrder(tx, { ...of, postings: [...charge, ...salePostings(chargedAmounts(paid)), ...owed] });
  await nearToPaid(tx, of, { cancellableUntil: order.cancellable_until, now });
  if (unwantedPence === 0) return;
  await openUnwantedTask(
    tx,
    attempt,
    unwantedPence,
    'is more than the order costs, since another order paid its setup',
    now,
  );
}

function amountsOf({ setup_pence, vat_pence, vat_breakdown, total_pence }: LockedOrder) {
  return { setup_pence, vat_pence, vat_breakdown, total_pence };
}

async function openUnwantedTask(tx: Db, attempt: AttemptRow, amountPence: Pence, why: string, now: Date) {
  const note = `£${poundsText(amountPence)} by ${attempt.method} ${why}: pay it back.`;
  await openTask(tx, { ...ownerOf(attempt), kind: 'unwanted_payment', note }, now);
}

/** Whether the order still waits for exactly this amount, and no other attempt may pay it too. */
function isWanted(order: LockedOrder, waiting: WaitingRow | undefined, attempt: AttemptRow): waiting is WaitingRow {
  if (waiting === undefined || waiting.due_pence !== attempt.amount_pence) return false;
  return order.attempt_id === attempt.id || order.attempt_id === null;
}

function ownerOf(attempt: AttemptRow): { accountId: Uuid; orderId: Uuid } {
  return { accountId: attempt.account_id, orderId: attempt.order_id };
}
