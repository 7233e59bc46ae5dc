import { isDeepStrictEqual } from 'node:util';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { DisputeState } from '../provider.ts';
import type { Dispute } from './plan.ts';
import type { Summary } from './summary.ts';

/** An attempt as the rows of its disputes name it. The caller holds the lock of its order. */
export type OfAttempt = { readonly id: Uuid; readonly account_id: Uuid; readonly order_id: Uuid };

/** The most disputes that are kept of a payment: far more than a bank opens. */
export const DISPUTES_MAX = 100;

type DisputeRow = {
  dispute_id: string;
  state: DisputeState;
  withdrawn_pence: number;
  reinstated_pence: number;
  is_listed: boolean;
  booked_withdrawn_pence: number;
  booked_reinstated_pence: number;
};

const DISPUTES = statement<DisputeRow>(
  'payments_disputes',
  `select dispute_id, state, withdrawn_pence, reinstated_pence, is_listed, booked_withdrawn_pence, booked_reinstated_pence
   from payment_dispute where account_id = $1 and order_id = $2 and attempt_id = $3
   order by opened_at, dispute_id limit ${DISPUTES_MAX}`,
);

/** The disputes of a payment, the oldest first. */
export async function readDisputes(tx: Db, of: OfAttempt): Promise<Dispute[]> {
  const rows = await tx.all(DISPUTES, [of.account_id, of.order_id, of.id]);
  return rows.map((row) => ({
    id: row.dispute_id,
    state: row.state,
    withdrawnPence: row.withdrawn_pence,
    reinstatedPence: row.reinstated_pence,
    isListed: row.is_listed,
    bookedWithdrawnPence: row.booked_withdrawn_pence,
    bookedReinstatedPence: row.booked_reinstated_pence,
  }));
}

const SAVE = statement<never>(
  'payments_save_disputes',
  `insert into payment_dispute (account_id, order_id, attempt_id, dispute_id, state, withdrawn_pence, reinstated_pence, is_listed,
     booked_withdrawn_pence, booked_reinstated_pence, opened_at, updated_at)
   select $1, $2, $3, dispute_id, state, withdrawn_pence, reinstated_pence, is_listed, booked_withdrawn_pence,
     booked_reinstated_pence, $5, $5
   from json_to_recordset($4::json) as d(dispute_id text, state text, withdrawn_pence bigint, reinstated_pence bigint,
     is_listed boolean, booked_withdrawn_pence bigint, booked_reinstated_pence bigint)
   on conflict (account_id, order_id, attempt_id, dispute_id) do update set state = excluded.state,
     withdrawn_pence = excluded.withdrawn_pence, reinstated_pence = excluded.reinstated_pence, is_listed = excluded.is_listed,
     booked_withdrawn_pence = excluded.booked_withdrawn_pence, booked_reinstated_pence = excluded.booked_reinstated_pence,
     updated_at = excluded.updated_at`,
);

/** Writes those disputes of a payment that are new or changed. Returns whether any is. */
export async function saveDisputes(
  tx: Db,
  of: OfAttempt,
  { before, after }: { readonly before: readonly Dispute[]; readonly after: readonly Dispute[] },
  now: Date,
): Promise<boolean> {
  const stored = new Map(before.map((dispute) => [dispute.id, dispute]));
  const changed = after.filter((dispute) => !isDeepStrictEqual(dispute, stored.get(dispute.id)));
  if (changed.length === 0) return false;
  const rows = changed.map(
    (dispute): DisputeRow => ({
      dispute_id: dispute.id,
      state: dispute.state,
      withdrawn_pence: dispute.withdrawnPence,
      reinstated_pence: dispute.reinstatedPence,
      is_listed: dispute.isListed,
      booked_withdrawn_pence: dispute.bookedWithdrawnPence,
      booked_reinstated_pence: dispute.bookedReinstatedPence,
    }),
  );
  await tx.all(SAVE, [of.account_id, of.order_id, of.id, JSON.stringify(rows), now]);
  return true;
}

const SAVE_SUMMARY = statement<never>(
  'payments_save_returned',
  `update payment_attempt set returned_at = $3, returned_pence = $4, returned_before_pence = $5, recovered_at = $6, won_at = $7,
     dispute_id = $8, past_disputes = $9
   where id = $1 and account_id = $2`,
);

/** Writes on an attempt what came back of its payment. */
export async function saveSummary(tx: Db, of: OfAttempt, summary: Summary): Promise<void> {
  await tx.all(SAVE_SUMMARY, [
    of.id,
    of.account_id,
    summary.returned_at,
    summary.returned_pence,
    summary.returned_before_pence,
    summary.recovered_at,
    summary.won_at,
    summary.dispute_id,
    summary.past_disputes,
  ]);
}
