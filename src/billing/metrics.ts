import type { Db } from '../lib/db.ts';
import { createCounter } from '../lib/metrics/instruments.ts';
import type { Pence } from '../lib/money.ts';
import type { Posting, PostingKind } from './postings.ts';

const KINDS: Readonly<Record<PostingKind, true>> = {
  top_up: true,
  charge: true,
  charge_returned: true,
  charge_recovered: true,
  sale: true,
  refund: true,
  refund_owed: true,
  refund_paid: true,
  sale_reversed: true,
  correction: true,
  withdrawal: true,
  write_off: true,
  entry: true,
};

const count = createCounter({
  name: 'platen_posted_pence_total',
  help: 'Pence that this process has posted to the ledger, by kind of posting. The ledger itself is the truth.',
  labels: ['kind'],
  series: Object.keys(KINDS).map((kind) => ({ kind })),
});

/** Counts postings once they are committed. */
export function countPosted(db: Db, postings: readonly Pick<Posting, 'kind' | 'amountPence'>[]): void {
  db.afterCommit(() => {
    for (const { kind, amountPence } of postings) count({ kind }, amountPence);
  });
}

/**
 * Counts what a statement with `chargeCtes` has posted, once it is committed.
 * That is the balance's part, and if it paid the order also what its total is for.
 */
export function countCharged(
  db: Db,
  charged: { readonly fromBalancePence: Pence; readonly soldPence: Pence; readonly paid: boolean },
): void {
  const { fromBalancePence, soldPence, paid } = charged;
  const charge = { kind: 'charge', amountPence: fromBalancePence } as const;
  countPosted(db, paid ? [charge, { kind: 'sale', amountPence: soldPence }] : [charge]);
}
