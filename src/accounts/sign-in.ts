import type { Context } from '../lib/context.ts';
import type { Uuid } from '../lib/ids.ts';
import { normaliseEmail } from './create-user.ts';
import { isPassword } from './password.ts';
import { noteSignIn } from './sign-in-log/note-sign-in.ts';
import { countSignInAttempts, forgiveSignInAttempts } from './sign-in-sql.ts';
import { findUserByEmail } from './sql.ts';

const WINDOW_MS = 15 * 60_000;

/**
 * Attempts in a window.
 * Few for one address from one IP address, since that is guessing. More for one address from all IP addresses, so that
 * an attacker who knows it cannot lock its owner out from one machine alone. At these rates a password of twelve
 * characters cannot be guessed. An office may share an IP address.
 */
const ATTEMPTS_MAX = { emailFromIp: 10, ip: 60, email: 100 } as const;

export type SignIn =
  /** The hash that the password was compared with: it may have changed since. */
  | { readonly kind: 'signed_in'; readonly userId: Uuid; readonly passwordHash: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'limited'; readonly waitSeconds: number };

/**
 * Signs a person in by address and password.
 * An attempt is counted before the password is compared, so that concurrent attempts are not free guesses. A success
 * takes its own count back and clears those of the person. An unknown address, a wrong password, a disabled person and
 * a suspended account get the same answer after equal time. Throws 503 when too many comparisons are queued.
 */
export async function signIn(
  ctx: Pick<Context, 'database' | 'clock' | 'secrets'>,
  input: { email: string; password: string; ipKey: string },
): Promise<SignIn> {
  const email = normaliseEmail(input.email);
  const now = ctx.clock.now();
  // Keyed hashes: the table does not reveal who tried to sign in from where.
  const subjects = {
    emailFromIp: ctx.secrets.sign(`sign-in email ${email} from ${input.ipKey}`),
    ip: ctx.secrets.sign(`sign-in ip ${input.ipKey}`),
    email: ctx.secrets.sign(`sign-in email ${email}`),
  };
  const window = { now, endsAt: new Date(now.getTime() + WINDOW_MS) };
  // The IP address first: an attempt refused for it must not use up the attempts of a person and lock them out.
  for (const limits of [
    { [subjects.emailFromIp]: ATTEMPTS_MAX.emailFromIp, [subjects.ip]: ATTEMPTS_MAX.ip },
    { [subjects.email]: ATTEMPTS_MAX.email },
  ]) {
    const waitSeconds = await countAttempts(ctx, limits, window);
    if (waitSeconds !== undefined) return { kind: 'limited', waitSeconds };
  }
  // The database cannot store a NUL in a text, so no person has such an address.
  const user = email.includes('\0') ? undefined : await findUserByEmail(ctx.database, email);
  if (!(await isPassword(user?.password_hash, input.password)) || user === undefined) {
    if (user !== undefined) noteBeside(ctx, user.id, input.ipKey);
    return { kind: 'refused' };
  }
  await forgiveSignInAttempts(ctx.database, { cleared: [subjects.emailFromIp, subjects.email], lowered: subjects.ip });
  return { kind: 'signed_in', userId: user.id, passwordHash: user.password_hash };
}

/**
 * Notes a refusal beside the answer, which is not to wait for it.
 * An answer that came later for a known address would tell that it is known. One that cannot be noted is not.
 */
function noteBeside(ctx: Pick<Context, 'database' | 'clock'>, userId: Uuid, ipKey: string): void {
  noteSignIn(ctx, ctx.database, userId, 'refused', { ipKey }).catch(() => undefined);
}

/** Counts an attempt for each subject. Returns how long to wait when one is over its limit. */
async function countAttempts(
  ctx: Pick<Context, 'database'>,
  limits: Readonly<Record<string, number>>,
  { now, endsAt }: { now: Date; endsAt: Date },
): Promise<number | undefined> {
  const counted = await countSignInAttempts(ctx.database, { subjects: Object.keys(limits), now, endsAt });
  const over = counted.filter(({ subject, attempts }) => attempts > (limits[subject] ?? 0));
  if (over.length === 0) return undefined;
  const endsMs = Math.max(...over.map(({ ends_at: windowEndsAt }) => windowEndsAt.getTime()));
  return Math.max(1, Math.ceil((endsMs - now.getTime()) / 1_000));
}
