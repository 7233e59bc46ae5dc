import { createCounter } from '../lib/metrics/instruments.ts';

/** Counts charges of cards and direct debits by how they ended. */
export const countAttempt = createCounter({
  name: 'platen_payment_attempts_total',
  help: 'Charges of cards and direct debits by how they ended: paid, failed, or returned after they had been paid.',
  labels: ['method', 'outcome'],
  series: ['card', 'direct_debit'].flatMap((method) =>
    ['paid', 'failed', 'returned'].map((outcome) => ({ method, outcome })),
  ),
});
