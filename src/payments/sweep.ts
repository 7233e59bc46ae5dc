import { setTimeout as delay } from 'node:timers/promises';
import { type ChargeContext, chargeAttempt, tryBalance } from './attempt.ts';
import { claimAttempts, claimFailed, readUnderWay } from './attempt-sql.ts';

/** Nothing waits for the sweep but what a crash or a silence has left. */
const POLL_MS = 1_000;

/** What one attempt may take: several calls to the provider, one after the other. */
const ATTEMPT_WITHIN_MS = 12_000;

export type PaymentSweep = {
  /** Begins no further attempt and waits for those under way, at most this long. */
  readonly stop: (graceMs: number) => Promise<void>;
};

/**
 * Starts the worker that finishes what a dead process or a silent provider has left: it asks the provider how each attempt
 * stands and carries it on (domain, "Provider keys age out"), and tries the balance after those that have failed. Any number of them
 * may run. Without a provider there is nobody to ask: it says how many attempts it leaves.
 */
export function startPaymentSweep(ctx: ChargeContext, options: { pollMs?: number } = {}): PaymentSweep {
  const stopping = new AbortController();
  const loop = run(ctx, options.pollMs ?? POLL_MS, stopping.signal);
  return {
    stop: async (graceMs) => {
      stopping.abort();
      await Promise.race([loop, delay(graceMs, undefined, { ref: false })]);
    },
  };
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

async function run(ctx: ChargeContext, pollMs: number, stopping: AbortSignal): Promise<void> {
  if (ctx.payments === undefined) await warnOfLeft(ctx);
  while (!stopping.aborted) {
    try {
      if (ctx.payments !== undefined) await sweepAttempts(ctx);
      await sweepFailed(ctx);
    } catch (error) {
      // The database is away: the next round tries again.
      ctx.log.warn({ error: messageOf(error) }, 'payment attempts could not be looked at');
    }
    await delay(pollMs, undefined, { signal: stopping }).catch(() => undefined);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
