import type { Db } from '../../lib/db.ts';
import { messageOf } from '../../lib/error-message.ts';
import { ApiError } from '../../lib/errors.ts';
import type { PrivacyContext } from '../context.ts';
import { beginErasure } from '../erase/erasure-sql.ts';
import type { LedgerEntry } from './entry.ts';
import { LedgerDamaged, type LedgerFile, lost } from './ledger-file.ts';
import { findLedgerHead, insertLedgerEntry, lockLedger } from './ledger-sql.ts';

type LedgerContext = Pick<PrivacyContext, 'database' | 'log'>;

/** Entries that one transaction takes over from the file. */
const TAKEN_OVER = 500;

/**
 * Writes an erasure into the ledger, in the file and in the database, and lets it begin.
 * When this returns the file is on the disk: from then on the erasure is carried out whatever happens, in a restored
 * backup too. The file is written within the transaction, behind its lock: if the commit then fails, the file has an
 * entry more, which the next one to compare them takes over. Throws 503 when the file cannot be written.
 */
export async function appendErasure(
  ctx: LedgerContext,
  ledger: LedgerFile,
  erasure: Omit<LedgerEntry, 'position' | 'mac'>,
): Promise<void> {
  while (await takeOver(ctx, ledger)) {
    // In batches, so that no transaction grows with the file.
  }
  await ctx.database.transaction(async (tx) => {
    await lockLedger(tx);
    const taken = await takeOverIn(tx, ledger);
    // A retry of this transaction after its file was written finds its own entry.
    if (taken.some(({ erasureId }) => erasureId === erasure.erasureId)) return;
    await insertLedgerEntry(tx, await appendLine(ctx, ledger, erasure), true);
    await beginErasure(tx, erasure.erasureId);
  });
}

async function appendLine(
  ctx: LedgerContext,
  ledger: LedgerFile,
  erasure: Omit<LedgerEntry, 'position' | 'mac'>,
): Promise<LedgerEntry> {
  try {
    return await ledger.append(erasure);
  } catch (error) {
    if (error instanceof LedgerDamaged) throw error;
    ctx.log.error({ error: messageOf(error) }, 'the ledger of erasures could not be written');
    throw new ApiError(
      'unavailable',
      'The ledger of erasures cannot be written, so nothing is erased. Make room on its disk, and try again.',
    );
  }
}

/**
 * Takes entries of the file over that the database does not know, a batch at a time.
 * They are to be replayed. Returns whether there may be more. Throws `LedgerDamaged` when the file lacks what the
 * database knows.
 */
export async function takeOver(ctx: Pick<PrivacyContext, 'database'>, ledger: LedgerFile): Promise<boolean> {
  const head = await findLedgerHead(ctx.database);
  if ((await agrees(ledger, head)) && (await ledger.length()) === (head?.position ?? 0)) return false;
  const taken = await ctx.database.transaction(async (tx) => {
    await lockLedger(tx);
    return takeOverIn(tx, ledger);
  });
  return taken.length === TAKEN_OVER;
}

async function takeOverIn(tx: Db, ledger: LedgerFile): Promise<LedgerEntry[]> {
  const head = await findLedgerHead(tx);
  await agrees(ledger, head);
  const entries = await ledger.read((head?.position ?? 0) + 1, TAKEN_OVER);
  for (const entry of entries) {
    // A restored database may have begun to list its orders, and not have ended: it is replayed in any case.
    await beginErasure(tx, entry.erasureId);
    await insertLedgerEntry(tx, entry, false);
  }
  return entries;
}

/**
 * Throws `LedgerDamaged` unless the file has the last entry of the database, with the same before it.
 */
async function agrees(ledger: LedgerFile, head: { position: number; mac: string } | undefined): Promise<true> {
  if (head === undefined) return true;
  const [entry] = await ledger.read(head.position, 1);
  if (entry === undefined) {
    throw lost(ledger.folder, `has ${await ledger.length()} entries, and the database knows ${head.position}`);
  }
  if (entry.mac !== head.mac) throw lost(ledger.folder, 'is not the one of this database');
  return true;
}
