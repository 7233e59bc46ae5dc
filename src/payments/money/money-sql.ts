import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

/** Orders that are summed at most; beyond them, there are more than that. */
export const SUMMED_MAX = 1_000;

export type MoneyRow = {
  balance_pence: number;
  waiting: number;
  waiting_pence: number;
  refunds: number;
  refunds_pence: number;
};

const MONEY = statement<MoneyRow>(
  'payments_money_of_account',
  `select b.balance_pence, w.waiting, w.waiting_pence, r.refunds, r.refunds_pence
   from account_balance b
   cross join lateral (
     select count(*)::integer as waiting, coalesce(sum(due_pence), 0)::bigint as waiting_pence from (
       select total_pence - balance_paid_pence - method_paid_pence as due_pence
       from orders
       where account_id = b.account_id and state = 'awaiting_payment' and attempt_id is null and erased_at is null
         and placed_at >= $2
       order by id limit ${SUMMED_MAX + 1}
     ) as o
   ) as w
   cross join lateral (
     select count(*)::integer as refunds, coalesce(sum(refund_owed_pence), 0)::bigint as refunds_pence from (
       select refund_owed_pence from orders where account_id = b.account_id and refund_owed_pence > 0
       order by id limit ${SUMMED_MAX + 1}
     ) as o
   ) as r
   where b.account_id = $1`,
);

/** The balance, what waits for it since a time, and what is still to be paid back by hand. */
export async function readMoneyRow(db: Db, accountId: Uuid, placedSince: Date): Promise<MoneyRow | undefined> {
  return db.one(MONEY, [accountId, placedSince]);
}
