import type { SignedIn } from '../../lib/caller.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Browser } from '../../lib/route.ts';
import { noteSignIn } from '../sign-in-log/note-sign-in.ts';
import { csrfToken } from './csrf.ts';
import { SESSION_CHALLENGE, type SessionContext } from './open-session.ts';
import type { ListedSession, Session } from './schema.ts';
import { endOwnSession, findPortalSession, listOwnSessionRows } from './session-sql.ts';
import { idleSince } from './session-times.ts';
import { listedSessionView, portalSessionView } from './view.ts';

/** Reads the session that asks. Throws 401 when it has just ended. */
export async function readSession(ctx: SessionContext, caller: SignedIn): Promise<Session> {
  const now = ctx.clock.now();
  const { sessionId } = caller.person;
  const row = await findPortalSession(ctx.database, caller.accountId, sessionId, now);
  if (row === undefined) throw sessionOver();
  return portalSessionView(row, { csrfToken: csrfToken(ctx, sessionId), now });
}

/** Lists where the person who asks is signed in. */
export async function listOwnSessions(ctx: SessionContext, caller: SignedIn): Promise<ListedSession[]> {
  const now = ctx.clock.now();
  const { userId, sessionId } = caller.person;
  const of = { accountId: caller.accountId, userId, now, idleSince: idleSince(now) };
  return (await listOwnSessionRows(ctx.database, of)).map((row) => listedSessionView(row, sessionId));
}

/** Signs the person who asks out of this browser. */
export async function closeSession(ctx: SessionContext, caller: SignedIn, browser: Browser): Promise<void> {
  if (!(await endOne(ctx, caller, caller.person.sessionId))) return;
  await noteSignIn(ctx, ctx.database, caller.person.userId, 'signed_out', browser);
}

/**
 * Ends one session of the person who asks; within two seconds no node accepts it.
 * Throws 404 for any other.
 */
export async function endSessionOf(ctx: SessionContext, caller: SignedIn, id: Uuid, browser: Browser): Promise<void> {
  if (!(await endOne(ctx, caller, id))) throw noSuch('session');
  await noteSignIn(ctx, ctx.database, caller.person.userId, 'session_ended', browser);
}

/** 401 for a session that is over. */
export function sessionOver(): ApiError {
  return new ApiError('unauthorized', 'You are not signed in, or your session is over. Sign in.', {
    headers: { 'www-authenticate': SESSION_CHALLENGE },
  });
}

async function endOne(ctx: SessionContext, { accountId, person }: SignedIn, id: Uuid): Promise<boolean> {
  return endOwnSession(ctx.database, { accountId, userId: person.userId, id, now: ctx.clock.now() });
}
