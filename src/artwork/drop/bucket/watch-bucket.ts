import type { Context } from '../../../lib/context.ts';
import { every, type Worker } from '../../../lib/every.ts';
import { checkBucket } from './check-bucket.ts';

const ROUND_MS = 3_600_000;

/**
 * Starts looking at the bucket of dropped files, at once and every hour.
 * What is wrong with it is a warning each.
 */
export function startBucketWatch(ctx: Pick<Context, 'config' | 'outbound' | 'clock' | 'log'>): Worker | undefined {
  const { dropBucket } = ctx.config;
  if (dropBucket === undefined) return undefined;
  return every({
    log: ctx.log,
    pollMs: ROUND_MS,
    failed: 'the bucket of dropped files could not be looked at',
    run: async () => {
      for (const problem of await checkBucket(ctx, dropBucket)) {
        ctx.log.warn({ problem }, 'the bucket of dropped files is not set up');
      }
      return undefined;
    },
  });
}
