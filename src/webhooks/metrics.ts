import { createCounter, createHistogram } from '../lib/metrics/instruments.ts';
import type { ClaimedDelivery } from './claim-sql.ts';
import type { Outcome } from './delivery-sql.ts';

const countAttempt = createCounter({
  name: 'platen_webhook_attempts_total',
  help: 'Attempts of deliveries by result: succeeded, failed and to be repeated, abandoned after the last one, or put back.',
  labels: ['result'],
  series: [{ result: 'succeeded' }, { result: 'failed' }, { result: 'abandoned' }, { result: 'put_back' }],
});

const LAG_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];

const observeLag = createHistogram({
  name: 'platen_webhook_lag_seconds',
  help: 'How long after it was due an attempt began; `lane` is receiver for those that waited for their own receiver.',
  labels: ['lane'],
  bucketsSeconds: LAG_BUCKETS_SECONDS,
  series: [{ lane: 'open' }, { lane: 'receiver' }],
});

/** Counts outcomes that are recorded. */
export function countOutcomes(outcomes: readonly Outcome[]): void {
  for (const { succeeded, retryAt } of outcomes) {
    countAttempt({ result: succeeded ? 'succeeded' : retryAt === null ? 'abandoned' : 'failed' });
  }
}

/** Counts deliveries that were put back by a failure of ours. */
export function countPutBacks(count: number): void {
  countAttempt({ result: 'put_back' }, count);
}

/** Observes how late the attempts of these deliveries begin. `lane` is where they waited. */
export function observeLags(deliveries: readonly ClaimedDelivery[], lane: 'open' | 'receiver', now: Date): void {
  for (const { due_at: dueAt } of deliveries) observeLag({ lane }, Math.max(0, now.getTime() - dueAt.getTime()));
}
