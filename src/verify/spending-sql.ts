import type { Invariant } from './invariant.ts';

/** What `platen verify` checks of the sums by which spending is shown. */
export const SPENDING_INVARIANTS: readonly Invariant[] = [
  {
    name: 'what accounts have spent by day is what was posted for the orders of their invoices, less their credit notes',
    query: `with counted as (select counted_through as number from spending_progress),
      sold as (
        select order_id,
               coalesce(sum(amount_pence) filter (where credit_account = 'sales'), 0) as products,
               coalesce(sum(amount_pence) filter (where credit_account = 'setup_fees'), 0) as setup,
               coalesce(sum(amount_pence) filter (where credit_account = 'shipping_income'), 0) as shipping,
               coalesce(sum(amount_pence) filter (where credit_account like 'vat:%'), 0) as vat,
               coalesce(sum(amount_pence) filter (where credit_account = 'duty_owed'), 0) as duty
        from posting where kind = 'sale' group by order_id
      ),
      moved as (
        select i.account_id, left(i.document->>'tax_point', 10)::date as day, coalesce(s.products, 0) as products,
               coalesce(s.setup, 0) as setup, coalesce(s.shipping, 0) as shipping, coalesce(s.vat, 0) as vat,
               coalesce(s.duty, 0) as duty, 0 as refunded, 1 as invoices, 0 as notes
        from invoice i left join sold s on s.order_id = i.order_id where i.number <= (select number from counted)
        union all
        select account_id, left(document->>'tax_point', 10)::date, 0, 0, 0, 0, 0, (document->>'total_pence')::bigint, 0, 1
        from credit_note where number <= (select number from counted)
      ),
      days as (
        select account_id, day, array[sum(products), sum(setup), sum(shipping), sum(vat), sum(duty), sum(refunded), sum(invoices),
                 sum(notes)]::bigint[] as sums
        from moved group by account_id, day
      ),
      kept as (
        select account_id, day, array[products_pence, setup_pence, shipping_pence, vat_pence, duty_pence, refunded_pence, invoices,
                 credit_notes]::bigint[] as sums
        from spending_day
      )
      select 'account ' || account_id || ' has ' || coalesce(k.sums::text, 'nothing') || ' kept for ' || day || ' and '
               || coalesce(d.sums::text, 'nothing') || ' posted'
      from days d full join kept k using (account_id, day) where d.sums is distinct from k.sums
      union all
      select 'spending is summed through document ' || number || ', and ' || (select next_number - 1 from invoice_series) || ' are issued'
      from counted where number > (select next_number - 1 from invoice_series)`,
  },
];
