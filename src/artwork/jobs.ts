import type { JobHandler } from '../lib/queue.ts';
import type { ArtworkContext } from './context.ts';
import { giveUpPrintFile } from './give-up.ts';
import { makePrintFile } from './make-print-file.ts';
import { countPrintFile } from './metrics.ts';
import { NORMALISE_JOB } from './sql.ts';

/**
 * A dead worker's job is taken over within this time.
 * An image of the largest legal size takes seconds.
 */
const LEASE_SECONDS = 30;
const ATTEMPTS_MAX = 8;

/** The background work of this slice: print-ready files. */
export function artworkJobs(ctx: ArtworkContext): JobHandler[] {
  return [
    {
      kind: NORMALISE_JOB,
      // One of the two decoding children stays free for the images of orders that wait for an answer.
      concurrency: 1,
      leaseSeconds: LEASE_SECONDS,
      attemptsMax: ATTEMPTS_MAX,
      run: async (job) => {
        try {
          await makePrintFile(ctx, job.key);
        } catch (error) {
          countPrintFile('failed');
          throw error;
        }
      },
      giveUp: (job, reason) => giveUpPrintFile(ctx, job.key, reason),
    },
  ];
}
