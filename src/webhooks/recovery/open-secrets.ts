import type { Context } from '../../lib/context.ts';
import { UNREADABLE } from '../../lib/sealing/sealed-store.ts';
import { NotOpened } from '../../lib/secrets.ts';
import type { SigningSecrets } from '../sign.ts';
import type { SigningRow } from './next-secret-sql.ts';

/**
 * The secrets that sign at this time: one, or two while the second is replacing the first.
 * By the time alone, so that it does not matter when the worker moves them. A secret whose key was given up does not
 * sign: where it is the one that was to sign alone, the present one goes on, which receivers had all the time.
 * Undefined when none signs. Throws when a key is merely not set.
 */
export function openSecrets(
  { secrets, clock }: Pick<Context, 'secrets' | 'clock'>,
  row: Omit<SigningRow, 'url'>,
): SigningSecrets | undefined {
  const open = (bytes: Buffer, keyId: string | null): string | undefined => {
    try {
      return secrets.unseal({ bytes, keyId });
    } catch (error) {
      if (keyId === UNREADABLE && error instanceof NotOpened) return undefined;
      throw error;
    }
  };
  const { next_sealed: next, next_sealed_with: nextWith, next_alone_from: aloneFrom } = row;
  const following = next === null ? undefined : open(next, nextWith);
  const isAlone = following !== undefined && aloneFrom !== null && aloneFrom <= clock.now();
  const present = isAlone ? undefined : open(row.secret_sealed, row.secret_sealed_with);
  if (present === undefined) return following === undefined ? undefined : [following];
  return following === undefined ? [present] : [present, following];
}
