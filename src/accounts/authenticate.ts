import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../lib/db.ts';
import type { Operator } from '../lib/operator.ts';
import { findLiveOperator } from './operator-sql.ts';
import { findLiveToken } from './sql.ts';
import { mayBeOperators, mayExist } from './token.ts';
import { createTokenCache } from './token-cache.ts';

/**
 * Makes the function that turns a bearer token into its caller, or undefined when it is not a valid one of a customer. Answers
 * are kept for a second.
 */
export function createAuthenticator(context: {
  database: Database;
  clock: Clock;
}): (token: string) => Promise<Caller | undefined> {
  const callerOf = createTokenCache(async (hash) => {
    const row = await findLiveToken(context.database, hash, context.clock.now());
    return row && { accountId: row.account_id, limitedAs: row.limited_as, scopes: new Set(row.scopes) };
  });
  return async (token) => (mayExist(token) ? callerOf(token) : undefined);
}

/** As `createAuthenticator`, for the tokens of operators; a customer's is none of them, nor the other way round. */
export function createOperatorAuthenticator(context: {
  database: Database;
}): (token: string) => Promise<Operator | undefined> {
  const operatorOf = createTokenCache(async (hash) => {
    const row = await findLiveOperator(context.database, hash);
    return row && { id: row.id, tokenId: row.token_id, email: row.email, role: row.role };
  });
  return async (token) => (mayBeOperators(token) ? operatorOf(token) : undefined);
}
