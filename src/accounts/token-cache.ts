import { hashToken } from './token.ts';

/** A revoked token stops working within this time on every process (bad input B34). */
const CACHE_MS = 1_000;
/**
 * A token that is used when its look-up is this old is looked up again meanwhile.
 * So the requests of a busy client never wait for it.
 */
const RENEW_MS = 500;
const CACHE_ENTRIES_MAX = 10_000;

type Entry<Found> = { readonly answer: Promise<Found | undefined>; readonly beganMs: number; isRenewed: boolean };

/**
 * Caches for a second what a token's hash was found to stand for, misses included.
 * A busy client then costs two look-ups a second at most, not one a request, and requests that arrive together share
 * one. The second begins with the look-up. Entries are keyed by the hash: the token itself is kept nowhere.
 */
export function createTokenCache<Found>(
  find: (hash: Buffer) => Promise<Found | undefined>,
  nowMs: () => number = () => performance.now(),
): (token: string) => Promise<Found | undefined> {
  const cache = new Map<string, Entry<Found>>();

  const lookUp = (hash: Buffer): Entry<Found> => ({ beganMs: nowMs(), answer: find(hash), isRenewed: false });
  const keep = (key: string, entry: Entry<Found>): void => {
    // Cleared whole when full: simpler than tracking the order of use, and refilled within a second.
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear();
    cache.set(key, entry);
  };
  const renew = async (key: string, hash: Buffer, entry: Entry<Found>): Promise<void> => {
    entry.isRenewed = true;
    const renewed = lookUp(hash);
    try {
      await renewed.answer;
      keep(key, renewed);
    } catch {
      // The request that comes when the entry has ended looks the token up itself, and learns why it cannot.
    }
  };

  return (token) => {
    const hash = hashToken(token);
    const key = hash.toString('latin1');
    const known = cache.get(key);
    const ageMs = known === undefined ? CACHE_MS : nowMs() - known.beganMs;
    if (known === undefined || ageMs >= CACHE_MS) {
      const entry = lookUp(hash);
      keep(key, entry);
      // A failure is the answer of those that wait for it, and of no other.
      entry.answer.catch(() => {
        if (cache.get(key) === entry) cache.delete(key);
      });
      return entry.answer;
    }
    if (ageMs >= RENEW_MS && !known.isRenewed) void renew(key, hash, known);
    return known.answer;
  };
}
