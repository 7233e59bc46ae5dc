import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../lib/context.ts';
import { messageOf } from '../lib/error-message.ts';
import { ApiError } from '../lib/errors.ts';
import { publicId } from '../lib/ids.ts';
import type { AttemptResult } from './attempt.ts';
import {
  type CountedSubscription,
  type FailureRules,
  type Outcome,
  putBackDeliveries,
  recordOutcomes,
} from './delivery-sql.ts';
import { countOutcomes, countPutBacks } from './metrics.ts';
import { mailAboutFailures } from './recovery/mail-about-failures.ts';

type RecorderContext = Pick<Context, 'config' | 'database' | 'clock' | 'secrets' | 'log'>;

export type Recorder = {
  /** Resolves once the result is written, or is given up because the worker stops. */
  readonly record: (result: AttemptResult) => Promise<void>;
};

/** Consecutive failures over all deliveries that disable a subscription (spec 3.5, 8). */
export const DISABLED_FROM = 15;
/** From this many consecutive failures on a subscription gets one attempt at a time (domain, "Events"). */
export const PACED_FROM = 3;
const DISABLED_REASON = `${DISABLED_FROM} delivery attempts in a row failed. Fix the receiver, then set active to true.`;
const BATCH_MAX = 500;
/**
 * Results that come within this time are written together.
 * A statement costs as much as ten of its rows.
 */
const GATHER_MS = 5;
const RETRY_MS = 500;

/**
 * Writes results of attempts in the order in which they come, in batches.
 * Those that gather during one statement go into the next. While the database is away they are kept and retried. Their
 * number is bounded by the attempts in progress, and an outcome whose lease has run out meanwhile has no effect. After
 * `abandoned` nothing more is written.
 */
export function createRecorder(ctx: RecorderContext, abandoned: AbortSignal): Recorder {
  const waiting: { result: AttemptResult; done: () => void }[] = [];
  let isWriting = false;
  const write = async (): Promise<void> => {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      await delay(GATHER_MS);
      const batch = waiting.splice(0, BATCH_MAX);
      const results = batch.map((entry) => entry.result);
      while (!abandoned.aborted && (await tryWrite(ctx, results)) === 'later') await delay(RETRY_MS);
      for (const entry of batch) entry.done();
    }
    isWriting = false;
  };
  return {
    record: (result) =>
      new Promise((resolve) => {
        waiting.push({ result, done: resolve });
        void write();
      }),
  };
}

async function tryWrite(ctx: RecorderContext, results: readonly AttemptResult[]): Promise<'done' | 'later'> {
  const outcomes = results.flatMap((result) => (result.kind === 'attempted' ? [result.outcome] : []));
  const putBacks = results.flatMap((result) => (result.kind === 'put_back' ? [result.putBack] : []));
  const rules: FailureRules = {
    pacedFrom: PACED_FROM,
    disabledFrom: DISABLED_FROM,
    disabledReason: DISABLED_REASON,
    paceSeconds: ctx.config.webhookRetrySeconds[0] ?? 0,
  };
  try {
    // First what has no effect when the whole is tried again.
    if (putBacks.length > 0) await putBackDeliveries(ctx.database, putBacks);
    const counted = await writeOutcomes(ctx, outcomes, rules);
    countOutcomes(outcomes);
    countPutBacks(putBacks.length);
    for (const { id, active } of counted)
      if (!active) ctx.log.warn({ subscription: publicId('whk', id) }, 'a webhook subscription was disabled');
    return 'done';
  } catch (error) {
    const isAway = error instanceof ApiError && error.code === 'unavailable';
    const fields = { count: results.length, error: messageOf(error) };
    if (isAway) ctx.log.warn(fields, 'outcomes of deliveries could not be written yet');
    // Retried for ever it would hold up all others; these deliveries are sent again when their leases run out.
    else ctx.log.error(fields, 'outcomes of deliveries could not be written');
    return isAway ? 'later' : 'done';
  }
}

/** Writes outcomes; where any failed, with the mails that this causes, in one transaction. */
async function writeOutcomes(
  ctx: RecorderContext,
  outcomes: readonly Outcome[],
  rules: FailureRules,
): Promise<CountedSubscription[]> {
  if (outcomes.length === 0) return [];
  // A success causes no mail, and most batches have nothing else: they are one statement.
  if (outcomes.every(({ succeeded }) => succeeded)) return recordOutcomes(ctx.database, outcomes, rules);
  return ctx.database.transaction(async (tx) => {
    const counted = await recordOutcomes(tx, outcomes, rules);
    await mailAboutFailures(ctx, tx, counted, outcomes, rules.disabledFrom);
    return counted;
  });
}
