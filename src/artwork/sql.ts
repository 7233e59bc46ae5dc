import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { PictureReport } from './inspect.ts';
import type { Recipe } from './recipe.ts';

const KNOWN_REPORT = statement<{ report: PictureReport }>(
  'artwork_known_report',
  "select report from blob where hash = decode($1, 'hex') and report is not null and not deleting",
);

/** What an earlier look at the same bytes found, so that they are not decoded again. */
export async function findReport(db: Db, hash: string): Promise<PictureReport | undefined> {
  return (await db.one(KNOWN_REPORT, [hash]))?.report;
}

const KEEP = statement<never>(
  'artwork_keep',
  `with given as (
     select decode(hash, 'hex') as hash, bytes, mime, width_px, height_px, report
     from json_to_recordset($2::json) as g(hash text, bytes bigint, mime text, width_px integer, height_px integer,
       report jsonb)
   ),
   kept as (
     insert into blob (hash, bytes, mime, width_px, height_px, report, created_at, last_used_at)
     select hash, bytes, mime, width_px, height_px, report, $3, $3 from given order by hash
     on conflict (hash) do update set last_used_at = greatest(blob.last_used_at, excluded.last_used_at),
       -- Bytes that we once made ourselves, as a print file, have not been looked at before.
       width_px = excluded.width_px, height_px = excluded.height_px, report = excluded.report
     returning hash
   )
   insert into design (account_id, hash, created_at) select $1, hash, $3 from kept order by hash
   on conflict do nothing`,
);

export type KeptPicture = { readonly hash: string; readonly bytes: number; readonly report: PictureReport };

/** Records stored pictures and that the account has them as designs. Repeating it refreshes their last use. */
export async function keepDesigns(db: Db, accountId: Uuid, pictures: readonly KeptPicture[], now: Date): Promise<void> {
  const rows = pictures.map(({ hash, bytes, report }) => ({
    hash,
    bytes,
    mime: report.mime,
    width_px: report.widthPx,
    height_px: report.heightPx,
    report,
  }));
  await db.all(KEEP, [accountId, JSON.stringify(rows), now]);
}

/**
 * SQL of common table expressions that record the print files an order needs and, for each that is new, the job that makes
 * it, inside a larger statement; one that was given up is tried anew. `ready_file` holds the keys that were ready before.
 */
export function printFileCtes(sql: { guard: string; accountId: string; files: string; now: string }): string {
  return `
wanted_file as materialized (
  select decode(f.key, 'hex') as key, f.key as key_hex, f.recipe
  from ${sql.guard}, json_to_recordset(${sql.files}::json) as f(key text, recipe jsonb)
),
ready_file as materialized (
  select w.key_hex from wanted_file w join print_file f on f.key = w.key where f.state = 'ready'
),
new_file as (
  insert into print_file (key, account_id, recipe, state, created_at)
  select key, ${sql.accountId}::uuid, recipe, 'pending', ${sql.now}::timestamptz from wanted_file order by key
  on conflict (key) do update set state = 'pending', failure = null where print_file.state = 'failed'
  returning key
),
new_file_job as (
  insert into job (id, kind, key, payload, run_at, created_at)
  select uuid_v7(${sql.now}::timestamptz), '${NORMALISE_JOB}', encode(key, 'hex'), '{}', ${sql.now}::timestamptz, ${sql.now}::timestamptz
  from new_file
  on conflict (kind, key) do update set failed_at = null, attempts = 0, run_at = excluded.run_at
    where job.failed_at is not null
)`;
}

/** The kind of the job that makes a print-ready file; its key is the print file's. */
export const NORMALISE_JOB = 'normalise_artwork';

export type PrintFileRow = { recipe: Recipe; state: 'pending' | 'ready' | 'failed' };

const PRINT_FILE = statement<PrintFileRow>(
  'artwork_print_file',
  "select recipe, state from print_file where key = decode($1, 'hex')",
);

/** A print file by its key (hex), whoever's: a worker's read. */
export async function findPrintFile(db: Db, key: string): Promise<PrintFileRow | undefined> {
  return db.one(PRINT_FILE, [key]);
}

const MARK_READY = statement<never>(
  'artwork_mark_ready',
  `with kept as (
     insert into blob (hash, bytes, mime, created_at, last_used_at)
     values (decode($2, 'hex'), $3, 'image/png', $4, $4)
     on conflict (hash) do update set last_used_at = greatest(blob.last_used_at, excluded.last_used_at)
   )
   update print_file set state = 'ready', output_hash = decode($2, 'hex'), output_bytes = $3, ready_at = $4, failure = null
   where key = decode($1, 'hex') and state <> 'ready'`,
);

/** Records that a print file is made. A second worker that made the same changes nothing. */
export async function markPrintFileReady(
  db: Db,
  file: { key: string; outputHash: string; outputBytes: number; now: Date },
): Promise<void> {
  await db.all(MARK_READY, [file.key, file.outputHash, file.outputBytes, file.now]);
}

const MARK_FAILED = statement<never>(
  'artwork_mark_failed',
  "update print_file set state = 'failed', failure = $2 where key = decode($1, 'hex') and state = 'pending'",
);

/** Records that a print file cannot be made; ops see why. */
export async function markPrintFileFailed(db: Db, key: string, failure: string): Promise<void> {
  await db.all(MARK_FAILED, [key, failure]);
}

const BLOB_HEAD = statement<{ mime: string; bytes: number }>(
  'artwork_blob_head',
  "select mime, bytes from blob where hash = decode($1, 'hex')",
);

/** The media type and size of stored bytes; whoever asks has shown a signature for the hash. */
export async function findBlobHead(db: Db, hash: string): Promise<{ mime: string; bytes: number } | undefined> {
  return db.one(BLOB_HEAD, [hash]);
}
