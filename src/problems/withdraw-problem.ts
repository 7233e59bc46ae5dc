import { closeTasks } from '../accounts/close-task.ts';
import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { ApiError, notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { lockOrder } from '../orders/move-sql.ts';
import type { OrderProblem } from './schema.ts';
import { endProblem, findProblem } from './sql.ts';
import { problemView } from './view.ts';

/**
 * Withdraws an open problem: its pieces can be reported again, and its task is closed.
 * Against an answer at the same moment exactly one wins. A repeat changes nothing. Throws 404 for an unknown problem
 * and another account's, 409 for one that was answered. Locks the order.
 */
export async function withdrawProblem(
  ctx: Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>,
  { accountId }: Caller,
  problemId: string,
): Promise<OrderProblem> {
  const id = parseId('prob', problemId);
  const found = id === undefined ? undefined : await findProblem(ctx.database, accountId, id);
  if (found === undefined) throw notFound();
  await ctx.database.transaction(async (tx) => {
    await lockOrder(tx, accountId, found.order_id);
    const problem = await findProblem(tx, accountId, found.id);
    if (problem === undefined) throw notFound();
    if (problem.status === 'withdrawn') return;
    if (problem.status !== 'open') {
      throw new ApiError('conflict', 'The shop has answered this problem, so it cannot be withdrawn any more.');
    }
    const now = ctx.clock.now();
    const none = { answer: '', answeredBy: null, replacementId: null, refundPence: null };
    const end = { accountId, id: found.id, status: 'withdrawn', ...none, now } as const;
    if (!(await endProblem(tx, end))) throw new Error('an open problem of a locked order could not be ended');
    await closeTasks(tx, [problem.task_id], now);
  });
  const withdrawn = await findProblem(ctx.database, accountId, found.id);
  if (withdrawn === undefined) throw new Error('a problem that was withdrawn is gone');
  return problemView(ctx, withdrawn);
}
