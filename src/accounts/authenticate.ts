import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../lib/db.ts';
import type { Operator } from '../lib/operator.ts';
import type { TokenUses } from './access/token-uses.ts';
import { findLiveOperator } from './operator-sql.ts';
import { findLiveToken } from './sql.ts';
import { mayBeBearerToken, mayBeOperatorToken } from './token.ts';
import { createTokenCache } from './token-cache.ts';

/**
 * Creates the function that resolves a customer's bearer token to its caller.
 * It returns undefined for a token that is not valid. Answers are cached for a second. Each look-up is noted as a use.
 */
export function createAuthenticator(
  context: { database: Database; clock: Clock },
  uses?: TokenUses,
): (token: string) => Promise<Caller | undefined> {
  const callerOf = createTokenCache(async (hash) => {
    const now = context.clock.now();
    const row = await findLiveToken(context.database, hash, now);
    if (row === undefined) return undefined;
    uses?.note(row, now);
    return { accountId: row.account_id, limitedAs: row.limited_as, scopes: new Set(row.scopes) };
  });
  return async (token) => (mayBeBearerToken(token) ? callerOf(token) : undefined);
}

/** As `createAuthenticator`, for operators' tokens. Neither function accepts a token of the other kind. */
export function createOperatorAuthenticator(
  context: { database: Database; clock: Clock },
  uses?: TokenUses,
): (token: string) => Promise<Operator | undefined> {
  const operatorOf = createTokenCache(async (hash) => {
    const row = await findLiveOperator(context.database, hash);
    if (row === undefined) return undefined;
    uses?.note({ id: row.token_id, last_used_at: row.last_used_at }, context.clock.now());
    return { id: row.id, tokenId: row.token_id, email: row.email, role: row.role };
  });
  return async (token) => (mayBeOperatorToken(token) ? operatorOf(token) : undefined);
}
