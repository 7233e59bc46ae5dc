import { type Db, statement } from '../lib/db.ts';
import { ATTEMPT_COLUMNS, type AttemptRow, CLAIM_MAX } from './attempt-sql.ts';

/** How long an accepted direct debit is read again: a bank may return it for days. */
const WATCHED_FOR = '14 days';

// The last read comes at the end of that time. What is older by a day was never read, such as what was accepted before
// there was this watch: it is put aside, which `is_watched` says.
const CLAIM_WATCHED = statement<AttemptRow & { is_watched: boolean }>(
  'orders_claim_watched_debits',
  `update payment_attempt set look_at = case
     when settled_at <= $1::timestamptz - interval '${WATCHED_FOR}' then 'infinity'
     else $1::timestamptz + least(greatest(($1::timestamptz - settled_at) / 8, interval '1 hour'), interval '12 hours') end
   where id = any(array(
     select id from payment_attempt
     where state = 'succeeded' and method = 'direct_debit' and returned_at is null and look_at <= $1
     order by look_at limit ${CLAIM_MAX} for update skip locked))
   returning ${ATTEMPT_COLUMNS}, settled_at > $1::timestamptz - interval '${WATCHED_FOR}' - interval '1 day' as is_watched`,
);

/**
 * Claims the accepted direct debits that are due to be read again.
 * `isFull` says that more may be due. A claim is a lease, until the next read.
 */
export async function claimWatched(db: Db, now: Date): Promise<{ attempts: AttemptRow[]; isFull: boolean }> {
  const rows = await db.all(CLAIM_WATCHED, [now]);
  return { attempts: rows.filter((row) => row.is_watched), isFull: rows.length === CLAIM_MAX };
}
