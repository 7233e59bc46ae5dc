import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { type EntryRow, SEEN_REFERENCE } from '../ledger.ts';

/** The last entry of a statement until some time, and the balance after it. */
export type LastEntry = { readonly entry: number; readonly balance_pence: number };

// By bisection, as a balance at a past time is found: entries are in the order of their times.
const LAST_UNTIL = statement<LastEntry>(
  'billing_last_entry_until',
  `with recursive search as (
     select 0::bigint as low, entries as high from account_balance where account_id = $1
     union all
     select case when p.created_at < $2 then p.entry else s.low end,
            case when p.created_at < $2 then s.high else p.entry - 1 end
     from search s cross join lateral (
       select entry, created_at from posting where account_id = $1 and entry is not null and entry = (s.low + s.high + 1) / 2
     ) as p
     where s.low < s.high
   )
   select s.low as entry, coalesce((
     select p.balance_after_pence from posting p where p.account_id = $1 and p.entry is not null and p.entry = s.low
   ), 0)::bigint as balance_pence
   from search s where s.low = s.high`,
);

/** The last entry of an account before a time; entry 0 with balance 0 when there is none. */
export async function findLastEntryBefore(db: Db, accountId: Uuid, time: Date): Promise<LastEntry> {
  return (await db.one(LAST_UNTIL, [accountId, time])) ?? { entry: 0, balance_pence: 0 };
}

const BETWEEN = statement<EntryRow>(
  'billing_entries_between',
  `select entry, order_id, kind, credit_account = 'customer_balance' as is_credit, amount_pence, balance_after_pence,
          ${SEEN_REFERENCE}, created_at, (select e.reason from book_entry e where e.id = p.book_entry_id) as reason
   from posting p where account_id = $1 and entry is not null and entry > $2 and entry < $3
   order by entry desc limit $4`,
);

/** The entries of an account between two, neither of them included, the latest first. */
export async function listEntriesBetween(
  db: Db,
  accountId: Uuid,
  page: { after: number; before: number; limit: number },
): Promise<EntryRow[]> {
  return db.all(BETWEEN, [accountId, page.after, page.before, page.limit]);
}
