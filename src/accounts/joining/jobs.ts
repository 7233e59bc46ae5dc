import { openSmtp } from '../../lib/mail/smtp.ts';
import type { JobHandler } from '../../lib/queue.ts';
import { mailSignUp } from './mail-sign-up.ts';
import { mailReset, RESET_JOB, type ResetContext } from './request-reset.ts';
import { SIGN_UP_JOB } from './sign-up.ts';

/** The work after requests of people who are not signed in, whose answers must not tell what is known. */
export function joiningJobs(ctx: ResetContext): JobHandler[] {
  const smtp = ctx.config.mail && openSmtp(ctx.config.mail);
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
    {
      kind: SIGN_UP_JOB,
      concurrency: 1,
      leaseSeconds: 60,
      // With the waits of the queue between them, for some hours.
      attemptsMax: 60,
      run: ({ key }) => mailSignUp(ctx, smtp, key),
      // The sweep deletes the sign-up within its day.
      giveUp: async () => {},
    },
  ];
}
