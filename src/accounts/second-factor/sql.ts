import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Sealed } from '../../lib/secrets.ts';

/** Whose second factor it is. */
export type FactorOf = { readonly accountId: Uuid; readonly userId: Uuid };

export type FactorRow = {
  account_id: Uuid;
  user_id: Uuid;
  secret_sealed: Buffer;
  sealed_with: string | null;
  confirmed_at: Date | null;
  last_step: number;
  recovery_hashes: Buffer[];
};

const COLUMNS = 'account_id, user_id, secret_sealed, sealed_with, confirmed_at, last_step, recovery_hashes';

const FIND = statement<FactorRow>('factor_find', `select ${COLUMNS} from second_factor where user_id = $1`);
const LOCK = statement<FactorRow>('factor_lock', `select ${COLUMNS} from second_factor where user_id = $1 for update`);

/** The second factor of a person, confirmed or not. */
export async function findFactor(db: Db, userId: Uuid): Promise<FactorRow | undefined> {
  return db.one(FIND, [userId]);
}

/** As `findFactor`, locked until the transaction ends. */
export async function lockFactor(tx: Db, userId: Uuid): Promise<FactorRow | undefined> {
  return tx.one(LOCK, [userId]);
}

const BEGIN = statement<{ user_id: Uuid }>(
  'factor_begin',
  `insert into second_factor as f (account_id, user_id, secret_sealed, sealed_with, created_at)
   values ($1, $2, $3, $4, $5)
   on conflict (account_id, user_id) do update set
     secret_sealed = excluded.secret_sealed, sealed_with = excluded.sealed_with, created_at = excluded.created_at, last_step = 0
   where f.confirmed_at is null
   returning user_id`,
);

/** Writes a factor that is not confirmed; false when a confirmed one is there. */
export async function beginFactorRow(db: Db, of: FactorOf, secret: Sealed, now: Date): Promise<boolean> {
  return (await db.one(BEGIN, [of.accountId, of.userId, secret.bytes, secret.keyId, now])) !== undefined;
}

const CONFIRM = statement<never>(
  'factor_confirm',
  'update second_factor set confirmed_at = $3, last_step = $4, recovery_hashes = $5 where account_id = $1 and user_id = $2',
);

/** Makes a factor count from now on. */
export async function confirmFactorRow(
  tx: Db,
  of: FactorOf,
  { now, step, recoveryHashes }: { now: Date; step: number; recoveryHashes: readonly Buffer[] },
): Promise<void> {
  await tx.all(CONFIRM, [of.accountId, of.userId, now, step, recoveryHashes]);
}

const TAKE = statement<never>(
  'factor_take',
  'update second_factor set last_step = $3, recovery_hashes = $4 where account_id = $1 and user_id = $2',
);

/** Writes which codes are used up. */
export async function noteUsedCode(
  tx: Db,
  of: FactorOf,
  { step, recoveryHashes }: { step: number; recoveryHashes: readonly Buffer[] },
): Promise<void> {
  await tx.all(TAKE, [of.accountId, of.userId, step, recoveryHashes]);
}

const REMOVE = statement<{ confirmed_at: Date | null }>(
  'factor_remove',
  'delete from second_factor where account_id = $1 and user_id = $2 returning confirmed_at',
);

/** Removes the factor of a person; false when there was none that counted. */
export async function removeFactorRow(db: Db, of: FactorOf): Promise<boolean> {
  const row = await db.one(REMOVE, [of.accountId, of.userId]);
  return row !== undefined && row.confirmed_at !== null;
}
