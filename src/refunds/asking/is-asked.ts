import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { findLatestRequest } from './sql.ts';

/** Whether the print shop was asked to cancel an order, and has not answered yet. */
export async function isAskedToCancel(db: Db, accountId: Uuid, orderId: Uuid): Promise<boolean> {
  return (await findLatestRequest(db, accountId, orderId))?.state === 'open';
}
