import type { Context } from '../lib/context.ts';
import { every, type Worker } from '../lib/every.ts';

/** Much shorter than the hour that a proof lives. */
const ROUND_MS = 300_000;

/**
 * Starts deleting proofs and small pictures an hour after they were last wanted.
 * Any number of nodes may do it.
 */
export function startPassingSweep(ctx: Pick<Context, 'blobs' | 'log'>): Worker {
  return every({
    log: ctx.log,
    pollMs: ROUND_MS,
    failed: 'old proofs could not be deleted',
    run: async () => {
      await ctx.blobs.passing.sweep();
      return undefined;
    },
  });
}
