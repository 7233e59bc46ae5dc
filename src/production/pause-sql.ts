import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';

type OfLine = { readonly accountId: Uuid; readonly orderId: Uuid; readonly lineId: Uuid };

const PAUSE = statement<never>(
  'production_pause_line',
  `insert into line_pause (account_id, order_id, line_id, code, reason, opened_at) values ($1, $2, $3, $4, $5, $6)`,
);

/** Pauses a line of a locked order. */
export async function insertPause(
  tx: Db,
  pause: OfLine & { readonly code: string; readonly reason: string; readonly now: Date },
): Promise<void> {
  const { accountId, orderId, lineId, code, reason, now } = pause;
  await tx.all(PAUSE, [accountId, orderId, lineId, code, reason, now]);
}

const RESUME = statement<never>(
  'production_resume_line',
  'delete from line_pause where account_id = $1 and order_id = $2 and line_id = $3',
);

/** Ends the pause of a line of a locked order. */
export async function deletePause(tx: Db, { accountId, orderId, lineId }: OfLine): Promise<void> {
  await tx.all(RESUME, [accountId, orderId, lineId]);
}
