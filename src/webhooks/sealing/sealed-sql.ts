import { type Db, statement } from '../../lib/db.ts';
import { COUNTED_MAX } from '../../lib/queue.ts';
import type { ResealedRow, SealedCount, SealedRow } from '../../lib/sealing/sealed-store.ts';

// The sealed secrets of all subscriptions by the key that seals them; each step is one look into their index.

const KEYS_MAX = 100;

const KEYS = `with recursive used(key_id) as (
     select * from (
       select secret_sealed_with from webhook_subscription where secret_sealed_with is not null
       order by secret_sealed_with limit 1
     ) as first
     union all
     select (
       select s.secret_sealed_with from webhook_subscription s where s.secret_sealed_with > used.key_id
       order by s.secret_sealed_with limit 1
     ) from used where used.key_id is not null
   ),
   noted as (select key_id from used where key_id is not null limit ${KEYS_MAX})`;

const LIST_KEYS = statement<{ key_id: string | null }>(
  'webhooks_sealing_keys',
  `${KEYS}
   select key_id from noted
   union all
   select null where exists (select from webhook_subscription where secret_sealed_with is null)`,
);

/** The keys that seal secrets; null where any has none noted. */
export async function listSealingKeys(db: Db): Promise<(string | null)[]> {
  return (await db.all(LIST_KEYS, [])).map(({ key_id: keyId }) => keyId);
}

const COUNT_SEALED = statement<SealedCount>(
  'webhooks_count_sealed',
  `${KEYS}
   select n.key_id, (
     select count(*) from (
       select from webhook_subscription where secret_sealed_with = n.key_id limit ${COUNTED_MAX}
     ) as sealed
   ) as values from noted n
   union all
   select null, (
     select count(*) from (select from webhook_subscription where secret_sealed_with is null limit ${COUNTED_MAX}) as sealed
   )`,
);

/** Counts the secrets that each key seals. */
export async function countSealedSecrets(db: Db): Promise<SealedCount[]> {
  return db.all(COUNT_SEALED, []);
}

const lockWhere = (name: string, condition: string) =>
  statement<SealedRow>(
    name,
    `select id::text as name, secret_sealed as sealed from webhook_subscription
     where ${condition} order by id limit $1 for no key update skip locked`,
  );
const LOCK_SEALED = lockWhere('webhooks_lock_sealed', 'secret_sealed_with = $2');
const LOCK_UNNOTED = lockWhere('webhooks_lock_unnoted', 'secret_sealed_with is null');

/** Locks some secrets that a key seals, or without a noted one; leaves out those that are locked. */
export async function lockSealedSecrets(tx: Db, keyId: string | null, limit: number): Promise<SealedRow[]> {
  return keyId === null ? tx.all(LOCK_UNNOTED, [limit]) : tx.all(LOCK_SEALED, [limit, keyId]);
}

const WRITE_SEALED = statement<never>(
  'webhooks_write_sealed',
  `update webhook_subscription s set secret_sealed = w.sealed, secret_sealed_with = w.key_id
   from unnest($1::uuid[], $2::bytea[], $3::text[]) as w(id, sealed, key_id)
   where s.id = any($1::uuid[]) and s.id = w.id`,
);

/** Writes sealed secrets that are locked. */
export async function writeSealedSecrets(tx: Db, rows: readonly ResealedRow[]): Promise<void> {
  const columns = [rows.map(({ name }) => name), rows.map(({ sealed }) => sealed), rows.map(({ keyId }) => keyId)];
  await tx.all(WRITE_SEALED, columns);
}

const NOTE_KEY = statement<{ id: string }>(
  'webhooks_note_sealing_key',
  `update webhook_subscription set secret_sealed_with = $2 where id = any(array(
     select id from webhook_subscription where secret_sealed_with = $1 order by id limit $3 for no key update))
   returning id`,
);

/** Notes another key for some secrets that a key seals; null: to be found out. */
export async function noteSealingKey(db: Db, keyId: string, noted: string | null, limit: number): Promise<number> {
  return (await db.all(NOTE_KEY, [keyId, noted, limit])).length;
}
