import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunningPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import sharp from 'sharp';
import { openBlobStore } from '../src/lib/blobs.ts';

/** A print-ready file that was copied out of the service; `path` is relative to the working directory. */
export type PrintFile = {
  readonly path: string;
  /** From 1, as the path counts them. */
  readonly line: number;
  readonly printArea: string;
  /** As the file itself says. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly dpi: number;
};

/** Overwritten by the next run, so that runs do not pile up. */
const FOLDER = '.demo';
const QUERY_TIMEOUT_MS = 5_000;

/** Makes `.demo` in the working directory. Where it cannot be, the story says so before it has drawn a file. */
export async function makeFolder(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
}

/**
 * Copies the print-ready files of an order to `.demo` in the working directory and measures the copies. The service
 * hands print files to its operators, not to customers, so this looks where an operator can: the database names each
 * file by its content.
 */
export async function copyPrintFiles(dataDir: string, reference: string): Promise<readonly PrintFile[]> {
  const blobs = openBlobStore('file:', dataDir);
  const files: PrintFile[] = [];
  for (const { line, area, hash } of await listPrintFiles(dataDir, reference)) {
    const path = join(FOLDER, `line-${line}-${area}.png`);
    await copyFile(await blobs.path(hash), path);
    const { width, height, density } = await sharp(path).metadata();
    files.push({ path, line, printArea: area, widthPx: width, heightPx: height, dpi: density ?? 0 });
  }
  return files;
}

type Row = { line: number; area: string; hash: string };

async function listPrintFiles(dataDir: string, reference: string): Promise<readonly Row[]> {
  const address = await findRunningPostgres(dataDir);
  if (address === undefined) throw new Error('the database of the service is not running');
  const client = new pg.Client({
    ...address,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(
      `select dense_rank() over (order by l.ordinal)::int as line, j.print_area as area, encode(f.output_hash, 'hex') as hash
       from orders o
       join order_line l on l.order_id = o.id
       join print_job j on j.order_id = o.id and j.line_id = l.id
       join print_file f on f.key = j.print_file_key
       where o.reference = $1
       order by l.ordinal, j.ordinal`,
      [reference],
    );
    return rows;
  } finally {
    await client.end();
  }
}
