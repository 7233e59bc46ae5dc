import { messageOf } from '../lib/error-message.ts';
import { every, type Worker } from '../lib/every.ts';
import { type ChargeContext, chargeAttempt, tryBalance } from './attempt.ts';
import { claimAttempts, claimFailed, readUnderWay } from './attempt-sql.ts';

/** Nothing waits for the sweep but what a crash or a silence has left. */
const POLL_MS = 1_000;

/** What one attempt may take: several calls to the provider, one after the other. */
const ATTEMPT_WITHIN_MS = 12_000;

/**
 * Starts the worker that finishes what a dead process or a silent provider has left: it asks the provider how each attempt
 * stands and carries it on (domain, "Provider keys age out"), and tries the balance after those that have failed. Any number of them
 * may run. Without a provider there is nobody to ask: it says how many attempts it leaves.
 */
export function startPaymentSweep(ctx: ChargeContext, options: { pollMs?: number } = {}): Worker {
  let hasSaid = false;
  return every({
    log: ctx.log,
    pollMs: options.pollMs ?? POLL_MS,
    failed: 'payment attempts could not be looked at',
    run: async () => {
      if (ctx.payments !== undefined) await sweepAttempts(ctx);
      else if (!hasSaid) await warnOfLeft(ctx);
      hasSaid = true;
      await sweepFailed(ctx);
    },
  });
}

/** As many orders as one line of the log names. */
const NAMED_MAX = 10;

/** Says how many attempts are under way that nobody can be asked about: the keys of the provider were taken away. */
async function warnOfLeft(ctx: ChargeContext): Promise<void> {
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

/** One round: looks at the attempts that are due, all at once. Returns how many came to their end. */
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
 * One round: tries the balance for orders whose charge has failed where the process that learned of it has not, or was to cancel the
 * order and could not. Returns how many orders it paid.
 */
export async function sweepFailed(ctx: ChargeContext): Promise<number> {
  const due = await claimFailed(ctx.database, ctx.clock.now());
  let paid = 0;
  for (const attempt of due) {
    if (await tryBalance(ctx, attempt)) paid += 1;
  }
  return paid;
}
