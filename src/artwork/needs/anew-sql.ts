import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Recipe } from '../recipe.ts';

// A print file that an order asks for after it was placed, and the one that it takes the place of.

const LOCK = statement<never>(
  'artwork_lock_both_files',
  `select key from print_file where account_id = $1 and key = any(array(select decode(k, 'hex') from unnest($2::text[]) as k))
   order by key for update`,
);

/** Locks those of some print files of an account that are there, in the order of their keys. */
export async function lockFileRows(tx: Db, accountId: Uuid, keys: readonly string[]): Promise<void> {
  await tx.all(LOCK, [accountId, keys]);
}

const INSERT = statement<never>(
  'artwork_insert_file',
  `insert into print_file (key, account_id, recipe, state, tracks_needs, created_at)
   values (decode($2, 'hex'), $1, $3, 'pending', true, $4) on conflict (key, account_id) do nothing`,
);

/** Writes a print file that waits to be made; one that is there stays as it is. */
export async function insertPendingFile(
  tx: Db,
  file: { readonly accountId: Uuid; readonly key: string; readonly recipe: Recipe; readonly now: Date },
): Promise<void> {
  await tx.all(INSERT, [file.accountId, file.key, JSON.stringify(file.recipe), file.now]);
}

// After the lock, in a statement of its own: it sees the orders of those who held the lock before.
const FORGET = statement<never>(
  'artwork_forget_unused_file',
  `with gone as (
     delete from print_file f
     where f.account_id = $1 and f.key = decode($2, 'hex') and f.state = 'failed' and not exists (
       select from print_job j where j.print_file_key = f.key and j.account_id = f.account_id)
     returning f.key
   )
   delete from job using gone g where job.kind = 'normalise_artwork' and job.key = encode(g.key, 'hex')`,
);

/** Deletes a locked print file that failed and that no order prints any more. */
export async function forgetUnusedFile(tx: Db, accountId: Uuid, key: string): Promise<void> {
  await tx.all(FORGET, [accountId, key]);
}
