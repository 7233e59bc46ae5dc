import { noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { type AccessContext, type Actor, actOnAccess } from './act-on-access.ts';
import { endSession, findSessionUser, lockUser } from './people-sql.ts';

/**
 * Ends a session: the browser has to sign in again.
 * What was allowed to apps in it stays allowed. Idempotent. Throws 404 for one that is unknown, or over for long. Locks
 * the person.
 */
export async function revokeSession(ctx: AccessContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const owner = await findSessionUser(ctx.database, id);
  const detail = {
    session_id: publicId('ses', id),
    ...(owner === undefined
      ? {}
      : { account_id: publicId('acct', owner.account_id), user_id: publicId('user', owner.user_id) }),
  };
  await actOnAccess(ctx, actor, { action: 'revoke_session', subjectId: id, detail, reason }, async (tx) => {
    // Inside, so that a repeat of an operator's request under its key is answered as the first was.
    if (owner === undefined) throw noSuch('session');
    await lockUser(tx, owner.user_id);
    await endSession(tx, id);
  });
}
