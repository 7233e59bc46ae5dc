import type { SignedIn } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import type { Browser } from '../../lib/route.ts';
import { signIn } from '../sign-in.ts';
import { lockUserWithPassword } from '../sql.ts';
import { requireCode, SESSION_CHALLENGE, type SessionContext, signInRefused, tooManyAttempts } from './open-session.ts';
import type { lockPeople } from './people-sql.ts';
import { readSession, sessionOver } from './read-session.ts';
import type { Session } from './schema.ts';
import { findPortalSession, proveSession } from './session-sql.ts';
import { PROOF_MS } from './session-times.ts';

/**
 * Takes the password of the person who asks, for what needs a fresh proof.
 * Where there is a second factor it takes the code, too.
 * Throws 401 for a wrong one, and 429 after too many attempts.
 */
export async function giveProof(
  ctx: SessionContext,
  caller: SignedIn,
  browser: Browser,
  { password, code }: { password: string; code?: string },
): Promise<Session> {
  const passwordHash = await comparePassword(ctx, caller, browser, password);
  await requireCode(ctx, caller.person.userId, code, browser);
  await ctx.database.transaction(async (tx) => {
    if (!(await lockUserWithPassword(tx, caller.person.userId, passwordHash))) throw signInRefused();
    const { accountId, person } = caller;
    if (!(await proveSession(tx, { accountId, id: person.sessionId, now: ctx.clock.now() }))) throw sessionOver();
  });
  return readSession(ctx, caller);
}

/**
 * Compares the password of the person who asks, by the rules of signing in.
 * Returns the hash that it matched.
 */
export async function comparePassword(
  ctx: SessionContext,
  caller: SignedIn,
  browser: Browser,
  password: string,
): Promise<string> {
  const row = await findPortalSession(ctx.database, caller.accountId, caller.person.sessionId, ctx.clock.now());
  if (row === undefined) throw sessionOver();
  const outcome = await signIn(ctx, { email: row.email, password, ipKey: browser.ipKey });
  if (outcome.kind === 'limited') throw tooManyAttempts(outcome.waitSeconds);
  if (outcome.kind === 'refused') throw signInRefused();
  return outcome.passwordHash;
}

/** Throws 403 when the person has not given their password in the last 15 minutes. */
export async function requireProof(ctx: SessionContext, { accountId, person }: SignedIn): Promise<void> {
  const now = ctx.clock.now();
  // Read anew: what is known of the session may be a second old, and the proof just given.
  const row = await findPortalSession(ctx.database, accountId, person.sessionId, now);
  if (row === undefined) throw sessionOver();
  if (now.getTime() - row.proven_at.getTime() < PROOF_MS) return;
  throw new ApiError('proof_required', 'Give your password again: POST /portal/api/v1/session/proof.');
}

/**
 * Throws 403 when the caller is no owner any more, by the locked people of their account.
 * What is known of a session may be a second old: time enough to undo what was just taken away.
 */
export function requireOwner(people: Awaited<ReturnType<typeof lockPeople>>, { person }: SignedIn): void {
  const isOwner = people.some(({ id, role, disabled_at: end }) => {
    return id === person.userId && role === 'owner' && end === null;
  });
  if (isOwner) return;
  throw new ApiError('insufficient_scope', 'This needs the role owner, which you do not have any more.', {
    extras: { required_roles: ['owner'] },
    headers: { 'www-authenticate': SESSION_CHALLENGE },
  });
}
