import { openTask } from '../../accounts/open-task.ts';
import { lockBalances, postToAccount, readAccountReceivable } from '../../billing/ledger.ts';
import { topUpGivenBackPostings, topUpTakenBackPostings } from '../../billing/postings.ts';
import type { Db } from '../../lib/db.ts';
import { type Pence, pence, poundsText } from '../../lib/money.ts';
import type { ChargeEndContext } from '../context.ts';
import type { Callback } from '../provider.ts';
import { type CardTopUpRow, lockCardTopUp, storeTakenBack, type TakenBack } from './top-up-sql.ts';

/** More disputes than a card can have. */
const NAMES_MAX = 20;

/** All that was refunded of a payment, under this name. */
const REFUNDS = 'refunds';

type Report = Extract<Callback, { kind: 'dispute' | 'inquiry' | 'inquiry_closed' | 'refunded' }>;

/**
 * Books what a dispute or a refund at the provider took of a paid top-up, or gave back.
 * The balance pays it as far as it goes, and the rest is owed by the account. Operators get a task each time. What was
 * booked before is not booked again, in whatever order reports come: they say what was moved in all. Locks the
 * top-up, then the balance.
 */
export async function bookTakenBack(ctx: ChargeEndContext, topUp: CardTopUpRow, report: Report): Promise<void> {
  if (report.kind === 'inquiry_closed') return;
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    const row = await lockCardTopUp(tx, topUp.account_id, topUp.id);
    if (row === undefined) throw new Error('a top-up was there and is not');
    const name = report.kind === 'refunded' ? REFUNDS : report.disputeId;
    const before = row.taken_back[name];
    const open = async (kind: string, what: string): Promise<void> => {
      const note = `Of the top-up ${row.reference} of £${poundsText(pence(row.amount_pence))}: ${what} (${name}).`;
      await openTask(tx, { accountId: row.account_id, orderId: null, kind, note }, now);
    };
    if (before === undefined && Object.keys(row.taken_back).length >= NAMES_MAX) {
      await open('dispute_unbooked', 'it has more disputes than are kept. Look it up with the provider');
      return;
    }
    const known = before ?? NOTHING;
    const moved = movedBy(report, known);
    if (moved === 'unreadable') {
      const what = 'money was moved, and how much cannot be read. It is not booked: look it up with the provider';
      await open('dispute_unbooked', what);
      return;
    }
    if (report.kind === 'inquiry' && before === undefined) {
      await open(
        'dispute_inquiry',
        'the bank of the card asks about it. Nothing was taken: answer with the provider, or it becomes a dispute',
      );
    }
    const takenBack = { ...row.taken_back, [name]: moved };
    const change = pence(netOf(takenBack, row.amount_pence) - row.returned_pence);
    const owedPence = await book(tx, row, change, now);
    await storeTakenBack(tx, row, { takenBack, returnedPence: row.returned_pence + change, owedPence });
    if (change > 0) {
      await open(
        'top_up_returned',
        `£${poundsText(change)} was taken back, of which the balance did not cover £${poundsText(pence(owedPence - row.owed_pence))}. The orders that it paid stand: decide about those that have not started`,
      );
    }
  });
}

const NOTHING: TakenBack = { withdrawn: 0, reinstated: 0, isWon: false };

/**
 * What was moved in all after a report.
 * Amounts only grow: a later report may arrive before an earlier one.
 */
function movedBy(report: Exclude<Report, { kind: 'inquiry_closed' }>, known: TakenBack): TakenBack | 'unreadable' {
  if (report.kind === 'inquiry') return known;
  if (report.kind === 'refunded') {
    const { refundedPence } = report;
    if (refundedPence === 'unreadable') return refundedPence;
    return { ...known, withdrawn: Math.max(known.withdrawn, refundedPence) };
  }
  const { amounts, state } = report;
  if (amounts === 'unreadable') return amounts;
  return {
    withdrawn: Math.max(known.withdrawn, amounts.withdrawnPence),
    reinstated: Math.max(known.reinstated, amounts.reinstatedPence),
    // Where movements are not listed, a won dispute has given back all that it took, reported or not.
    isWon: known.isWon || (state === 'won' && !amounts.isListed),
  };
}

function netOf(takenBack: CardTopUpRow['taken_back'], amountPence: number): number {
  const nets = Object.values(takenBack).map(({ withdrawn, reinstated, isWon }) =>
    isWon ? 0 : Math.max(0, withdrawn - reinstated),
  );
  return Math.min(
    amountPence,
    nets.reduce((sum, net) => sum + net, 0),
  );
}

/** Posts a change of what was taken back; returns how much of all of it the account owes. */
async function book(tx: Db, row: CardTopUpRow, change: Pence, now: Date): Promise<number> {
  if (change === 0) return row.owed_pence;
  const { account_id: accountId, reference } = row;
  const balancePence = (await lockBalances(tx, [accountId])).get(accountId) ?? pence(0);
  if (change > 0) {
    const covered = pence(Math.min(balancePence, change));
    const owed = pence(change - covered);
    await postToAccount(tx, { accountId, postings: topUpTakenBackPostings(covered, owed), reference, now });
    return row.owed_pence + owed;
  }
  // What of the debt was collected or written off since is paid to the balance.
  const stillOwed = Math.max(0, await readAccountReceivable(tx, accountId));
  const backPence = 0 - change;
  const toDebt = pence(Math.min(backPence, row.owed_pence, stillOwed));
  const toBalance = pence(backPence - toDebt);
  await postToAccount(tx, { accountId, postings: topUpGivenBackPostings(toDebt, toBalance), reference, now });
  return Math.min(row.owed_pence - toDebt, row.returned_pence + change);
}
