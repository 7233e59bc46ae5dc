import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { type Pence, pence } from '../lib/money.ts';

// Collections by bank of payments that came back, and the corrections of them. A correction can be corrected: what
// begins with a collection is about it, however long the chain is.

export type CollectionRow = {
  /** The posting that is corrected: the collection, or a correction of it. */
  id: Uuid;
  order_id: Uuid;
  posted_at: Date;
};

const COLLECTIONS = statement<CollectionRow>(
  'books_collections',
  `with recursive chain as (
     select account_id, id as of_id, created_at as posted_at, order_id, kind, debit_account, corrects_id
     from posting where account_id = any($1::uuid[]) and id = any($2::uuid[])
     union all
     select p.account_id, c.of_id, c.posted_at, p.order_id, p.kind, p.debit_account, p.corrects_id
     from chain c join posting p on p.account_id = c.account_id and p.id = c.corrects_id
   )
   select of_id as id, order_id, posted_at from chain
   where corrects_id is null and kind = 'charge_recovered' and debit_account = 'bank'`,
);

/** Finds which of some postings are collections by bank, or corrections of one, and for which order. */
export async function findCollections(
  db: Db,
  postings: readonly { readonly accountId: Uuid; readonly id: Uuid }[],
): Promise<CollectionRow[]> {
  if (postings.length === 0) return [];
  const accounts = [...new Set(postings.map(({ accountId }) => accountId))];
  return db.all(COLLECTIONS, [accounts, postings.map(({ id }) => id)]);
}

const PAID_TWICE = statement<{ pence: number }>(
  'books_paid_twice',
  `with recursive chain as (
     select account_id, id, order_id, debit_account, credit_account, amount_pence
     from posting where order_id = $2 and account_id = $1 and kind = 'charge_recovered' and debit_account = 'bank'
     union all
     select p.account_id, p.id, p.order_id, p.debit_account, p.credit_account, p.amount_pence
     from chain c join posting p on p.account_id = c.account_id and p.corrects_id = c.id
   )
   select (
     select coalesce(sum(t.amount_pence - (
       select coalesce(sum(c.amount_pence), 0) from posting c where c.account_id = t.account_id and c.corrects_id = t.id)), 0)
     from posting t
     where t.order_id = $2 and t.account_id = $1 and t.kind = 'top_up'
       and t.debit_account in ('card_clearing', 'direct_debit_clearing')
   )::bigint - (
     select coalesce(sum(case 'bank' when credit_account then amount_pence else -amount_pence end), 0)
     from chain where order_id is null
   )::bigint as pence`,
);

/**
 * What the balance of a customer was credited because an order was paid twice.
 * That is by bank, and by a dispute that was won; less what corrections of the collection have taken back of it. The
 * caller holds the lock of the order.
 */
export async function readPaidTwice(tx: Db, accountId: Uuid, orderId: Uuid): Promise<Pence> {
  return pence(Math.max(0, (await tx.one(PAID_TWICE, [accountId, orderId]))?.pence ?? 0));
}
