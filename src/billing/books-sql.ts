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

// The totals of the last closed day that had ended by the midnight before the time ($2), plus the postings since: those
// of a day, or of all days since closing stopped.
const totalsOf = (accounts: string): string => `
closing as materialized (
  select least(closed_until, $2::timestamptz) as until from ledger_closing
)
select a.name as account, coalesce(before.debit_pence, 0) + debit.pence as debit_pence,
       coalesce(before.credit_pence, 0) + credit.pence as credit_pence
from ${accounts} cross join closing c
left join lateral (
  select debit_pence, credit_pence from ledger_day d where d.account = a.name and d.until <= c.until
  order by d.until desc limit 1
) as before on true
cross join lateral (
  select coalesce(sum(amount_pence), 0)::bigint as pence from posting
  where debit_account = a.name and created_at >= c.until and created_at <= $1
) as debit
cross join lateral (
  select coalesce(sum(amount_pence), 0)::bigint as pence from posting
  where credit_account = a.name and created_at >= c.until and created_at <= $1
) as credit
order by a.name`;

const ALL_TOTALS = statement<TotalsRow>('billing_books', `with recursive ${NAMES},${totalsOf('name as a')}`);
const TOTALS = statement<TotalsRow>('billing_books_of', `with ${totalsOf('(select $3::text as name) as a')}`);

/** The debits and credits of every account of the ledger up to and including a time. */
export async function readAllTotals(db: Db, at: Date): Promise<TotalsRow[]> {
  return db.all(ALL_TOTALS, [at, midnightBefore(at)]);
}

/**
 * The debits and credits of one account of the ledger up to and including a time.
 * Zeros for an account without a posting.
 */
export async function readTotals(db: Db, account: string, at: Date): Promise<TotalsRow> {
  const row = await db.one(TOTALS, [at, midnightBefore(at), account]);
  if (row === undefined) throw new Error('how far the days of the books are closed stands nowhere');
  return row;
}

const DAY_MS = 86_400_000;

/** The midnight (UTC) with which the day of a time began. */
export function midnightBefore(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS);
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

const LOCK_CLOSING = statement<{ closed_until: Date }>(
  'billing_lock_closing',
  'select closed_until from ledger_closing for update',
);

/** Locks the closing of days until the transaction ends. Returns until when days are closed. */
export async function lockClosing(tx: Db): Promise<Date> {
  const row = await tx.one(LOCK_CLOSING, []);
  if (row === undefined) throw new Error('how far the days of the books are closed stands nowhere');
  return row.closed_until;
}

const CLOSED = statement<{ closed_until: Date }>('billing_closed', 'select closed_until from ledger_closing');

/** Until when days are closed, read without a lock; undefined in a database without the row. */
export async function readClosedUntil(db: Db): Promise<Date | undefined> {
  return (await db.one(CLOSED, []))?.closed_until;
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

const CLOSE_DAY = statement<never>(
  'billing_close_day',
  `with recursive ${NAMES},
   moved as materialized (
     select n.name, debit.pence as debit_pence, credit.pence as credit_pence
     from name n
     cross join lateral (
       select coalesce(sum(amount_pence), 0)::bigint as pence from posting
       where debit_account = n.name and created_at >= $1 and created_at < $2
     ) as debit
     cross join lateral (
       select coalesce(sum(amount_pence), 0)::bigint as pence from posting
       where credit_account = n.name and created_at >= $1 and created_at < $2
     ) as credit
     where debit.pence + credit.pence > 0
   )
   insert into ledger_day (account, until, debit_pence, credit_pence)
   select m.name, $2, coalesce(before.debit_pence, 0) + m.debit_pence, coalesce(before.credit_pence, 0) + m.credit_pence
   from moved m left join lateral (
     select debit_pence, credit_pence from ledger_day d where d.account = m.name order by d.until desc limit 1
   ) as before on true`,
);

/** Adds the totals of a day to those of the days before it. The closing is locked. */
export async function insertLedgerDay(tx: Db, day: { from: Date; until: Date }): Promise<void> {
  await tx.all(CLOSE_DAY, [day.from, day.until]);
}

const CLOSED_UNTIL = statement<never>('billing_closed_until', 'update ledger_closing set closed_until = $1');

/** Records until when days are closed. */
export async function setClosedUntil(tx: Db, until: Date): Promise<void> {
  await tx.all(CLOSED_UNTIL, [until]);
}
