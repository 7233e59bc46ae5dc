import type { Db } from '../../lib/db.ts';
import { ApiError, validationFailed } from '../../lib/errors.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import type { Browser } from '../../lib/route.ts';
import { endGrants, endSessions, findUserOfAccount, lockUser, setPasswordHash } from '../access/people-sql.ts';
import { passwordProblems } from '../create-user.ts';
import { mailAboutSecurity } from '../notices/mail-people.ts';
import { onceAbout, securityNotice } from '../notices/security-notices.ts';
import { hashPassword } from '../password.ts';
import { noteSignIn } from '../sign-in-log/note-sign-in.ts';
import { findLiveUser, insertUserUnlessKnown } from '../sql.ts';
import { hashToken } from '../token.ts';
import type { Link } from './link-schema.ts';
import { findLiveLink, type LinkRow, takeLink } from './link-sql.ts';
import { type Opened, requireCode, writeSession } from './open-session.ts';
import type { LinkContext } from './send-link.ts';
import { mayBeSessionSecret } from './session-cookie.ts';

/** What a link is for. Throws 404 for one that was used, withdrawn, is over or never was. */
export async function readLink(ctx: LinkContext, token: string): Promise<Link> {
  const { kind, email, name, account_name: accountName } = await findLink(ctx, ctx.database, token);
  return { kind, email, name, account: { name: accountName } };
}

/**
 * Uses a link once: makes the person that was invited, or sets the password anew, and signs in.
 * A new password ends all sessions of the person, and what they have allowed to apps. Throws 404 for a link that cannot
 * be used, also one to an address that signs in to another account, 422 for a password of a wrong length, and 401
 * without the code of a second factor.
 */
export async function acceptLink(
  ctx: LinkContext,
  browser: Browser,
  input: { token: string; password: string; name?: string; code?: string },
): Promise<Opened> {
  const problems = passwordProblems(input.password);
  if (problems.length > 0) throw validationFailed(problems);
  const found = await findLink(ctx, ctx.database, input.token);
  // A mailbox alone does not sign in where there is a second factor.
  const known =
    found.kind === 'reset' ? await findUserOfAccount(ctx.database, found.account_id, found.email) : undefined;
  if (known !== undefined) await requireCode(ctx, known.id, input.code, browser);
  // Slow on purpose, so before the transaction, and only for a link that can be used.
  const passwordHash = await hashPassword(input.password);
  return ctx.database.transaction(async (tx) => {
    const link = await findLink(ctx, tx, input.token);
    if (!(await takeLink(tx, hashToken(input.token), ctx.clock.now()))) throw linkOver();
    const userId =
      link.kind === 'reset'
        ? await reset(ctx, tx, link, passwordHash)
        : await join(ctx, tx, link, { ...input, passwordHash });
    await noteSignIn(ctx, tx, userId, link.kind === 'reset' ? 'password_reset' : 'joined', browser);
    return writeSession(ctx, tx, userId, browser);
  });
}

async function join(
  ctx: LinkContext,
  tx: Db,
  link: LinkRow,
  input: { passwordHash: string; name?: string },
): Promise<Uuid> {
  if (link.role === null) throw new Error('an invitation without a role');
  const now = ctx.clock.now();
  const id = newId(now.getTime());
  const user = { id, accountId: link.account_id, email: link.email, role: link.role, name: input.name ?? link.name };
  const { passwordHash } = input;
  // As for any link that cannot be used: the answer does not tell that the address is known.
  if (!(await insertUserUnlessKnown(tx, { ...user, passwordHash, createdAt: now }))) throw linkOver();
  return id;
}

async function reset(ctx: LinkContext, tx: Db, link: LinkRow, passwordHash: string): Promise<Uuid> {
  const { account_id: accountId, email } = link;
  const user = await findUserOfAccount(tx, accountId, email);
  if (user === undefined) throw linkOver();
  await lockUser(tx, user.id);
  if ((await findLiveUser(tx, user.id)) === undefined) throw linkOver();
  const now = ctx.clock.now();
  await setPasswordHash(tx, user.id, passwordHash);
  await endSessions(tx, { accountId, id: user.id, keptSessionId: null });
  await endGrants(tx, { accountId, id: user.id }, now);
  await mailAboutSecurity(
    ctx,
    tx,
    { accountId, userId: user.id, about: onceAbout('password', now) },
    securityNotice('password_changed', now),
  );
  return user.id;
}

async function findLink(ctx: LinkContext, db: Db, token: string): Promise<LinkRow> {
  const link = mayBeSessionSecret(token) ? await findLiveLink(db, hashToken(token), ctx.clock.now()) : undefined;
  if (link === undefined) throw linkOver();
  return link;
}

function linkOver(): ApiError {
  return new ApiError(
    'not_found',
    'This link cannot be used, or not any more: it works once, within an hour. Ask for a new one.',
  );
}
