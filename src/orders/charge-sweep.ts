import { setTimeout as delay } from 'node:timers/promises';
import { type ChargeContext, chargeAttempt } from './charge-order.ts';
import { claimAttempts } from './charge-sql.ts';

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
 * stands and carries it on (domain, "Provider keys age out"). Any number of them may run. Without a provider there is nothing to
 * ask, and it rests.
 */
export function startPaymentSweep(ctx: ChargeContext, options: { pollMs?: number } = {}): PaymentSweep {
  const stopping = new AbortController();
  const loop = ctx.payments === undefined ? Promise.resolve() : run(ctx, options.pollMs ?? POLL_MS, stopping.signal);
  return {
    stop: async (graceMs) => {
      stopping.abort();
      await Promise.race([loop, delay(graceMs, undefined, { ref: false })]);
    },
  };
}

async function run(ctx: ChargeContext, pollMs: number, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await sweepAttempts(ctx);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
