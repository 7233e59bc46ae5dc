import type { Context } from '../../lib/context.ts';
import { parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { type Message, renderMessage } from '../../lib/mail/message.ts';
import { openSmtp, type Smtp } from '../../lib/mail/smtp.ts';
import { createCounter } from '../../lib/metrics/instruments.ts';
import type { Job } from '../../lib/queue/job.ts';
import { JobFault, type JobHandler } from '../../lib/queue.ts';
import { endMail, findWaitingMail, MAIL_JOB, noteMailAnswer } from './sql.ts';

/** The longest that a mail server may take, and some more. */
const LEASE_SECONDS = 60;
/** With the waits of the queue between them, for about a day. */
const ATTEMPTS_MAX = 300;
/** Connections to the mail server at a time. */
const CONCURRENCY = 2;

const countMail = createCounter({
  name: 'platen_mails_total',
  help: 'Mails by what became of them: sent, refused for good, late (of no use any more), later (tried again).',
  labels: ['outcome'],
  series: [{ outcome: 'sent' }, { outcome: 'refused' }, { outcome: 'late' }, { outcome: 'later' }],
});

type MailContext = Pick<Context, 'config' | 'database' | 'clock' | 'secrets' | 'log'>;

/**
 * The sending of mails.
 * Without a mail server, those that were recorded while there was one wait until they are of no use.
 * A fault of the connection is one of ours: the queue pauses, and no mail counts an attempt. An answer to one mail sets
 * back that mail alone.
 */
export function mailJobs(ctx: MailContext): JobHandler[] {
  const { mail } = ctx.config;
  const smtp = mail && openSmtp(mail);
  return [
    {
      kind: MAIL_JOB,
      concurrency: CONCURRENCY,
      leaseSeconds: LEASE_SECONDS,
      attemptsMax: ATTEMPTS_MAX,
      run: (job) => sendMail(ctx, smtp, mailOf(job)),
      giveUp: async (job, reason) => {
        countMail({ outcome: 'refused' });
        await endMail(ctx.database, mailOf(job), { at: ctx.clock.now(), outcome: 'refused', answer: reason });
      },
    },
  ];
}

function mailOf({ key }: Job): Uuid {
  const id = parseId('mail', key);
  if (id === undefined) throw new Error('the key of a mail job is no id of a mail');
  return id;
}

async function sendMail(ctx: MailContext, smtp: Smtp | undefined, id: Uuid): Promise<void> {
  const row = await findWaitingMail(ctx.database, id);
  // Sent by a worker that died before its job ended, or erased with the account.
  if (row === undefined) return;
  if (row.useless_at <= ctx.clock.now()) {
    countMail({ outcome: 'late' });
    await endMail(ctx.database, id, { at: ctx.clock.now(), outcome: 'late', answer: '' });
    return;
  }
  if (smtp === undefined) throw new Error('mails wait, and no mail server is set: set SMTP_URL and MAIL_FROM again');
  const content = ctx.secrets.unseal({ bytes: row.sealed, keyId: row.sealed_with });
  const rendered = renderMessage(JSON.parse(content) as Message);
  const { kind, answer } = await smtp.send({ ...rendered, id: publicId('mail', id), to: row.recipient });
  countMail({ outcome: kind });
  if (kind === 'later') {
    await noteMailAnswer(ctx.database, id, answer);
    throw new JobFault(`the mail server answered: ${answer}`);
  }
  await endMail(ctx.database, id, { at: ctx.clock.now(), outcome: kind, answer });
  if (kind === 'refused') ctx.log.warn({ mail_id: publicId('mail', id), answer }, 'a mail was refused');
}
