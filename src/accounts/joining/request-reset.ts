import { createHash } from 'node:crypto';
import { ApiError, validationFailed } from '../../lib/errors.ts';
import { enqueue, JobFault } from '../../lib/queue.ts';
import type { Browser } from '../../lib/route.ts';
import { emailProblems, normaliseEmail } from '../create-user.ts';
import { MAIL_JOB } from '../mail/sql.ts';
import type { LinkContext } from '../portal/send-link.ts';
import { sendLink } from '../portal/send-link.ts';
import { countAsks } from './count-asks.ts';
import { findPersonToMail } from './joining-sql.ts';

/** The kind of the jobs that mail a link to a new password to an address that someone gave. */
export const RESET_JOB = 'password_reset';

const HOUR_MS = 3_600_000;
/** In an hour. An office may share an address of the network; a mailbox gets few unwanted mails. */
const ASKS_MAX = { ip: 20, email: 3 } as const;

export type ResetContext = LinkContext & { readonly wake: (kind: string) => void };

/**
 * Has a link to a new password mailed to an address, if a person signs in with it.
 * A job looks the address up, so that the answer and its time are the same for every one. Throws 409 where no mail is
 * sent, 422 for a malformed address, and 429 when this machine or this address has asked too often.
 */
export async function requestPasswordReset(ctx: ResetContext, browser: Browser, given: string): Promise<void> {
  requireMailServer(ctx);
  const email = normaliseEmail(given);
  const problems = emailProblems(email);
  if (problems.length > 0) throw validationFailed(problems);
  const asks = [
    { subject: `reset ip ${browser.ipKey}`, max: ASKS_MAX.ip },
    { subject: `reset email ${email}`, max: ASKS_MAX.email },
  ];
  await countAsks(ctx, asks, HOUR_MS);
  const key = createHash('sha256').update(email).digest('hex');
  await enqueue(ctx.database, { kind: RESET_JOB, key, payload: { email }, runAt: ctx.clock.now() });
  ctx.wake(RESET_JOB);
}

/**
 * Mails a link to a new password to the person who signs in with an address.
 * A no-op for an unknown one, a disabled person and a suspended account.
 */
export async function mailReset(ctx: ResetContext, email: string): Promise<void> {
  const person = await findPersonToMail(ctx.database, email);
  if (person === undefined) return;
  const { account_id, name } = person;
  await ctx.database.transaction(async (tx) => {
    const link = { account_id, kind: 'reset', email, role: null, name } as const;
    const { mail } = await sendLink(ctx, tx, link, { kind: 'reader' });
    // Undone, so that a link that was mailed earlier goes on working.
    if (mail === 'too_many') throw new JobFault('too many mails of the account wait');
  });
  ctx.wake(MAIL_JOB);
}

/** Throws 409 where no mail is sent, so that what waits for one is not waited for. */
export function requireMailServer({ config }: Pick<LinkContext, 'config'>): void {
  if (config.mail !== undefined) return;
  throw new ApiError('conflict', 'No mail is sent from here. Ask an owner of your account, or the print shop.');
}
