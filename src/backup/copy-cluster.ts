import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mapBounded } from '../lib/map-bounded.ts';
import type { BackupEnd, BackupSession } from './backup-session.ts';
import { type Copied, codeOfError, copyFile, makeFolder, writeDurably } from './copy-file.ts';

/** A file of the copy, below its folder. */
export type CopiedFile = Copied & { readonly path: string };

/** Files that are flushed at once. */
const FILES_AT_ONCE = 4;

// What a restored server makes anew, or must not find (PostgreSQL 18, 25.3.3.2): the folders stay, without their files.
const WITHOUT_FILES = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|backup_manifest|tablespace_map(\.old)?|postgresql\.auto\.conf\.tmp|current_logfiles\.tmp|core(\.\d+)?)$|^\.s\.PGSQL\.|(^|\/)(pgsql_tmp[^/]*|pg_internal\.init[^/]*|t\d+_\d+[^/]*)$/;
/** The heart of a cluster, which the server writes in place all the time. */
const CONTROL_FILE = 'global/pg_control';

/**
 * Copies the files of a cluster whose server is in backup mode.
 * Files may grow, shrink and vanish meanwhile: the write-ahead log since the start repairs each. Throws when tables lie
 * outside of the cluster's folder.
 */
export async function copyClusterFiles(
  cluster: string,
  to: string,
  onBytes: (bytes: number, ofBytes: number) => void,
): Promise<{ files: CopiedFile[]; folders: string[] }> {
  const { folders, files } = await listCluster(cluster);
  for (const folder of folders) await makeFolder(join(to, folder));
  const ofBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const copied = await mapBounded(files, FILES_AT_ONCE, async ({ path }) => {
    const copy = await copyFile(join(cluster, path), join(to, path));
    if (copy !== undefined) onBytes(copy.bytes, ofBytes);
    return copy === undefined ? [] : [{ path, ...copy }];
  });
  const control = await readSettled(join(cluster, CONTROL_FILE));
  const settled = { path: CONTROL_FILE, ...(await writeDurably(join(to, CONTROL_FILE), control)) };
  return { files: [...copied.flat(), settled], folders };
}

/**
 * Completes a copy once the server has left backup mode.
 * Writes what the server answered, and copies the write-ahead log from the start to the end of that mode.
 */
export async function completeCluster(
  session: BackupSession,
  end: BackupEnd,
  cluster: string,
  to: string,
): Promise<CopiedFile[]> {
  if (end.tablespaceMap !== '') throw new Error(TABLESPACES);
  const copied: CopiedFile[] = [
    { path: 'backup_label', ...(await writeDurably(join(to, 'backup_label'), end.backupLabel)) },
  ];
  for (const name of segmentNames(end.backupLabel, end.stopLsn, session.server.walSegmentBytes)) {
    const path = `pg_wal/${name}`;
    const copy = await copyFile(join(cluster, path), join(to, path));
    if (copy === undefined) throw new Error(`the server has removed ${path}, which the backup needs; run it again`);
    copied.push({ path, ...copy });
  }
  for (const name of (await readdir(join(cluster, 'pg_wal'))).filter((known) => known.endsWith('.history'))) {
    const path = `pg_wal/${name}`;
    const copy = await copyFile(join(cluster, path), join(to, path));
    if (copy !== undefined) copied.push({ path, ...copy });
  }
  // Says that the connection, and with it the log, was there until the last segment was read.
  await session.checkLogKept();
  return copied;
}

const TABLESPACES =
  'the database has tablespaces outside of DATA_DIR, which this command does not copy; see the runbook';

/**
 * Names the files of the log from the start that a backup label names to a position.
 * Throws an Error for a label of another form.
 */
export function segmentNames(backupLabel: string, stopLsn: string, segmentBytes: number): string[] {
  const start = /^START WAL LOCATION: [0-9A-F]+\/[0-9A-F]+ \(file ([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})\)$/m.exec(
    backupLabel,
  );
  const stop = /^([0-9A-F]+)\/([0-9A-F]+)$/.exec(stopLsn);
  if (start === null || stop === null) throw new Error('the server ended the backup with an answer of another form');
  const [, timeline = '', high = '', low = ''] = start;
  const perHigh = 0x1_0000_0000 / segmentBytes;
  const first = Number.parseInt(high, 16) * perHigh + Number.parseInt(low, 16);
  const stopBytes = BigInt(`0x${stop[1]}`) * 0x1_0000_0000n + BigInt(`0x${stop[2]}`);
  // The position is that behind the last byte.
  const last = Number((stopBytes - 1n) / BigInt(segmentBytes));
  const hex = (number: number): string => number.toString(16).toUpperCase().padStart(8, '0');
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const segment = first + index;
    return `${timeline}${hex(Math.floor(segment / perHigh))}${hex(segment % perHigh)}`;
  });
}

type Listing = { readonly folders: string[]; readonly files: { readonly path: string; readonly bytes: number }[] };

async function listCluster(cluster: string): Promise<Listing> {
  const listing: Listing = { folders: [''], files: [] };
  const list = async (folder: string): Promise<void> => {
    for (const entry of await readEntries(join(cluster, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (LEFT_OUT.test(path)) continue;
      if (entry.isSymbolicLink()) throw new Error(path.startsWith('pg_tblspc/') ? TABLESPACES : linkRefused(path));
      if (entry.isDirectory()) {
        listing.folders.push(path);
        if (!WITHOUT_FILES.has(path)) await list(path);
      } else if (entry.isFile() && path !== CONTROL_FILE) {
        const found = await stat(join(cluster, path)).catch(() => undefined);
        if (found !== undefined) listing.files.push({ path, bytes: found.size });
      }
    }
  };
  await list('');
  return listing;
}

function linkRefused(path: string): string {
  return `${path} of the database is a link to another place, which this command does not copy; see the runbook`;
}

async function readEntries(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // A database or a temporary folder that was dropped meanwhile.
    if (codeOfError(error) === 'ENOENT') return [];
    throw error;
  }
}

const READS_MAX = 100;
const READ_AGAIN_MS = 5;

/** Reads a file that is written in place: until two reads, one after the other, agree. */
async function readSettled(path: string): Promise<Buffer> {
  let last = '';
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const bytes = await readFile(path);
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digest === last) return bytes;
    last = digest;
    await sleep(READ_AGAIN_MS);
  }
  throw new Error(`${path} changes all the time; run the backup again`);
}
