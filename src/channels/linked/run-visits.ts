import { every, type Worker } from '../../lib/every.ts';
import { publicId } from '../../lib/ids.ts';
import { enqueue } from '../../lib/queue.ts';
import type { ChannelsContext } from '../context.ts';
import { deleteEndedInvitations, hastenReports, takeDueLinks } from './link-sql.ts';
import { SHOP_VISIT_JOB } from './visit.ts';

/** The hint that a shop is to be visited. */
export const VISIT_DUE = 'shop_visit_due';

/** Parcels are told within seconds, and a move of an order gives no hint. */
const POLL_MS = 1_000;
const BATCH = 100;

/** Starts the worker that has shops visited once their time has come, each by a job in its account's turn. */
export function startVisits(ctx: ChannelsContext): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'shops could not be visited',
    run: async () => ((await runVisits(ctx)) === BATCH ? 0 : undefined),
  });
}

/** Has a batch of shops visited; returns how many. */
export async function runVisits(ctx: Pick<ChannelsContext, 'database' | 'clock' | 'wake'>): Promise<number> {
  const now = ctx.clock.now();
  await hastenReports(ctx.database, now);
  const taken = await ctx.database.transaction(async (tx) => {
    const due = await takeDueLinks(tx, now, BATCH);
    for (const { account_id: accountId, channel_id: channelId } of due) {
      const key = publicId('chan', channelId);
      await enqueue(tx, { kind: SHOP_VISIT_JOB, key, payload: { channelId }, runAt: now, accountId });
    }
    return due.length;
  });
  await deleteEndedInvitations(ctx.database, now);
  if (taken > 0) ctx.wake(SHOP_VISIT_JOB);
  return taken;
}
