import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import type { Browser } from '../../lib/route.ts';
import { findUserRow } from '../access/people-sql.ts';
import { mailAboutSecurity, type NoticeContext } from '../notices/mail-people.ts';
import { newBrowserNotice, onceAbout } from '../notices/security-notices.ts';
import { codeRequired, takeCode } from '../second-factor/take-code.ts';
import { signIn } from '../sign-in.ts';
import { noteSignIn, plainAgent } from '../sign-in-log/note-sign-in.ts';
import { lockUserWithPassword } from '../sql.ts';
import { hashToken } from '../token.ts';
import { csrfToken } from './csrf.ts';
import type { Session } from './schema.ts';
import { newSessionSecret } from './session-cookie.ts';
import { findPortalSession, insertSession, isOtherBrowser } from './session-sql.ts';
import { SESSION_MS } from './session-times.ts';
import { portalSessionView } from './view.ts';

export type SessionContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

/** A session that was opened. Its secret goes into the cookie and nowhere else. */
export type Opened = { readonly secret: string; readonly session: Session };

/**
 * Signs a person in and opens a session.
 * It always has a new secret: one that was set in the browser before is good for nothing. Throws 401 that does not say
 * what was wrong, or that the code is missing, and 429 after too many attempts.
 */
export async function openPortalSession(
  ctx: SessionContext & NoticeContext,
  browser: Browser,
  input: { email: string; password: string; code?: string },
): Promise<Opened> {
  const outcome = await signIn(ctx, { ...input, ipKey: browser.ipKey });
  if (outcome.kind === 'limited') throw tooManyAttempts(outcome.waitSeconds);
  if (outcome.kind === 'refused') throw signInRefused();
  await requireCode(ctx, outcome.userId, input.code, browser);
  return ctx.database.transaction(async (tx) => {
    // The password may have been set anew, or the person disabled, while the one that was sent was compared.
    if (!(await lockUserWithPassword(tx, outcome.userId, outcome.passwordHash))) throw signInRefused();
    // Compared before the new one is there. The first sign-in of a person, or after a week, is with no other browser.
    const isNew = await isOtherBrowser(tx, outcome.userId, plainAgent(browser.userAgent));
    const opened = await writeSession(ctx, tx, outcome.userId, browser);
    await noteSignIn(ctx, tx, outcome.userId, 'signed_in', browser);
    if (isNew) await mailOfBrowser(ctx, tx, outcome.userId, browser);
    return opened;
  });
}

async function mailOfBrowser(ctx: NoticeContext, tx: Db, userId: Uuid, browser: Browser): Promise<void> {
  const accountId = (await findUserRow(tx, userId))?.account_id;
  if (accountId === undefined) throw new Error('a person who has signed in is not there');
  const now = ctx.clock.now();
  const notice = newBrowserNotice(plainAgent(browser.userAgent), now);
  await mailAboutSecurity(ctx, tx, { accountId, userId, about: onceAbout('browser', now) }, notice);
}

/**
 * Takes the code of a person whose password was right.
 * Throws 401 without one or for a wrong one, which is noted, and 429 after too many.
 */
export async function requireCode(
  ctx: SessionContext,
  userId: Uuid,
  code: string | undefined,
  browser: Browser,
): Promise<void> {
  const taken = await takeCode(ctx, { userId, code });
  if (taken.kind === 'missing') throw codeRequired({ 'www-authenticate': SESSION_CHALLENGE });
  if (taken.kind === 'limited') throw tooManyAttempts(taken.waitSeconds);
  if (taken.kind !== 'wrong') return;
  await noteSignIn(ctx, ctx.database, userId, 'code_refused', browser);
  throw codeRefused();
}

/** 401 for a code; the password was right, which the person knows. */
export function codeRefused(): ApiError {
  return new ApiError('sign_in_refused', 'The code is not right, or was used before. Wait for the next one.', {
    headers: { 'www-authenticate': SESSION_CHALLENGE },
  });
}

/** Writes a session of a locked person. */
export async function writeSession(ctx: SessionContext, tx: Db, userId: Uuid, browser: Browser): Promise<Opened> {
  const now = ctx.clock.now();
  const secret = newSessionSecret();
  const id = newId(now.getTime());
  const accountId = await insertSession(tx, {
    id,
    userId,
    hash: hashToken(secret),
    now,
    endsAt: new Date(now.getTime() + SESSION_MS),
    userAgent: plainAgent(browser.userAgent),
  });
  const row = accountId && (await findPortalSession(tx, accountId, id, now));
  if (row === undefined) throw new Error('a session was written and is not there');
  return { secret, session: portalSessionView(row, { csrfToken: csrfToken(ctx, id), now }) };
}

/** One refusal for all reasons: it does not tell whether the address is known. */
export function signInRefused(): ApiError {
  return new ApiError('sign_in_refused', 'The address or the password is not right.', {
    headers: { 'www-authenticate': SESSION_CHALLENGE },
  });
}

/** What a 401 of a session names as the way in (RFC 9110 11.6.1). */
export const SESSION_CHALLENGE = 'Session';

/** 429 for one who has tried too often. */
export function tooManyAttempts(waitSeconds: number): ApiError {
  const minutes = Math.ceil(waitSeconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new ApiError('rate_limited', `Too many attempts to sign in. Try again in ${wait}.`, {
    headers: { 'retry-after': String(waitSeconds) },
  });
}
