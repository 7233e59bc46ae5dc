import type { Db } from '../../lib/db.ts';
import { messageOf } from '../../lib/error-message.ts';
import { ApiError } from '../../lib/errors.ts';
import type { PrivacyContext } from '../context.ts';
import { beginErasures } from '../erase/erasure-sql.ts';
import type { LedgerEntry } from './entry.ts';
import { LedgerDamaged, type LedgerFile, lost } from './ledger-file.ts';
import { findLedgerHead, forgetLedger, insertLedgerEntries, lockLedger, setAnew } from './ledger-sql.ts';

type LedgerContext = Pick<PrivacyContext, 'database' | 'log'>;

/** Entries that one transaction takes over from the file. */
const TAKEN_OVER = 1_000;

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
    await insertLedgerEntries(tx, [await appendLine(ctx, ledger, erasure)], true);
    await beginErasures(tx, [erasure.erasureId]);
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
 * Forgets the entries of a database that was restored from before its ledger was begun anew.
 * The new one names all that they did. May be killed anywhere: the last entry goes last.
 */
export async function forgetFormer(ctx: Pick<PrivacyContext, 'database'>, ledger: LedgerFile): Promise<void> {
  const head = await findLedgerHead(ctx.database);
  try {
    await agrees(ledger, head);
    return;
  } catch (error) {
    if (!(error instanceof LedgerDamaged) || head === undefined || !(await ledger.isFormer(head.mac))) throw error;
  }
  const forget = async (tx: Db): Promise<boolean> => {
    await lockLedger(tx);
    return forgetLedger(tx);
  };
  while (await ctx.database.transaction(forget)) {
    // The next page.
  }
  await ctx.database.transaction((tx) => setAnew(tx, null));
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
  if (entries.length === 0) return entries;
  // A restored database may have begun to list their orders, and not have ended: they are replayed in any case.
  await beginErasures(
    tx,
    entries.map(({ erasureId }) => erasureId),
  );
  await insertLedgerEntries(tx, entries, false);
  return entries;
}

/**
 * Throws `LedgerDamaged` unless the file has the last entry of the database, with the same before it.
 */
export async function agrees(ledger: LedgerFile, head: { position: number; mac: string } | undefined): Promise<true> {
  if (head === undefined) return true;
  const [entry] = await ledger.read(head.position, 1);
  if (entry === undefined) {
    throw lost(ledger.folder, `has ${await ledger.length()} entries, and the database knows ${head.position}`);
  }
  if (entry.mac !== head.mac) throw lost(ledger.folder, 'is not the one of this database');
  return true;
}
