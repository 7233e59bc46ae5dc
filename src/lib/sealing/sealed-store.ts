import type { Db } from '../db.ts';
import type { Secrets } from '../secrets.ts';

/** Noted in place of a key where no key that is set opens a value. */
export const UNREADABLE = 'unreadable';

/** A stored value and its name within its table. */
export type SealedRow = { readonly name: string; readonly sealed: Buffer };

/** Values to write back: sealed anew, or as they were, with the key to be noted. */
export type ResealedRow = SealedRow & { readonly keyId: string };

/** How many values a key seals, up to `COUNTED_MAX`; null for those whose key is not noted. */
export type SealedCount = { readonly key_id: string | null; readonly values: number };

/** One kind of values that are stored sealed, as the exchange of keys handles all kinds. */
export type SealedStore = {
  /** What they are, in the plural: `webhook secrets`. */
  readonly kind: 'webhook secrets' | 'sign-ins' | 'mails' | 'second factors' | 'channel secrets' | 'shop credentials';
  /** The keys that seal any, and null where any has none noted. */
  readonly keys: (db: Db) => Promise<readonly (string | null)[]>;
  /** As `keys`, with how many are in use at a time. */
  readonly count: (db: Db, now: Date) => Promise<readonly SealedCount[]>;
  /** Locks some that a key seals, and skips those that are locked; null for those without a noted one. */
  readonly lock: (tx: Db, keyId: string | null, limit: number) => Promise<readonly SealedRow[]>;
  readonly write: (tx: Db, rows: readonly ResealedRow[]) => Promise<void>;
  /** Notes another key, or none, for some that a key seals; returns how many. */
  readonly note: (db: Db, keyId: string, noted: string | null, limit: number) => Promise<number>;
};

/** Seals values of another key with the present one, or finds out the key of those without a noted one. */
export function resealed(secrets: Secrets, keyId: string | null, rows: readonly SealedRow[]): ResealedRow[] {
  return rows.map(({ name, sealed }) => {
    const found = secrets.keyOf(sealed);
    if (found === undefined) return { name, sealed, keyId: UNREADABLE };
    if (keyId === null || found === secrets.keyId) return { name, sealed, keyId: found };
    const { bytes, keyId: present } = secrets.seal(secrets.unseal({ bytes: sealed, keyId: found }));
    return { name, sealed: bytes, keyId: present };
  });
}
