import type { Context } from '../../lib/context.ts';
import { AT_ONCE, every, type Worker } from '../../lib/every.ts';
import { COUNTED_AT_ONCE, countNext, hasUncounted, lockCounting } from './sql.ts';

/** How long readers of the overview add up changes of orders themselves. */
const POLL_MS = 500;

/**
 * Counts what waits for promotion of the orders that were changed, the earliest changes first.
 * Any number of nodes may run it: one counts at a time. Returns whether more may be left. Locks the
 * counting and no order.
 */
export async function countAwaiting({ database }: Pick<Context, 'database'>): Promise<boolean> {
  if (!(await hasUncounted(database))) return false;
  return database.transaction(async (tx) => (await lockCounting(tx)) && (await countNext(tx)) >= COUNTED_AT_ONCE);
}

/** Starts the worker that counts what waits for promotion, for the overview of stock. */
export function startCountingAwaited(ctx: Pick<Context, 'database' | 'log'>): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'what waits for promotion could not be counted',
    run: async () => ((await countAwaiting(ctx)) ? AT_ONCE : undefined),
  });
}
