import type { Context } from '../../lib/context.ts';
import { ApiError } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import { countSignInAttempts, forgiveSignInAttempts } from '../sign-in-sql.ts';
import { withoutRecoveryCode } from './recovery-codes.ts';
import { type FactorRow, findFactor, lockFactor, noteUsedCode } from './sql.ts';
import { matchTotp } from './totp.ts';

export type FactorContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

/** What became of the code that a person gave with the right password. */
export type CodeTaken =
  /** There is no second factor, or the code was right and is used up. */
  | { readonly kind: 'fine' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'limited'; readonly waitSeconds: number };

const WINDOW_MS = 15 * 60_000;
/**
 * Codes that may be tried in a window, by one who has the password.
 * Three of a million are right at a time: at this rate a code is guessed once in a few years.
 */
const ATTEMPTS_MAX = 5;

/**
 * Takes the code of a person whose password was right: one of the app, or a recovery code.
 * Each counts once. An attempt is counted before it is compared, so that concurrent ones are not free guesses, and is
 * counted apart from passwords, which a right password forgives.
 */
export async function takeCode(
  ctx: FactorContext,
  { userId, code }: { userId: Uuid; code: string | undefined },
): Promise<CodeTaken> {
  const factor = await findFactor(ctx.database, userId);
  if (factor === undefined || factor.confirmed_at === null) return { kind: 'fine' };
  if (code === undefined || code.trim() === '') return { kind: 'missing' };
  const waitSeconds = await countCode(ctx, userId);
  if (waitSeconds !== undefined) return { kind: 'limited', waitSeconds };
  const isTaken = await ctx.database.transaction(async (tx) => {
    const locked = await lockFactor(tx, userId);
    const used = locked && usedBy(ctx, locked, code);
    if (locked === undefined || used === undefined) return false;
    await noteUsedCode(tx, { accountId: locked.account_id, userId }, used);
    return true;
  });
  if (!isTaken) return { kind: 'wrong' };
  await forgiveCodes(ctx, userId);
  return { kind: 'fine' };
}

/** What is used up by a code; undefined when it is not right. */
function usedBy(
  { clock, secrets }: FactorContext,
  factor: FactorRow,
  code: string,
): { step: number; recoveryHashes: readonly Buffer[] } | undefined {
  const { secret_sealed: bytes, sealed_with: keyId, last_step: lastStep, recovery_hashes: hashes } = factor;
  const digits = code.replaceAll(/\s/g, '');
  if (/^\d{6}$/.test(digits)) {
    const step = matchTotp(secrets.unseal({ bytes, keyId }), digits, { now: clock.now(), lastStep });
    return step === undefined ? undefined : { step, recoveryHashes: hashes };
  }
  const left = withoutRecoveryCode(secrets, hashes, code);
  return left && { step: lastStep, recoveryHashes: left };
}

/** Counts an attempt; how long to wait where there were too many. */
export async function countCode(ctx: FactorContext, userId: Uuid): Promise<number | undefined> {
  const now = ctx.clock.now();
  const endsAt = new Date(now.getTime() + WINDOW_MS);
  const [counted] = await countSignInAttempts(ctx.database, { subjects: [subjectOf(ctx, userId)], now, endsAt });
  if (counted === undefined || counted.attempts <= ATTEMPTS_MAX) return undefined;
  return Math.max(1, Math.ceil((counted.ends_at.getTime() - now.getTime()) / 1_000));
}

/** Forgets the attempts of a person who has given a right code. */
export async function forgiveCodes(ctx: FactorContext, userId: Uuid): Promise<void> {
  await forgiveSignInAttempts(ctx.database, { cleared: [subjectOf(ctx, userId)], lowered: '' });
}

/** A keyed hash, as of all attempts. */
function subjectOf({ secrets }: FactorContext, userId: Uuid): string {
  return secrets.sign(`second factor ${userId}`);
}

/** 401 for a right password that needs a code beside it. */
export function codeRequired(headers: Readonly<Record<string, string>>): ApiError {
  return new ApiError(
    'second_factor_required',
    'Send the code of your app beside the password, or one of your recovery codes.',
    { headers },
  );
}
