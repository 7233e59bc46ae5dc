import { isoTime } from '../lib/clock.ts';
import { HOUSE, publicId, type Uuid } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import type { BookEntryRow, PostedRow } from './entries-sql.ts';
import type { BookEntry } from './entry-schema.ts';

/** An entry of the books; what it moves is as it was posted, or as it was proposed. */
export function bookEntryView(row: BookEntryRow, posted: readonly PostedRow[], now: Date, expiresAt: Date): BookEntry {
  return {
    id: publicId('ent', row.id),
    kind: row.kind,
    status: row.state === 'proposed' && expiresAt <= now ? 'expired' : row.state,
    amount: pounds(row.amount_pence),
    currency: 'GBP',
    value_day: row.value_day,
    reference: row.reference,
    reason: row.reason,
    account_id: row.customer_id === null ? null : publicId('acct', row.customer_id),
    order_id: row.order_id === null ? null : publicId('ord', row.order_id),
    postings: posted.length > 0 ? posted.map(postedView) : row.plan.map(plannedView),
    proposed_by: row.proposed_by_name,
    proposed_at: isoTime(row.proposed_at),
    expires_at: row.state === 'proposed' ? isoTime(expiresAt) : null,
    decided_by: row.decided_by_name,
    decided_at: row.decided_at && isoTime(row.decided_at),
    decision_reason: row.decision_reason,
    own_approval: row.own_approval,
  };
}

function postedView(row: PostedRow): BookEntry['postings'][number] {
  return {
    id: publicId('pst', row.id),
    account_id: customer(row.account_id),
    debit: row.debit_account,
    credit: row.credit_account,
    amount: pounds(row.amount_pence),
    corrects: row.corrects_id === null ? null : publicId('pst', row.corrects_id),
    corrected: pounds(row.corrected_pence),
  };
}

function plannedView(leg: BookEntryRow['plan'][number]): BookEntry['postings'][number] {
  return {
    id: null,
    account_id: customer(leg.account_id),
    debit: leg.debit,
    credit: leg.credit,
    amount: pounds(leg.pence),
    corrects: leg.corrects === null ? null : publicId('pst', leg.corrects),
    corrected: 0,
  };
}

function customer(accountId: Uuid): string | null {
  return accountId === HOUSE ? null : publicId('acct', accountId);
}

function pounds(amountPence: number): number {
  return toPounds(pence(amountPence));
}
