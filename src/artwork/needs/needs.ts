import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { TIERS } from '../../lib/queue/job.ts';
import { retryFailedFile } from '../failed-sql.ts';
import type { PrintFileOrder } from '../recipe.ts';
import { forgetUnusedFile, insertPendingFile, lockFileRows } from './anew-sql.ts';
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

/** Locks those of some print files of an account that are there. Comes after the lock of the order. */
export async function lockFiles(tx: Db, accountId: Uuid, keys: readonly string[]): Promise<void> {
  await lockFileRows(tx, accountId, keys);
}

/** How near an order is to production: what its print files rank by. */
export type Nearness = 'unpaid' | 'paid' | 'promoted';

const TIER_OF = { unpaid: TIERS.spare, paid: TIERS.ordinary, promoted: TIERS.first } as const;

/**
 * Has a print file made for a locked order that prints it from now on.
 * One that has failed starts over, for all orders that wait for it. The caller has locked the file, if it is there.
 */
export async function makeAnew(
  tx: Db,
  of: OfOrder,
  file: PrintFileOrder,
  order: { readonly nearness: Nearness; readonly cancellableUntil: Date; readonly now: Date },
): Promise<void> {
  const { nearness, cancellableUntil, now } = order;
  await insertPendingFile(tx, { accountId: of.accountId, ...file, now });
  await retryFailedFile(tx, of.accountId, file.key, now);
  const rankedAt = nearness === 'promoted' ? now : cancellableUntil;
  await wantFiles(tx, of, { tier: TIER_OF[nearness], rankedAt, now });
}

/**
 * Ends what a locked order had to do with a print file that it prints no more.
 * One that failed, and that no order prints, is deleted: its picture is then no longer in use. The caller has locked
 * the file.
 */
export async function leaveFile(tx: Db, of: OfOrder, key: string, now: Date): Promise<void> {
  await dropUnneeded(tx, of, now);
  await forgetUnusedFile(tx, of.accountId, key);
}
