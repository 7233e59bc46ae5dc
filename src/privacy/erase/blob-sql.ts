import { type Db, statement } from '../../lib/db.ts';

// Stored bytes are shared: two accounts may use the same ones without knowing. These statements read all accounts.

/** How far a walk over the stored bytes has come, in the order of their last use; a hash in hex. */
export type WalkPosition = { readonly lastUsedAt: Date; readonly hash: string };

// What uses bytes: products and their areas, the options of personalised products and of drafts of theirs, and print
// files, which use what they are made of and what they have become. An order uses its print files and the mocks of its
// lines, a problem its photos, a brand its logo. A row of `design` is
// not a use: it records which account sent the bytes, and is deleted with them. Each is a look into an index: `exists`
// would leave the planner, which does not know the size of a page, free to read a whole table in place.
/** SQL of whether a product, an order or a brand uses the bytes of a blob `b`. */
export const IN_USE = `
  (select true from product p where p.mockup_hash = b.hash limit 1) is not null
  or (select true from product_area a where a.design_hash = b.hash limit 1) is not null
  or (select true from product p where p.personalisation is not null
      and jsonb_path_query_array(p.personalisation, '$.layers[*].options[*].design') @> to_jsonb(encode(b.hash, 'hex'))
      limit 1) is not null
  or (select true from product p where p.template_draft is not null
      and jsonb_path_query_array(p.template_draft, '$.layers[*].options[*].design') @> to_jsonb(encode(b.hash, 'hex'))
      limit 1) is not null
  or (select true from print_file f where f.recipe ->> 'designHash' = encode(b.hash, 'hex') limit 1) is not null
  or (select true from print_file f where f.recipe ->> 'kind' = 'personalised'
      and jsonb_path_query_array(f.recipe, '$.drawings[*].designHash') @> to_jsonb(encode(b.hash, 'hex'))
      limit 1) is not null
  or (select true from print_file f where f.output_hash = b.hash limit 1) is not null
  or (select true from print_file f where f.preview_hash = b.hash limit 1) is not null
  or (select true from order_line l where l.mock_hash = b.hash limit 1) is not null
  or (select true from problem_photo p where p.hash = b.hash limit 1) is not null
  or (select true from brand_revision r where r.logo_hash = b.hash limit 1) is not null`;

type WalkRow = { last_used_at: Date; hash: string; is_marked: boolean };

// Each row of the page is looked up by its hash. A row that another transaction has locked is left for the next walk:
// `skip locked` also reads the row as it is now, so that a use at this moment is seen.
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
 * Marks the next stored bytes for deletion that nothing uses and that were last used before a time.
 * Returns the hashes that were marked (hex) and the position of the last row that was checked; no position at the end
 * of the walk.
 */
export async function markUnused(
  db: Db,
  walk: { readonly usedBefore: Date; readonly after: WalkPosition; readonly limit: number },
): Promise<{ marked: string[]; last: WalkPosition | undefined }> {
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

/** Lists bytes that are marked for deletion (hex), in the order of their hashes, after a given one. */
export async function listMarked(db: Db, after: string, limit: number): Promise<string[]> {
  return (await db.all(MARKED, [after, limit])).map(({ hash }) => hash);
}

const UNMARK = statement<never>(
  'app_unmark_blob',
  "update blob set deleting = false, last_used_at = $2 where hash = decode($1, 'hex') and deleting",
);

/** Keeps bytes that were marked and then proved to be in use. */
export async function unmarkBlob(db: Db, hash: string, now: Date): Promise<void> {
  await db.all(UNMARK, [hash, now]);
}

const KNOWN = statement<{ hash: string; deleting: boolean }>(
  'app_known_blobs',
  `select encode(b.hash, 'hex') as hash, b.deleting from blob b
   where b.hash = any(array(select decode(h, 'hex') from unnest($1::text[]) as h))`,
);

/** Which of some stored files (hex) are recorded, and whether each is marked for deletion. */
export async function findRecorded(db: Db, hashes: readonly string[]): Promise<Map<string, { deleting: boolean }>> {
  const rows = hashes.length === 0 ? [] : await db.all(KNOWN, [hashes]);
  return new Map(rows.map(({ hash, deleting }) => [hash, { deleting }]));
}

const IS_IN_USE = statement<{ is_used: boolean }>(
  'app_blob_in_use',
  `select exists (select from blob b where b.hash = decode($1, 'hex') and not b.deleting and (${IN_USE})) as is_used`,
);

/**
 * Tells whether a product or an order uses stored bytes (hex).
 * False when they are being deleted or have no row.
 */
export async function isInUse(db: Db, hash: string): Promise<boolean> {
  return (await db.one(IS_IN_USE, [hash]))?.is_used === true;
}
