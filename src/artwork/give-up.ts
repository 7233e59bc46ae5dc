import { closeTasks } from '../accounts/close-task.ts';
import { mailPeople, type Notice } from '../accounts/notices/mail-people.ts';
import { openTasks } from '../accounts/open-task.ts';
import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import {
  findOrdersNeeding,
  forgetFailureIfUnused,
  forgetFailures,
  forgetFailuresOf,
  markPrintFileFailed,
  recordFailures,
  type WaitingOrder,
} from './failed-sql.ts';
import { countPrintFile } from './metrics.ts';

/** The kind of a task about artwork that could not be made. */
const ARTWORK_FAILED = 'artwork_failed';
/** The orders that a mail names; of the others it says how many. */
const NAMED_MAX = 20;

/**
 * Gives a print file up: records the reason, and opens a task for each waiting order.
 * There is one task for an order and a file, written in the same transaction, and one mail for a person and the file.
 * Placing an order with the file waits for this lock, so the statements do not grow with the orders. A no-op for a
 * file that no order waits for any more.
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
    const orders = await findOrdersNeeding(tx, accountId, key);
    const about = orders.map((order) => ({ orderId: order.order_id, note: noteOf(order, reason) }));
    const taskIds = await openTasks(tx, { accountId, kind: ARTWORK_FAILED }, about, now);
    const orderIds = orders.map((order) => order.order_id);
    await recordFailures(tx, { key, accountId, orderIds, taskIds, now });
    const [first] = taskIds;
    if (first === undefined) return;
    // A task is new each time, so a file that fails again after a retry is mailed again.
    const to = { accountId, kind: 'artwork_failed', about: `${key} ${first}` } as const;
    await mailPeople(ctx, tx, to, (shop) => noticeOf(orders, reason, shop));
  });
}

/** One mail for all orders of the file: who sells one design has hundreds that wait for it. */
function noticeOf(orders: readonly WaitingOrder[], reason: string, shop: string): Notice {
  const [order] = orders;
  if (order !== undefined && orders.length === 1) {
    const { reference, areas } = order;
    return {
      subject: `The artwork of order ${reference} could not be made`,
      paragraphs: [
        `The print file for ${areas.join(', ')} of the order ${reference} could not be made: ${reason}`,
        `${shop} looks at it. You can replace the artwork on the page of the order until its production starts. Until then the order waits.`,
      ],
      link: { label: 'See the order', path: `/orders/${reference}` },
    };
  }
  const named = orders.slice(0, NAMED_MAX).map(({ reference }) => reference);
  const more = orders.length > NAMED_MAX ? ` and ${orders.length - NAMED_MAX} more` : '';
  return {
    subject: `The artwork of ${orders.length} orders could not be made`,
    paragraphs: [
      `A print file that ${orders.length} orders need could not be made: ${reason}`,
      `The orders: ${named.join(', ')}${more}.`,
      `${shop} looks at it. You can replace the artwork on the page of each order until its production starts. Until then they wait.`,
    ],
    link: { label: 'See the orders', path: '/orders' },
  };
}

function noteOf({ reference, areas }: WaitingOrder, reason: string): string {
  const what = `${reference}: the print-ready artwork for ${areas.join(', ')} could not be made: ${reason}`;
  const cure = 'Retry the print files of the order; if it fails again, ask the customer to replace it on the order.';
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

/** Closes the task about a print file that a locked order prints on no area any more. */
export async function closeFailureIfUnused(
  tx: Db,
  of: { readonly orderId: Uuid; readonly accountId: Uuid },
  key: string,
  now: Date,
): Promise<void> {
  await closeTasks(tx, await forgetFailureIfUnused(tx, of, key), now);
}
