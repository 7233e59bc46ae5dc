import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { firstIdAt, newId, publicId } from '../../lib/ids.ts';
import type { Message } from '../../lib/mail/message.ts';
import { enqueue } from '../../lib/queue.ts';
import { countWaitingMail, insertMail, MAIL_JOB, type NewMail } from './sql.ts';

/** `no_server`: the installation has none, and what the mail says must be shown in another way. */
export type Queued = 'queued' | 'repeated' | 'too_many' | 'no_server';

/** Mails of an account that may wait: more than people read, and few enough to harm no mail server. */
const WAITING_MAX = 200;
const DAY_MS = 86_400_000;

/**
 * Records a mail in the caller's transaction, to be sent after its commit by a worker.
 * It is sent at least once, and after a crash perhaps twice under the same Message-ID. The caller wakes `MAIL_JOB` when
 * it should leave at once.
 */
export async function queueMail(
  ctx: Pick<Context, 'config' | 'secrets' | 'clock'>,
  tx: Db,
  mail: NewMail & { readonly message: Message },
): Promise<Queued> {
  if (ctx.config.mail === undefined) return 'no_server';
  const now = ctx.clock.now();
  const since = firstIdAt(new Date(now.getTime() - DAY_MS));
  if ((await countWaitingMail(tx, mail.accountId, since, WAITING_MAX)) >= WAITING_MAX) return 'too_many';
  const id = newId(now.getTime());
  const content = ctx.secrets.seal(JSON.stringify(mail.message));
  if (!(await insertMail(tx, { ...mail, id, content, createdAt: now }))) return 'repeated';
  await enqueue(tx, { kind: MAIL_JOB, key: publicId('mail', id), payload: {}, runAt: now, accountId: mail.accountId });
  return 'queued';
}
