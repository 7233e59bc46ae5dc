import { closeTasks } from '../accounts/close-task.ts';
import { mailPeople } from '../accounts/notices/mail-people.ts';
import { openTask } from '../accounts/open-task.ts';
import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import {
  findOrdersNeeding,
  forgetFailures,
  forgetFailuresOf,
  markPrintFileFailed,
  recordFailure,
  type WaitingOrder,
} from './failed-sql.ts';
import { countPrintFile } from './metrics.ts';

/** The kind of a task about artwork that could not be made. */
const ARTWORK_FAILED = 'artwork_failed';

/**
 * Gives a print file up: records the reason, and opens a task for each waiting order.
 * There is one task for an order and a file, written in the same transaction. A no-op for a file that
 * no order waits for any more.
 */
export async function giveUpPrintFile(
  ctx: Pick<Context, 'database' | 'clock' | 'config' | 'secrets' | 'log'>,
  key: string,
  reason: string,
): Promise<void> {
  await ctx.database.transaction(async (tx) => {
    const accountId = await markPrintFileFailed(tx, key, reason);
    if (accountId === undefined) return;
    tx.afterCommit(() => countPrintFile('given_up'));
    const now = ctx.clock.now();
    for (const order of await findOrdersNeeding(tx, accountId, key)) {
      const task = { accountId, orderId: order.order_id, kind: ARTWORK_FAILED, note: noteOf(order, reason) };
      const taskId = await openTask(tx, task, now);
      await recordFailure(tx, { orderId: order.order_id, key, accountId, taskId, now });
      const { reference } = order;
      await mailPeople(ctx, tx, { accountId, kind: 'artwork_failed', about: `${reference} ${taskId}` }, (shop) => ({
        subject: `The artwork of order ${reference} could not be made`,
        paragraphs: [
          `The print file for ${order.areas.join(', ')} of the order ${reference} could not be made: ${reason}`,
          `${shop} looks at it, and may ask you for another file. Until then the order waits.`,
        ],
        link: { label: 'See the order', path: `/orders/${reference}` },
      }));
    }
  });
}

function noteOf({ reference, areas }: WaitingOrder, reason: string): string {
  const what = `${reference}: the print-ready artwork for ${areas.join(', ')} could not be made: ${reason}`;
  const cure = 'Retry the print files of the order; if it fails again, ask the customer for another file.';
  return `${what.replace(/[.!]?$/, '.')} ${cure}`;
}

/** Closes the tasks about a print file that is made, in the transaction that records it as ready. */
export async function closeFailure(tx: Db, key: string, now: Date): Promise<void> {
  await closeTasks(tx, await forgetFailures(tx, key), now);
}

/** Closes the tasks about the artwork of a locked order, because nothing of it is to be made any more. */
export async function closeFailuresOf(
  tx: Db,
  of: { readonly orderId: Uuid; readonly accountId: Uuid },
  now: Date,
): Promise<void> {
  await closeTasks(tx, await forgetFailuresOf(tx, of), now);
}
