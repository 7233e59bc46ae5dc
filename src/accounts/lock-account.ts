import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { lockAccountRow } from './sql.ts';

/**
 * Locks an account until the transaction ends, before something of it is counted against a bound.
 * Others that lock it wait, and nothing else: inserts that refer to the account go on. Count in a statement of its own
 * after it, so that what was committed during the wait is seen.
 */
export async function lockAccount(tx: Db, accountId: Uuid): Promise<void> {
  await lockAccountRow(tx, accountId);
}
