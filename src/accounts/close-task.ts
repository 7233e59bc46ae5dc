import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import type { Once, Operator } from '../lib/operator.ts';
import { actOnce } from './act-once.ts';
import type { Task } from './ops-schema.ts';
import { taskView } from './ops-view.ts';
import { closeTaskRow, findTask } from './task-sql.ts';

/** Closes a task that somebody has looked at. One that is closed stays as it is; an unknown one is 404. */
export async function closeTask(
  ctx: Pick<Context, 'database' | 'clock'>,
  operator: Operator,
  input: { id: string; once: Once },
): Promise<Task> {
  const id = parseId('task', input.id);
  const task = id === undefined ? undefined : await findTask(ctx.database, id);
  if (task === undefined) throw notFound();
  const act = { action: 'close_task', orderId: task.order_id, subjectId: task.id, detail: {}, once: input.once };
  await actOnce(ctx, operator, act, (tx, now) => closeTaskRow(tx, task.id, now));
  return taskView((await findTask(ctx.database, task.id)) ?? task);
}
