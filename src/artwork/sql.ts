import type { StoredBlob } from '../lib/blobs.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { ImageReport } from './inspect.ts';
import type { Recipe } from './recipe.ts';

const KNOWN_REPORT = statement<{ report: ImageReport }>(
  'artwork_known_report',
  "select report from blob where hash = decode($1, 'hex') and report ? 'edgeColour' and not deleting",
);

/**
 * The report of an earlier check of the same bytes, so that they are not decoded again.
 * Undefined also for a report that lacks what is looked at today: the new one takes its place.
 */
export async function findReport(db: Db, hash: string): Promise<ImageReport | undefined> {
  return (await db.one(KNOWN_REPORT, [hash]))?.report;
}

const OWN_DESIGNS = statement<StoredBlob>(
  'artwork_own_designs',
  `select encode(d.hash, 'hex') as hash, b.bytes from design d join blob b on b.hash = d.hash
   where d.account_id = $1 and d.hash = any(select decode(h, 'hex') from unnest($2::text[]) as h) and not b.deleting`,
);

/** Those of some designs (hex) that the account has and whose bytes are kept, with their sizes. */
export async function listKeptDesigns(db: Db, accountId: Uuid, hashes: readonly string[]): Promise<StoredBlob[]> {
  return hashes.length === 0 ? [] : db.all(OWN_DESIGNS, [accountId, hashes]);
}

const KEPT = `given as (
     select decode(hash, 'hex') as hash, bytes, mime, width_px, height_px, report
     from json_to_recordset($1::json) as g(hash text, bytes bigint, mime text, width_px integer, height_px integer,
       report jsonb)
   ),
   kept as (
     insert into blob (hash, bytes, mime, width_px, height_px, report, created_at, last_used_at)
     select hash, bytes, mime, width_px, height_px, report, $2, $2 from given order by hash
     on conflict (hash) do update set last_used_at = greatest(blob.last_used_at, excluded.last_used_at),
       -- Bytes that we once made ourselves, as a print file, have not been looked at before.
       width_px = excluded.width_px, height_px = excluded.height_px, report = excluded.report
       where not blob.deleting
     returning hash
   )`;

const KEEP = statement<{ kept: number }>(
  'artwork_keep',
  `with ${KEPT},
   new_design as (
     insert into design (account_id, hash, created_at) select $3, hash, $2 from kept order by hash
     on conflict do nothing
   )
   select count(*)::integer as kept from kept`,
);

const KEEP_PHOTOS = statement<{ kept: number }>(
  'artwork_keep_photos',
  `with ${KEPT} select count(*)::integer as kept from kept`,
);

export type KeptImage = { readonly hash: string; readonly bytes: number; readonly report: ImageReport };

/**
 * Records images that were reserved and then stored, as designs of the account.
 * A repeat refreshes their last use.
 */
export async function keepDesigns(db: Db, accountId: Uuid, pictures: readonly KeptImage[], now: Date): Promise<void> {
  refuseUnreserved(await db.one(KEEP, [rowsOf(pictures), now, accountId]), pictures);
}

/** Records images likewise that are no designs: what refers to them keeps them. */
export async function keepPhotos(db: Db, pictures: readonly KeptImage[], now: Date): Promise<void> {
  refuseUnreserved(await db.one(KEEP_PHOTOS, [rowsOf(pictures), now]), pictures);
}

function rowsOf(pictures: readonly KeptImage[]): string {
  const rows = pictures.map(({ hash, bytes, report }) => ({
    hash,
    bytes,
    mime: report.mime,
    width_px: report.widthPx,
    height_px: report.heightPx,
    report,
  }));
  return JSON.stringify(rows);
}

function refuseUnreserved(row: { kept: number } | undefined, pictures: readonly KeptImage[]): void {
  if (row?.kept !== pictures.length) throw new Error('stored pictures were not reserved, and are being deleted');
}

// Locked in the order of their hashes, and read again once the lock is held.
const RESERVE = statement<{ hash: string }>(
  'artwork_reserve',
  `with known as materialized (
     select b.hash, b.deleting from blob b
     where b.hash = any(select decode(h, 'hex') from unnest($1::text[]) as h) order by b.hash for no key update
   ),
   used as (
     update blob b set last_used_at = greatest(b.last_used_at, $2) from known k where b.hash = k.hash and not k.deleting
   )
   select encode(hash, 'hex') as hash from known where deleting`,
);

/**
 * Refreshes the last use of those of some bytes (hex) that are stored.
 *
 * Returns those that are being deleted.
 */
export async function reserveRows(db: Db, hashes: readonly string[], now: Date): Promise<string[]> {
  return (await db.all(RESERVE, [hashes, now])).map(({ hash }) => hash);
}

const REMOVE = statement<{ hash: string }>(
  'artwork_remove_blob',
  `with going as materialized (
     select hash from blob where hash = decode($1, 'hex') and deleting for update
   ),
   design_gone as (
     delete from design d using going g where d.hash = g.hash
   )
   delete from blob b using going g where b.hash = g.hash returning encode(b.hash, 'hex') as hash`,
);

/** Deletes the row of bytes that are being deleted, as designs of every account too; false without one. */
export async function removeDeletingRow(tx: Db, hash: string): Promise<boolean> {
  return (await tx.one(REMOVE, [hash])) !== undefined;
}

/** The kind of the job that makes a print-ready file; its key is the print file's. */
export const NORMALISE_JOB = 'normalise_artwork';

/** `is_dropped`: no order needs it any more, so it is not to be made. */
export type PrintFileRow = { recipe: Recipe; state: 'pending' | 'ready' | 'failed'; is_dropped: boolean };

const PRINT_FILE = statement<PrintFileRow>(
  'artwork_print_file',
  "select recipe, state, state = 'failed' and dropped_at is not null as is_dropped from print_file where key = decode($1, 'hex')",
);

/** A print file by its key (hex), of any account: a worker's read. */
export async function findPrintFile(db: Db, key: string): Promise<PrintFileRow | undefined> {
  return db.one(PRINT_FILE, [key]);
}

// Locked in the order of their hashes, as everywhere.
const MADE_BLOBS = `
made as (
  insert into blob (hash, bytes, mime, created_at, last_used_at)
  select decode(m.hash, 'hex'), m.bytes, m.mime, $3, $3
  from json_to_recordset($2::json) as m(hash text, bytes bigint, mime text) order by 1
  on conflict (hash) do update set last_used_at = greatest(blob.last_used_at, excluded.last_used_at)
)`;

const KEEP_MADE = statement<never>(
  'artwork_keep_made',
  `insert into blob (hash, bytes, mime, created_at, last_used_at) values (decode($1, 'hex'), $2, 'image/png', $3, $3)
   on conflict (hash) do update set last_used_at = greatest(blob.last_used_at, excluded.last_used_at)`,
);

/** Records a PNG of our own making that was reserved and then stored. */
export async function keepMadePicture(db: Db, { hash, bytes }: StoredBlob, now: Date): Promise<void> {
  await db.all(KEEP_MADE, [hash, bytes, now]);
}

const MARK_READY = statement<never>(
  'artwork_mark_ready',
  `with ${MADE_BLOBS}
   update print_file set state = 'ready', output_hash = decode($4, 'hex'), output_bytes = $5, preview_hash = decode($6, 'hex'),
     ready_at = $3, failure = null, dropped_at = null
   where key = decode($1, 'hex') and state <> 'ready'`,
);

const madeBlobs = (output: StoredBlob | undefined, preview: StoredBlob | undefined): string =>
  JSON.stringify([
    ...(output === undefined ? [] : [{ ...output, mime: 'image/png' }]),
    ...(preview === undefined ? [] : [{ ...preview, mime: 'image/jpeg' }]),
  ]);

/**
 * Records that a print file is made, with its preview if there is one.
 * Both were reserved and then stored. A no-op for a second worker that made the same file.
 */
export async function markPrintFileReady(
  db: Db,
  file: { key: string; output: StoredBlob; preview: StoredBlob | undefined; now: Date },
): Promise<void> {
  const { key, output, preview, now } = file;
  await db.all(MARK_READY, [
    key,
    madeBlobs(output, preview),
    now,
    output.hash,
    output.bytes,
    preview === undefined ? null : preview.hash,
  ]);
}

const MARK_PREVIEWED = statement<never>(
  'artwork_mark_previewed',
  `with ${MADE_BLOBS}
   update print_file set preview_hash = decode($4, 'hex') where key = decode($1, 'hex') and state = 'ready'`,
);

/** Records the preview of a print file that was ready without one. */
export async function markPreviewed(db: Db, file: { key: string; preview: StoredBlob; now: Date }): Promise<void> {
  await db.all(MARK_PREVIEWED, [file.key, madeBlobs(undefined, file.preview), file.now, file.preview.hash]);
}

const BLOB_HEAD = statement<{ mime: string; bytes: number }>(
  'artwork_blob_head',
  "select mime, bytes from blob where hash = decode($1, 'hex') and not deleting",
);

/**
 * The media type and size of stored bytes, unless they are being deleted.
 *
 * Its callers check a signature first.
 */
export async function findBlobHead(db: Db, hash: string): Promise<{ mime: string; bytes: number } | undefined> {
  return db.one(BLOB_HEAD, [hash]);
}
