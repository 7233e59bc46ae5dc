import type { SignedIn } from '../../lib/caller.ts';
import { validationFailed } from '../../lib/errors.ts';
import type { Browser } from '../../lib/route.ts';
import { endGrants, endSessions, lockUser, setPasswordHash } from '../access/people-sql.ts';
import { passwordProblems } from '../create-user.ts';
import { mailAboutSecurity, type NoticeContext } from '../notices/mail-people.ts';
import { onceAbout, securityNotice } from '../notices/security-notices.ts';
import { hashPassword } from '../password.ts';
import { noteSignIn } from '../sign-in-log/note-sign-in.ts';
import { lockUserWithPassword } from '../sql.ts';
import { requireCode, type SessionContext, signInRefused } from './open-session.ts';
import { comparePassword } from './prove.ts';
import { proveSession } from './session-sql.ts';

/**
 * Changes the password of the person who asks.
 * All their other sessions end, and what they have allowed to apps, as when an operator sets it. Throws 422 for a new
 * password that is too short or too long, and 401 when the current one is wrong, or the code of a
 * second factor. Locks the person.
 */
export async function changePassword(
  ctx: SessionContext & NoticeContext,
  caller: SignedIn,
  browser: Browser,
  input: { current: string; new: string; code?: string },
): Promise<void> {
  const problems = passwordProblems(input.new).map((problem) => ({ ...problem, path: 'new' }));
  if (problems.length > 0) throw validationFailed(problems);
  const compared = await comparePassword(ctx, caller, browser, input.current);
  await requireCode(ctx, caller.person.userId, input.code, browser);
  const passwordHash = await hashPassword(input.new);
  const { accountId, person } = caller;
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    await lockUser(tx, person.userId);
    // An operator may have set another one meanwhile, because this one is known to others.
    if (!(await lockUserWithPassword(tx, person.userId, compared))) throw signInRefused();
    await setPasswordHash(tx, person.userId, passwordHash);
    const user = { accountId, id: person.userId };
    await endSessions(tx, { ...user, keptSessionId: person.sessionId });
    await endGrants(tx, user, now);
    await proveSession(tx, { accountId, id: person.sessionId, now });
    await noteSignIn(ctx, tx, person.userId, 'password_changed', browser);
    await mailAboutSecurity(
      ctx,
      tx,
      { accountId, userId: person.userId, about: onceAbout('password', now) },
      securityNotice('password_changed', now),
    );
  });
}
