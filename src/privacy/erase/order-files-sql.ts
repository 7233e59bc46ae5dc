import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { IN_USE } from './blob-sql.ts';

// The stored files of erased orders and products.

// Placing locks these rows, too, where it finds them: it has committed its print jobs before this returns, or makes the
// file anew after they are gone.
const LOCK_FILES = statement<{ key: string }>(
  'privacy_lock_print_files',
  `select encode(f.key, 'hex') as key from print_file f
   where f.account_id = $1 and f.key in (select j.print_file_key from print_job j where j.account_id = $1 and j.order_id = $2)
   order by f.key for update`,
);

/** Locks the print files of an order; returns their keys (hex). */
export async function lockPrintFiles(tx: Db, accountId: Uuid, orderId: Uuid): Promise<string[]> {
  return (await tx.all(LOCK_FILES, [accountId, orderId])).map(({ key }) => key);
}

const TAKE = statement<never>(
  'privacy_take_print_files',
  `with gone as (
     delete from print_file f
     where f.account_id = $1 and f.key = any(array(select decode(k, 'hex') from unnest($4::text[]) as k))
       and (
         select true from print_job j join orders o on o.account_id = j.account_id and o.id = j.order_id
         where j.account_id = $1 and j.print_file_key = f.key and j.order_id <> $2 and o.erased_at is null limit 1) is null
     returning f.key, f.recipe, f.output_hash, f.preview_hash, f.ready_at
   ),
   jobs as (
     delete from job using gone g where job.kind = 'normalise_artwork' and job.key = encode(g.key, 'hex')
   ),
   used as (
     select output_hash as hash, ready_at as used_at from gone where output_hash is not null
     union all select preview_hash, ready_at from gone where preview_hash is not null
     union all select decode(recipe ->> 'designHash', 'hex'), null from gone where recipe ? 'designHash'
     union all select decode(jsonb_array_elements_text(jsonb_path_query_array(recipe, '$.drawings[*].designHash')), 'hex'), null
       from gone
     union all select mock_hash, null from order_line where account_id = $1 and order_id = $2 and mock_hash is not null
     union all select sold_design_hash, null from print_job
       where account_id = $1 and order_id = $2 and sold_design_hash is not null
     union all select hash, created_at from problem_photo where account_id = $1 and order_id = $2
   )
   insert into erasure_file (account_id, erasure_id, hash, used_at)
   select $1, $3, u.hash, max(coalesce(u.used_at, (
     select d.created_at from design d where d.account_id = $1 and d.hash = u.hash)))
   from used u group by u.hash
   on conflict do nothing`,
);

/** Removes locked print files that no other order needs, and notes the stored files that they used. */
export async function takePrintFiles(
  tx: Db,
  of: { readonly accountId: Uuid; readonly orderId: Uuid; readonly erasureId: Uuid },
  keys: readonly string[],
): Promise<void> {
  await tx.all(TAKE, [of.accountId, of.orderId, of.erasureId, keys]);
}

const LIST = statement<{ hash: string }>(
  'privacy_list_erasure_files',
  `select encode(hash, 'hex') as hash from erasure_file where erasure_id = $1 and hash > decode($2, 'hex') order by hash limit $3`,
);

/** Stored files of an erasure that are still to be removed (hex), after one of them. */
export async function listErasureFiles(db: Db, erasureId: Uuid, after: string, limit: number): Promise<string[]> {
  return (await db.all(LIST, [erasureId, after, limit])).map(({ hash }) => hash);
}

/** SQL of whether an account uses bytes: `hash` is a column, `hex` the same as text. */
const usedBy = (account: string, hash: string, hex: string): string => `
  exists (select from product p where p.account_id = ${account} and p.mockup_hash = ${hash})
  or exists (select from product_area a where a.account_id = ${account} and a.design_hash = ${hash})
  or exists (select from product p where p.account_id = ${account} and p.personalisation is not null
    and jsonb_path_query_array(p.personalisation, '$.layers[*].options[*].design') @> to_jsonb(${hex}))
  or exists (select from product p where p.account_id = ${account} and p.template_draft is not null
    and jsonb_path_query_array(p.template_draft, '$.layers[*].options[*].design') @> to_jsonb(${hex}))
  or exists (select from print_file f where f.account_id = ${account} and f.recipe ->> 'designHash' = ${hex})
  or exists (select from print_file f where f.account_id = ${account} and f.recipe ->> 'kind' = 'personalised'
    and jsonb_path_query_array(f.recipe, '$.drawings[*].designHash') @> to_jsonb(${hex}))
  or exists (select from print_file f where f.account_id = ${account} and f.output_hash = ${hash})
  or exists (select from print_file f where f.account_id = ${account} and f.preview_hash = ${hash})
  or exists (select from order_line l where l.account_id = ${account} and l.mock_hash = ${hash})
  or exists (select from problem_photo f where f.account_id = ${account} and f.hash = ${hash})
  or exists (select from brand_revision r where r.account_id = ${account} and r.logo_hash = ${hash})`;

// Bytes that were used since may belong to an order that is being placed at this moment; it has committed, or failed,
// by the time in $4.
const LOCK_BLOB = statement<{ is_settled: boolean; is_used: boolean }>(
  'privacy_lock_blob',
  `select b.last_used_at <= e.used_at or b.last_used_at < $4 or b.deleting as is_settled,
     ${usedBy('$1', 'b.hash', '$3::text')} as is_used
   from erasure_file e join blob b on b.hash = e.hash
   where e.account_id = $1 and e.erasure_id = $2 and e.hash = decode($3::text, 'hex') for no key update of b`,
);

/**
 * Locks stored bytes; undefined when they are gone.
 * `used`: the account itself uses them; `settled`: nothing can be about to use them.
 */
export async function lockErasedBlob(
  tx: Db,
  file: { readonly accountId: Uuid; readonly erasureId: Uuid; readonly hash: string; readonly usedBefore: Date },
): Promise<'used' | 'settled' | 'recent' | undefined> {
  const row = await tx.one(LOCK_BLOB, [file.accountId, file.erasureId, file.hash, file.usedBefore]);
  if (row === undefined) return undefined;
  if (row.is_used) return 'used';
  return row.is_settled ? 'settled' : 'recent';
}

const DROP_DESIGN = statement<never>(
  'privacy_drop_design',
  `delete from design d where d.account_id = $1 and d.hash = decode($2::text, 'hex')
     and not (${usedBy('$1', 'd.hash', '$2::text')})`,
);
const MARK = statement<{ hash: string }>(
  'privacy_mark_blob',
  `update blob b set deleting = true
   where b.hash = decode($1, 'hex') and not (${IN_USE}) and not exists (select from design d where d.hash = b.hash)
   returning encode(b.hash, 'hex') as hash`,
);

/**
 * Takes locked bytes (hex) from an account that does not use them any more.
 * Returns whether no other account has them either: then they are marked for deletion.
 */
export async function takeBlob(tx: Db, accountId: Uuid, hash: string): Promise<boolean> {
  await tx.all(DROP_DESIGN, [accountId, hash]);
  return (await tx.one(MARK, [hash])) !== undefined;
}

const FILE_DONE = statement<never>(
  'privacy_erasure_file_done',
  `with gone as (
     delete from erasure_file where account_id = $1 and erasure_id = $2 and hash = decode($3, 'hex') returning hash
   )
   update erasure set files_removed = files_removed + $4
   where account_id = $1 and id = $2 and $4 > 0 and exists (select from gone)`,
);

/**
 * Notes that a stored file of an erasure needs nothing more;
 * `removed` is 1 when its bytes are deleted.
 */
export async function noteFileDone(
  db: Db,
  file: { readonly accountId: Uuid; readonly erasureId: Uuid; readonly hash: string; readonly removed: 0 | 1 },
): Promise<void> {
  await db.all(FILE_DONE, [file.accountId, file.erasureId, file.hash, file.removed]);
}

const COUNT = statement<{ files: number }>(
  'privacy_count_erasure_files',
  'select count(*)::integer as files from (select from erasure_file where erasure_id = $1 limit 100000) as part',
);

/** How many stored files an erasure has still to look at; it counts to 100,000. */
export async function countErasureFiles(db: Db, erasureId: Uuid): Promise<number> {
  return (await db.one(COUNT, [erasureId]))?.files ?? 0;
}
