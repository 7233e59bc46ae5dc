import { isoTime } from '../lib/clock.ts';
import { HOUSE, publicId } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import type { Books, LedgerPosting, LedgerStatement } from './books-schema.ts';
import type { LedgerPostingRow, TotalsRow } from './books-sql.ts';
import { titleOfAccount } from './chart.ts';

type Totals = Pick<TotalsRow, 'debit_pence' | 'credit_pence'>;

/** The books at a time, with the totals of all accounts together. */
export function booksView(rows: readonly TotalsRow[], at: Date): Books {
  const all = rows.reduce(
    (sum, row) => ({
      debit_pence: sum.debit_pence + row.debit_pence,
      credit_pence: sum.credit_pence + row.credit_pence,
    }),
    { debit_pence: 0, credit_pence: 0 },
  );
  return {
    as_of: isoTime(at),
    currency: 'GBP',
    accounts: rows.map((row) => ({
      account: row.account,
      title: titleOfAccount(row.account) ?? row.account,
      ...totalsView(row),
      balance: balance(row),
    })),
    ...totalsView(all),
    balance: balance(all),
  };
}

/** A statement of an account of the ledger without its page of postings. */
export function statementView(
  account: { readonly name: string; readonly title: string },
  period: {
    readonly from: Date | undefined;
    readonly to: Date;
    readonly opening: Totals;
    readonly closing: Totals;
  },
): Omit<LedgerStatement, 'data' | 'has_more' | 'next_cursor'> {
  const { from, to, opening, closing } = period;
  const moved = {
    debit_pence: closing.debit_pence - opening.debit_pence,
    credit_pence: closing.credit_pence - opening.credit_pence,
  };
  return {
    account: account.name,
    title: account.title,
    currency: 'GBP',
    from: from === undefined ? null : isoTime(from),
    to: isoTime(to),
    opening_balance: balance(opening),
    ...totalsView(moved),
    closing_balance: balance(closing),
  };
}

/** A posting as it stands on the account of the statement. */
export function ledgerPostingView(row: LedgerPostingRow): LedgerPosting {
  return {
    id: publicId('pst', row.id),
    kind: row.kind,
    side: row.is_debit ? 'debit' : 'credit',
    other_account: row.other_account,
    amount: pounds(row.amount_pence),
    account_id: row.account_id === HOUSE ? null : publicId('acct', row.account_id),
    order_id: row.order_id === null ? null : publicId('ord', row.order_id),
    reference: row.reference,
    created_at: isoTime(row.created_at),
    entry_id: row.book_entry_id === null ? null : publicId('ent', row.book_entry_id),
    value_day: row.value_day,
    corrects: row.corrects_id === null ? null : publicId('pst', row.corrects_id),
  };
}

function totalsView(totals: Totals): { debit_total: number; credit_total: number } {
  return { debit_total: pounds(totals.debit_pence), credit_total: pounds(totals.credit_pence) };
}

function balance(totals: Totals): number {
  return pounds(totals.debit_pence - totals.credit_pence);
}

function pounds(amountPence: number): number {
  return toPounds(pence(amountPence));
}
