import type { LedgerAccount, PostingKind } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import { firstIdAt, type Uuid } from '../lib/ids.ts';
import type { EntryKind } from './entry-kinds.ts';
import type { StoredLeg } from './plan.ts';

// Entries of the books: what is proposed and posted beside the money of orders, and the postings that they correct.

export type BookEntryRow = {
  id: Uuid;
  kind: EntryKind;
  state: 'proposed' | 'posted' | 'refused';
  amount_pence: number;
  /** YYYY-MM-DD */
  value_day: string;
  reference: string;
  reason: string;
  customer_id: Uuid | null;
  order_id: Uuid | null;
  plan: StoredLeg[];
  shortfall: 'refuse' | 'receivable';
  proposed_by: Uuid | null;
  proposed_by_name: string;
  proposed_at: Date;
  decided_by_name: string | null;
  decided_at: Date | null;
  decision_reason: string;
  own_approval: boolean;
};

const COLUMNS = `id, kind, state, amount_pence, value_day::text as value_day, reference, reason, customer_id, order_id, plan,
  shortfall, proposed_by, proposed_by_name, proposed_at, decided_by_name, decided_at, decision_reason, own_approval`;

export type NewEntry = {
  id: Uuid;
  kind: EntryKind;
  amountPence: number;
  valueDay: string;
  reference: string;
  reason: string;
  customerId: Uuid | null;
  orderId: Uuid | null;
  plan: readonly StoredLeg[];
  shortfall: 'refuse' | 'receivable';
  by: { id: Uuid | null; name: string };
  /** Whether it is posted at once. */
  isPosted: boolean;
  now: Date;
};

const INSERT_ENTRY = statement<{ id: Uuid }>(
  'books_insert_entry',
  `insert into book_entry (id, kind, state, amount_pence, value_day, reference, held_reference, reason, customer_id, order_id,
     plan, shortfall, proposed_by, proposed_by_name, proposed_at, decided_by, decided_by_name, decided_at)
   values ($1, $2, case when $14 then 'posted' else 'proposed' end, $3, $4, $5, nullif($5, ''), $6, $7, $8, $9::jsonb, $10, $11, $12,
     $13, case when $14 then $11::uuid end, case when $14 then $12 end, case when $14 then $13::timestamptz end)
   on conflict (kind, coalesce(customer_id, '00000000-0000-0000-0000-000000000000'), held_reference)
     where held_reference is not null do nothing
   returning id`,
);

/** Writes an entry, proposed or posted; false when its reference is in use by another of its kind. */
export async function insertEntry(tx: Db, entry: NewEntry): Promise<boolean> {
  const values = [
    entry.id,
    entry.kind,
    entry.amountPence,
    entry.valueDay,
    entry.reference,
    entry.reason,
    entry.customerId,
    entry.orderId,
    JSON.stringify(entry.plan),
    entry.shortfall,
    entry.by.id,
    entry.by.name,
    entry.now,
    entry.isPosted,
  ];
  return (await tx.one(INSERT_ENTRY, values)) !== undefined;
}

const HOLDER = statement<{ id: Uuid; state: BookEntryRow['state'] }>(
  'books_holder_of_reference',
  `select id, state from book_entry
   where kind = $1 and coalesce(customer_id, '00000000-0000-0000-0000-000000000000')
         = coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') and held_reference = $3`,
);

/** The entry of a kind and a customer that has a reference in use. */
export async function findHolder(
  db: Db,
  of: { kind: EntryKind; customerId: Uuid | null; reference: string },
): Promise<{ id: Uuid; state: BookEntryRow['state'] } | undefined> {
  return db.one(HOLDER, [of.kind, of.customerId, of.reference]);
}

const FIND_ENTRY = statement<BookEntryRow>('books_entry', `select ${COLUMNS} from book_entry where id = $1`);

/** An entry by its id. */
export async function findEntry(db: Db, id: Uuid): Promise<BookEntryRow | undefined> {
  return db.one(FIND_ENTRY, [id]);
}

const LOCK_ENTRY = statement<BookEntryRow>(
  'books_lock_entry',
  `select ${COLUMNS} from book_entry where id = $1 for update`,
);

/** Locks an entry to the end of the transaction; before orders, postings and balances. */
export async function lockEntry(tx: Db, id: Uuid): Promise<BookEntryRow | undefined> {
  return tx.one(LOCK_ENTRY, [id]);
}

const DECIDE = statement<never>(
  'books_decide_entry',
  `update book_entry set state = $2, decided_by = $3, decided_by_name = $4, decided_at = $5, decision_reason = $6,
     own_approval = $7, held_reference = case when $2 = 'posted' then held_reference end
   where id = $1`,
);

/** Ends a locked proposal. */
export async function decideEntryRow(
  tx: Db,
  decision: {
    id: Uuid;
    state: 'posted' | 'refused';
    by: { id: Uuid | null; name: string };
    reason: string;
    isOwn: boolean;
    now: Date;
  },
): Promise<void> {
  const { id, state, by, reason, isOwn, now } = decision;
  await tx.all(DECIDE, [id, state, by.id, by.name, now, reason, isOwn]);
}

// An entry with nothing left to correct no longer holds its reference: what it was meant to be is entered again.
const RELEASE = statement<never>(
  'books_release_reference',
  `update book_entry e set held_reference = null
   where e.id = any($1::uuid[]) and e.held_reference is not null and not exists (
     select from posting p
     where p.book_entry_id = e.id and p.amount_pence > (
       select coalesce(sum(c.amount_pence), 0) from posting c where c.account_id = p.account_id and c.corrects_id = p.id))`,
);

/** Ends the use of references by those of some entries that are wholly corrected. */
export async function releaseReferences(tx: Db, entryIds: readonly Uuid[]): Promise<void> {
  if (entryIds.length > 0) await tx.all(RELEASE, [entryIds]);
}

const ENTERED_SINCE = statement<{ pence: number }>(
  'books_entered_since',
  `select coalesce(sum(amount_pence), 0)::bigint as pence from book_entry
   where customer_id = $1 and id >= $2 and state = 'posted' and kind in ('correction', 'withdrawal', 'write_off')`,
);

/** What was corrected, paid out and written off of a customer since a time, in pence. */
export async function readEnteredSince(db: Db, customerId: Uuid, since: Date): Promise<number> {
  return (await db.one(ENTERED_SINCE, [customerId, firstIdAt(since)]))?.pence ?? 0;
}

const LIST = statement<BookEntryRow>(
  'books_entries',
  `select ${COLUMNS} from book_entry where id < $1 order by id desc limit $2`,
);
const LIST_PROPOSED = statement<BookEntryRow>(
  'books_proposed_entries',
  `select ${COLUMNS} from book_entry where state = 'proposed' and id < $1 and id >= $3 order by id desc limit $2`,
);
const LIST_OF_CUSTOMER = statement<BookEntryRow>(
  'books_entries_of_customer',
  `select ${COLUMNS} from book_entry where customer_id = $3 and id < $1 order by id desc limit $2`,
);

/** A page of entries, newest first: all, those proposed since a time, or those of a customer. */
export async function listEntryRows(
  db: Db,
  page: { before: Uuid; limit: number },
  which: { kind: 'all' } | { kind: 'proposed'; since: Date } | { kind: 'customer'; customerId: Uuid },
): Promise<BookEntryRow[]> {
  if (which.kind === 'all') return db.all(LIST, [page.before, page.limit]);
  if (which.kind === 'customer') return db.all(LIST_OF_CUSTOMER, [page.before, page.limit, which.customerId]);
  return db.all(LIST_PROPOSED, [page.before, page.limit, firstIdAt(which.since)]);
}

export type PostedRow = {
  book_entry_id: Uuid;
  id: Uuid;
  account_id: Uuid;
  order_id: Uuid | null;
  debit_account: LedgerAccount;
  credit_account: LedgerAccount;
  amount_pence: number;
  corrects_id: Uuid | null;
  corrected_pence: number;
};

const POSTED = statement<PostedRow>(
  'books_posted',
  `select p.book_entry_id, p.id, p.account_id, p.order_id, p.debit_account, p.credit_account, p.amount_pence, p.corrects_id,
     (select coalesce(sum(c.amount_pence), 0)::bigint from posting c
      where c.account_id = p.account_id and c.corrects_id = p.id) as corrected_pence
   from posting p where p.book_entry_id = any($1::uuid[]) order by p.book_entry_id, p.id`,
);

/** The postings of some entries, with what of each was corrected. */
export async function readPosted(db: Db, entryIds: readonly Uuid[]): Promise<PostedRow[]> {
  return entryIds.length === 0 ? [] : db.all(POSTED, [entryIds]);
}

export type CorrectableRow = {
  id: Uuid;
  account_id: Uuid;
  order_id: Uuid | null;
  kind: PostingKind;
  debit_account: LedgerAccount;
  credit_account: LedgerAccount;
  amount_pence: number;
  reference: string;
  book_entry_id: Uuid | null;
};

const CORRECTABLE = `select id, account_id, order_id, kind, debit_account, credit_account, amount_pence, reference, book_entry_id
   from posting`;

const FIND_POSTING = statement<CorrectableRow>('books_posting', `${CORRECTABLE} where account_id = $1 and id = $2`);

/** A posting of an account, or of the shop itself. */
export async function findPosting(db: Db, accountId: Uuid, id: Uuid): Promise<CorrectableRow | undefined> {
  return db.one(FIND_POSTING, [accountId, id]);
}

const OF_ENTRY = statement<CorrectableRow>(
  'books_postings_of_entry',
  `${CORRECTABLE} where book_entry_id = $1 order by id`,
);

/** The postings of an entry, to be corrected together. */
export async function listPostingsOfEntry(db: Db, entryId: Uuid): Promise<CorrectableRow[]> {
  return db.all(OF_ENTRY, [entryId]);
}

// Locks nothing but other corrections: nothing else locks a posting, and none is ever changed.
const LOCK_POSTINGS = statement<{ id: Uuid }>(
  'books_lock_postings',
  `select id from posting where account_id = any($1::uuid[]) and id = any($2::uuid[]) order by account_id, id for update`,
);

const LEFT = statement<{ id: Uuid; book_entry_id: Uuid | null; left_pence: number }>(
  'books_left_to_correct',
  `select p.id, p.book_entry_id, p.amount_pence - (
       select coalesce(sum(c.amount_pence), 0)::bigint from posting c where c.account_id = p.account_id and c.corrects_id = p.id
     ) as left_pence
   from posting p where p.account_id = any($1::uuid[]) and p.id = any($2::uuid[])`,
);

/**
 * Locks some postings and returns what is left of each to correct.
 * Two statements: only the second sees what another correction posted while the first waited.
 */
export async function lockLeftToCorrect(
  tx: Db,
  accountIds: readonly Uuid[],
  ids: readonly Uuid[],
): Promise<{ id: Uuid; book_entry_id: Uuid | null; left_pence: number }[]> {
  await tx.all(LOCK_POSTINGS, [accountIds, ids]);
  return tx.all(LEFT, [accountIds, ids]);
}

/** What is left to correct of some postings, read without a lock. */
export async function readLeftToCorrect(
  db: Db,
  accountIds: readonly Uuid[],
  ids: readonly Uuid[],
): Promise<{ id: Uuid; book_entry_id: Uuid | null; left_pence: number }[]> {
  return db.all(LEFT, [accountIds, ids]);
}
