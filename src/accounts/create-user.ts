import type { PersonRole } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { ApiError, noSuch, type Problem, validationFailed } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { hashPassword, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN, passwordLength } from './password.ts';
import { accountExists, insertUserUnlessKnown } from './sql.ts';

/** RFC 5321 4.5.3.1.3 allows no longer address. */
const EMAIL_CHARACTERS_MAX = 254;

/**
 * Adds a person who may sign in for an account, an owner if no role is given.
 * The address is unique over all accounts, regardless of case: a taken one is 409. The password is stored as its
 * Argon2id hash. Throws 404 for an unknown account, and 422 that names a malformed address and a malformed password
 * together.
 */
export async function createUser(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { accountId: Uuid; email: string; password: string; role?: PersonRole },
): Promise<{ id: Uuid; email: string; role: PersonRole }> {
  const email = normaliseEmail(input.email);
  const problems = userProblems(input);
  if (problems.length > 0) throw validationFailed(problems);
  if (!(await accountExists(ctx.database, input.accountId))) throw noSuch('account');
  const now = ctx.clock.now();
  const role = input.role ?? 'owner';
  const user = { id: newId(now.getTime()), accountId: input.accountId, email, role, name: '', createdAt: now };
  const passwordHash = await hashPassword(input.password);
  if (!(await insertUserUnlessKnown(ctx.database, { ...user, passwordHash }))) {
    throw new ApiError('conflict', `There is a user with the address ${email} already.`);
  }
  return { id: user.id, email, role };
}

/** Problems of the address and the password of a person to be added; empty when there are none. */
export function userProblems(input: { email: string; password: string }): Problem[] {
  return [...emailProblems(normaliseEmail(input.email)), ...passwordProblems(input.password)];
}

/** The form in which an address is stored and looked up: NFC, lower case, trimmed. */
export function normaliseEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** Problems of an address of e-mail; empty when there are none. */
export function emailProblems(email: string): Problem[] {
  const isAddress =
    email.length <= EMAIL_CHARACTERS_MAX && /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(email);
  return isAddress ? [] : [{ path: 'email', code: 'pattern', message: 'must be an address such as ada@example.com.' }];
}

/** Problems of a password that is to be set; empty when there are none. */
export function passwordProblems(password: string): Problem[] {
  const length = passwordLength(password);
  if (length >= PASSWORD_CHARACTERS_MIN && length <= PASSWORD_CHARACTERS_MAX) return [];
  const message = `must have ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`;
  return [{ path: 'password', code: 'out_of_bounds', message }];
}
