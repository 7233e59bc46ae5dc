import { openTask } from '../../accounts/open-task.ts';
import { postTopUp } from '../../billing/ledger.ts';
import { messageOf } from '../../lib/error-message.ts';
import { pence, poundsText } from '../../lib/money.ts';
import { noteAutoTopUpEnd } from '../auto-top-ups/note-end.ts';
import type { ChargeEndContext } from '../context.ts';
import { settleWaitingOrders } from '../settle-waiting.ts';
import type { CardTopUpEnd, Took } from './top-up-end.ts';
import { type CardTopUpRow, markCardTopUpEnded, markOrdersSettled } from './top-up-sql.ts';

/**
 * Ends a top-up and posts its money.
 * The return from the page, its callbacks, the sweep and a repeat of the request all end top-ups here. Only the call
 * that changes the row posts, in one transaction with it. Then waiting orders are settled, which the sweep does if this
 * process does not get to it. Locks the top-up, then what tops up by itself, then the balance.
 */
export async function endCardTopUp(ctx: ChargeEndContext, topUp: CardTopUpRow, end: CardTopUpEnd): Promise<void> {
  const { account_id: accountId, reference } = topUp;
  const amountPence = pence(topUp.amount_pence);
  const isOurs = await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    const intentId = end.kind === 'paid' ? end.intentId : null;
    const state = end.kind === 'mismatch' ? 'failed' : end.kind;
    if (!(await markCardTopUpEnded(tx, topUp, { state, intentId, now }))) return false;
    if (end.kind === 'mismatch') {
      await openTask(
        tx,
        { accountId, orderId: null, kind: 'payment_mismatch', note: mismatchNote(topUp, end.took) },
        now,
      );
    }
    if (topUp.method_reference !== null) await noteAutoTopUpEnd(ctx, tx, topUp, end, now);
    if (end.kind !== 'paid') return false;
    const result = await postTopUp(tx, { accountId, amountPence, reference, from: 'card_clearing', now });
    if (result === undefined) throw new Error('a top-up is without its account');
    if (!result.posted) {
      const note = `The top-up ${reference} was paid by card, and its reference was credited by hand before. Nothing is posted a second time: check that the entry is right, and where the money lies.`;
      await openTask(tx, { accountId, orderId: null, kind: 'payment_mismatch', note }, now);
    }
    return true;
  });
  if (isOurs) await settleOrdersFor(ctx, topUp);
}

/** Settles the orders that wait for a paid top-up. What cannot be done now is left to the sweep. */
export async function settleOrdersFor(ctx: ChargeEndContext, topUp: CardTopUpRow): Promise<void> {
  try {
    await settleWaitingOrders(ctx, topUp.account_id);
    await markOrdersSettled(ctx.database, topUp.account_id, topUp.id);
  } catch (error) {
    const message = messageOf(error);
    ctx.log.warn({ topUp: topUp.id, error: message }, 'orders that wait for a top-up could not be settled');
  }
}

function mismatchNote(topUp: CardTopUpRow, { id, amount, currency }: Took): string {
  const took = `${amount ?? 'an unknown number'} of the smallest unit of ${currency === '' ? 'an unknown currency' : currency}`;
  return `The top-up ${topUp.reference} is of £${poundsText(pence(topUp.amount_pence))}, and the provider says that it took ${took} (${id}). Nothing is booked: look it up with the provider, and credit by hand what was received.`;
}
