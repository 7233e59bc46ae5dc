import { closeTasks } from '../../accounts/close-task.ts';
import { openTask } from '../../accounts/open-task.ts';
import type { Db } from '../../lib/db.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { promiseShort, SUPPLIED_MAX, supplyShort } from './sql.ts';

/** The kind of the task that is open while a line is short of blanks. */
export const LINE_SHORT = 'line_short';

/** Pieces of a line that were spoiled and for which no blank is available. */
export type ShortPieces = {
  readonly accountId: Uuid;
  readonly orderId: Uuid;
  /** The order's reference, for the note of the task. */
  readonly reference: string;
  readonly lineId: Uuid;
  readonly sku: string;
  readonly quantity: number;
  /** What the line was short of before, and its task. */
  readonly before: { readonly short: number; readonly taskId: Uuid | null };
};

/**
 * Promises a line of a locked order the next blanks of its variant, and opens a task.
 * The task of an earlier shortage of the line is closed: the new one has the sum. The caller has locked the stock row
 * and records the movement.
 */
export async function promiseNextBlanks(tx: Db, pieces: ShortPieces, now: Date): Promise<void> {
  const { accountId, orderId, reference, lineId, sku, quantity, before } = pieces;
  if (before.taskId !== null) await closeTasks(tx, [before.taskId], now);
  const short = before.short + quantity;
  const note =
    `${reference}: ${publicId('line', lineId)} is short of ${short} of ${sku}: spoiled, and no blank is left. ` +
    'Receive or count stock, and the line has the next blanks; or cancel these pieces, which gives their price back.';
  const taskId = await openTask(tx, { accountId, orderId, kind: LINE_SHORT, note }, now);
  await promiseShort(tx, { accountId, orderId, lineId, sku, quantity, taskId, now });
}

/**
 * Gives blanks that were put on the shelf to the lines that are short of them.
 * The oldest come first. A line with enough of them is no longer short, and its task closes. The caller has changed
 * and locked the stock rows of these variants. Orders are not locked: what changes is guarded by the stock row.
 */
export async function supplyShortLines(tx: Db, skus: readonly string[], now: Date): Promise<void> {
  for (;;) {
    const supplied = await supplyShort(tx, skus);
    const tasks = supplied.flatMap(({ short_task: task }) => task ?? []);
    await closeTasks(tx, tasks, now);
    if (supplied.length < SUPPLIED_MAX) return;
  }
}
