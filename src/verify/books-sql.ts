import type { Invariant } from './invariant.ts';

/**
 * What `platen verify` checks of money: balances, payments, refunds, invoices and the books.
 * Each statement reads everything and returns a line of text for each violation.
 */
export const BOOKS_INVARIANTS: readonly Invariant[] = [
  {
    name: 'cached balances equal their postings',
    query: `select 'account ' || b.account_id || ' has ' || b.balance_pence || ' cached and ' || coalesce(p.sum, 0) || ' posted'
      from account_balance b left join (
        select account_id, sum(case when credit_account = 'customer_balance' then amount_pence
                                    when debit_account = 'customer_balance' then -amount_pence else 0 end) as sum
        from posting group by account_id
      ) p on p.account_id = b.account_id
      where b.balance_pence <> coalesce(p.sum, 0)`,
  },
  {
    name: 'an order is charged what its payments say, and a paid one its total',
    query: `select 'order ' || o.reference || ' has ' || o.balance_paid_pence || ' paid from the balance and '
             || coalesce(p.sum, 0) || ' posted, ' || o.method_paid_pence || ' and ' || o.unwanted_pence || ' paid by a method and '
             || coalesce(p.method_sum, 0) || ' posted'
      from orders o left join (
        select order_id, coalesce(sum(amount_pence) filter (where debit_account = 'customer_balance'), 0)
                 - coalesce(sum(amount_pence) filter (where credit_account = 'customer_balance'), 0) as sum,
               coalesce(sum(amount_pence) filter (where 'customer_balance' not in (debit_account, credit_account)), 0) as method_sum
        from posting where kind = 'charge' group by order_id
      ) p on p.order_id = o.id
      where o.balance_paid_pence <> coalesce(p.sum, 0) or o.method_paid_pence + o.unwanted_pence <> coalesce(p.method_sum, 0)
        or (o.state not in ('awaiting_payment', 'cancelled') and o.balance_paid_pence + o.method_paid_pence <> o.total_pence)`,
  },
  {
    name: "every entry of an account's statement follows from the one before",
    query: `select 'entry ' || entry || ' of account ' || account_id || ' says ' || balance_after_pence || ' and follows '
             || coalesce(before, 0)
      from (
        select account_id, entry, balance_after_pence,
               lag(balance_after_pence) over statement as before, lag(entry) over statement as previous,
               case when credit_account = 'customer_balance' then amount_pence else -amount_pence end as moved
        from posting where entry is not null window statement as (partition by account_id order by entry)
      ) as s
      where balance_after_pence <> coalesce(before, 0) + moved or entry <> coalesce(previous, 0) + 1
      union all
      select 'account ' || account_id || ' counts ' || entries || ' entries' from account_balance b
      where entries <> (select count(*) from posting p where p.account_id = b.account_id and p.entry is not null)`,
  },
  {
    name: "what an order's money is held for is what was paid and not given back",
    query: `select 'order ' || o.reference || ' has ' || coalesce(p.sum, 0) || ' left in deposits'
      from orders o left join (
        select order_id, sum(case when credit_account = 'order_deposits' then amount_pence else -amount_pence end) as sum
        from posting where 'order_deposits' in (debit_account, credit_account) group by order_id
      ) p on p.order_id = o.id
      where coalesce(p.sum, 0) <>
        case when o.state = 'awaiting_payment' then o.balance_paid_pence + o.method_paid_pence else 0 end`,
  },
  {
    name: 'a payment is an attempt that succeeded, and an order knows the attempt that is under way',
    query: `select 'attempt ' || a.id || ' is ' || a.state || ' over ' || a.amount_pence || ', its payment ' || coalesce(p.amount_pence, 0)
      from payment_attempt a left join payment p on p.account_id = a.account_id and p.order_id = a.order_id and p.id = a.id
      where (a.state = 'succeeded') <> (p.id is not null) or p.amount_pence <> a.amount_pence
      union all
      select 'order ' || o.reference || ' and attempt ' || a.id || ' disagree on whether it is under way'
      from payment_attempt a join orders o on o.account_id = a.account_id and o.id = a.order_id
      where (a.state in ('open', 'unknown')) <> (o.attempt_id is not distinct from a.id)
      union all
      select 'order ' || o.reference || ' waits for an attempt that is not there' from orders o
      where o.attempt_id is not null and not exists (select from payment_attempt a where a.id = o.attempt_id and a.account_id = o.account_id)`,
  },
  {
    // What was taken back of a top-up by card is held to its row by a check of its own.
    name: 'no posting but a top-up, what was taken back of one, or one of an entry of the books is without its order',
    query: `select 'posting ' || p.id || ' is for order ' || coalesce(p.order_id::text, 'none') || ', which is not there'
      from posting p left join orders o on o.id = p.order_id and o.account_id = p.account_id
      where o.id is null and (p.order_id is not null
        or (p.kind not in ('top_up', 'charge_returned', 'charge_recovered') and p.book_entry_id is null))`,
  },
  {
    name: 'no posting is corrected by more than it is, and a correction turns its two sides round',
    query: `select 'posting ' || p.id || ' of ' || p.amount_pence || ' is corrected by ' || sum(c.amount_pence)
      from posting c join posting p on p.account_id = c.account_id and p.id = c.corrects_id
      group by p.account_id, p.id, p.amount_pence having sum(c.amount_pence) > p.amount_pence
      union all
      select 'posting ' || c.id || ' corrects ' || c.corrects_id || ', which is not there or is another movement'
      from posting c left join posting p on p.account_id = c.account_id and p.id = c.corrects_id
      -- A collection by bank after which the order was paid twice is taken back from the balance.
      where c.corrects_id is not null and (c.book_entry_id is null or p.id is null or p.debit_account <> c.credit_account
        or (p.credit_account <> c.debit_account and c.debit_account <> 'receivables'
          and (p.debit_account, p.credit_account, c.debit_account) <> ('bank', 'receivables', 'customer_balance')))`,
  },
  {
    name: 'what was collected by bank and then corrected is owed for its order',
    // The version before this one posted such a correction apart from the order, in an entry that names none.
    query: `select 'order ' || o.reference || ' does not owe the ' || c.amount_pence || ' of which its collection was corrected by entry '
             || e.id || ', and account ' || p.account_id || ' owes ' || apart.pence || ' apart from its orders'
      from posting p
      join posting c on c.account_id = p.account_id and c.corrects_id = p.id
      join book_entry e on e.id = c.book_entry_id
      join orders o on o.account_id = p.account_id and o.id = p.order_id
      cross join lateral (
        select coalesce(sum(case 'receivables' when debit_account then amount_pence else -amount_pence end), 0) as pence
        from posting where account_id = p.account_id and order_id is null and 'receivables' in (debit_account, credit_account)
      ) as apart
      where p.kind = 'charge_recovered' and p.debit_account = 'bank' and e.order_id is null and apart.pence > 0
        and c.amount_pence > (
          select coalesce(sum(amount_pence), 0) from posting where account_id = c.account_id and corrects_id = c.id)`,
  },
  {
    name: 'an entry of the books is posted once it is decided so, whole, and nothing of it before',
    query: `select 'entry ' || e.id || ' (' || e.kind || ') is ' || e.state || ', plans ' || e.planned || ' and has posted ' || e.posted
      from (
        select e.id, e.kind, e.state,
               (select coalesce(sum((leg->>'pence')::bigint), 0) from jsonb_array_elements(e.plan) as leg) as planned,
               (select coalesce(sum(p.amount_pence), 0) from posting p where p.book_entry_id = e.id) as posted
        from book_entry e
      ) as e
      where e.posted <> case when e.state = 'posted' then e.planned else 0 end
      union all
      select 'posting ' || p.id || ' is of entry ' || p.book_entry_id || ', which is not there'
      from posting p left join book_entry e on e.id = p.book_entry_id where p.book_entry_id is not null and e.id is null`,
  },
  {
    name: 'what was posted above the limit by one person alone is said to be so',
    query: `select 'entry ' || id || ' was proposed and approved by ' || decided_by_name || ' and is not called an own approval'
      from book_entry
      where state = 'posted' and decided_at > proposed_at and proposed_by is not distinct from decided_by and not own_approval`,
  },
  {
    name: 'no customer has paid or been forgiven more than was owed apart from orders',
    query: `select 'account ' || account_id || ' owes ' || sum(case 'receivables' when debit_account then amount_pence else -amount_pence end)
      from posting where order_id is null and (debit_account = 'receivables' or credit_account = 'receivables')
      group by account_id having sum(case 'receivables' when debit_account then amount_pence else -amount_pence end) < 0`,
  },
  {
    name: 'the journals have every day once',
    query: `select 'the journal until ' || until_day || ' begins on ' || from_day || ' and follows ' || before
      from (select from_day, until_day, lag(until_day) over (order by until_day) as before from book_journal) as j
      where from_day <> before + 1`,
  },
  {
    name: 'refunds are within what was paid, and as posted',
    query: `select 'order ' || o.reference || ' has ' || o.refunded_pence || ' refunded, ' || o.refund_owed_pence || ' owed, '
             || coalesce(r.done, 0) || ' and ' || coalesce(r.owed, 0) || ' recorded, ' || coalesce(p.sum, 0) || ' posted'
      from orders o
      left join (
        select order_id, sum(amount_pence) filter (where state = 'done') as done,
               sum(amount_pence) filter (where state = 'owed') as owed
        from refund group by order_id
      ) r on r.order_id = o.id
      left join (
        select order_id, sum(amount_pence) as sum from posting where kind in ('refund', 'refund_owed') group by order_id
      ) p on p.order_id = o.id
      where o.refunded_pence + o.refund_owed_pence > o.balance_paid_pence + o.method_paid_pence + o.unwanted_pence
        or o.refunded_pence <> coalesce(r.done, 0) or o.refund_owed_pence <> coalesce(r.owed, 0)
        or o.refunded_pence + o.refund_owed_pence <> coalesce(p.sum, 0)`,
  },
  {
    name: 'every setup right is held by a live order that is paid and relies on it, or waits and is charged the setup itself',
    query: `select 'setup right of account ' || r.account_id || ' for ' || r.method || ' is held by ' || r.paid_by_order
      from setup_right r
      left join orders o on o.account_id = r.account_id and o.id = r.paid_by_order and o.state <> 'cancelled'
      left join setup_reliance s on s.account_id = r.account_id and s.design_hash = r.design_hash and s.method = r.method
        and s.order_id = r.paid_by_order
      where o.id is null or s.order_id is null or (o.paid_at is null and not exists (
        select from jsonb_to_recordset(o.setups) as own(design_hash text, method text, amount_pence bigint)
        where own.design_hash = encode(r.design_hash, 'hex') and own.method = r.method and own.amount_pence > 0))`,
  },
  {
    name: 'what a card or direct debit paid of an order is what its payments say',
    query: `select 'order ' || o.reference || ' has ' || o.method_paid_pence + o.unwanted_pence || ' paid by a method and payments of '
             || coalesce(p.sum, 0)
      from orders o left join (select order_id, sum(amount_pence) as sum from payment group by order_id) p on p.order_id = o.id
      where o.method_paid_pence + o.unwanted_pence <> coalesce(p.sum, 0)`,
  },
  {
    name: 'an invoice shows what its order was charged',
    query: `select 'invoice ' || i.number || ' shows ' || (i.document ->> 'total_pence') || ' and order ' || o.reference || ' has '
             || o.total_pence
      from invoice i join orders o on o.id = i.order_id
      where (i.document ->> 'total_pence')::bigint <> o.total_pence or i.account_id <> o.account_id`,
  },
  {
    name: 'what a paid order was charged for is posted once, VAT and all, and nothing of one that was never paid',
    query: `select 'order ' || o.reference || ' costs ' || o.total_pence || ' and is posted as sold for ' || coalesce(p.sum, 0)
      from orders o left join (
        select order_id,
               sum(amount_pence) filter (where debit_account = 'order_deposits') as sum,
               sum(amount_pence) filter (where credit_account = 'sales') as goods,
               sum(amount_pence) filter (where credit_account = 'setup_fees') as setups,
               sum(amount_pence) filter (where credit_account = 'shipping_income') as shipping,
               sum(amount_pence) filter (where credit_account = 'duty_owed') as duty
        from posting where kind = 'sale' group by order_id
      ) p on p.order_id = o.id
      where case when o.paid_at is null then p.sum is not null
        else (coalesce(p.sum, 0), coalesce(p.goods, 0), coalesce(p.setups, 0), coalesce(p.shipping, 0), coalesce(p.duty, 0))
          <> (o.total_pence, o.subtotal_pence, o.setup_pence, o.shipping_pence, o.duty_pence) end`,
  },
  {
    name: 'a credit is what was refunded for it, and all credits of an order are within what was charged at each rate of VAT',
    query: `select 'credit ' || c.id || ' of order ' || c.order_id || ' is over ' || c.total_pence || ' and refunded by '
             || coalesce(r.sum, 0)
      from order_credit c left join (
        select order_id, credit_id, sum(amount_pence) as sum from refund where credit_id is not null group by order_id, credit_id
      ) r on r.order_id = c.order_id and r.credit_id = c.id
      where c.total_pence <> coalesce(r.sum, 0)
      union all
      select 'order ' || o.reference || ' has more credited at ' || rate.rate_bp || ' basis points than was charged'
      from (
        select c.order_id, (v->>'rate_bp')::integer as rate_bp, sum((v->>'net_pence')::bigint) as net, sum((v->>'vat_pence')::bigint) as vat
        from order_credit c cross join lateral jsonb_array_elements(c.vat_breakdown) as v group by 1, 2
      ) as rate join orders o on o.id = rate.order_id
      where not exists (
        select from jsonb_array_elements(o.vat_breakdown) as v
        where (v->>'rate_bp')::integer = rate.rate_bp and (v->>'net_pence')::bigint >= rate.net and (v->>'vat_pence')::bigint >= rate.vat)
      union all
      select 'order ' || o.reference || ' has more duty credited than was charged'
      from orders o where o.duty_pence < (select coalesce(sum(duty_pence), 0) from order_credit c
        where c.account_id = o.account_id and c.order_id = o.id)`,
  },
  {
    name: 'what is owed by hand is posted so',
    query: `select 'order ' || o.reference || ' owes ' || o.refund_owed_pence || ' and has ' || coalesce(p.sum, 0) || ' posted as owed'
      from orders o left join (
        select order_id, sum(case when credit_account = 'manual_refunds_owed' then amount_pence else -amount_pence end) as sum
        from posting where 'manual_refunds_owed' in (debit_account, credit_account) group by order_id
      ) p on p.order_id = o.id
      where o.refund_owed_pence <> coalesce(p.sum, 0)`,
  },
  {
    name: 'what came back of payments is posted so, and nothing is receivable of what was collected',
    query: `select 'order ' || o.reference || ' has ' || a.returned || ' come back in ' || a.left_over || ' open payments, '
             || coalesce(p.returned, 0) || ' posted and ' || coalesce(p.receivable, 0) || ' receivable'
      from (
        select order_id, coalesce(sum(returned_pence), 0)
                 + sum(returned_before_pence) as returned,
               count(*) filter (where returned_at is not null and recovered_at is null) as left_over
        from payment_attempt group by order_id
      ) a
      join orders o on o.id = a.order_id
      left join (
        select order_id, sum(amount_pence) filter (where kind = 'charge_returned') as returned,
               sum(case 'receivables' when debit_account then amount_pence when credit_account then -amount_pence end) as receivable
        from posting where 'receivables' in (debit_account, credit_account) group by order_id
      ) p on p.order_id = a.order_id
      where a.returned <> coalesce(p.returned, 0) or coalesce(p.receivable, 0) < 0
        or (a.left_over = 0 and coalesce(p.receivable, 0) <> 0)`,
  },
  {
    name: 'no number of an invoice or a credit note is missing',
    query: `select 'invoices and credit notes end at ' || coalesce(max(number), 0) || ', are ' || count(*) || ', and the next is '
             || (select next_number from invoice_series)
      from (select number from invoice union all select number from credit_note) as issued
      having count(*) <> coalesce(max(number), 0) or count(distinct number) <> count(*)
        or (select next_number from invoice_series) <> count(*) + 1`,
  },
  {
    name: 'the books of what was invoiced are the invoices less the credit notes, net, duty and VAT by rate',
    query: `with paper as (
        select order_id, 1 as sign, document from invoice union all select order_id, -1, document from credit_note
      ),
      documents as (
        select order_id, 'net' as part, sign * (document->>'net_pence')::bigint as pence from paper
        union all select order_id, 'duty', sign * (document->>'duty_pence')::bigint from paper
        union all
        select order_id, 'vat:' || (rate->>'rate_bp'), sign * (rate->>'vat_pence')::bigint
        from paper cross join lateral json_array_elements(document->'vat') as rate
      ),
      side as (
        select order_id, credit_account as account, amount_pence as pence from posting where kind in ('sale', 'sale_reversed')
        union all
        select order_id, debit_account, -amount_pence from posting where kind in ('sale', 'sale_reversed')
      ),
      books as (
        select order_id, case when account in ('sales', 'setup_fees', 'shipping_income', 'refunds') then 'net'
                              when account = 'duty_owed' then 'duty' else account end as part, pence
        from side where account <> 'order_deposits'
      )
      select 'order ' || order_id || ' has ' || sum(documents) || ' of ' || part || ' on paper and ' || sum(books) || ' in the books'
      from (
        select order_id, part, pence as documents, 0 as books from documents
        union all
        select order_id, part, 0, pence from books b
        where exists (select from invoice i where i.order_id = b.order_id)
      ) as both_sides
      where not exists (select from order_credit c where c.order_id = both_sides.order_id and c.noted_at is null)
      group by order_id, part having sum(documents) <> sum(books)`,
  },
  {
    name: 'the closed days of UTC are the sums of their postings',
    query: `with side as (
        select debit_account as account, created_at, amount_pence as debit, 0::bigint as credit from posting
        union all
        select credit_account, created_at, 0, amount_pence from posting
      ),
      daily as (
        select account, date_trunc('day', created_at, 'UTC') + interval '24 hours' as until,
               sum(debit) as debit, sum(credit) as credit
        from side where created_at < (select closed_until from ledger_closing) group by 1, 2
      ),
      running as (
        select account, until, sum(debit) over days as debit, sum(credit) over days as credit
        from daily window days as (partition by account order by until)
      )
      select 'account ' || account || ' until ' || until || ' is closed with ' || coalesce(d.debit_pence, 0) || ' and '
             || coalesce(d.credit_pence, 0) || ' and posted with ' || coalesce(r.debit, 0) || ' and ' || coalesce(r.credit, 0)
      from running r full join ledger_day d using (account, until)
      where r.debit is distinct from d.debit_pence or r.credit is distinct from d.credit_pence`,
  },
  {
    name: 'the closed days of the books are the sums of their postings',
    query: `with side as (
        select debit_account as account, created_at as at, amount_pence as debit, 0::bigint as credit from posting
        union all
        select credit_account, created_at, 0, amount_pence from posting
      ),
      latest as (
        select name as account, (select closed_until from seller_day) as at, total.debit_pence, total.credit_pence
        from (select distinct account as name from side where at < (select closed_until from seller_day)) as known
        left join lateral (
          (select until, debit_pence, credit_pence from closed_day where account = name order by until desc limit 1)
          union all
          (select until, debit_pence, credit_pence from ledger_day
           where account = name and until <= (select begins_at from seller_day) order by until desc limit 1)
          order by until desc limit 1
        ) as total on true
      ),
      totals as (
        select account, until as at, debit_pence, credit_pence from closed_day union all select * from latest
      ),
      running as (
        select account, at, is_total, debit_pence, credit_pence,
               sum(debit) over sofar as debit, sum(credit) over sofar as credit
        from (
          select account, at, false as is_total, debit, credit, null::bigint as debit_pence, null::bigint as credit_pence from side
          union all
          select account, at, true, 0, 0, coalesce(debit_pence, 0), coalesce(credit_pence, 0) from totals
        ) as steps
        -- A total is of what was posted before its time.
        window sofar as (partition by account order by at, is_total desc)
      )
      select 'account ' || account || ' until ' || at || ' is closed with ' || debit_pence || ' and ' || credit_pence
             || ' and posted with ' || debit || ' and ' || credit
      from running where is_total and (debit <> debit_pence or credit <> credit_pence)`,
  },
  {
    name: "an order's lines and prices add up to its subtotal",
    query: `select 'order ' || o.reference || ' has lines of ' || coalesce(l.sum, 0) || ' and a subtotal of ' || o.subtotal_pence
      from orders o left join (select order_id, sum(line_price_pence) as sum from order_line group by order_id) l
        on l.order_id = o.id
      where o.subtotal_pence <> coalesce(l.sum, 0)`,
  },
];
