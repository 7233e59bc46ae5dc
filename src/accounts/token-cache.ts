import { hashToken } from './token.ts';

/** A revoked token stops working within this time on every process (bad input B34). */
const CACHE_MS = 1_000;
const CACHE_ENTRIES_MAX = 10_000;

/**
 * Caches for a second what a token's hash was found to stand for, misses included.
 * A busy client then costs one look-up a second, not one a request. Entries are keyed by the hash: the token itself is
 * kept nowhere.
 */
export function createTokenCache<Found>(
  find: (hash: Buffer) => Promise<Found | undefined>,
): (token: string) => Promise<Found | undefined> {
  const cache = new Map<string, { readonly found: Found | undefined; readonly until: number }>();
  return async (token) => {
    const hash = hashToken(token);
    const key = hash.toString('latin1');
    const nowMs = performance.now();
    const hit = cache.get(key);
    if (hit !== undefined && hit.until > nowMs) return hit.found;
    const found = await find(hash);
    // Cleared whole when full: simpler than tracking the order of use, and refilled within a second.
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear();
    cache.set(key, { found, until: nowMs + CACHE_MS });
    return found;
  };
}
