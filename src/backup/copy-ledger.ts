import { randomUUID } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entryOf, LINE_BYTES } from '../privacy/ledger/entry.ts';
import { hasLedger, hasMac, LEDGER_FILE, LEDGER_FORMER_FILE, LEDGER_KEY_FILE } from '../privacy/ledger/ledger-file.ts';
import { type FileOwner, makeFolder, syncFolder, writeDurably } from './copy-file.ts';

/**
 * Copies the ledger of erasures, so that the place that it is copied to has the longer of the two.
 * One must be the beginning of the other, since entries are only ever appended; or it was lost and the other was begun
 * anew in its place. A line that is not whole is left out. Throws a one-line Error when they are of two installations,
 * or damaged. Nothing happens where there is no ledger yet.
 */
export async function copyLedger(from: string, to: string, owner?: FileOwner): Promise<void> {
  if (!(await hasLedger(from))) return;
  const source = await readLedger(from);
  const target = (await hasLedger(to)) ? await readLedger(to) : undefined;
  if (target !== undefined && (await isFormerOf(source, to))) return;
  const isReplaced = target !== undefined && (await isFormerOf(target, from));
  if (target !== undefined && !isReplaced && (target.key !== source.key || !isBeginning(target.lines, source.lines))) {
    throw new Error(
      `the ledgers of erasures in ${from} and ${to} differ: one is damaged, or of another installation; see "The ledger of erasures" in docs/runbook.md`,
    );
  }
  if (target !== undefined && !isReplaced && target.lines.length >= source.lines.length) return;
  await makeFolder(to, owner);
  const former = await readFile(join(from, LEDGER_FORMER_FILE)).catch(() => undefined);
  // First: without it the older backups could not be restored with this ledger.
  if (former !== undefined) await replaceFile(join(to, LEDGER_FORMER_FILE), former, owner);
  await replaceFile(join(to, LEDGER_KEY_FILE), source.key, owner);
  await replaceFile(join(to, LEDGER_FILE), source.lines, owner);
  await syncFolder(to);
}

/** Whether a ledger was begun anew in the place of another, by the first line of that one. */
async function isFormerOf({ lines }: { readonly lines: Buffer }, newer: string): Promise<boolean> {
  const mac = entryOf(lines.toString('latin1', 0, LINE_BYTES))?.mac;
  return mac !== undefined && hasMac(join(newer, LEDGER_FORMER_FILE), mac);
}

async function readLedger(folder: string): Promise<{ key: string; lines: Buffer }> {
  const key = await readFile(join(folder, LEDGER_KEY_FILE), 'utf8');
  const log = await readFile(join(folder, LEDGER_FILE));
  return { key, lines: log.subarray(0, log.length - (log.length % LINE_BYTES)) };
}

function isBeginning(one: Buffer, other: Buffer): boolean {
  const shared = Math.min(one.length, other.length);
  return one.subarray(0, shared).equals(other.subarray(0, shared));
}

/** A killed copy leaves the file as it was, or whole. */
async function replaceFile(path: string, content: string | Buffer, owner: FileOwner): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeDurably(draft, content, owner);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
