import type { Context } from '../../lib/context.ts';
import { ApiError } from '../../lib/errors.ts';
import { countSignInAttempts } from '../sign-in-sql.ts';

/**
 * What is counted, and how often it may be in a window.
 * Of its name a keyed hash is kept. `why` begins the refusal where the rule needs to be explained.
 */
export type Ask = { readonly subject: string; readonly max: number; readonly why?: string };

/**
 * Counts what anyone may ask for without being known, whether it does anything or not.
 * So a refusal does not tell whether an address is known. Throws 429 for the first that was asked for too often; those
 * after it are not counted.
 */
export async function countAsks(
  ctx: Pick<Context, 'database' | 'clock' | 'secrets'>,
  asks: readonly Ask[],
  windowMs: number,
): Promise<void> {
  for (const { subject, max, why } of asks) {
    const now = ctx.clock.now();
    const endsAt = new Date(now.getTime() + windowMs);
    const subjects = [ctx.secrets.sign(`ask ${subject}`)];
    const [counted] = await countSignInAttempts(ctx.database, { subjects, now, endsAt });
    if (counted !== undefined && counted.attempts > max) {
      throw tooManyAsks(Math.max(1, Math.ceil((counted.ends_at.getTime() - now.getTime()) / 1_000)), why);
    }
  }
}

function tooManyAsks(waitSeconds: number, why = 'This was asked for too often.'): ApiError {
  const minutes = Math.ceil(waitSeconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new ApiError('rate_limited', `${why} Try again in ${wait}.`, {
    headers: { 'retry-after': String(waitSeconds) },
  });
}
