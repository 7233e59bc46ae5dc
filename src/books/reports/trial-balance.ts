import { chartAccount } from '../../billing/chart.ts';
import { type AccountTotals, readBooksAt } from '../../billing/read-books.ts';
import { type Pence, pence, sumPence, toPounds, ZERO_PENCE } from '../../lib/money.ts';
import { justBefore, type ReportContext, reportDayOf } from './period.ts';
import type { Reconciliation, TrialBalance } from './report-schema.ts';

/**
 * The trial balance at the end of a day of the seller, or now: each balance on its side.
 * The two columns have equal sums. Throws 422 for a day that no calendar has or that is to come.
 */
export async function getTrialBalance(ctx: ReportContext, query: { readonly day?: string }): Promise<TrialBalance> {
  const { day, until } = await reportDayOf(ctx, query.day);
  const totals = await readBooksAt(ctx, justBefore(until));
  const sums = totals.map((row) => ({ account: row.account, pence: pence(row.debitPence - row.creditPence) }));
  const debit = sumPence(sums.map((row) => pence(Math.max(row.pence, 0))));
  const credit = sumPence(sums.map((row) => pence(Math.max(0 - row.pence, 0))));
  return {
    day,
    currency: 'GBP',
    accounts: sums.map((row) => ({
      account: row.account,
      title: chartAccount(row.account)?.title ?? row.account,
      debit: toPounds(pence(Math.max(row.pence, 0))),
      credit: toPounds(pence(Math.max(0 - row.pence, 0))),
    })),
    debit_total: toPounds(debit),
    credit_total: toPounds(credit),
  };
}

const DAY_MS = 86_400_000;

/**
 * After how many days what lies on an account should have left it.
 * A payout follows a charge within a week; money that is not explained should not lie at all.
 */
const LEAVES_WITHIN_DAYS: Readonly<Record<string, number>> = {
  card_clearing: 7,
  direct_debit_clearing: 14,
  payouts_in_transit: 7,
  manual_refunds_owed: 7,
  receivables: 30,
  duty_owed: 60,
  suspense: 0,
};

/**
 * Every account of the books with what it is compared with, its balance, and what of it is overdue.
 * Overdue is what had come onto the account some days ago and has not left it since: a payout that is missing for
 * charges, a refund that was not paid, duty that no invoice asked for. What left is counted against the oldest.
 */
export async function getReconciliation(ctx: ReportContext, query: { readonly day?: string }): Promise<Reconciliation> {
  const { day, until } = await reportDayOf(ctx, query.day);
  const at = justBefore(until);
  const now = new Map((await readBooksAt(ctx, at)).map((row) => [row.account, row]));
  const before = new Map<number, ReadonlyMap<string, AccountTotals>>();
  for (const days of new Set(Object.values(LEAVES_WITHIN_DAYS))) {
    const totals = await readBooksAt(ctx, new Date(at.getTime() - days * DAY_MS));
    before.set(days, new Map(totals.map((row) => [row.account, row])));
  }
  return {
    day,
    currency: 'GBP',
    accounts: [...now.values()].map((row) => accountLine(row, (days) => before.get(days)?.get(row.account))),
  };
}

function accountLine(
  row: AccountTotals,
  earlier: (days: number) => AccountTotals | undefined,
): Reconciliation['accounts'][number] {
  const account = chartAccount(row.account);
  const side = account?.side ?? 'debit';
  const days = LEAVES_WITHIN_DAYS[row.account];
  const balancePence = balanceOn(side, row);
  const overduePence = days === undefined ? ZERO_PENCE : overdueOn(side, row, earlier(days));
  const open = row.account === 'suspense' ? pence(Math.abs(balancePence)) : overduePence;
  return {
    account: row.account,
    title: account?.title ?? row.account,
    side,
    statement: account?.statement ?? '',
    balance: toPounds(balancePence),
    overdue_after_days: days ?? null,
    overdue: toPounds(open),
    finding: findingOf(row.account, balancePence, open, days),
  };
}

function balanceOn(side: 'debit' | 'credit', row: AccountTotals): Pence {
  return pence(side === 'debit' ? row.debitPence - row.creditPence : row.creditPence - row.debitPence);
}

/** What had come by then less all that has left until now. */
function overdueOn(side: 'debit' | 'credit', row: AccountTotals, then: AccountTotals | undefined): Pence {
  const came = side === 'debit' ? (then?.debitPence ?? 0) : (then?.creditPence ?? 0);
  const left = side === 'debit' ? row.creditPence : row.debitPence;
  return pence(Math.max(came - left, 0));
}

/** Accounts on which the other side means that more has left than ever came. */
const NEVER_BELOW: ReadonlySet<string> = new Set([
  'card_clearing',
  'direct_debit_clearing',
  'payouts_in_transit',
  'manual_refunds_owed',
  'receivables',
  'duty_owed',
  'customer_balance',
  'order_deposits',
]);

function findingOf(name: string, balancePence: Pence, overduePence: Pence, days: number | undefined): string {
  if (name === 'suspense' && overduePence > 0)
    return 'Find out what it is, and enter an adjustment to where it belongs.';
  if (balancePence < 0 && NEVER_BELOW.has(name)) {
    return 'More has left this account than came onto it: look for an entry that was made twice or with a wrong amount.';
  }
  if (overduePence === 0) return '';
  return `Came more than ${days} days ago and has not left: look for a payout, refund or invoice that is not entered.`;
}
