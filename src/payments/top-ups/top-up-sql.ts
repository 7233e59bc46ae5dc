import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import { CLAIM_MAX } from '../attempt-sql.ts';

// Top-ups by card: on a page of the payment provider, or by the saved card.

export type CardTopUpState = 'open' | 'paid' | 'expired' | 'failed';

/** What a dispute of a top-up, or its refunds, have moved in all. */
export type TakenBack = {
  readonly withdrawn: number;
  readonly reinstated: number;
  readonly isWon: boolean;
};

export type CardTopUpRow = {
  id: Uuid;
  account_id: Uuid;
  reference: string;
  amount_pence: number;
  state: CardTopUpState;
  page_id: string | null;
  /** The provider's id of the saved card; null for one on a page. */
  method_reference: string | null;
  intent_id: string | null;
  created_at: Date;
  ends_at: Date;
  settled_at: Date | null;
  taken_back: Readonly<Record<string, TakenBack>>;
  returned_pence: number;
  owed_pence: number;
};

const COLUMNS =
  'id, account_id, reference, amount_pence, state, page_id, method_reference, intent_id, created_at, ends_at, settled_at, taken_back, returned_pence, owed_pence';

/** How long the process that began a top-up works on it alone; the sweep takes over afterwards. */
export const HEAD_START_SECONDS = 30;

const INSERT = statement<{ is_new: boolean; open: number }>(
  'payments_begin_top_up',
  `with under_way as (
     select count(*) as open from (select from card_top_up where account_id = $2 and state = 'open' limit $8) as o
   ),
   begun as (
     insert into card_top_up (id, account_id, reference, request_key, amount_pence, origin, state, created_at, ends_at, look_at)
     select $1, $2, $3, $4, $5, 'page', 'open', $6, $7, $6::timestamptz + interval '${HEAD_START_SECONDS} seconds'
     from under_way where open < $8
     on conflict (account_id, request_key) do nothing
     returning id
   )
   select exists (select from begun) as is_new, open from under_way`,
);

/**
 * Writes a top-up, unless its request has one or the account has `openMax` under way.
 * Returns whether it did, and how many were under way. The caller holds the lock of the account.
 */
export async function insertCardTopUp(
  tx: Db,
  topUp: {
    id: Uuid;
    accountId: Uuid;
    reference: string;
    key: string;
    amountPence: number;
    now: Date;
    endsAt: Date;
    openMax: number;
  },
): Promise<{ is_new: boolean; open: number }> {
  const { id, accountId, reference, key, amountPence, now, endsAt, openMax } = topUp;
  const row = await tx.one(INSERT, [id, accountId, reference, key, amountPence, now, endsAt, openMax]);
  if (row === undefined) throw new Error('a count of top-ups has no row');
  return row;
}

const BY_KEY = statement<CardTopUpRow>(
  'payments_top_up_by_key',
  `select ${COLUMNS} from card_top_up where account_id = $1 and request_key = $2`,
);

/** The top-up of an earlier request. */
export async function findCardTopUpByKey(db: Db, accountId: Uuid, key: string): Promise<CardTopUpRow | undefined> {
  return db.one(BY_KEY, [accountId, key]);
}

const OWN = statement<CardTopUpRow>(
  'payments_own_top_up',
  `select ${COLUMNS} from card_top_up where id = $2 and account_id = $1`,
);

/** A top-up of an account. */
export async function findOwnCardTopUp(db: Db, accountId: Uuid, id: Uuid): Promise<CardTopUpRow | undefined> {
  return db.one(OWN, [accountId, id]);
}

const BY_ID = statement<CardTopUpRow>('payments_top_up_by_id', `select ${COLUMNS} from card_top_up where id = $1`);

/** A top-up of any account; for callbacks, which name the key of its page. */
export async function findCardTopUpById(db: Db, id: Uuid): Promise<CardTopUpRow | undefined> {
  return db.one(BY_ID, [id]);
}

const BY_PAGE = statement<CardTopUpRow>(
  'payments_top_up_by_page',
  `select ${COLUMNS} from card_top_up where page_id = $1`,
);

/** The top-up of a page of the provider's; for callbacks. */
export async function findCardTopUpByPage(db: Db, pageId: string): Promise<CardTopUpRow | undefined> {
  return db.one(BY_PAGE, [pageId]);
}

const BY_INTENT = statement<CardTopUpRow>(
  'payments_top_up_by_intent',
  `select ${COLUMNS} from card_top_up where intent_id = $1`,
);

/** The top-up that an intent paid; for callbacks. */
export async function findCardTopUpByIntent(db: Db, intentId: string): Promise<CardTopUpRow | undefined> {
  return db.one(BY_INTENT, [intentId]);
}

const LIST = statement<CardTopUpRow>(
  'payments_top_ups',
  `select ${COLUMNS} from (
     select * from card_top_up where account_id = $1 and id < $2 order by id desc limit ${PAGE_ROWS_MAX}
   ) as t order by id desc limit $3`,
);

/** A page of the top-ups of an account, newest first, from after `before`. */
export async function listCardTopUpRows(
  db: Db,
  accountId: Uuid,
  page: { before: Uuid | undefined; limit: number },
): Promise<CardTopUpRow[]> {
  return db.all(LIST, [accountId, page.before ?? LAST_ID, page.limit]);
}

/** As many can be open at once, and as many again that came to nothing. */
export const UNPAID_MAX = 20;

const UNPAID = statement<CardTopUpRow>(
  'payments_unpaid_top_ups',
  `select ${COLUMNS} from card_top_up where account_id = $1 and id >= $2 and state <> 'paid'
   order by id desc limit ${UNPAID_MAX}`,
);

/** The top-ups of an account from an id on that are open or came to nothing, the newest first. */
export async function listUnpaidRows(db: Db, accountId: Uuid, from: Uuid): Promise<CardTopUpRow[]> {
  return db.all(UNPAID, [accountId, from]);
}

const STORE_PAGE = statement<{ id: Uuid }>(
  'payments_keep_page',
  `update card_top_up set page_id = $3
   where id = $2 and account_id = $1 and state = 'open' and (page_id is null or page_id = $3) returning id`,
);

/** Stores the id of a top-up's page; false if the top-up has ended or has another page. */
export async function storePageId(db: Db, accountId: Uuid, id: Uuid, pageId: string): Promise<boolean> {
  return (await db.one(STORE_PAGE, [accountId, id, pageId])) !== undefined;
}

const STORE_INTENT = statement<{ id: Uuid }>(
  'payments_keep_top_up_intent',
  `update card_top_up set intent_id = $3
   where id = $2 and account_id = $1 and state = 'open' and (intent_id is null or intent_id = $3) returning id`,
);

/** Stores the id of an automatic top-up's intent; false if the top-up has ended or has another. */
export async function storeTopUpIntent(db: Db, accountId: Uuid, id: Uuid, intentId: string): Promise<boolean> {
  return (await db.one(STORE_INTENT, [accountId, id, intentId])) !== undefined;
}

const MARK_ENDED = statement<{ id: Uuid }>(
  'payments_end_top_up',
  `update card_top_up set state = $3, settled_at = $4, intent_id = coalesce($5, intent_id),
     look_at = case when $3 = 'paid' then $4::timestamptz + interval '${HEAD_START_SECONDS} seconds' end
   where id = $2 and account_id = $1 and (state = 'open' or (state in ('expired', 'failed') and $3 = 'paid'))
   returning id`,
);

/**
 * Marks a top-up as ended, in the transaction that posts it.
 * Returns true to the one caller whose update it was. One that came to nothing can still turn out to be paid, never the
 * reverse.
 */
export async function markCardTopUpEnded(
  tx: Db,
  { account_id: accountId, id }: Pick<CardTopUpRow, 'account_id' | 'id'>,
  end: { state: 'paid' | 'expired' | 'failed'; intentId: string | null; now: Date },
): Promise<boolean> {
  return (await tx.one(MARK_ENDED, [accountId, id, end.state, end.now, end.intentId])) !== undefined;
}

const CLAIM = statement<CardTopUpRow>(
  'payments_claim_top_ups',
  `update card_top_up set
     look_at = $1::timestamptz + least(greatest(($1::timestamptz - created_at) / 8, interval '15 seconds'), interval '15 minutes')
   where id = any(array(
     select id from card_top_up where look_at <= $1 order by look_at limit ${CLAIM_MAX} for update skip locked))
   returning ${COLUMNS}`,
);

/** Claims the top-ups that are due, by a lease as that of charges, the longest waiting first. */
export async function claimCardTopUps(db: Db, now: Date): Promise<CardTopUpRow[]> {
  return db.all(CLAIM, [now]);
}

const DONE = statement<never>(
  'payments_top_up_done',
  `update card_top_up set look_at = null where id = $2 and account_id = $1 and state = 'paid'`,
);

/** Notes that the orders which waited for a paid top-up were settled. */
export async function markOrdersSettled(db: Db, accountId: Uuid, id: Uuid): Promise<void> {
  await db.all(DONE, [accountId, id]);
}

const LOCK = statement<CardTopUpRow>(
  'payments_lock_top_up',
  `select ${COLUMNS} from card_top_up where id = $2 and account_id = $1 for update`,
);

/** Locks a top-up, before the balance. */
export async function lockCardTopUp(tx: Db, accountId: Uuid, id: Uuid): Promise<CardTopUpRow | undefined> {
  return tx.one(LOCK, [accountId, id]);
}

const STORE_TAKEN = statement<never>(
  'payments_keep_taken_back',
  `update card_top_up set taken_back = $3::jsonb, returned_pence = $4, owed_pence = $5 where id = $2 and account_id = $1`,
);

/** Writes what came back of a locked top-up. */
export async function storeTakenBack(
  tx: Db,
  { account_id: accountId, id }: Pick<CardTopUpRow, 'account_id' | 'id'>,
  taken: { takenBack: CardTopUpRow['taken_back']; returnedPence: number; owedPence: number },
): Promise<void> {
  const { takenBack, returnedPence, owedPence } = taken;
  await tx.all(STORE_TAKEN, [accountId, id, JSON.stringify(takenBack), returnedPence, owedPence]);
}
