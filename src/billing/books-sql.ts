import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { SEEN_REFERENCE } from './ledger.ts';
import type { PostingKind } from './postings.ts';

// The books of the shop: what was debited and credited to each account of the ledger. For operators only.

// The names of the accounts that stand on a side of any posting, each found by one step over the index to the next
// name.
const names = (side: 'debit' | 'credit'): string => `
${side}_name as (
  (select ${side}_account as name from posting order by ${side}_account limit 1)
  union all
  select (select p.${side}_account from posting p where p.${side}_account > n.name order by p.${side}_account limit 1)
  from ${side}_name n where n.name is not null
)`;

const NAMES = `${names('debit')},${names('credit')},
name as materialized (
  select name from debit_name where name is not null union select name from credit_name where name is not null
)`;

export type TotalsRow = { account: string; debit_pence: number; credit_pence: number };

// The totals of an account at the end of its last closed day up to a time: of the seller's days, else of those of UTC
// before them. The version before may have closed more days of UTC since; they are left out.
const lastClosed = (account: string, at: string): string => `(
  (select until, debit_pence, credit_pence from closed_day
   where account = ${account} and until <= ${at} order by until desc limit 1)
  union all
  (select until, debit_pence, credit_pence from ledger_day
   where account = ${account} and until <= least(${at}, (select begins_at from seller_day)) order by until desc limit 1)
  order by until desc limit 1
)`;

// What an account was debited or credited with since its last closed day, up to a time and including it. Every posting
// since then is of a day that was not closed at that time, so this reads a day, or all days since closing stopped.
const movedSince = (side: 'debit' | 'credit', until: string): string => `(
  select coalesce(sum(amount_pence), 0)::bigint as pence from posting
  where ${side}_account = a.name and created_at >= coalesce(before.until, '-infinity') and created_at ${until}
)`;

const totalsOf = (accounts: string): string => `
select a.name as account, coalesce(before.debit_pence, 0) + debit.pence as debit_pence,
       coalesce(before.credit_pence, 0) + credit.pence as credit_pence
from ${accounts}
left join lateral ${lastClosed('a.name', '$1::timestamptz')} as before on true
cross join lateral ${movedSince('debit', '<= $1')} as debit
cross join lateral ${movedSince('credit', '<= $1')} as credit
order by a.name`;

const ALL_TOTALS = statement<TotalsRow>('billing_books', `with recursive ${NAMES} ${totalsOf('name as a')}`);
const TOTALS = statement<TotalsRow>('billing_books_of', totalsOf('(select $2::text as name) as a'));

/** The debits and credits of every account of the ledger up to and including a time. */
export async function readAllTotals(db: Db, at: Date): Promise<TotalsRow[]> {
  return db.all(ALL_TOTALS, [at]);
}

/**
 * The debits and credits of one account of the ledger up to and including a time.
 * Zeros for an account without a posting.
 */
export async function readTotals(db: Db, account: string, at: Date): Promise<TotalsRow> {
  const row = await db.one(TOTALS, [at, account]);
  if (row === undefined) throw new Error('the totals of an account are one row');
  return row;
}

export type LedgerPostingRow = {
  id: Uuid;
  account_id: Uuid;
  order_id: Uuid | null;
  kind: PostingKind;
  is_debit: boolean;
  other_account: string;
  amount_pence: number;
  reference: string;
  created_at: Date;
  book_entry_id: Uuid | null;
  /** YYYY-MM-DD */
  value_day: string | null;
  corrects_id: Uuid | null;
};

/** Where a page of a statement begins: after this posting. */
export type LedgerPosition = { readonly createdAt: Date; readonly id: string };

const side = (own: 'debit' | 'credit', other: 'debit' | 'credit'): string => `
  (
    select id, account_id, order_id, kind, ${own === 'debit'} as is_debit, ${other}_account as other_account, amount_pence,
           ${SEEN_REFERENCE}, created_at, book_entry_id,
           (select e.value_day::text from book_entry e where e.id = p.book_entry_id) as value_day, corrects_id
    from posting p
    where ${own}_account = $1 and (created_at, id) > ($2::timestamptz, $3::uuid) and created_at <= $4
    order by created_at, id limit $5
  )`;

// A posting stands on one side of an account only, so each side is cut to a page before they are merged.
const LEDGER_POSTINGS = statement<LedgerPostingRow>(
  'billing_ledger_postings',
  `select * from (${side('debit', 'credit')} union all ${side('credit', 'debit')}) as found
   order by created_at, id limit $5`,
);

/**
 * A page of the postings of an account of the ledger, oldest first.
 * They come after a position, up to and including a time.
 */
export async function listLedgerPostings(
  db: Db,
  account: string,
  page: { after: LedgerPosition; to: Date; limit: number },
): Promise<LedgerPostingRow[]> {
  return db.all(LEDGER_POSTINGS, [account, page.after.createdAt, page.after.id, page.to, page.limit]);
}

// Every posting has a debit side, so the index of debits finds them all.
const FIRST_POSTING = statement<{ first: Date | null }>(
  'billing_first_posting',
  `with recursive ${names('debit')}
   select min((
     select created_at from posting where debit_account = n.name and created_at >= $1 order by created_at limit 1
   )) as first
   from debit_name n where n.name is not null`,
);

/** When the first posting at a time or later was made; undefined when there is none. */
export async function findFirstPosting(tx: Db, since: Date): Promise<Date | undefined> {
  return (await tx.one(FIRST_POSTING, [since]))?.first ?? undefined;
}

// From the last closed day of each account on, wherever that ended: no posting is counted twice, and none is left out.
const CLOSE_DAY = statement<never>(
  'billing_close_day',
  `with recursive ${NAMES}
   insert into closed_day (account, until, debit_pence, credit_pence)
   select a.name, $2, coalesce(before.debit_pence, 0) + debit.pence, coalesce(before.credit_pence, 0) + credit.pence
   from name as a
   left join lateral ${lastClosed('a.name', '$1::timestamptz')} as before on true
   cross join lateral ${movedSince('debit', '< $2')} as debit
   cross join lateral ${movedSince('credit', '< $2')} as credit
   where debit.pence + credit.pence > 0`,
);

/** Keeps the totals of each account at the end of a day in which it has moved. The closing is locked. */
export async function insertClosedDay(tx: Db, day: { closedUntil: Date; until: Date }): Promise<void> {
  await tx.all(CLOSE_DAY, [day.closedUntil, day.until]);
}
