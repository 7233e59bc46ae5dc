import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { PostingKind } from '../postings.ts';

/** What moved in some entries of one kind, in one direction. */
export type EntrySum = { kind: PostingKind; is_credit: boolean; entries: number; amount_pence: number };

const SUMS = statement<EntrySum>(
  'billing_sums_of_entries',
  `select kind, credit_account = 'customer_balance' as is_credit, count(*)::integer as entries,
          sum(amount_pence)::bigint as amount_pence
   from posting where account_id = $1 and entry is not null and entry > $2 and entry <= $3
   group by 1, 2 order by 1, 2`,
);

/** The sums of the entries of an account after one and through another, by kind. Costs by their number. */
export async function sumEntries(
  db: Db,
  accountId: Uuid,
  { after, through }: { after: number; through: number },
): Promise<EntrySum[]> {
  return db.all(SUMS, [accountId, after, through]);
}
