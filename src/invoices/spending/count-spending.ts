import type { Context } from '../../lib/context.ts';
import { AT_ONCE, every, type Worker } from '../../lib/every.ts';
import { advanceSpending, countSpending, lockSpending } from './spending-sql.ts';

/** As often as documents are issued. */
const POLL_MS = 15_000;
/** Documents of one transaction, and transactions of one round. */
const BATCH = 500;
const BATCHES_MAX = 20;

/**
 * One round: adds the documents that were issued since the last to the days of their accounts.
 * Documents are taken in the order of their numbers, and how far they are taken is written with the sums: each counts
 * once, whenever a worker dies. Any number of nodes may run it. Returns how many it has added.
 */
export async function countIssued(ctx: Pick<Context, 'database'>): Promise<number> {
  let counted = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const added = await ctx.database.transaction(async (tx) => {
      const through = await lockSpending(tx);
      if (through === undefined) return 0;
      const count = await countSpending(tx, through, BATCH);
      if (count > 0) await advanceSpending(tx, through + count);
      return count;
    });
    counted += added;
    if (added < BATCH) break;
  }
  return counted;
}

/** Starts the worker that sums what accounts spend by day. */
export function startCountingSpending(ctx: Pick<Context, 'database' | 'log'>): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'spending by day could not be summed',
    // A full round means that there is more to do.
    run: async () => ((await countIssued(ctx)) >= BATCH * BATCHES_MAX ? AT_ONCE : undefined),
  });
}
