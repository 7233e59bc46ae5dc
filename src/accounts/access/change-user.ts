import type { Db } from '../../lib/db.ts';
import { noSuch, validationFailed } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { passwordProblems } from '../create-user.ts';
import { mailAboutSecurity, type NoticeContext } from '../notices/mail-people.ts';
import { onceAbout, securityNotice } from '../notices/security-notices.ts';
import { hashPassword } from '../password.ts';
import { endInvitations } from '../portal/link-sql.ts';
import { removeFactorRow } from '../second-factor/sql.ts';
import { type AccessAct, type AccessContext, type Actor, actOnAccess, withKeyedHash } from './act-on-access.ts';
import {
  disableUserRow,
  enableUserRow,
  endGrants,
  endSessions,
  findUserRow,
  type ListedUserRow,
  lockUser,
  setPasswordHash,
} from './people-sql.ts';

/**
 * Disables a person, who cannot sign in any more.
 * Their sessions end, and so does all that they have allowed to apps, and the open invitations of the account, by one
 * of which they could come back. Effective within a second on every node. What ended stays ended when they are enabled
 * again. Idempotent. Throws 404 for an unknown id. Locks the person.
 */
export async function disableUser(ctx: AccessContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const user = await findUser(ctx, id);
  await actOnAccess(ctx, actor, actOn('disable_user', user, reason), async (tx, now) => {
    await lockUser(tx, id);
    await disableUserRow(tx, id, now);
    await endAccess(tx, user, now);
    await endInvitations(tx, user.account_id, now);
  });
}

/**
 * Removes the second factor of a user who has lost it: the password alone signs in again.
 * Throws 404 for an unknown id.
 */
export async function removeSecondFactor(
  ctx: AccessContext & NoticeContext,
  actor: Actor,
  id: Uuid,
  reason?: string,
): Promise<void> {
  const user = await findUser(ctx, id);
  await actOnAccess(ctx, actor, actOn('remove_second_factor', user, reason), async (tx, now) => {
    const of = { accountId: user.account_id, userId: id };
    if (!(await removeFactorRow(tx, of))) return;
    const about = onceAbout('factor', now);
    await mailAboutSecurity(ctx, tx, { ...of, about }, securityNotice('factor_removed', now));
  });
}

/**
 * Lets a disabled person sign in again, by the same password.
 * Idempotent. Throws 404 for an unknown id.
 */
export async function enableUser(ctx: AccessContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const user = await findUser(ctx, id);
  await actOnAccess(ctx, actor, actOn('enable_user', user, reason), (tx) => enableUserRow(tx, id));
}

/**
 * Sets a person's password. Their sessions end, and so does all that they have allowed to apps.
 * A disabled person stays disabled. Throws 404 for an unknown id and 422 for a password that is too short or too long.
 * Locks the person.
 */
export async function setPassword(
  ctx: AccessContext & NoticeContext,
  actor: Actor,
  id: Uuid,
  input: { readonly password: string; readonly reason?: string | undefined },
): Promise<void> {
  const problems = passwordProblems(input.password);
  if (problems.length > 0) throw validationFailed(problems);
  const user = await findUser(ctx, id);
  // Slow on purpose, so before the transaction.
  const passwordHash = await hashPassword(input.password);
  // The audit log keeps a hash of each request; that of a password must not let anyone try passwords.
  const by = withKeyedHash(ctx, actor, (digest, request) => digest(`request ${request}`));
  await actOnAccess(ctx, by, actOn('set_password', user, input.reason), async (tx, now) => {
    await lockUser(tx, id);
    await setPasswordHash(tx, id, passwordHash);
    await endAccess(tx, user, now);
    const to = { accountId: user.account_id, userId: id, about: onceAbout('password', now) };
    await mailAboutSecurity(ctx, tx, to, securityNotice('password_changed', now));
  });
}

/** Ends what a locked person has. */
async function endAccess(tx: Db, user: ListedUserRow, now: Date): Promise<void> {
  const owner = { accountId: user.account_id, id: user.id };
  await endSessions(tx, { ...owner, keptSessionId: null });
  await endGrants(tx, owner, now);
}

async function findUser(ctx: AccessContext, id: Uuid): Promise<ListedUserRow> {
  const user = await findUserRow(ctx.database, id);
  if (user === undefined) throw noSuch('user');
  return user;
}

function actOn(action: string, user: ListedUserRow, reason: string | undefined): AccessAct {
  const detail = { account_id: publicId('acct', user.account_id), user_id: publicId('user', user.id) };
  return { action, subjectId: user.id, detail, reason };
}
