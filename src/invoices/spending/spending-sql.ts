import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// What accounts were invoiced and credited by day, summed from the documents in the order of their numbers.

const LOCK = statement<{ counted_through: number }>(
  'billing_lock_spending',
  'select counted_through from spending_progress for update skip locked',
);

/** Locks the summing until the transaction ends; undefined while another has it. */
export async function lockSpending(tx: Db): Promise<number | undefined> {
  return (await tx.one(LOCK, []))?.counted_through;
}

const of = (account: string): string =>
  `coalesce(sum(p.amount_pence) filter (where p.credit_account ${account}), 0)::bigint`;

// Only documents whose numbers follow one another from the last on are taken: one that is not there yet is waited for.
const COUNT = statement<{ counted: number }>(
  'billing_count_spending',
  `with part as materialized (
     select *, row_number() over (order by number) as nth from (
       (select number, true as is_invoice, account_id, order_id, document from invoice where number > $1 order by number limit $2)
       union all
       (select number, false, account_id, order_id, document from credit_note where number > $1 order by number limit $2)
     ) as found order by number limit $2
   ),
   taken as materialized (
     select is_invoice, account_id, order_id, left(document->>'tax_point', 10)::date as day,
            (document->>'total_pence')::bigint as total_pence
     from part where number = $1::bigint + nth
   ),
   moved as (
     select t.account_id, t.day, s.products_pence, s.setup_pence, s.shipping_pence, s.vat_pence, s.duty_pence,
            0::bigint as refunded_pence, 1 as invoices, 0 as credit_notes
     from taken t cross join lateral (
       select ${of("= 'sales'")} as products_pence, ${of("= 'setup_fees'")} as setup_pence,
              ${of("= 'shipping_income'")} as shipping_pence, ${of("like 'vat:%'")} as vat_pence, ${of("= 'duty_owed'")} as duty_pence
       from posting p where p.order_id = t.order_id and p.account_id = t.account_id and p.kind = 'sale'
     ) as s
     where t.is_invoice
     union all
     select account_id, day, 0, 0, 0, 0, 0, total_pence, 0, 1 from taken where not is_invoice
   ),
   kept as (
     insert into spending_day as d (account_id, day, products_pence, setup_pence, shipping_pence, vat_pence, duty_pence,
       refunded_pence, invoices, credit_notes)
     select account_id, day, sum(products_pence), sum(setup_pence), sum(shipping_pence), sum(vat_pence), sum(duty_pence),
            sum(refunded_pence), sum(invoices), sum(credit_notes)
     from moved group by account_id, day
     on conflict (account_id, day) do update set products_pence = d.products_pence + excluded.products_pence,
       setup_pence = d.setup_pence + excluded.setup_pence, shipping_pence = d.shipping_pence + excluded.shipping_pence,
       vat_pence = d.vat_pence + excluded.vat_pence, duty_pence = d.duty_pence + excluded.duty_pence,
       refunded_pence = d.refunded_pence + excluded.refunded_pence, invoices = d.invoices + excluded.invoices,
       credit_notes = d.credit_notes + excluded.credit_notes
   )
   select count(*)::integer as counted from taken`,
);

/**
 * Adds the documents after a number to their days, up to a limit. Returns how many.
 * The summing is locked.
 */
export async function countSpending(tx: Db, after: number, limit: number): Promise<number> {
  return (await tx.one(COUNT, [after, limit]))?.counted ?? 0;
}

const ADVANCE = statement<never>('billing_advance_spending', 'update spending_progress set counted_through = $1');

/** Writes the last document that was summed. */
export async function advanceSpending(tx: Db, through: number): Promise<void> {
  await tx.all(ADVANCE, [through]);
}

export type SpendingRow = {
  day: string;
  products_pence: number;
  setup_pence: number;
  shipping_pence: number;
  vat_pence: number;
  duty_pence: number;
  refunded_pence: number;
  invoices: number;
  credit_notes: number;
};

const DAYS = statement<SpendingRow>(
  'billing_spending_of_days',
  `select day::text, products_pence, setup_pence, shipping_pence, vat_pence, duty_pence, refunded_pence, invoices, credit_notes
   from spending_day where account_id = $1 and day >= $2 and day <= $3 order by day limit $4`,
);

/** The days of an account between two, both included, on which something was invoiced or credited. */
export async function listSpendingDays(
  db: Db,
  accountId: Uuid,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<SpendingRow[]> {
  return db.all(DAYS, [accountId, from, to, limit]);
}

const IS_COMPLETE = statement<{ is_complete: boolean }>(
  'billing_spending_is_complete',
  'select p.counted_through = s.next_number - 1 as is_complete from spending_progress p, invoice_series s',
);

/** Whether every document that was issued is summed. */
export async function isSpendingComplete(db: Db): Promise<boolean> {
  return (await db.one(IS_COMPLETE, []))?.is_complete ?? false;
}
