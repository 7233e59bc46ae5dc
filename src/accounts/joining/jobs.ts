import type { JobHandler } from '../../lib/queue.ts';
import { mailReset, RESET_JOB, type ResetContext } from './request-reset.ts';

/** The work after requests of people who are not signed in, whose answers must not tell what is known. */
export function joiningJobs(ctx: ResetContext): JobHandler[] {
  return [
    {
      kind: RESET_JOB,
      concurrency: 1,
      leaseSeconds: 30,
      attemptsMax: 3,
      run: ({ payload }) => mailReset(ctx, (payload as { email: string }).email),
      // It is asked for again in less time than a person would look for it.
      giveUp: async () => {},
    },
  ];
}
