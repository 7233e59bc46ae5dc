import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, noSuch } from '../lib/errors.ts';
import { parseId, type Uuid } from '../lib/ids.ts';
import type { Once, Operator } from '../lib/operator.ts';
import { actOnce } from './act-once.ts';
import type { Task } from './ops-schema.ts';
import { taskView } from './ops-view.ts';
import { closeTaskRow, closeTaskRows, closeTaskRowsOf, findTask } from './task-sql.ts';

/**
 * The kind of the task that asks the shop to answer a problem.
 * The answer closes it: closed by hand, the problem would stay open unseen, and its order would not be kept for it.
 */
export const PROBLEM_TASK = 'problem_reported';

/** The kind of the task that asks the shop to answer a request to cancel, likewise. */
export const REQUEST_TASK = 'cancellation_asked';

/** What closes tasks that are not closed by hand. */
const CLOSED_BY: Readonly<Record<string, string>> = {
  [PROBLEM_TASK]: 'Answer the problem: that closes this task. It cannot be closed by hand.',
  [REQUEST_TASK]: 'Accept or refuse the request: that closes this task. It cannot be closed by hand.',
};

/**
 * Closes a task.
 * One that is already closed stays as it is; an unknown one is 404. An open one that an answer closes is 409.
 */
export async function closeTask(
  ctx: Pick<Context, 'database' | 'clock'>,
  operator: Operator,
  input: { id: string; once: Once },
): Promise<Task> {
  const id = parseId('task', input.id);
  const task = id === undefined ? undefined : await findTask(ctx.database, id);
  if (task === undefined) throw noSuch('task');
  const closedBy = CLOSED_BY[task.kind];
  if (closedBy !== undefined && task.closed_at === null) throw new ApiError('conflict', closedBy);
  const act = { action: 'close_task', orderId: task.order_id, subjectId: task.id, detail: {}, once: input.once };
  await actOnce(ctx, operator, act, (tx, now) => closeTaskRow(tx, task.id, now));
  return taskView((await findTask(ctx.database, task.id)) ?? task);
}

/** Closes an order's open tasks of one kind, in the transaction that does what they ask for. */
export async function closeTasksOf(
  tx: Db,
  of: { readonly accountId: Uuid; readonly orderId: Uuid; readonly kind: string },
  now: Date,
): Promise<void> {
  await closeTaskRowsOf(tx, of, now);
}

/** Closes some tasks, in the transaction that does what they ask for. Closed ones stay as they are. */
export async function closeTasks(tx: Db, ids: readonly Uuid[], now: Date): Promise<void> {
  if (ids.length > 0) await closeTaskRows(tx, ids, now);
}
