import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { HEAD_START_SECONDS } from '../top-ups/top-up-sql.ts';

// Top-ups by the saved card that begin by themselves. Off is no row.

export type AutoTopUpRow = {
  account_id: Uuid;
  threshold_pence: number;
  amount_pence: number;
  daily_cap_pence: number;
  state: 'on' | 'stopped';
  failures: number;
  reason: string;
  not_before: Date;
};

const COLUMNS = 'account_id, threshold_pence, amount_pence, daily_cap_pence, state, failures, reason, not_before';

const FIND = statement<AutoTopUpRow>(
  'payments_auto_top_up',
  `select ${COLUMNS} from auto_top_up where account_id = $1`,
);

/** How an account is topped up by itself; undefined where that is off. */
export async function findAutoTopUp(db: Db, accountId: Uuid): Promise<AutoTopUpRow | undefined> {
  return db.one(FIND, [accountId]);
}

const LOCK = statement<AutoTopUpRow>(
  'payments_lock_auto_top_up',
  `select ${COLUMNS} from auto_top_up where account_id = $1 for update`,
);

/**
 * As `findAutoTopUp`, under a lock.
 * No other top-up of the account begins until the transaction ends.
 */
export async function lockAutoTopUp(tx: Db, accountId: Uuid): Promise<AutoTopUpRow | undefined> {
  return tx.one(LOCK, [accountId]);
}

const SET = statement<never>(
  'payments_set_auto_top_up',
  `insert into auto_top_up (account_id, threshold_pence, amount_pence, daily_cap_pence, state, not_before, updated_at)
   values ($1, $2, $3, $4, 'on', $5, $5)
   on conflict (account_id) do update set threshold_pence = excluded.threshold_pence, amount_pence = excluded.amount_pence,
     daily_cap_pence = excluded.daily_cap_pence, state = 'on', failures = 0, reason = '',
     not_before = excluded.not_before, updated_at = excluded.updated_at`,
);

/** Turns automatic top-ups on, or changes them; failures of before are forgotten. */
export async function setAutoTopUp(
  tx: Db,
  setting: { accountId: Uuid; thresholdPence: number; amountPence: number; dailyCapPence: number; now: Date },
): Promise<void> {
  const { accountId, thresholdPence, amountPence, dailyCapPence, now } = setting;
  await tx.all(SET, [accountId, thresholdPence, amountPence, dailyCapPence, now]);
}

const REMOVE = statement<{ account_id: Uuid }>(
  'payments_remove_auto_top_up',
  'delete from auto_top_up where account_id = $1 returning account_id',
);

/** Turns automatic top-ups off; false where they were. */
export async function removeAutoTopUp(tx: Db, accountId: Uuid): Promise<boolean> {
  return (await tx.one(REMOVE, [accountId])) !== undefined;
}

// As many rows as accounts have turned it on. Nothing is written for those whose balance is high enough.
const DUE = statement<{ account_id: Uuid }>(
  'payments_due_auto_top_ups',
  `select t.account_id from auto_top_up t
   join account_balance b on b.account_id = t.account_id
   join account a on a.id = t.account_id
   where t.state = 'on' and t.not_before <= $1 and b.balance_pence < t.threshold_pence and a.suspended_at is null
   order by t.account_id limit $2`,
);

/** Accounts whose balance is below their threshold, and whose next top-up may begin. */
export async function listDueAutoTopUps(db: Db, now: Date, limit: number): Promise<Uuid[]> {
  return (await db.all(DUE, [now, limit])).map(({ account_id: accountId }) => accountId);
}

export type Lately = { is_open: boolean; spent_pence: number; first_at: Date | null };

const LATELY = statement<Lately>(
  'payments_automatic_lately',
  `select coalesce(bool_or(state = 'open'), false) as is_open, coalesce(sum(amount_pence), 0)::bigint as spent_pence,
     min(created_at) as first_at
   from card_top_up
   where account_id = $1 and origin = 'automatic' and state in ('open', 'paid') and created_at > $2`,
);

/**
 * What was topped up by itself since a time, or is being.
 * How much, when the first of it began, and whether one is under way.
 */
export async function readAutomaticSince(db: Db, accountId: Uuid, since: Date): Promise<Lately> {
  return (await db.one(LATELY, [accountId, since])) ?? { is_open: false, spent_pence: 0, first_at: null };
}

const WAIT = statement<never>(
  'payments_defer_auto_top_up',
  'update auto_top_up set not_before = $2 where account_id = $1',
);

/** None begins before a time. */
export async function deferAutoTopUp(tx: Db, accountId: Uuid, notBefore: Date): Promise<void> {
  await tx.all(WAIT, [accountId, notBefore]);
}

const BEGIN = statement<never>(
  'payments_begin_automatic',
  `insert into card_top_up (id, account_id, reference, request_key, amount_pence, origin, method_reference, state, created_at,
     ends_at, look_at)
   values ($1, $2, $3, $3, $4, 'automatic', $5, 'open', $6, $7, $6::timestamptz + interval '${HEAD_START_SECONDS} seconds')`,
);

/** Writes an automatic top-up. The caller holds the lock of `lockAutoTopUp`. */
export async function insertAutomatic(
  tx: Db,
  topUp: {
    id: Uuid;
    accountId: Uuid;
    reference: string;
    amountPence: number;
    methodReference: string;
    now: Date;
    endsAt: Date;
  },
): Promise<void> {
  const { id, accountId, reference, amountPence, methodReference, now, endsAt } = topUp;
  await tx.all(BEGIN, [id, accountId, reference, amountPence, methodReference, now, endsAt]);
}

const NOTE = statement<never>(
  'payments_note_auto_top_up',
  `update auto_top_up set state = $2, failures = $3, reason = $4, not_before = $5, updated_at = $6 where account_id = $1`,
);

/** Writes how the last one ended. The caller holds the lock of `lockAutoTopUp`. */
export async function noteAutoTopUp(
  tx: Db,
  accountId: Uuid,
  note: { state: 'on' | 'stopped'; failures: number; reason: string; notBefore: Date; now: Date },
): Promise<void> {
  const { state, failures, reason, notBefore, now } = note;
  await tx.all(NOTE, [accountId, state, failures, reason, notBefore, now]);
}
