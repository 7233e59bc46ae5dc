import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { firstIdAt, newId, publicId } from '../../lib/ids.ts';
import type { Message } from '../../lib/mail/message.ts';
import { createCounter } from '../../lib/metrics/instruments.ts';
import { enqueue } from '../../lib/queue.ts';
import { countWaitingMail, insertMail, MAIL_JOB, type NewMail } from './sql.ts';

/** `no_server`: the installation has none, and what the mail says must be shown in another way. */
export type Queued = 'queued' | 'repeated' | 'too_many' | 'no_server';

/** Mails without which a person does not come in, or does not learn that someone else has. */
const VITAL_KINDS: readonly string[] = ['security', 'password_reset', 'invitation', 'sign_up_approved'];
/**
 * Mails of an account that may wait: more than people read, and few enough to harm no mail server.
 * Those that are vital have a bound of their own, so that no number of notices keeps one back.
 */
const WAITING_MAX = { vital: 1_000, notice: 200 } as const;
const DAY_MS = 86_400_000;

const countTooMany = createCounter({
  name: 'platen_mails_too_many_total',
  help: 'Mails that were not recorded, because too many of their account wait: vital ones (security, passwords, invitations) and notices.',
  labels: ['rank'],
  series: [{ rank: 'vital' }, { rank: 'notice' }],
});

/**
 * Records a mail in the caller's transaction, to be sent after its commit by a worker.
 * It is sent at least once, and after a crash perhaps twice under the same Message-ID. The caller wakes `MAIL_JOB` when
 * it should leave at once. One that is too many is logged and counted.
 */
export async function queueMail(
  ctx: Pick<Context, 'config' | 'secrets' | 'clock' | 'log'>,
  tx: Db,
  mail: NewMail & { readonly message: Message },
): Promise<Queued> {
  if (ctx.config.mail === undefined) return 'no_server';
  const now = ctx.clock.now();
  const since = firstIdAt(new Date(now.getTime() - DAY_MS));
  const { accountId, kind } = mail;
  const isVital = VITAL_KINDS.includes(kind);
  const rank = isVital ? 'vital' : 'notice';
  const max = WAITING_MAX[rank];
  if ((await countWaitingMail(tx, { accountId, since, kinds: VITAL_KINDS, isOfThem: isVital, max })) >= max) {
    countTooMany({ rank });
    ctx.log.warn({ account_id: publicId('acct', accountId), kind, max }, 'a mail was not recorded: too many wait');
    return 'too_many';
  }
  const id = newId(now.getTime());
  const content = ctx.secrets.seal(JSON.stringify(mail.message));
  if (!(await insertMail(tx, { ...mail, id, content, createdAt: now }))) return 'repeated';
  await enqueue(tx, { kind: MAIL_JOB, key: publicId('mail', id), payload: {}, runAt: now, accountId });
  return 'queued';
}
