import type { PaymentMethodKind } from '../../billing/postings.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { CLAIM_MAX } from '../attempt-sql.ts';

// Savings: cards and direct debits that people of an account save on a page of the payment provider.

export type SavingRow = {
  id: Uuid;
  account_id: Uuid;
  user_id: Uuid;
  kind: PaymentMethodKind;
  state: 'open' | 'saved' | 'ended';
  page_id: string | null;
  created_at: Date;
  ends_at: Date;
};

const COLUMNS = 'id, account_id, user_id, kind, state, page_id, created_at, ends_at';

/** How long the process that began a saving works on it alone; the sweep takes over afterwards. */
const HEAD_START_SECONDS = 30;

const INSERT = statement<{ is_new: boolean; open: number }>(
  'payments_begin_saving',
  `with under_way as (
     select count(*) as open from (select from method_saving where account_id = $2 and state = 'open' limit $8) as o
   ),
   begun as (
     insert into method_saving (id, account_id, user_id, request_key, kind, state, created_at, ends_at, look_at)
     select $1, $2, $3, $4, $5, 'open', $6, $7, $6::timestamptz + interval '${HEAD_START_SECONDS} seconds'
     from under_way where open < $8
     on conflict (account_id, request_key) do nothing
     returning id
   )
   select exists (select from begun) as is_new, open from under_way`,
);

/**
 * Writes a saving, unless its request has one or the account has `openMax` under way.
 * Returns whether it did, and how many were under way. The caller holds the lock of the account.
 */
export async function insertSaving(
  tx: Db,
  saving: {
    id: Uuid;
    accountId: Uuid;
    userId: Uuid;
    key: string;
    kind: PaymentMethodKind;
    now: Date;
    endsAt: Date;
    openMax: number;
  },
): Promise<{ is_new: boolean; open: number }> {
  const { id, accountId, userId, key, kind, now, endsAt, openMax } = saving;
  const row = await tx.one(INSERT, [id, accountId, userId, key, kind, now, endsAt, openMax]);
  if (row === undefined) throw new Error('a count of savings has no row');
  return row;
}

const BY_KEY = statement<SavingRow>(
  'payments_saving_by_key',
  `select ${COLUMNS} from method_saving where account_id = $1 and request_key = $2`,
);

/** The saving of an earlier request. */
export async function findSavingByKey(db: Db, accountId: Uuid, key: string): Promise<SavingRow | undefined> {
  return db.one(BY_KEY, [accountId, key]);
}

const OWN = statement<SavingRow>(
  'payments_own_saving',
  `select ${COLUMNS} from method_saving where id = $2 and account_id = $1`,
);

/** A saving of an account. */
export async function findOwnSaving(db: Db, accountId: Uuid, id: Uuid): Promise<SavingRow | undefined> {
  return db.one(OWN, [accountId, id]);
}

const BY_PAGE = statement<SavingRow>(
  'payments_saving_by_page',
  `select ${COLUMNS} from method_saving where page_id = $1`,
);

/** The saving of a page of the provider's; for callbacks. */
export async function findSavingByPage(db: Db, pageId: string): Promise<SavingRow | undefined> {
  return db.one(BY_PAGE, [pageId]);
}

const STORE_PAGE = statement<{ id: Uuid }>(
  'payments_keep_saving_page',
  `update method_saving set page_id = $3
   where id = $2 and account_id = $1 and state = 'open' and (page_id is null or page_id = $3) returning id`,
);

/** Stores the id of a saving's page; false if the saving has ended or has another page. */
export async function storeSavingPage(db: Db, accountId: Uuid, id: Uuid, pageId: string): Promise<boolean> {
  return (await db.one(STORE_PAGE, [accountId, id, pageId])) !== undefined;
}

const MARK_ENDED = statement<{ is_latest: boolean }>(
  'payments_end_saving',
  `update method_saving set state = $3, ended_at = $4,
     look_at = case when $3 = 'saved' then $4::timestamptz + interval '${HEAD_START_SECONDS} seconds' end
   where id = $2 and account_id = $1 and (state = 'open' or (state = 'ended' and $3 = 'saved'))
   returning not exists (
     select from method_saving l where l.account_id = $1 and l.state = 'saved' and l.id > $2
   ) as is_latest`,
);

/**
 * Marks a saving as ended; undefined to every caller but the one whose update it was.
 * `is_latest`: no saving that was begun later is saved already. The caller holds the lock of the account's balance.
 */
export async function markSavingEnded(
  tx: Db,
  { account_id: accountId, id }: Pick<SavingRow, 'account_id' | 'id'>,
  end: { state: 'saved' | 'ended'; now: Date },
): Promise<{ is_latest: boolean } | undefined> {
  return tx.one(MARK_ENDED, [accountId, id, end.state, end.now]);
}

const CLAIM = statement<SavingRow>(
  'payments_claim_savings',
  `update method_saving set
     look_at = $1::timestamptz + least(greatest(($1::timestamptz - created_at) / 8, interval '15 seconds'), interval '15 minutes')
   where id = any(array(
     select id from method_saving where look_at <= $1 order by look_at limit ${CLAIM_MAX} for update skip locked))
   returning ${COLUMNS}`,
);

/** Claims the savings that are due, by a lease as that of charges, the longest waiting first. */
export async function claimSavings(db: Db, now: Date): Promise<SavingRow[]> {
  return db.all(CLAIM, [now]);
}

const DONE = statement<never>(
  'payments_saving_done',
  `update method_saving set look_at = null where id = $2 and account_id = $1 and state = 'saved'`,
);

/** Notes that the orders which waited for a saved method were charged. */
export async function markOrdersCharged(db: Db, accountId: Uuid, id: Uuid): Promise<void> {
  await db.all(DONE, [accountId, id]);
}

export type MethodRow = {
  kind: PaymentMethodKind;
  provider_reference: string;
  label: string;
  expires_on: string | null;
  updated_at: Date;
};

const METHOD = statement<MethodRow>(
  'payments_own_method',
  `select kind, provider_reference, label, expires_on::text as expires_on, updated_at from payment_method
   where account_id = $1`,
);

/** The card or direct debit of an account. */
export async function findMethodOf(db: Db, accountId: Uuid): Promise<MethodRow | undefined> {
  return db.one(METHOD, [accountId]);
}

const REMOVE = statement<{ provider_reference: string }>(
  'payments_remove_method',
  'delete from payment_method where account_id = $1 returning provider_reference',
);

/** Removes the card or direct debit of an account; returns the provider's id of it. */
export async function removeMethod(tx: Db, accountId: Uuid): Promise<string | undefined> {
  return (await tx.one(REMOVE, [accountId]))?.provider_reference;
}
