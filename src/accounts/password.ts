import { unavailable } from '../lib/errors.ts';

/**
 * In code points, after normalisation. Guessing within the sign-in limits is hopeless at this length.
 * There are no rules beyond the length.
 */
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 200;

/**
 * Argon2id with 19 MiB and two passes, as OWASP advises.
 * It takes 20 to 50 ms of a core here, and as much for each guess elsewhere.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };

/** Compared with when no person has the address, so that the answer takes as long as any other. */
const UNKNOWN_USER_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$3d0Z4yiVxIC8XzTkrKDUGQ$hf6kJOyEvDb2CRpBJipmYmg6GYxYQKPXxXV2NbNEhkY';

/**
 * Bounds on concurrent and on queued comparisons.
 * Each takes a core and a thread of the pool that file and DNS look-ups share.
 */
const COMPARING_MAX = 2;
const WAITING_MAX = 40;

let comparing = 0;
const waiting: (() => void)[] = [];

/** The hash that is stored of a password. Throws when the password is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  const length = passwordLength(password);
  if (length < PASSWORD_CHARACTERS_MIN || length > PASSWORD_CHARACTERS_MAX) {
    throw new Error('a password was to be stored whose length had not been checked');
  }
  const { hash } = await import('@node-rs/argon2');
  return hash(normalise(password), COST);
}

/** The number of code points of a password as it is stored. */
export function passwordLength(password: string): number {
  return Array.from(normalise(password)).length;
}

/**
 * Whether a password matches a stored hash.
 * Without a hash the answer is false and takes as long. Throws 503 when too many comparisons are queued.
 */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  await takeTurn();
  try {
    const { verify } = await import('@node-rs/argon2');
    const text = normalise(password);
    // A password longer than any stored one is compared too, so that the time gives nothing away.
    const matches = await verify(stored ?? UNKNOWN_USER_HASH, text.slice(0, 4 * PASSWORD_CHARACTERS_MAX));
    return matches && stored !== undefined;
  } finally {
    const next = waiting.shift();
    // The place is handed to the next in the queue, so that no newcomer takes it first.
    if (next === undefined) comparing -= 1;
    else next();
  }
}

async function takeTurn(): Promise<void> {
  if (comparing < COMPARING_MAX) {
    comparing += 1;
    return;
  }
  if (waiting.length >= WAITING_MAX) throw unavailable('Too many people sign in at once. Try again in a few seconds.');
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
}

/** The same letters typed on another keyboard are the same password (NIST SP 800-63B 3.1.1.2). */
function normalise(password: string): string {
  return password.normalize('NFKC');
}
