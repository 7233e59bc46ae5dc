import type { PrivacyContext } from '../context.ts';
import {
  hasLedger,
  LedgerDamaged,
  type LedgerFile,
  ledgerFolder,
  lost,
  openLedger,
  openOrBeginLedger,
} from './ledger-file.ts';
import { findLedgerHead, readAnew } from './ledger-sql.ts';

/**
 * Opens the ledger of this installation.
 * A database that knows of erasures needs the ledger that they stand in; any other may begin one. Throws
 * `LedgerDamaged`.
 */
export async function openLedgerOf(ctx: Pick<PrivacyContext, 'database' | 'config'>): Promise<LedgerFile> {
  const folder = ledgerFolder(ctx.config);
  if ((await readAnew(ctx.database)) !== null) {
    throw new LedgerDamaged(
      `the ledger of erasures in ${folder} is being begun anew, or that was interrupted: run \`platen erasures begin-ledger\` to its end`,
    );
  }
  const head = await findLedgerHead(ctx.database);
  if (head === undefined) return openOrBeginLedger(folder);
  if (!(await hasLedger(folder))) throw lost(folder, `is missing, and the database knows ${head.position} erasures`);
  return openLedger(folder);
}
