import { SCOPES_OF_ROLE, type SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import type { TokenUses } from '../access/token-uses.ts';
import { createTokenCache } from '../token-cache.ts';
import { mayBeSessionSecret } from './session-cookie.ts';
import { findLiveSession } from './session-sql.ts';
import { idleSince } from './session-times.ts';

/**
 * Creates the function that resolves the secret of a session to its caller.
 * It returns undefined for one that is over. As for tokens, answers are cached for a second, by the hash.
 */
export function createSessionAuthenticator(
  ctx: Pick<Context, 'database' | 'clock'>,
  uses: TokenUses,
): (secret: string) => Promise<SignedIn | undefined> {
  const callerOf = createTokenCache(async (hash) => {
    const now = ctx.clock.now();
    const row = await findLiveSession(ctx.database, hash, { now, idleSince: idleSince(now) });
    if (row === undefined) return undefined;
    uses.note({ id: row.id, last_used_at: row.last_seen_at }, now);
    return {
      accountId: row.account_id,
      limitedAs: row.id,
      scopes: new Set(SCOPES_OF_ROLE[row.role]),
      person: { userId: row.user_id, role: row.role, sessionId: row.id },
    };
  });
  return async (secret) => (mayBeSessionSecret(secret) ? callerOf(secret) : undefined);
}
