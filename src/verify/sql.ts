import { type Db, statement } from '../lib/db.ts';
import { BOOKS_INVARIANTS } from './books-sql.ts';
import { CHANNELS_INVARIANTS } from './channels-sql.ts';
import { DISPUTES_INVARIANTS } from './disputes-sql.ts';
import type { Invariant } from './invariant.ts';
import { ORDERS_INVARIANTS } from './orders-sql.ts';
import { SPENDING_INVARIANTS } from './spending-sql.ts';
import { TOP_UPS_INVARIANTS } from './top-ups-sql.ts';
import { WORK_INVARIANTS } from './work-sql.ts';

/** As many violations as a person can act on. */
const VIOLATIONS_MAX = 100;

const INVARIANTS: readonly Invariant[] = [
  ...BOOKS_INVARIANTS,
  ...CHANNELS_INVARIANTS,
  ...DISPUTES_INVARIANTS,
  ...ORDERS_INVARIANTS,
  ...TOP_UPS_INVARIANTS,
  ...SPENDING_INVARIANTS,
  ...WORK_INVARIANTS,
];

// Reading everything takes as long as it takes, so the time-out of the hot path is lifted for this transaction.
const NO_TIMEOUT = statement<never>('verify_no_timeout', "select set_config('statement_timeout', '0', true)");

const HOUR_MS = 3_600_000;

/** Finds violations of each invariant, inside a transaction; at most a hundred each. */
export async function findViolations(db: Db): Promise<{ name: string; violations: string[] }[]> {
  await db.all(NO_TIMEOUT, []);
  const found: { name: string; violations: string[] }[] = [];
  for (const [index, { name, query }] of INVARIANTS.entries()) {
    const text = `select violation from (${query}) as found(violation) limit ${VIOLATIONS_MAX}`;
    const check = { ...statement<{ violation: string }>(`verify_${index}`, text), answerMs: HOUR_MS };
    found.push({ name, violations: (await db.all(check, [])).map((row) => row.violation) });
  }
  return found;
}

const BLOBS = statement<{ hash: string; bytes: number }>(
  'verify_blobs',
  `select encode(hash, 'hex') as hash, bytes from blob where not deleting and hash > decode($1, 'hex')
   order by hash limit 1000`,
);

/** Lists the stored blobs in the order of their hashes. */
export async function listBlobs(db: Db, after: string): Promise<{ hash: string; bytes: number }[]> {
  return db.all(BLOBS, [after]);
}
