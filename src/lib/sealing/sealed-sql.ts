import { type Db, statement } from '../db.ts';
import { COUNTED_MAX } from '../queue.ts';
import type { SealedCount, SealedRow, SealedStore } from './sealed-store.ts';

/** Where values of one kind are stored; each part is SQL. */
export type SealedColumn = {
  readonly kind: SealedStore['kind'];
  /** What the names of its statements begin with. */
  readonly slice: string;
  readonly table: string;
  readonly sealed: string;
  /** The column of the key that sealed the value. An index begins with it, and goes on with `order`. */
  readonly sealedWith: string;
  /** The primary key, and how it is written to text and read from the text `name`. */
  readonly key: string;
  readonly keyAsText: string;
  readonly keyFromText: string;
  readonly order: string;
  /** What is true of a value in use at the time `$1`; all are where it is not given. */
  readonly inUse?: string;
};

const KEYS_MAX = 100;

/** The values of a column by the key that seals them: each step is one look into an index. */
export function sealedColumn(column: SealedColumn): SealedStore {
  const { kind, slice, table, sealed, sealedWith, key, keyAsText, keyFromText, order, inUse } = column;
  const keys = `with recursive used(key_id) as (
     select * from (
       select ${sealedWith} from ${table} where ${sealedWith} is not null order by ${sealedWith} limit 1
     ) as first
     union all
     select (
       select s.${sealedWith} from ${table} s where s.${sealedWith} > used.key_id order by s.${sealedWith} limit 1
     ) from used where used.key_id is not null
   ),
   noted as (select key_id from used where key_id is not null limit ${KEYS_MAX})`;
  const listKeys = statement<{ key_id: string | null }>(
    `${slice}_sealing_keys`,
    `${keys}
     select key_id from noted
     union all
     select null where exists (select from ${table} where ${sealedWith} is null)`,
  );
  const counted = (which: string) =>
    `select count(*) from (
       select from ${table} where ${sealedWith} ${which} ${inUse === undefined ? '' : `and ${inUse}`} limit ${COUNTED_MAX}
     ) as sealed`;
  const countSealed = statement<SealedCount>(
    `${slice}_count_sealed`,
    `${keys}
     select n.key_id, (${counted('= n.key_id')}) as values from noted n
     union all
     select null, (${counted('is null')})`,
  );
  const lockWhere = (name: string, condition: string) =>
    statement<SealedRow>(
      `${slice}_${name}`,
      `select ${keyAsText} as name, ${sealed} as sealed from ${table}
       where ${condition} order by ${order} limit $1 for no key update skip locked`,
    );
  const lockSealed = lockWhere('lock_sealed', `${sealedWith} = $2`);
  const lockUnnoted = lockWhere('lock_unnoted', `${sealedWith} is null`);
  const write = statement<never>(
    `${slice}_write_sealed`,
    `update ${table} s set ${sealed} = w.sealed, ${sealedWith} = w.key_id
     from (select ${keyFromText} as key, sealed, key_id from unnest($1::text[], $2::bytea[], $3::text[]) as v(name, sealed, key_id)) as w
     where s.${key} = any(array(select ${keyFromText} from unnest($1::text[]) as name)) and s.${key} = w.key`,
  );
  const noteKey = statement<{ noted: boolean }>(
    `${slice}_note_sealing_key`,
    `update ${table} set ${sealedWith} = $2 where ${key} = any(array(
       select ${key} from ${table} where ${sealedWith} = $1 order by ${order} limit $3 for no key update))
     returning true as noted`,
  );
  return {
    kind,
    keys: async (db) => (await db.all(listKeys, [])).map(({ key_id: keyId }) => keyId),
    count: (db, now) => db.all(countSealed, inUse === undefined ? [] : [now]),
    lock: (tx: Db, keyId, limit) =>
      keyId === null ? tx.all(lockUnnoted, [limit]) : tx.all(lockSealed, [limit, keyId]),
    write: async (tx, rows) => {
      await tx.all(write, [
        rows.map(({ name }) => name),
        rows.map(({ sealed: bytes }) => bytes),
        rows.map(({ keyId }) => keyId),
      ]);
    },
    note: async (db, keyId, noted, limit) => (await db.all(noteKey, [keyId, noted, limit])).length,
  };
}
