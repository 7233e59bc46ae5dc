import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import type { Message } from '../../lib/mail/message.ts';
import { queueMail } from './queue-mail.ts';
import { listManagers, MAIL_JOB, type NewMail } from './sql.ts';

/**
 * Records a mail to each owner and manager of an account, in the caller's transaction.
 * `onceKey` holds for each of them. It is sent after the commit; without a mail server none is recorded.
 */
export async function queueMailToManagers(
  ctx: Pick<Context, 'config' | 'secrets' | 'clock' | 'log' | 'wake'>,
  tx: Db,
  mail: Omit<NewMail, 'to'> & { readonly onceKey: string; readonly message: Message },
): Promise<void> {
  if (ctx.config.mail === undefined) return;
  for (const { id, email } of await listManagers(tx, mail.accountId)) {
    await queueMail(ctx, tx, { ...mail, to: email, onceKey: `${mail.onceKey} ${id}` });
  }
  tx.afterCommit(() => ctx.wake(MAIL_JOB));
}
