import type { PrivacyContext } from '../context.ts';
import { hasLedger, type LedgerFile, ledgerFolder, lost, openLedger, openOrBeginLedger } from './ledger-file.ts';
import { findLedgerHead } from './ledger-sql.ts';

/**
 * Opens the ledger of this installation.
 * A database that knows of erasures needs the ledger that they stand in; any other may begin one. Throws
 * `LedgerDamaged`.
 */
export async function openLedgerOf(ctx: Pick<PrivacyContext, 'database' | 'config'>): Promise<LedgerFile> {
  const folder = ledgerFolder(ctx.config);
  const head = await findLedgerHead(ctx.database);
  if (head === undefined) return openOrBeginLedger(folder);
  if (!(await hasLedger(folder))) throw lost(folder, `is missing, and the database knows ${head.position} erasures`);
  return openLedger(folder);
}
