import { type Db, statement } from '../lib/db.ts';
import { COUNTED_MAX } from '../lib/queue.ts';
import type { ResealedRow, SealedCount, SealedRow } from '../lib/sealing/sealed-store.ts';

// The sealed records of the OAuth library by the key that seals them; each step is one look into their index.

const KEYS_MAX = 100;

const KEYS = `with recursive used(key_id) as (
     select * from (
       select sealed_with from oauth_record where sealed_with is not null
       order by sealed_with limit 1
     ) as first
     union all
     select (
       select s.sealed_with from oauth_record s where s.sealed_with > used.key_id
       order by s.sealed_with limit 1
     ) from used where used.key_id is not null
   ),
   noted as (select key_id from used where key_id is not null limit ${KEYS_MAX})`;

const LIST_KEYS = statement<{ key_id: string | null }>(
  'oauth_sealing_keys',
  `${KEYS}
   select key_id from noted
   union all
   select null where exists (select from oauth_record where sealed_with is null)`,
);

/** The keys that seal records; null where any has none noted. */
export async function listRecordKeys(db: Db): Promise<(string | null)[]> {
  return (await db.all(LIST_KEYS, [])).map(({ key_id: keyId }) => keyId);
}

const COUNT_SEALED = statement<SealedCount>(
  'oauth_count_sealed',
  `${KEYS}
   select n.key_id, (
     select count(*) from (
       select from oauth_record where sealed_with = n.key_id and expires_at > $1 limit ${COUNTED_MAX}
     ) as sealed
   ) as values from noted n
   union all
   select null, (
     select count(*) from (
       select from oauth_record where sealed_with is null and expires_at > $1 limit ${COUNTED_MAX}
     ) as sealed
   )`,
);

/** Counts the records in force that each key seals. */
export async function countSealedRecords(db: Db, now: Date): Promise<SealedCount[]> {
  return db.all(COUNT_SEALED, [now]);
}

const lockWhere = (name: string, condition: string) =>
  statement<SealedRow>(
    name,
    `select encode(key_hash, 'hex') as name, sealed as sealed from oauth_record
     where ${condition} order by expires_at desc limit $1 for no key update skip locked`,
  );
const LOCK_SEALED = lockWhere('oauth_lock_sealed', 'sealed_with = $2');
const LOCK_UNNOTED = lockWhere('oauth_lock_unnoted', 'sealed_with is null');

/** Locks some records that a key seals, or without a noted one; leaves out those that are locked. */
export async function lockSealedRecords(tx: Db, keyId: string | null, limit: number): Promise<SealedRow[]> {
  return keyId === null ? tx.all(LOCK_UNNOTED, [limit]) : tx.all(LOCK_SEALED, [limit, keyId]);
}

const WRITE_SEALED = statement<never>(
  'oauth_write_sealed',
  `update oauth_record s set sealed = w.sealed, sealed_with = w.key_id
   from unnest($1::text[], $2::bytea[], $3::text[]) as w(id, sealed, key_id)
   where s.key_hash = any(array(select decode(id, 'hex') from unnest($1::text[]) as id)) and s.key_hash = decode(w.id, 'hex')`,
);

/** Writes sealed records that are locked. */
export async function writeSealedRecords(tx: Db, rows: readonly ResealedRow[]): Promise<void> {
  const columns = [rows.map(({ name }) => name), rows.map(({ sealed }) => sealed), rows.map(({ keyId }) => keyId)];
  await tx.all(WRITE_SEALED, columns);
}

const NOTE_KEY = statement<{ kind: string }>(
  'oauth_note_sealing_key',
  `update oauth_record set sealed_with = $2 where key_hash = any(array(
     select key_hash from oauth_record where sealed_with = $1 order by expires_at desc limit $3 for no key update))
   returning kind`,
);

/** Notes another key for some records that a key seals; null: to be found out. */
export async function noteRecordKey(db: Db, keyId: string, noted: string | null, limit: number): Promise<number> {
  return (await db.all(NOTE_KEY, [keyId, noted, limit])).length;
}
