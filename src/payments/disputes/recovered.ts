import { closeTasksOf } from '../../accounts/close-task.ts';
import { openTask } from '../../accounts/open-task.ts';
import { postToOrder, readReceivable, readWrittenOff } from '../../billing/ledger.ts';
import {
  chargeRecoveredPostings,
  type Posting,
  paidTwicePostings,
  refundOwedAgainPostings,
  writeOffUndonePostings,
} from '../../billing/postings.ts';
import type { Db } from '../../lib/db.ts';
import { type Pence, pence, poundsText, ZERO_PENCE } from '../../lib/money.ts';
import { moveOrder } from '../../orders/move-order.ts';
import type { LockedOrder } from '../../orders/move-sql.ts';
import { type AttemptRow, markCollected } from '../attempt-sql.ts';
import type { ChargeEndContext } from '../context.ts';
import { nameOf, ownerOf, PAYMENT_RETURNED } from './returned.ts';
import { readSetOff, type SetOff, undoSetOff } from './set-off-sql.ts';
import { isOpen } from './summary.ts';

/** The history's action for a recovered payment, and the kind of the task that may follow. */
const PAYMENT_RECOVERED = 'payment_recovered';

/**
 * The pence that the customer still owes for a returned payment.
 * That is what is open of it less what was set off against its refunds, bounded by all that is receivable for the
 * order. If no other payment of the order is returned, it is exactly what is receivable.
 */
export async function recoverableOf(tx: Db, order: LockedOrder, attempt: AttemptRow): Promise<Pence> {
  return recoverable(tx, order, attempt, await readSetOff(tx, order.account_id, attempt.id));
}

async function recoverable(tx: Db, order: LockedOrder, attempt: AttemptRow, setOff: SetOff): Promise<Pence> {
  const receivable = await readReceivable(tx, order.account_id, order.id);
  if (!hasOtherReturned(order, attempt)) return receivable;
  if (!isOpen(attempt)) return ZERO_PENCE;
  return pence(Math.min(receivable, (attempt.returned_pence ?? attempt.amount_pence) - setOff.open_pence));
}

function hasOtherReturned(order: LockedOrder, attempt: AttemptRow): boolean {
  return order.payments.some((payment) => payment.is_returned && payment.id !== attempt.id);
}

/**
 * Books that a customer paid by bank what it owed for a returned payment.
 * `amountPence` is all that is still owed for it. The task is closed. An order that is held for it stays on hold
 * until an operator resumes it. The caller holds the lock of the order.
 */
export async function collectByBank(
  ctx: Pick<ChargeEndContext, 'config'>,
  tx: Db,
  of: {
    readonly order: LockedOrder;
    readonly attempt: AttemptRow;
    readonly amountPence: Pence;
    readonly actor: string;
  },
  now: Date,
): Promise<void> {
  const { order, attempt, amountPence, actor } = of;
  const { account_id: accountId, id: orderId, reference } = order;
  await markCollected(tx, accountId, attempt.id, now);
  await noteRecovered(ctx, tx, order, { actor, reason: `£${poundsText(amountPence)} came by bank.` }, now);
  await closeReturned(tx, order, attempt, now);
  await postToOrder(tx, { accountId, orderId, postings: chargeRecoveredPostings(amountPence, 'bank'), reference, now });
}

export type GivenBack = {
  readonly order: LockedOrder;
  readonly attempt: AttemptRow;
  /** What the provider has of the payment before this, by its disputes and its failure. */
  readonly outPence: number;
  readonly backPence: Pence;
  /** Whether it comes back because disputes were won; otherwise it is a part of one that was lost. */
  readonly isWon: boolean;
};

/**
 * Records that the provider gave money of a payment back, and returns what is to be posted for it.
 * First the customer owes that much less. Then what was written off is undone, since it costs the shop no longer. Then
 * refunds that were set off are owed again, and what was collected by bank is credited to the balance: the customer has
 * given it twice. `openPence` is by how much the summary of the attempt falls. The caller holds the lock of the order.
 */
export async function recordGivenBack(
  ctx: ChargeEndContext,
  tx: Db,
  back: GivenBack,
  now: Date,
): Promise<{ readonly postings: Posting[]; readonly openPence: number }> {
  const { order, attempt, backPence } = back;
  const { accountId, orderId } = ownerOf(attempt);
  const setOff = await readSetOff(tx, accountId, attempt.id);
  const notSetOffPence = Math.max(0, back.outPence - setOff.all_pence);
  const duePence = Math.min(await recoverable(tx, order, attempt, setOff), notSetOffPence);
  const writtenOffPence = Math.min(await readWrittenOff(tx, accountId, orderId), notSetOffPence - duePence);
  const [lessPence, undonePence, owedPence, twicePence] = spread(backPence, [
    duePence,
    writtenOffPence,
    setOff.all_pence,
  ]);
  await undoSetOff(tx, { accountId, orderId, paymentId: attempt.id, owedPence, now });
  const what = back.isWon ? 'The dispute was won.' : `£${poundsText(backPence)} of a dispute was given back.`;
  await noteRecovered(ctx, tx, order, { actor: 'system', reason: what }, now);
  await renewReturned(tx, back, { what, duePence: pence(duePence - lessPence) }, now);
  const followUp = followUpOf(order, owedPence, duePence - lessPence);
  if (followUp !== undefined) {
    const note = `${nameOf(order, attempt)}: ${what} ${followUp}`;
    await openTask(tx, { accountId, orderId, kind: PAYMENT_RECOVERED, note }, now);
  }
  const postings = [
    ...chargeRecoveredPostings(lessPence, attempt.method),
    ...refundOwedAgainPostings(owedPence, attempt.method),
    ...writeOffUndonePostings(undonePence, attempt.method),
    ...paidTwicePostings(twicePence, attempt.method),
  ];
  return { postings, openPence: lessPence + undonePence + Math.min(owedPence, setOff.open_pence) };
}

/** Spreads an amount over three bounds, one after the other; the last part is what is above them. */
function spread(amount: Pence, bounds: readonly [number, number, number]): [Pence, Pence, Pence, Pence] {
  const first = Math.min(amount, bounds[0]);
  const second = Math.min(amount - first, bounds[1]);
  const third = Math.min(amount - first - second, bounds[2]);
  return [pence(first), pence(second), pence(third), pence(amount - first - second - third)];
}

/**
 * What operators must do after money came back.
 * Without a task nothing shows that the order may go on.
 */
function followUpOf(order: LockedOrder, owedPence: Pence, duePence: number): string | undefined {
  const owed =
    owedPence > 0 ? [`£${poundsText(owedPence)} of it had been set off against a refund: pay that back.`] : [];
  const hold = order.state === 'on_hold' && duePence === 0 ? ['The order is on hold: let it go on.'] : [];
  return [...owed, ...hold].join(' ') || undefined;
}

async function noteRecovered(
  ctx: Pick<ChargeEndContext, 'config'>,
  tx: Db,
  order: LockedOrder,
  by: { readonly actor: string; readonly reason: string },
  now: Date,
): Promise<void> {
  const move = { to: order.state, action: PAYMENT_RECOVERED, ...by, events: [] };
  await moveOrder(tx, ctx.config, order, move, now);
}

/** Closes the tasks to collect what came back, and opens one over what is left of it. */
async function renewReturned(
  tx: Db,
  { order, attempt }: GivenBack,
  left: { readonly what: string; readonly duePence: Pence },
  now: Date,
): Promise<void> {
  await closeReturned(tx, order, attempt, now);
  if (left.duePence === 0) return;
  const note = `${nameOf(order, attempt)}: ${left.what} Collect £${poundsText(left.duePence)}, which is what is still owed.`;
  await openTask(tx, { ...ownerOf(attempt), kind: PAYMENT_RETURNED, note }, now);
}

/** Closes the tasks to collect, unless another payment of the order is returned too. */
async function closeReturned(tx: Db, order: LockedOrder, attempt: AttemptRow, now: Date): Promise<void> {
  if (hasOtherReturned(order, attempt)) return;
  await closeTasksOf(tx, { ...ownerOf(attempt), kind: PAYMENT_RETURNED }, now);
}
