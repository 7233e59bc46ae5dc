import { every, type Worker } from '../../lib/every.ts';
import { deleteEndedSecrets } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { endOld, takeDue } from './inbox-sql.ts';
import { enqueueLook, SHOP_ORDER_JOB } from './receive-order.ts';

/** The hint that orders of shops are due to be looked at again. */
export const INBOX_CHANGED = 'inbox_changed';

const IDLE_MS = 5_000;
/** Of one transaction, some milliseconds long. */
const BATCH = 100;
/** What has no answer by then is ignored, and its address removed. */
const OPEN_DAYS_MAX = 90;
const DAY_MS = 86_400_000;

/**
 * Starts the worker that has orders of shops looked at again once their time has come.
 * What it takes of the table it puts into the queue in the same transaction, where accounts have their turns.
 */
export function startInbox(ctx: ChannelsContext): Worker {
  return every({
    log: ctx.log,
    pollMs: IDLE_MS,
    failed: 'orders of shops could not be looked at again',
    run: async () => {
      const taken = await runInbox(ctx);
      return taken === BATCH ? 0 : undefined;
    },
  });
}

/** Takes a batch of what is due; returns how many there were. */
export async function runInbox(ctx: Pick<ChannelsContext, 'database' | 'clock' | 'wake'>): Promise<number> {
  const now = ctx.clock.now();
  const taken = await ctx.database.transaction(async (tx) => {
    const due = await takeDue(tx, now, BATCH);
    for (const row of due) await enqueueLook(tx, row, now);
    return due.length;
  });
  await endOld(ctx.database, new Date(now.getTime() - OPEN_DAYS_MAX * DAY_MS), now, BATCH);
  await deleteEndedSecrets(ctx.database, now);
  if (taken > 0) ctx.wake(SHOP_ORDER_JOB);
  return taken;
}
