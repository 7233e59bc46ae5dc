import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';

// Mails about balances that have fallen below a threshold. Off is no row.

export type LowBalanceRow = {
  account_id: Uuid;
  threshold_pence: number;
  state: 'armed' | 'notified';
  seen_entries: number;
  not_before: Date;
};

const COLUMNS = 'account_id, threshold_pence, state, seen_entries, not_before';

const FIND = statement<LowBalanceRow>(
  'payments_low_balance_mail',
  `select ${COLUMNS} from low_balance_mail where account_id = $1`,
);

/** The threshold of an account; undefined where it has none. */
export async function findLowBalanceMail(db: Db, accountId: Uuid): Promise<LowBalanceRow | undefined> {
  return db.one(FIND, [accountId]);
}

const LOCK = statement<LowBalanceRow>(
  'payments_lock_low_balance_mail',
  `select ${COLUMNS} from low_balance_mail where account_id = $1 for update skip locked`,
);

/** As `findLowBalanceMail`, under a lock; undefined, too, while another looks at it. */
export async function lockLowBalanceMail(tx: Db, accountId: Uuid): Promise<LowBalanceRow | undefined> {
  return tx.one(LOCK, [accountId]);
}

const SET = statement<never>(
  'payments_set_low_balance_mail',
  `insert into low_balance_mail (${COLUMNS}, updated_at) values ($1, $2, $3, $4, $5, $5)
   on conflict (account_id) do update set threshold_pence = excluded.threshold_pence, state = excluded.state,
     seen_entries = excluded.seen_entries, updated_at = excluded.updated_at`,
);

/** Sets the threshold of an account. A mail of today still counts as one. */
export async function setLowBalanceMail(
  tx: Db,
  row: { accountId: Uuid; thresholdPence: number; state: 'armed' | 'notified'; seenEntries: number; now: Date },
): Promise<void> {
  const { accountId, thresholdPence, state, seenEntries, now } = row;
  await tx.all(SET, [accountId, thresholdPence, state, seenEntries, now]);
}

const REMOVE = statement<{ account_id: Uuid }>(
  'payments_remove_low_balance_mail',
  'delete from low_balance_mail where account_id = $1 returning account_id',
);

/** Takes the threshold away; false where there was none. */
export async function removeLowBalanceMail(tx: Db, accountId: Uuid): Promise<boolean> {
  return (await tx.one(REMOVE, [accountId])) !== undefined;
}

// As many rows as accounts have a threshold. Nothing is written for those whose balance has not moved. An index of
// balances by time would cost every order a write.
const MOVED = statement<{ account_id: Uuid }>(
  'payments_moved_below_thresholds',
  `select m.account_id from low_balance_mail m
   join account_balance b on b.account_id = m.account_id
   where m.account_id > $1 and (b.entries > m.seen_entries or (
     m.state = 'armed' and m.not_before <= $2 and b.balance_pence < m.threshold_pence
     and not exists (select from auto_top_up t where t.account_id = m.account_id and t.state = 'on')
     and not exists (select from account a where a.id = m.account_id and a.suspended_at is not null)))
   order by m.account_id limit $3`,
);

/** Accounts whose balance has moved since it was compared, or whose mail had to wait. By id, after one. */
export async function listMovedBalances(
  db: Db,
  { after = FIRST_ID, now, limit }: { after?: string | undefined; now: Date; limit: number },
): Promise<Uuid[]> {
  return (await db.all(MOVED, [after, now, limit])).map(({ account_id: accountId }) => accountId);
}

export type ComparedRow = {
  balance_pence: number;
  entries: number;
  was_above: boolean;
  is_topped_up: boolean;
  is_suspended: boolean;
};

/** So many entries are looked at for whether the balance was above meanwhile. */
const ENTRIES_MAX = 10_000;

const COMPARE = statement<ComparedRow>(
  'payments_compare_balance',
  `select b.balance_pence, b.entries, exists (
       select from posting p where p.account_id = b.account_id and p.entry is not null
         and p.entry > greatest($2::bigint, b.entries - ${ENTRIES_MAX}) and p.entry <= b.entries and p.balance_after_pence >= $3
     ) as was_above,
     exists (select from auto_top_up t where t.account_id = b.account_id and t.state = 'on') as is_topped_up,
     exists (select from account a where a.id = b.account_id and a.suspended_at is not null) as is_suspended
   from account_balance b where b.account_id = $1`,
);

/** The balance of an account, and whether it was at a threshold or above since some entry. */
export async function compareBalance(
  db: Db,
  accountId: Uuid,
  { seenEntries, thresholdPence }: { seenEntries: number; thresholdPence: number },
): Promise<ComparedRow | undefined> {
  return db.one(COMPARE, [accountId, seenEntries, thresholdPence]);
}

const NOTE = statement<never>(
  'payments_note_low_balance',
  'update low_balance_mail set state = $2, seen_entries = $3, not_before = $4 where account_id = $1',
);

/** Writes what a look has found. The caller holds the lock of `lockLowBalanceMail`. */
export async function noteLowBalance(
  tx: Db,
  accountId: Uuid,
  note: { state: 'armed' | 'notified'; seenEntries: number; notBefore: Date },
): Promise<void> {
  await tx.all(NOTE, [accountId, note.state, note.seenEntries, note.notBefore]);
}
