import { createHash } from 'node:crypto';

/** The most bytes of a key: an index of PostgreSQL holds little more. */
export const KEY_BYTES_MAX = 2_500;
const BEGINS_WITH = 200;

/** A text as a key that an index holds: one that is too long ends in a digest of it. Pure. */
export function indexedKey(text: string): string {
  if (Buffer.byteLength(text) <= KEY_BYTES_MAX) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return `${Array.from(text).slice(0, BEGINS_WITH).join('')}… ${digest}`;
}
