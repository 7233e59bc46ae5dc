import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../lib/db.ts';
import type { Operator } from '../lib/operator.ts';
import { findLiveOperator } from './operator-sql.ts';
import { findLiveToken } from './sql.ts';
import { mayBeBearerToken, mayBeOperatorToken } from './token.ts';
import { createTokenCache } from './token-cache.ts';

/**
 * Creates the function that resolves a customer's bearer token to its caller.
 * It returns undefined for a token that is not valid. Answers are cached for a second.
 */
export function createAuthenticator(context: {
  database: Database;
  clock: Clock;
}): (token: string) => Promise<Caller | undefined> {
  const callerOf = createTokenCache(async (hash) => {
    const row = await findLiveToken(context.database, hash, context.clock.now());
    return row && { accountId: row.account_id, limitedAs: row.limited_as, scopes: new Set(row.scopes) };
  });
  return async (token) => (mayBeBearerToken(token) ? callerOf(token) : undefined);
}

/** As `createAuthenticator`, for operators' tokens. Neither function accepts a token of the other kind. */
export function createOperatorAuthenticator(context: {
  database: Database;
}): (token: string) => Promise<Operator | undefined> {
  const operatorOf = createTokenCache(async (hash) => {
    const row = await findLiveOperator(context.database, hash);
    return row && { id: row.id, tokenId: row.token_id, email: row.email, role: row.role };
  });
  return async (token) => (mayBeOperatorToken(token) ? operatorOf(token) : undefined);
}
