import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;

/**
 * Prefixes of our secrets.
 * In this order: a personal token, an app's access token, its refresh token, its client secret, an operator's token.
 */
export type TokenPrefix = 'pat_live_' | 'oat_' | 'ort_' | 'ocs_' | 'pop_';

/** Prefixes that the public API accepts. The checksum tells a real token from a made-up one. */
const BEARER_PREFIXES: readonly TokenPrefix[] = ['pat_live_', 'oat_'];

/**
 * Tokens that were issued elsewhere and imported (spec 5.2).
 * Their form is not ours, so only the database knows them.
 */
const IMPORTED = /^pat_test_[A-Za-z0-9._~+/-]+=*$/;

/**
 * The longest token that is minted or imported.
 * A longer one is refused before it is hashed (bad input B32).
 */
const TOKEN_CHARACTERS_MAX = 255;

/**
 * A new secret: the prefix, 32 random base-62 characters (190 bits) and a six-character checksum.
 * With the checksum a mistyped or made-up one is refused without a look-up, and a secret scanner can tell a real one
 * from a sample.
 */
export function newToken(prefix: TokenPrefix = 'pat_live_'): string {
  let secret = '';
  while (secret.length < SECRET_CHARACTERS) {
    for (const byte of randomBytes(48)) {
      // 248 is the largest multiple of 62 in a byte: a plain remainder would favour some characters.
      if (byte < 248 && secret.length < SECRET_CHARACTERS) secret += ALPHABET.charAt(byte % 62);
    }
  }
  return prefix + secret + checksum(secret);
}

/**
 * False when a bearer token cannot exist.
 * It is too long, has no form that is issued or imported, or has a wrong checksum.
 */
export function mayBeBearerToken(token: string): boolean {
  if (token.length > TOKEN_CHARACTERS_MAX) return false;
  const prefix = BEARER_PREFIXES.find((known) => token.startsWith(known));
  return prefix === undefined ? IMPORTED.test(token) : isWellFormed(token.slice(prefix.length));
}

/** False when a bearer token cannot be that of an operator. */
export function mayBeOperatorToken(token: string): boolean {
  return token.startsWith('pop_') && isWellFormed(token.slice('pop_'.length));
}

/** Whether the text after the prefix has the form and the checksum of our secrets. */
function isWellFormed(rest: string): boolean {
  if (!/^[0-9A-Za-z]{38}$/.test(rest)) return false;
  return checksum(rest.slice(0, SECRET_CHARACTERS)) === rest.slice(SECRET_CHARACTERS);
}

/**
 * Whether a text is a token that may be imported (spec 5.2).
 * It has `pat_test_` and at least one character of RFC 6750.
 */
export function isImportable(token: string): boolean {
  return token.length <= TOKEN_CHARACTERS_MAX && IMPORTED.test(token);
}

/**
 * The hash that is stored of a token.
 * One round of SHA-256 is enough: a token is random, not a password that a person chose.
 */
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
