import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrivacyContext } from '../context.ts';
import { agrees } from './append.ts';
import { LEDGER_FILE, type LedgerFile, ledgerFolder, openLedger } from './ledger-file.ts';
import { findLedgerHead, readAnew } from './ledger-sql.ts';

/** How the ledger of erasures is, as one node sees it. */
export type LedgerState = {
  /** It can be written, and has what the database knows. */
  readonly usable: boolean;
  /** Undefined where there is none to be read. */
  readonly inFile: number | undefined;
  readonly inDatabase: number;
  readonly writtenAt: Date | undefined;
};

/** Looks at the ledger, and writes nothing. Costs the same however long it is. */
export async function readLedgerState(ctx: Pick<PrivacyContext, 'database' | 'config'>): Promise<LedgerState> {
  const head = await findLedgerHead(ctx.database);
  const isAnew = (await readAnew(ctx.database)) !== null;
  const known = { inDatabase: head?.position ?? 0, writtenAt: head?.at };
  try {
    const folder = ledgerFolder(ctx.config);
    const ledger: LedgerFile = await openLedger(folder);
    const inFile = await ledger.length();
    await access(join(folder, LEDGER_FILE), constants.R_OK | constants.W_OK);
    await agrees(ledger, head);
    return { ...known, inFile, usable: !isAnew };
  } catch {
    // Whatever is wrong with it: the next erasure would fail, and its error says why.
    return { ...known, inFile: undefined, usable: false };
  }
}
