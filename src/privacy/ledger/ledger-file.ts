import { randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../lib/config.ts';
import { entryOf, type LedgerEntry, LINE_BYTES, ledgerLine, macOf } from './entry.ts';

export const LEDGER_FOLDER = 'erasures';
export const LEDGER_FILE = 'erasures.log';
export const LEDGER_KEY_FILE = 'erasures.key';
/** The macs of the entries of ledgers that were lost and begun anew: backups from before know these. */
export const LEDGER_FORMER_FILE = 'erasures.former';
const MAC_LINE_BYTES = 65;

/**
 * The ledger of erasures is lost, damaged or not the one of the database.
 * What was erased might come back unseen, so nothing starts.
 */
export class LedgerDamaged extends Error {
  override name = 'LedgerDamaged';
}

/** The ledger of erasures outside of the database. */
export type LedgerFile = {
  readonly folder: string;
  readonly key: Buffer;
  /** How many entries it has. A line that is not whole was never acknowledged, and does not count. */
  readonly length: () => Promise<number>;
  /** The entries from a position on, at most `limit`, each checked against the one before. */
  readonly read: (from: number, limit: number) => Promise<LedgerEntry[]>;
  /**
   * Appends an entry behind the last one and makes it durable.
   * The caller holds the lock that orders those who append.
   */
  readonly append: (entry: Omit<LedgerEntry, 'mac' | 'position'>) => Promise<LedgerEntry>;
  /** Whether a ledger that this one has taken the place of had an entry with this mac. */
  readonly isFormer: (mac: string) => Promise<boolean>;
};

/** The folder of the ledger: the setting ERASURE_LEDGER, or one in DATA_DIR. */
export function ledgerFolder(config: Pick<Config, 'erasureLedger' | 'dataDir'>): string {
  return config.erasureLedger ?? join(config.dataDir, LEDGER_FOLDER);
}

/** Opens a ledger that is there; throws `LedgerDamaged` when there is none. */
export async function openLedger(folder: string): Promise<LedgerFile> {
  const key = await readKey(folder);
  if (key === undefined) throw lost(folder, `has no ${LEDGER_KEY_FILE}`);
  return ledgerIn(folder, key);
}

/** Opens the ledger of a folder, and begins one where there is none. */
export async function openOrBeginLedger(folder: string): Promise<LedgerFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const log = await sizeOf(join(folder, LEDGER_FILE));
  const key = await readKey(folder);
  if (key === undefined && log !== undefined) throw lost(folder, `has ${LEDGER_FILE} without ${LEDGER_KEY_FILE}`);
  if (key === undefined) await makeKey(folder);
  if (log === undefined) await (await open(join(folder, LEDGER_FILE), 'a', 0o600)).close();
  await syncFolder(folder);
  return openLedger(folder);
}

/** Whether a folder has a ledger, or a part of one. */
export async function hasLedger(folder: string): Promise<boolean> {
  const sizes = [await sizeOf(join(folder, LEDGER_FILE)), await sizeOf(join(folder, LEDGER_KEY_FILE))];
  return sizes.some((size) => size !== undefined);
}

/** What to do about a ledger that is lost. */
export function lost(folder: string, what: string): LedgerDamaged {
  return new LedgerDamaged(
    `the ledger of erasures in ${folder} ${what}: put back the newest copy (the folder ${LEDGER_FOLDER} beside the backups, or the other disk); if there is none any more, \`platen erasures begin-ledger\` begins it anew, see "The ledger of erasures" in docs/runbook.md`,
  );
}

function ledgerIn(folder: string, key: Buffer): LedgerFile {
  const path = join(folder, LEDGER_FILE);
  const length = async (): Promise<number> => {
    const bytes = await sizeOf(path);
    if (bytes === undefined) throw lost(folder, `has no ${LEDGER_FILE}`);
    return Math.floor(bytes / LINE_BYTES);
  };
  const read = async (from: number, limit: number): Promise<LedgerEntry[]> => {
    if ((await sizeOf(path)) === undefined) throw lost(folder, `has no ${LEDGER_FILE}`);
    await using file = await open(path, 'r');
    // The line before the first is read for its mac.
    const first = Math.max(1, from - 1);
    const lines = await readLines(file, first, limit + (from - first));
    let before = first === 1 ? '' : undefined;
    const entries: LedgerEntry[] = [];
    for (const [index, line] of lines.entries()) {
      const entry = entryOf(line);
      const isInPlace = entry?.position === first + index;
      if (entry === undefined || !isInPlace || (before !== undefined && entry.mac !== macOf(key, before, entry))) {
        throw lost(folder, `is damaged in line ${first + index}`);
      }
      before = entry.mac;
      if (entry.position >= from) entries.push(entry);
    }
    return entries;
  };
  return {
    folder,
    key,
    length,
    read,
    isFormer: (mac) => hasMac(join(folder, LEDGER_FORMER_FILE), mac),
    append: async (entry) => {
      const position = (await length()) + 1;
      const [last] = position === 1 ? [] : await read(position - 1, 1);
      const full = { ...entry, position };
      const line = { ...full, mac: macOf(key, last?.mac ?? '', full) };
      await using file = await open(path, 'r+');
      // What a killed process left of a line was never acknowledged.
      await file.truncate((position - 1) * LINE_BYTES);
      await file.write(ledgerLine(line), (position - 1) * LINE_BYTES);
      await file.sync();
      return line;
    },
  };
}

/** Looks for a mac in a file of macs, a piece at a time. */
export async function hasMac(path: string, mac: string): Promise<boolean> {
  if ((await sizeOf(path)) === undefined) return false;
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(MAC_LINE_BYTES * 10_000);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (buffer.subarray(0, bytesRead).includes(`${mac}\n`)) return true;
    if (bytesRead < MAC_LINE_BYTES) return false;
    // Lines are of one length, so none is cut in two for good.
    at += bytesRead - (bytesRead % MAC_LINE_BYTES);
  }
}

/** A ledger that is being written beside the present one, to take its place. */
export type LedgerDraft = {
  readonly key: Buffer;
  /** Appends entries; they are on the disk once the draft is finished. */
  readonly append: (entries: readonly Omit<LedgerEntry, 'mac' | 'position'>[]) => Promise<LedgerEntry[]>;
  /** Makes it durable. */
  readonly finish: () => Promise<void>;
  /** Takes the place of the present one, whose files get another name. Idempotent but for that name. */
  readonly install: (now: Date) => Promise<void>;
};

/** Begins a draft in a folder; what an earlier one has left is removed. */
export async function beginDraft(folder: string): Promise<LedgerDraft> {
  const draft = join(folder, 'anew');
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await makeKey(draft);
  const key = await readKey(draft);
  if (key === undefined) throw new Error('the key of a draft is gone');
  const file = await open(join(draft, LEDGER_FILE), 'wx', 0o600);
  let last = { position: 0, mac: '' };
  return {
    key,
    append: async (entries) => {
      const lines = entries.map((entry) => {
        const full = { ...entry, position: last.position + 1 };
        const line = { ...full, mac: macOf(key, last.mac, full) };
        last = line;
        return line;
      });
      await file.write(lines.map(ledgerLine).join(''));
      return lines;
    },
    finish: async () => {
      await file.sync();
      await file.close();
      await syncFolder(draft);
    },
    install: async (now) => {
      const aside = `.lost-${now.toISOString().replaceAll(':', '-')}`;
      for (const name of [LEDGER_KEY_FILE, LEDGER_FILE]) {
        if ((await sizeOf(join(folder, name))) !== undefined)
          await rename(join(folder, name), join(folder, name + aside));
        await rename(join(draft, name), join(folder, name));
      }
      await syncFolder(folder);
      await rm(draft, { recursive: true, force: true });
    },
  };
}

/** Adds macs to those of lost ledgers, durably. */
export async function addFormer(folder: string, macs: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await using file = await open(join(folder, LEDGER_FORMER_FILE), 'a', 0o600);
  const { size } = await file.stat();
  // What a killed process has left of a line.
  await file.truncate(size - (size % MAC_LINE_BYTES));
  await file.write(macs.map((mac) => `${mac}\n`).join(''));
  await file.sync();
}

async function readLines(file: FileHandle, first: number, count: number): Promise<string[]> {
  const buffer = Buffer.alloc(count * LINE_BYTES);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, (first - 1) * LINE_BYTES + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return Array.from({ length: Math.floor(filled / LINE_BYTES) }, (_, index) =>
    buffer.toString('latin1', index * LINE_BYTES, (index + 1) * LINE_BYTES),
  );
}

async function readKey(folder: string): Promise<Buffer | undefined> {
  const text = await readFile(join(folder, LEDGER_KEY_FILE), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  if (!/^[0-9a-f]{64}\n?$/.test(text)) throw lost(folder, `has a damaged ${LEDGER_KEY_FILE}`);
  return Buffer.from(text.trim(), 'hex');
}

/** Of two processes that begin it at once, one makes the key and both read it. */
async function makeKey(folder: string): Promise<void> {
  const draft = join(folder, `.${randomBytes(8).toString('hex')}`);
  try {
    await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, join(folder, LEDGER_KEY_FILE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    await using file = await open(path, 'r');
    return (await file.stat()).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
