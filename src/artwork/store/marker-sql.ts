import { type Db, statement } from '../../lib/db.ts';

// Which store the files of a database are in.

const FIND = statement<{ id: string }>('artwork_blob_store', 'select id::text as id from blob_store');

/** The id of the store of this database; undefined before its first start with one. */
export async function findStoreId(db: Db): Promise<string | undefined> {
  return (await db.one(FIND, []))?.id;
}

const SET = statement<never>(
  'artwork_set_blob_store',
  `insert into blob_store (id, began_at) values ($1, $2)
   on conflict (is_only_row) do update set id = excluded.id, began_at = excluded.began_at where $3`,
);

/** Notes the store of this database; one that is noted stays, unless it `isMoved`. */
export async function setStoreId(db: Db, store: { id: string; now: Date; isMoved: boolean }): Promise<void> {
  await db.all(SET, [store.id, store.now, store.isMoved]);
}

const SAMPLE = statement<{ hash: string }>(
  'artwork_sample_blobs',
  `select encode(hash, 'hex') as hash from blob where not deleting order by hash limit $1`,
);

/** Some of the files that the database has recorded (hex). Their hashes are as good as drawn. */
export async function sampleBlobs(db: Db, limit: number): Promise<string[]> {
  return (await db.all(SAMPLE, [limit])).map(({ hash }) => hash);
}
