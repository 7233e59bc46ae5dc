import { every, type Worker } from '../../lib/every.ts';
import { enqueue } from '../../lib/queue.ts';
import type { ChannelsContext } from '../context.ts';
import { deleteEndedInvitations } from './invitation-sql.ts';
import { SHOP_SYNC_JOB, SLOW_SHOP_SYNC_JOB } from './sync-shop.ts';
import { hastenReports, takeDueLinks } from './sync-sql.ts';

/** The hint that a shop is to be synchronised. */
export const SYNC_DUE = 'shop_sync_due';

/** Parcels are reported within seconds, and a move of an order gives no hint. */
const POLL_MS = 1_000;
const BATCH = 100;

/** Starts the worker that has shops synchronised once their time has come, in turn by account. */
export function startSyncs(ctx: ChannelsContext): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'shops could not be synchronised',
    run: async () => ((await runSyncs(ctx)) === BATCH ? 0 : undefined),
  });
}

/** Has a batch of shops synchronised; returns how many. */
export async function runSyncs(ctx: Pick<ChannelsContext, 'database' | 'clock' | 'wake'>): Promise<number> {
  const now = ctx.clock.now();
  await hastenReports(ctx.database, now);
  const taken = await ctx.database.transaction(async (tx) => {
    const due = await takeDueLinks(tx, { now, limit: BATCH, kinds: [SHOP_SYNC_JOB, SLOW_SHOP_SYNC_JOB] });
    for (const { account_id: accountId, channel_id: channelId, is_slow: isSlow } of due) {
      const kind = isSlow ? SLOW_SHOP_SYNC_JOB : SHOP_SYNC_JOB;
      await enqueue(tx, { kind, key: channelId, payload: { channelId }, runAt: now, accountId });
    }
    return due;
  });
  await deleteEndedInvitations(ctx.database, now);
  if (taken.some(({ is_slow: isSlow }) => !isSlow)) ctx.wake(SHOP_SYNC_JOB);
  if (taken.some(({ is_slow: isSlow }) => isSlow)) ctx.wake(SLOW_SHOP_SYNC_JOB);
  return taken.length;
}
