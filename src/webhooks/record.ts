import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../lib/context.ts';
import { messageOf } from '../lib/error-message.ts';
import { ApiError } from '../lib/errors.ts';
import { publicId } from '../lib/ids.ts';
import { type FailureRules, type Outcome, recordOutcomes } from './delivery-sql.ts';
import { countOutcomes } from './metrics.ts';

export type Recorder = {
  /** Resolves once the outcome is written, or is given up because the worker stops. */
  readonly record: (outcome: Outcome) => Promise<void>;
};

/** Consecutive failures over all deliveries that disable a subscription (spec 3.5, 8). */
export const DISABLED_FROM = 15;
/** From this many consecutive failures on a subscription gets one attempt at a time (domain, "Events"). */
export const PACED_FROM = 3;
const DISABLED_REASON = `${DISABLED_FROM} delivery attempts in a row failed. Fix the receiver, then set active to true.`;
const BATCH_MAX = 500;
const RETRY_MS = 500;

/**
 * Writes outcomes in the order in which they come, in batches.
 * Those that gather during one statement go into the next. While the database is away they are kept and retried. Their
 * number is bounded by the attempts in progress, and an outcome whose lease has run out meanwhile has no effect. After
 * `abandoned` nothing more is written.
 */
export function createRecorder(ctx: Pick<Context, 'config' | 'database' | 'log'>, abandoned: AbortSignal): Recorder {
  const waiting: { outcome: Outcome; done: () => void }[] = [];
  let isWriting = false;
  const write = async (): Promise<void> => {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_MAX);
      const outcomes = batch.map((entry) => entry.outcome);
      while (!abandoned.aborted && (await tryWrite(ctx, outcomes)) === 'later') await delay(RETRY_MS);
      for (const entry of batch) entry.done();
    }
    isWriting = false;
  };
  return {
    record: (outcome) =>
      new Promise((resolve) => {
        waiting.push({ outcome, done: resolve });
        void write();
      }),
  };
}

async function tryWrite(
  ctx: Pick<Context, 'config' | 'database' | 'log'>,
  outcomes: readonly Outcome[],
): Promise<'done' | 'later'> {
  const rules: FailureRules = {
    pacedFrom: PACED_FROM,
    disabledFrom: DISABLED_FROM,
    disabledReason: DISABLED_REASON,
    paceSeconds: ctx.config.webhookRetrySeconds[0] ?? 0,
  };
  try {
    const disabled = await recordOutcomes(ctx.database, outcomes, rules);
    countOutcomes(outcomes);
    for (const id of disabled)
      ctx.log.warn({ subscription: publicId('whk', id) }, 'a webhook subscription was disabled');
    return 'done';
  } catch (error) {
    const isAway = error instanceof ApiError && error.code === 'unavailable';
    const fields = { count: outcomes.length, error: messageOf(error) };
    if (isAway) ctx.log.warn(fields, 'outcomes of deliveries could not be written yet');
    // Retried for ever it would hold up all others; these deliveries are sent again when their leases run out.
    else ctx.log.error(fields, 'outcomes of deliveries could not be written');
    return isAway ? 'later' : 'done';
  }
}
