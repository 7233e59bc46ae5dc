import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { blobPath } from './blob-files.ts';
import { inStore } from './copy-blobs.ts';
import { writeDurably } from './copy-file.ts';
import { type Backup, type BackupFacts, backupName, MARK_FILE } from './layout.ts';
import type { Progress } from './progress.ts';

// A folder of small backups, written by hand in the form of `layout.ts`.

export const SILENT: Progress = { begin: () => {}, add: () => {}, end: () => {} };

export type Scratch = { readonly folder: string; readonly remove: () => Promise<void> };

export async function makeScratch(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-backup-unit-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Writes a blob into a folder of blobs, and returns its hash. */
export async function writeBlob(files: string, text: string): Promise<string> {
  const path = join(files, blobPath(hashOf(text)));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return hashOf(text);
}

/** Makes a backup with two files of a database, a key, and these blobs. */
export async function makeBackup(dir: string, takenAt: string, blobs: readonly string[]): Promise<Backup> {
  const name = backupName(new Date(takenAt));
  const folder = join(dir, name);
  const facts: BackupFacts = {
    format: 1,
    name,
    began_at: takenAt,
    taken_at: takenAt,
    platen: '0.1.0',
    postgres: '18.4',
    system_identifier: '1',
    start_lsn: '0/1',
    stop_lsn: '0/2',
    database_bytes: 5,
    database_folders: ['', 'pg_wal', 'pg_twophase'],
    blobs: blobs.length,
    blob_bytes: 0,
    damaged_blobs: [],
    secret_key: 'in the backup',
    secret_key_check: hashOf('key'),
  };
  const hashes = await Promise.all(blobs.map((text) => writeBlob(join(dir, 'blobs'), text)));
  const files: Record<string, string> = {
    'database/PG_VERSION': '18',
    'database/pg_wal/000000010000000000000001': 'log',
    'data/secret.key': 'key',
    'BLOBS.sha256': hashes
      .toSorted()
      .map((hash) => `${hash}  ../blobs/${blobPath(hash)}\n`)
      .join(''),
    'backup.json': JSON.stringify(facts),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeDurably(join(folder, path), text);
  }
  const lines = Object.entries(files).map(([path, text]) => `${hashOf(text)}  ${path}\n`);
  await writeDurably(join(folder, 'FILES.sha256'), lines.join(''));
  await writeFile(join(dir, MARK_FILE), '');
  return { folder, facts };
}

/** The path of a stored file of the backups of a folder. */
export const storedAt = (dir: string, text: string): string => inStore(dir, hashOf(text));
