import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../lib/db.ts';
import { findLiveToken } from './sql.ts';
import { hashToken, mayExist } from './token.ts';

/** A revoked token stops working within this time on every process (bad input B34). */
const CACHE_MS = 1_000;
const CACHE_ENTRIES_MAX = 10_000;

type Cached = { readonly caller: Caller | undefined; readonly until: number };

/**
 * Makes the function that turns a bearer token into its caller, or undefined when it is not a valid one. Answers are kept
 * for a second, misses too, so that a busy client costs one look-up a second and not one a request.
 */
export function createAuthenticator(context: {
  database: Database;
  clock: Clock;
}): (token: string) => Promise<Caller | undefined> {
  const cache = new Map<string, Cached>();
  return async (token) => {
    if (!mayExist(token)) return undefined;
    const hash = hashToken(token);
    const key = hash.toString('latin1');
    const nowMs = performance.now();
    const hit = cache.get(key);
    if (hit !== undefined && hit.until > nowMs) return hit.caller;
    const row = await findLiveToken(context.database, hash, context.clock.now());
    const caller =
      row === undefined
        ? undefined
        : { accountId: row.account_id, limitedAs: row.limited_as, scopes: new Set(row.scopes) };
    // Cleared whole when full: simpler than an order of use, and refilled within a second.
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear();
    cache.set(key, { caller, until: nowMs + CACHE_MS });
    return caller;
  };
}
