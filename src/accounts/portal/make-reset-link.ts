import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { type Actor, actOnAccess } from '../access/act-on-access.ts';
import { findUserRow } from '../access/people-sql.ts';
import { MAIL_JOB } from '../mail/sql.ts';
import { type LinkContext, sendLink } from './send-link.ts';

/**
 * Mails a person a link to a new password, or makes one for an operator or a command to pass on.
 * What the person has stays until it is used. Undefined for a repeat of an operator's request under its key: the link
 * is shown once. Throws 404 for an unknown id.
 */
export async function makeResetLink(
  ctx: LinkContext & Pick<Context, 'wake'>,
  actor: Actor,
  id: Uuid,
  reason: string | undefined,
): Promise<{ url: string | null; mailed: boolean; expires_at: string } | undefined> {
  const user = await findUserRow(ctx.database, id);
  if (user === undefined) throw noSuch('user');
  const detail = { account_id: publicId('acct', user.account_id), user_id: publicId('user', id) };
  const act = { action: 'make_password_link', subjectId: id, detail, reason };
  const made = await actOnAccess(ctx, actor, act, (tx) =>
    sendLink(
      ctx,
      tx,
      { account_id: user.account_id, kind: 'reset', email: user.email, role: null, name: user.name },
      { kind: 'shop' },
    ),
  );
  ctx.wake(MAIL_JOB);
  return made && { url: made.url ?? null, mailed: made.url === undefined, expires_at: isoTime(made.endsAt) };
}
