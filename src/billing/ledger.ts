import { type Db, statement } from '../lib/db.ts';
import { HOUSE, newId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence } from '../lib/money.ts';
import { countPosted } from './metrics.ts';
import type { Posting, PostingKind } from './postings.ts';

/**
 * Postings as the statements read them, each with an id of its own.
 * `reference` is what a customer sees beside the entry: the order's reference. Money received for an order is kept
 * without it: a top-up's reference can be used once and is chosen by the sender of the transfer. A statement finds that
 * money by the order.
 */
export function postingRows(postings: readonly Posting[], reference: string): readonly object[] {
  return postings.map((posting) => ({
    id: newId(),
    kind: posting.kind,
    debit_account: posting.debit,
    credit_account: posting.credit,
    amount_pence: posting.amountPence,
    reference: posting.kind === 'top_up' ? '' : reference,
  }));
}

/** The same as JSON. */
export function postingsJson(postings: readonly Posting[], reference: string): string {
  return JSON.stringify(postingRows(postings, reference));
}

/**
 * The smallest charge that a provider accepts.
 * A smaller remainder is paid from the balance (decisions, "Small remainders").
 */
export const METHOD_PENCE_MIN = 30;

/** How long the process that made an attempt works on it alone; the sweep takes over afterwards. */
const ATTEMPT_HEAD_START_SECONDS = 30;

/**
 * SQL of the common table expressions that charge an order inside a larger statement.
 * `guard` is a table expression that has a row exactly when the order is to be written; all the others depend on it.
 * `funds` locks the account's balance and reads it, last of all locks.
 * `money` decides once who pays: the balance all of what is due; or the balance its part and the account's card or
 * direct debit the rest; or neither anything. `debit`, `new_posting` and `new_attempt` write that decision.
 * The value of `attemptId` is null where only the balance may pay. The posting of kind `charge` takes the
 * amount that the balance pays; the other postings are made once the whole is paid. A method is looked for only when
 * the balance does not cover what is due.
 * Postings have the time `now`, but no earlier than the account's entry before them: a transaction that waited for the
 * lock has an older time than the one that held it, and the balance at a past time is found by the times of entries.
 */
export function chargeCtes(sql: {
  guard: string;
  accountId: string;
  orderId: string;
  duePence: string;
  postings: string;
  now: string;
  attemptId: string;
}): string {
  const { guard, accountId, orderId, postings, now, attemptId } = sql;
  const due = `${sql.duePence}::bigint`;
  const covered = `coalesce((select balance_pence from funds) >= ${due}, false)`;
  const method = `(
    select kind, provider_reference from payment_method
    where account_id = ${accountId}::uuid
      and ${attemptId}::uuid is not null and ${due} >= ${METHOD_PENCE_MIN} and not ${covered}
  )`;
  const fromMethod = `greatest(${due} - (select balance_pence from funds), ${METHOD_PENCE_MIN})`;
  // The account's id comes through a scalar sub-query on the guard: no guard row, no lock. It must not be a join: a row
  // that changed during the wait for its lock is checked again, and a table expression that writes is not read again.
  // The debit starts from the locked balance. From the column it would first be computed from the row as it was when
  // the statement began, and the check constraint would refuse it in spite of a top-up since then.
  return `
funds as materialized (
  select balance_pence, entries, greatest(${now}::timestamptz, last_entry_at) as posted_at from account_balance
  where account_id = (select ${accountId}::uuid from ${guard})
  for update
),
money as materialized (
  select ${covered} as paid, m.kind as method, m.provider_reference,
         case when m.kind is not null then ${fromMethod} end as from_method_pence,
         case when ${covered} then ${due} when m.kind is not null then ${due} - ${fromMethod} else 0 end as from_balance_pence
  from ${guard} left join lateral ${method} as m on true
  where refuse_unless(exists (select from funds), 'PL003')
),
debit as (
  update account_balance
  set balance_pence = (select balance_pence from funds) - (select from_balance_pence from money),
    entries = (select entries from funds) + 1, last_entry_at = (select posted_at from funds)
  where account_id = ${accountId}::uuid and (select from_balance_pence > 0 from money)
),
new_posting as (
  insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, reference, created_at,
    entry, balance_after_pence)
  select ${accountId}::uuid, p.id, ${orderId}::uuid, p.kind, p.debit_account, p.credit_account,
         case when p.kind = 'charge' then money.from_balance_pence else p.amount_pence end,
         p.reference, (select posted_at from funds),
         case when p.debit_account = 'customer_balance' then (select entries from funds) + 1 end,
         case when p.debit_account = 'customer_balance'
           then (select balance_pence from funds) - money.from_balance_pence end
  from money, json_to_recordset(${postings}::json)
       as p(id uuid, kind text, debit_account text, credit_account text, amount_pence bigint, reference text)
  where case when p.kind = 'charge' then money.from_balance_pence > 0 else money.paid end
),
new_attempt as (
  insert into payment_attempt (id, order_id, account_id, method, provider_reference, amount_pence, state, created_at, look_at)
  select ${attemptId}::uuid, ${orderId}::uuid, ${accountId}::uuid, method, provider_reference, from_method_pence, 'open',
         ${now}::timestamptz, ${now}::timestamptz + interval '${ATTEMPT_HEAD_START_SECONDS} seconds'
  from money where method is not null
)`;
}

// The lock comes before the insert, whose entry number it guards.
const TOP_UP = statement<{ posted: boolean }>(
  'billing_top_up',
  `with funds as materialized (
     select balance_pence, entries, greatest($5::timestamptz, last_entry_at) as posted_at
     from account_balance where account_id = $1 for update
   ),
   new_posting as (
     insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, reference, created_at, entry,
       balance_after_pence)
     select $1, $2, 'top_up', $6, 'customer_balance', $3, $4, posted_at, entries + 1, balance_pence + $3::bigint from funds
     on conflict (account_id, reference) where kind = 'top_up' and reference <> '' do nothing
     returning amount_pence
   ),
   credit as (
     update account_balance b
     set balance_pence = (select balance_pence from funds) + p.amount_pence, entries = (select entries from funds) + 1,
         last_entry_at = (select posted_at from funds)
     from new_posting p where b.account_id = $1
   )
   select exists (select from new_posting) as posted from account_balance where account_id = $1`,
);

/**
 * Posts a top-up and adds it to the cached balance in one statement.
 * A `reference` that was used before posts nothing. Returns undefined for an unknown account.
 */
export async function postTopUp(
  db: Db,
  topUp: { accountId: Uuid; amountPence: Pence; reference: string; from: 'bank' | 'card_clearing'; now: Date },
): Promise<{ posted: boolean } | undefined> {
  const { accountId, amountPence, reference, from, now } = topUp;
  const result = await db.one(TOP_UP, [accountId, newId(), amountPence, reference, now, from]);
  if (result?.posted === true) countPosted(db, [{ kind: 'top_up', amountPence }]);
  return result;
}

// Each posting that touches the balance is an entry of the statement, numbered in their order. The balance is locked in
// the first branch, whatever is posted: it is the one lock of an account's books.
const POST = statement<never>(
  'billing_post',
  `with funds as materialized (
     select balance_pence, entries, greatest($4::timestamptz, last_entry_at) as posted_at
     from account_balance where account_id = $1 for update
   ),
   given as materialized (
     select p.*, case 'customer_balance' when p.credit_account then p.amount_pence when p.debit_account then -p.amount_pence
                 end as moved
     from rows from (json_to_recordset($3::json) as
       (id uuid, kind text, debit_account text, credit_account text, amount_pence bigint, reference text, corrects_id uuid)
     ) with ordinality as p(id, kind, debit_account, credit_account, amount_pence, reference, corrects_id, place)
     where refuse_unless(exists (select from funds), 'PL003')
   ),
   numbered as materialized (
     select *, (select entries from funds) + count(moved) over so_far as entry,
            (select balance_pence from funds) + coalesce(sum(moved) over so_far, 0)::bigint as balance_after_pence
     from given window so_far as (order by place)
   ),
   moved_balance as (
     update account_balance
     set balance_pence = (select balance_pence from funds) + (select sum(moved)::bigint from given),
         entries = (select entries from funds) + (select count(moved) from given),
         last_entry_at = (select posted_at from funds)
     where account_id = $1 and exists (select from given where moved is not null)
   )
   insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, reference, created_at,
     entry, balance_after_pence, book_entry_id, corrects_id)
   select $1, id, $2, kind, debit_account, credit_account, amount_pence, reference, (select posted_at from funds),
          case when moved is not null then entry end, case when moved is not null then balance_after_pence end, $5, corrects_id
   from numbered`,
);

/**
 * Posts changes of an order's money in the caller's transaction, and the cached balance with them.
 * The balance is locked, last of all locks, and never falls below zero.
 */
export async function postToOrder(
  tx: Db,
  order: { accountId: Uuid; orderId: Uuid; postings: readonly Posting[]; reference: string; now: Date },
): Promise<void> {
  const { accountId, orderId, postings, reference, now } = order;
  await tx.all(POST, [accountId, orderId, postingsJson(postings, reference), now, null]);
  countPosted(tx, postings);
}

/** As `postToOrder`, of what belongs to no order: a top-up that was taken back. */
export async function postToAccount(
  tx: Db,
  to: { accountId: Uuid; postings: readonly Posting[]; reference: string; now: Date },
): Promise<void> {
  const { accountId, postings, reference, now } = to;
  await tx.all(POST, [accountId, null, postingsJson(postings, reference), now, null]);
  countPosted(tx, postings);
}

/** A posting of an entry of the books. */
export type EntryPosting = Posting & {
  readonly reference: string;
  /** The posting of the same account that it takes back a part of. */
  readonly correctsId: Uuid | null;
};

// The books of the shop have no balance, and so no lock and no numbers.
const POST_HOUSE = statement<never>(
  'billing_post_house',
  `insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, reference, created_at,
     book_entry_id, corrects_id)
   select $1, p.id, p.kind, p.debit_account, p.credit_account, p.amount_pence, p.reference, $3, $4, p.corrects_id
   from json_to_recordset($2::json) as p(id uuid, kind text, debit_account text, credit_account text, amount_pence bigint,
     reference text, corrects_id uuid)`,
);

/**
 * Posts what an entry of the books moves for one customer, or for the shop itself (`HOUSE`).
 * In the caller's transaction, which holds the locks of all balances that the entry moves.
 */
export async function postEntry(
  tx: Db,
  entry: {
    entryId: Uuid;
    accountId: Uuid;
    orderId: Uuid | null;
    postings: readonly EntryPosting[];
    now: Date;
  },
): Promise<void> {
  const { entryId, accountId, orderId, postings, now } = entry;
  const rows = JSON.stringify(
    postings.map((posting) => ({
      id: newId(),
      kind: posting.kind,
      debit_account: posting.debit,
      credit_account: posting.credit,
      amount_pence: posting.amountPence,
      reference: posting.reference,
      corrects_id: posting.correctsId,
    })),
  );
  if (accountId === HOUSE) await tx.all(POST_HOUSE, [HOUSE, rows, now, entryId]);
  else await tx.all(POST, [accountId, orderId, rows, now, entryId]);
  countPosted(tx, postings);
}

const LOCK_BALANCES = statement<{ account_id: Uuid; balance_pence: number }>(
  'billing_lock_balances',
  'select account_id, balance_pence from account_balance where account_id = any($1::uuid[]) order by account_id for update',
);

/** Locks the balances of some accounts, in the order of their ids; last of all locks. */
export async function lockBalances(tx: Db, accountIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, Pence>> {
  const rows = await tx.all(LOCK_BALANCES, [accountIds]);
  return new Map(rows.map((row) => [row.account_id, pence(row.balance_pence)]));
}

const BALANCE = statement<{ balance_pence: number }>(
  'billing_balance',
  'select balance_pence from account_balance where account_id = $1',
);

/**
 * The cached balance of an account; undefined for an unknown account.
 * It equals the account's postings at all times.
 */
export async function readBalance(db: Db, accountId: Uuid): Promise<Pence | undefined> {
  const row = await db.one(BALANCE, [accountId]);
  return row === undefined ? undefined : pence(row.balance_pence);
}

// The entries of an account are in the order of their times, so the last one until a time is found by bisection: some
// twenty look-ups in the index of statements, however long the statement is.
const BALANCE_AT = statement<{ balance_pence: number }>(
  'billing_balance_at',
  `with recursive search as (
     select 0::bigint as low, entries as high from account_balance where account_id = $1
     union all
     select case when p.created_at <= $2 then p.entry else s.low end,
            case when p.created_at <= $2 then s.high else p.entry - 1 end
     from search s cross join lateral (
       select entry, created_at from posting where account_id = $1 and entry is not null and entry = (s.low + s.high + 1) / 2
     ) as p
     where s.low < s.high
   )
   select coalesce((
     select p.balance_after_pence from posting p where p.account_id = $1 and p.entry is not null and p.entry = s.low
   ), 0)::bigint as balance_pence
   from search s where s.low = s.high`,
);

/** The balance of an account at a time by its statement, 0 before its first entry. */
export async function readBalanceAt(db: Db, accountId: Uuid, at: Date): Promise<Pence | undefined> {
  const row = await db.one(BALANCE_AT, [accountId, at]);
  return row === undefined ? undefined : pence(row.balance_pence);
}

const RECEIVABLE = statement<{ pence: number }>(
  'billing_receivable',
  `select coalesce(sum(case 'receivables' when debit_account then amount_pence when credit_account then -amount_pence end), 0)::bigint
     as pence
   from posting where order_id = $2 and account_id = $1`,
);

/**
 * What a customer owes for an order because of returned payments.
 * Amounts collected or set off since are subtracted.
 */
export async function readReceivable(tx: Db, accountId: Uuid, orderId: Uuid): Promise<Pence> {
  return pence((await tx.one(RECEIVABLE, [accountId, orderId]))?.pence ?? 0);
}

const RECEIVABLE_OF_ACCOUNT = statement<{ pence: number }>(
  'billing_receivable_of_account',
  `select coalesce(sum(case 'receivables' when debit_account then amount_pence else -amount_pence end), 0)::bigint as pence
   from posting
   where account_id = $1 and order_id is null and (debit_account = 'receivables' or credit_account = 'receivables')`,
);

/**
 * What a customer owes apart from orders.
 * That is what corrections took and the balance did not cover, less what was collected or written off since.
 */
export async function readAccountReceivable(tx: Db, accountId: Uuid): Promise<Pence> {
  return pence((await tx.one(RECEIVABLE_OF_ACCOUNT, [accountId]))?.pence ?? 0);
}

const WRITTEN_OFF = statement<{ pence: number }>(
  'billing_written_off',
  `select coalesce(sum(case 'written_off' when debit_account then amount_pence when credit_account then -amount_pence end), 0)::bigint
     as pence
   from posting where order_id = $2 and account_id = $1`,
);

/** What of a customer's debt for an order was written off. */
export async function readWrittenOff(tx: Db, accountId: Uuid, orderId: Uuid): Promise<Pence> {
  return pence((await tx.one(WRITTEN_OFF, [accountId, orderId]))?.pence ?? 0);
}

const TOP_UP_AMOUNT = statement<{ amount_pence: number }>(
  'billing_top_up_amount',
  `select amount_pence from posting
   where account_id = $1 and reference = $2 and kind = 'top_up' and reference <> ''`,
);

/** The amount posted under a top-up's reference. */
export async function findTopUp(db: Db, accountId: Uuid, reference: string): Promise<Pence | undefined> {
  const row = await db.one(TOP_UP_AMOUNT, [accountId, reference]);
  return row === undefined ? undefined : pence(row.amount_pence);
}

export type EntryRow = {
  entry: number;
  order_id: Uuid | null;
  kind: PostingKind;
  is_credit: boolean;
  amount_pence: number;
  balance_after_pence: number;
  reference: string;
  created_at: Date;
  /** Of a posting of an entry of the books: why, in words for the customer. */
  reason: string | null;
};

/**
 * SQL of the reference that a customer sees beside a posting `p`.
 * Money received for an order has the reference of what it paid.
 */
export const SEEN_REFERENCE = `
  case when p.kind = 'top_up' and p.reference = '' and p.order_id is not null then coalesce((
    select max(s.reference) from posting s where s.order_id = p.order_id and s.account_id = p.account_id), '')
  else p.reference end as reference`;

const ENTRIES = statement<EntryRow>(
  'billing_entries',
  `select entry, order_id, kind, credit_account = 'customer_balance' as is_credit, amount_pence, balance_after_pence,
          ${SEEN_REFERENCE}, created_at, (select e.reason from book_entry e where e.id = p.book_entry_id) as reason
   from posting p where account_id = $1 and entry is not null and entry < $2
   order by entry desc limit $3`,
);

/** The entries of an account's statement that come before one, the latest first. */
export async function listEntries(
  db: Db,
  accountId: Uuid,
  page: { before: number; limit: number },
): Promise<EntryRow[]> {
  return db.all(ENTRIES, [accountId, page.before, page.limit]);
}
