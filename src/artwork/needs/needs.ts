import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { TIERS } from '../../lib/queue/job.ts';
import { letGo, lockUnneeded, wantFiles } from './need-sql.ts';

type OfOrder = { readonly accountId: Uuid; readonly orderId: Uuid };

/**
 * Moves the print files of a locked order up because it is paid.
 * They rank by the time at which the order may be promoted. The last write of its transaction, after the balance.
 */
export async function nearToPaid(tx: Db, of: OfOrder, order: { cancellableUntil: Date; now: Date }): Promise<void> {
  await wantFiles(tx, of, { tier: TIERS.ordinary, rankedAt: order.cancellableUntil, now: order.now });
}

/** Moves the print files of a locked order to the front, behind those of orders promoted before. */
export async function nearToPromoted(tx: Db, of: OfOrder, now: Date): Promise<void> {
  await wantFiles(tx, of, { tier: TIERS.first, rankedAt: now, now });
}

/** Why a print file is not made, for operators who look at a cancelled order. */
const NOT_NEEDED = 'It is not made: every order that needed it was cancelled.';

/**
 * Drops the print files that a locked order no longer needs, because its pieces are cancelled.
 * Those that another order needs stay, where that one is. Comes after the balance and before the tasks about failures.
 */
export async function dropUnneeded(tx: Db, of: OfOrder, now: Date): Promise<void> {
  const keys = await lockUnneeded(tx, of);
  if (keys.length > 0) await letGo(tx, of, { keys, reason: NOT_NEEDED, now });
}
