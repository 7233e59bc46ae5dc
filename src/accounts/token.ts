import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const MINTED_PREFIX = 'pat_live_';
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;

/** No token that we mint or import is longer; anything above is refused before it is hashed (bad input B32). */
const TOKEN_CHARACTERS_MAX = 255;

/**
 * A new personal token: `pat_live_`, 32 random base-62 characters (190 bits) and a six-character checksum, so that a
 * mistyped or made-up one is refused without a look-up, and a secret scanner can tell a real one from a sample.
 */
export function newToken(): string {
  let secret = '';
  while (secret.length < SECRET_CHARACTERS) {
    for (const byte of randomBytes(48)) {
      // 248 is the largest multiple of 62 in a byte: a plain remainder would favour some characters.
      if (byte < 248 && secret.length < SECRET_CHARACTERS) secret += ALPHABET.charAt(byte % 62);
    }
  }
  return MINTED_PREFIX + secret + checksum(secret);
}

/** False when a token cannot exist: too long, outside visible ASCII, or `pat_live_` with a wrong checksum. */
export function mayExist(token: string): boolean {
  if (token.length > TOKEN_CHARACTERS_MAX || !/^[\x21-\x7e]+$/.test(token)) return false;
  if (!token.startsWith(MINTED_PREFIX)) return true;
  const rest = token.slice(MINTED_PREFIX.length);
  if (rest.length !== SECRET_CHARACTERS + CHECKSUM_CHARACTERS) return false;
  return checksum(rest.slice(0, SECRET_CHARACTERS)) === rest.slice(SECRET_CHARACTERS);
}

/** What is stored of a token. One round of SHA-256 is enough: a token is random, not a password a person chose. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function checksum(secret: string): string {
  let value = crc32(secret);
  let text = '';
  while (text.length < CHECKSUM_CHARACTERS) {
    text = ALPHABET.charAt(value % 62) + text;
    value = Math.floor(value / 62);
  }
  return text;
}
