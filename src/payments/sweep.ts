import { messageOf } from '../lib/error-message.ts';
import { every, type Worker } from '../lib/every.ts';
import { type ChargeContext, chargeAttempt, tryBalance } from './attempt.ts';
import { claimAttempts, claimFailedAttempts, readUnderWay } from './attempt-sql.ts';
import { runAutoTopUps } from './auto-top-ups/run-auto-top-ups.ts';
import { sweepSavings } from './saved-method/sweep-savings.ts';
import { sweepTopUps } from './top-ups/sweep-top-ups.ts';

/** Only attempts that a crash or an unanswered call has left wait for the sweep. */
const POLL_MS = 1_000;

/** How often balances are compared with the thresholds of automatic top-ups. */
const AUTO_TOP_UP_MS = 5_000;

/** The time for one attempt: several calls to the provider, one after the other. */
const ATTEMPT_WITHIN_MS = 12_000;

/**
 * Starts the worker that finishes attempts left by a dead process or an unanswered call.
 * It reads each attempt from the provider and advances it (domain, "Provider keys age out"), tries the balance after
 * failed ones, reads the pages of top-ups by card and of methods that are saved, and begins automatic top-ups. Any
 * number of these workers may run. Without a provider it logs how many attempts it leaves.
 */
export function startPaymentSweep(ctx: ChargeContext, options: { pollMs?: number } = {}): Worker {
  let hasWarned = false;
  let toppedUpMs = -Infinity;
  return every({
    log: ctx.log,
    pollMs: options.pollMs ?? POLL_MS,
    failed: 'payment attempts could not be looked at',
    run: async () => {
      if (ctx.payments !== undefined) await sweepAttempts(ctx);
      else if (!hasWarned) await warnOfUnresolved(ctx);
      hasWarned = true;
      await sweepFailed(ctx);
      await sweepTopUps(ctx);
      await sweepSavings(ctx);
      if (performance.now() - toppedUpMs < AUTO_TOP_UP_MS) return;
      toppedUpMs = performance.now();
      await runAutoTopUps(ctx);
    },
  });
}

/** Most orders that one line of the log names. */
const NAMED_MAX = 10;

/** Logs how many attempts are under way without a provider: its keys were removed. */
async function warnOfUnresolved(ctx: ChargeContext): Promise<void> {
  try {
    const { attempts, orders } = await readUnderWay(ctx.database, NAMED_MAX);
    if (attempts === 0) return;
    ctx.log.warn(
      { attempts, orders },
      'STRIPE_SECRET_KEY is not set, and payments are under way that only the provider can tell the end of: set it again, or end each by hand',
    );
  } catch (error) {
    ctx.log.warn({ error: messageOf(error) }, 'payment attempts could not be looked at');
  }
}

/** One round: advances the attempts that are due, all at once. Returns how many ended. */
export async function sweepAttempts(ctx: ChargeContext): Promise<number> {
  const due = await claimAttempts(ctx.database, ctx.clock.now());
  const outcomes = await Promise.all(
    due.map(async (attempt) => {
      try {
        return await chargeAttempt(ctx, attempt.id, ATTEMPT_WITHIN_MS);
      } catch (error) {
        ctx.log.warn({ attempt: attempt.id, error: messageOf(error) }, 'a payment attempt could not be carried on');
        return 'unresolved';
      }
    }),
  );
  return outcomes.filter((outcome) => outcome !== 'unresolved').length;
}

/**
 * One round: tries the balance for orders whose charge failed.
 * For those that the process which learned of the failure did not try, or was to cancel and could not. Returns how
 * many orders the balance paid.
 */
export async function sweepFailed(ctx: ChargeContext): Promise<number> {
  const due = await claimFailedAttempts(ctx.database, ctx.clock.now());
  let paid = 0;
  for (const attempt of due) {
    if (await tryBalance(ctx, attempt)) paid += 1;
  }
  return paid;
}
