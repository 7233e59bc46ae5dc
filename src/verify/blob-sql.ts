import { type Db, statement } from '../lib/db.ts';

// Stored bytes of all accounts, which one may share with another without knowing: a sweep over everything that may use them.

/** Where in the order of their last use a walk over the stored bytes has come; a hash in hex. */
export type WalkPlace = { readonly lastUsedAt: Date; readonly hash: string };

// Products and their areas, the options of personalised products, and what print files are made of and have become; an order uses its
// print files and the mocks of its lines. A row of design is no use: it says who took bytes in, and goes with them. Each is a look
// into an index: `exists` would leave the planner, which knows nothing of the size of a page, free to read a whole table in place.
const IN_USE = `
  (select true from product p where p.mockup_hash = b.hash limit 1) is not null
  or (select true from product_area a where a.design_hash = b.hash limit 1) is not null
  or (select true from product p where p.personalisation is not null
      and jsonb_path_query_array(p.personalisation, '$.layers[*].options[*].design') @> to_jsonb(encode(b.hash, 'hex'))
      limit 1) is not null
  or (select true from print_file f where f.recipe ->> 'designHash' = encode(b.hash, 'hex') limit 1) is not null
  or (select true from print_file f where f.recipe ->> 'kind' = 'personalised'
      and jsonb_path_query_array(f.recipe, '$.drawings[*].designHash') @> to_jsonb(encode(b.hash, 'hex'))
      limit 1) is not null
  or (select true from print_file f where f.output_hash = b.hash limit 1) is not null
  or (select true from print_file f where f.preview_hash = b.hash limit 1) is not null
  or (select true from order_line l where l.mock_hash = b.hash limit 1) is not null`;

type WalkRow = { last_used_at: Date; hash: string; is_marked: boolean };

// Each of the page is looked up by its hash. A row that is in somebody's hand is passed over until the next walk: `skip locked` also
// reads the row as it is now, so that one that was used in this moment is seen to be.
const MARK = statement<WalkRow>(
  'app_mark_unused',
  `with page as materialized (
     select hash, last_used_at from blob
     where last_used_at < $1 and (last_used_at, hash) > ($2::timestamptz, decode($3, 'hex')) and not deleting
     order by last_used_at, hash limit $4
   ),
   unused as materialized (
     select b.hash from page join blob b on b.hash = page.hash
     where b.last_used_at < $1 and not b.deleting and not (${IN_USE})
     for update of b skip locked
   ),
   marked as (
     update blob b set deleting = true from unused u where b.hash = u.hash returning b.hash
   )
   select page.last_used_at, encode(page.hash, 'hex') as hash, marked.hash is not null as is_marked
   from page left join marked on marked.hash = page.hash order by page.last_used_at, page.hash`,
);

/**
 * Looks at the next stored bytes that were last used before a time, and marks those for deletion that nothing uses. Returns those that
 * were marked (hex) and the place of the last that was looked at; no place at the end of the walk.
 */
export async function markUnused(
  db: Db,
  walk: { readonly usedBefore: Date; readonly after: WalkPlace; readonly limit: number },
): Promise<{ marked: string[]; last: WalkPlace | undefined }> {
  const rows = await db.all(MARK, [walk.usedBefore, walk.after.lastUsedAt, walk.after.hash, walk.limit]);
  const end = rows.length < walk.limit ? undefined : rows.at(-1);
  return {
    marked: rows.filter((row) => row.is_marked).map(({ hash }) => hash),
    last: end === undefined ? undefined : { lastUsedAt: end.last_used_at, hash: end.hash },
  };
}

const MARKED = statement<{ hash: string }>(
  'app_marked_blobs',
  `select encode(hash, 'hex') as hash from blob where deleting and hash > decode($1, 'hex') order by hash limit $2`,
);

/** Bytes that are marked for deletion (hex), in the order of their hashes from after one. */
export async function listMarked(db: Db, after: string, limit: number): Promise<string[]> {
  return (await db.all(MARKED, [after, limit])).map(({ hash }) => hash);
}

const UNMARK = statement<never>(
  'app_unmark_blob',
  "update blob set deleting = false, last_used_at = $2 where hash = decode($1, 'hex') and deleting",
);

/** Bytes that were marked and then proved to be in use are kept. */
export async function unmarkBlob(db: Db, hash: string, now: Date): Promise<void> {
  await db.all(UNMARK, [hash, now]);
}

const IS_IN_USE = statement<{ is_used: boolean }>(
  'app_blob_in_use',
  `select exists (select from blob b where b.hash = decode($1, 'hex') and not b.deleting and (${IN_USE})) as is_used`,
);

/** Whether some product or order uses stored bytes (hex); not when they are being deleted or have no row. */
export async function isInUse(db: Db, hash: string): Promise<boolean> {
  return (await db.one(IS_IN_USE, [hash]))?.is_used === true;
}
