import { randomInt } from 'node:crypto';
import type { Secrets } from '../../lib/secrets.ts';

/** Neither 0 and O nor 1, I and L: people read these codes off paper. */
const CHARACTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const LENGTH = 12;
const PART = 4;
const CODES = 10;

/** New recovery codes, 59 bits each, as they are shown once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const code = Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
    return code.match(new RegExp(`.{${PART}}`, 'g'))?.join('-') ?? code;
  });
}

/** What is kept of a code: a keyed hash. */
export function recoveryHash({ digest }: Pick<Secrets, 'digest'>, code: string): Buffer {
  return digest(textOf(code));
}

/** The hashes that are left when a code is used; undefined when it is none of theirs. */
export function withoutRecoveryCode(
  { everyDigest }: Pick<Secrets, 'everyDigest'>,
  hashes: readonly Buffer[],
  code: string,
): Buffer[] | undefined {
  const given = everyDigest.map((digest) => digest(textOf(code)));
  const left = hashes.filter((hash) => !given.some((each) => each.equals(hash)));
  return left.length < hashes.length ? left : undefined;
}

/** As it is typed: in any case, with hyphens, blanks or neither. */
function textOf(code: string): string {
  return `recovery code ${code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`;
}
