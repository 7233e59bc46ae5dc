import { type Db, statement } from '../lib/db.ts';

/** An invariant of a live database: what it promises, and the statement that finds what breaks it. */
type Invariant = { readonly name: string; readonly query: string };

/** As many broken things as a person can act on. */
const VIOLATIONS_MAX = 100;

// Each finds what breaks its promise, a line of text for each. They read everything: this is an operator's tool.
const INVARIANTS: readonly Invariant[] = [
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
        select order_id, coalesce(sum(amount_pence) filter (where debit_account = 'customer_balance'), 0) as sum,
               coalesce(sum(amount_pence) filter (where debit_account <> 'customer_balance'), 0) as method_sum
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
      from payment_attempt a left join payment p on p.order_id = a.order_id and p.id = a.id
      where (a.state = 'succeeded') <> (p.id is not null) or p.amount_pence <> a.amount_pence
      union all
      select 'order ' || o.reference || ' and attempt ' || a.id || ' disagree on whether it is under way'
      from payment_attempt a join orders o on o.id = a.order_id
      where (a.state in ('open', 'unknown')) <> (o.attempt_id is not distinct from a.id)
      union all
      select 'order ' || o.reference || ' waits for an attempt that is not there' from orders o
      where o.attempt_id is not null and not exists (select from payment_attempt a where a.id = o.attempt_id)`,
  },
  {
    name: 'no posting but a top-up is without its order',
    query: `select 'posting ' || p.id || ' is for order ' || coalesce(p.order_id::text, 'none') || ', which is not there'
      from posting p left join orders o on o.id = p.order_id and o.account_id = p.account_id
      where (p.kind <> 'top_up' or p.order_id is not null) and o.id is null`,
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
    name: 'every setup right is held by a live order that relies on it',
    query: `select 'setup right of account ' || r.account_id || ' for ' || r.method || ' is held by ' || r.paid_by_order
      from setup_right r
      left join orders o on o.id = r.paid_by_order and o.state <> 'cancelled'
      left join setup_reliance s on s.account_id = r.account_id and s.design_hash = r.design_hash and s.method = r.method
        and s.order_id = r.paid_by_order
      where o.id is null or s.order_id is null`,
  },
  {
    name: 'a cancelled order has its event, and nothing of it is left to make',
    query: `select 'order ' || o.reference || ' is cancelled and has no event of it, or pieces left' from orders o
      where o.state = 'cancelled' and (
        not exists (select from event e where e.order_id = o.id and e.account_id = o.account_id
                    and e.event = 'order.cancelled')
        or exists (select from order_line l where l.order_id = o.id
                   and l.quantity_cancelled + l.quantity_shipped <> l.quantity))`,
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
      from orders o where o.duty_pence < (select coalesce(sum(duty_pence), 0) from order_credit c where c.order_id = o.id)`,
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
    name: "an order's lines and prices add up to its subtotal",
    query: `select 'order ' || o.reference || ' has lines of ' || coalesce(l.sum, 0) || ' and a subtotal of ' || o.subtotal_pence
      from orders o left join (select order_id, sum(line_price_pence) as sum from order_line group by order_id) l
        on l.order_id = o.id
      where o.subtotal_pence <> coalesce(l.sum, 0)`,
  },
  {
    name: 'every order has as many events as its version says, and its history',
    query: `select 'order ' || o.reference || ' has version ' || o.version || ' and ' || coalesce(e.count, 0) || ' events'
      from orders o left join (
        select order_id, count(*) as count, max(sequence) as last, count(distinct sequence) as distinct_count
        from event where order_id is not null group by order_id
      ) e on e.order_id = o.id
      where coalesce(e.count, 0) <> o.version or e.last <> o.version or e.distinct_count <> o.version
        or not exists (select from order_history h where h.order_id = o.id)`,
  },
  {
    name: 'every paid order has announced that it was created',
    query: `select 'order ' || o.reference || ' is paid and has no order.created' from orders o
      where o.balance_paid_pence + o.method_paid_pence = o.total_pence and o.state <> 'awaiting_payment'
        and not exists (select from event e where e.order_id = o.id and e.account_id = o.account_id
                        and e.event = 'order.created')`,
  },
  {
    name: 'every external reference leads to its order',
    query: `select 'reference ' || r.external_reference || ' leads to no order' from order_reference r
      left join orders o on o.id = r.order_id and o.account_id = r.account_id
        and o.external_reference = r.external_reference
      where o.id is null`,
  },
  {
    name: 'every print job has its print file, and every waiting print file its job',
    query: `select 'print job of order ' || j.order_id || ' has no print file' from print_job j
      left join print_file f on f.key = j.print_file_key where f.key is null
      union all
      select 'print file ' || encode(f.key, 'hex') || ' is pending and nobody makes it' from print_file f
      where f.state = 'pending' and not exists (
        select from job where kind = 'normalise_artwork' and key = encode(f.key, 'hex') and failed_at is null)`,
  },
  {
    name: 'stock equals its movements',
    query: `select 'stock of ' || s.sku || ' is ' || s.on_hand || ' with ' || s.allocated || ' allocated, and its movements sum to '
             || coalesce(m.on_hand, 0) || ' and ' || coalesce(m.allocated, 0)
      from stock s left join (
        select sku, sum(quantity) filter (where kind in ('receipt', 'count', 'consume', 'spoil')) as on_hand,
               sum(quantity) filter (where kind in ('allocate', 'release', 'consume')) as allocated
        from stock_movement group by sku
      ) m on m.sku = s.sku
      where s.on_hand <> coalesce(m.on_hand, 0) or s.allocated <> coalesce(m.allocated, 0)`,
  },
  {
    name: 'what is allocated of a variant is promised to lines',
    query: `select 'stock of ' || s.sku || ' has ' || s.allocated || ' allocated, and lines were promised ' || coalesce(a.left_over, 0)
      from stock s left join (
        select sku, sum(allocated - consumed - released) as left_over from allocation group by sku
      ) a on a.sku = s.sku
      where s.allocated <> coalesce(a.left_over, 0)`,
  },
  {
    name: 'what was moved for a line is what its allocation says',
    query: `select 'line ' || a.line_id || ' has ' || a.allocated || ' allocated, ' || a.consumed || ' consumed, ' || a.released
             || ' released, and other movements'
      from allocation a left join (
        select order_id, line_id, sum(quantity) filter (where kind = 'allocate') as allocated,
               -sum(quantity) filter (where kind = 'consume') as consumed,
               -sum(quantity) filter (where kind = 'release') as released
        from stock_movement where line_id is not null group by order_id, line_id
      ) m on m.order_id = a.order_id and m.line_id = a.line_id
      where a.allocated <> coalesce(m.allocated, 0) or a.consumed <> coalesce(m.consumed, 0)
        or a.released <> coalesce(m.released, 0)`,
  },
  {
    name: 'a line of a promoted order holds its pieces until it starts, and only a started one has taken them',
    query: `select 'line ' || l.id || ' of order ' || o.reference || ' (' || o.state || ') has ' || coalesce(a.left_over, 0)
             || ' promised and ' || coalesce(a.consumed, 0) || ' taken'
      from orders o join order_line l on l.order_id = o.id left join (
        select order_id, line_id, allocated - consumed - released as left_over, consumed from allocation
      ) a on a.order_id = l.order_id and a.line_id = l.id
      where (coalesce(a.consumed, 0) > 0 and l.started_at is null)
        or (coalesce(a.left_over, 0) > 0 and l.started_at is not null)
        or (coalesce(a.left_over, 0) > 0 and o.state not in ('released', 'in_production', 'on_hold'))
        or (o.state in ('released', 'in_production') and l.started_at is null
            and coalesce(a.left_over, 0) <> l.quantity - l.quantity_cancelled - l.quantity_shipped)`,
  },
  {
    name: 'no more pieces of a line are shipped and cancelled, or done, than there are, and each spoiled one was taken from stock',
    query: `select 'line ' || l.id || ' of ' || l.quantity || ' has ' || l.quantity_cancelled || ' cancelled, ' || l.quantity_shipped
             || ' shipped, ' || l.quantity_spoiled || ' spoiled and ' || coalesce(m.spoiled, 0) || ' taken for these'
      from order_line l left join (
        select order_id, line_id, -sum(quantity) as spoiled from stock_movement where kind = 'spoil' group by order_id, line_id
      ) m on m.order_id = l.order_id and m.line_id = l.id
      where l.quantity_cancelled + l.quantity_shipped > l.quantity or l.quantity_spoiled <> coalesce(m.spoiled, 0)
        or exists (select from print_job j where j.order_id = l.order_id and j.line_id = l.id and j.quantity_done > l.quantity)`,
  },
  {
    name: 'the shipped pieces of a line are those in its parcels, and each parcel was told of once',
    query: `select 'line ' || l.id || ' has ' || l.quantity_shipped || ' shipped and ' || coalesce(i.quantity, 0) || ' in parcels'
      from order_line l left join (
        select order_id, line_id, sum(quantity) as quantity from shipment_item group by order_id, line_id
      ) i on i.order_id = l.order_id and i.line_id = l.id
      where l.quantity_shipped <> coalesce(i.quantity, 0)
      union all
      select 'order ' || o.reference || ' has ' || coalesce(s.count, 0) || ' parcels and told of ' || coalesce(e.count, 0)
      from orders o
      left join (select order_id, count(*) as count from shipment group by order_id) s on s.order_id = o.id
      left join (
        select order_id, count(*) as count from event where event = 'order.shipment_created' group by order_id
      ) e on e.order_id = o.id
      where coalesce(s.count, 0) <> coalesce(e.count, 0)`,
  },
  {
    name: 'an order is dispatched when the last of its pieces has shipped, and then only, and says so once',
    query: `select 'order ' || o.reference || ' is ' || o.state || ' with ' || l.shipped || ' pieces shipped and ' || l.left_over
             || ' left, and told of ' || coalesce(e.count, 0) || ' dispatches'
      from orders o
      join (
        select order_id, sum(quantity_shipped) as shipped, sum(quantity - quantity_cancelled - quantity_shipped) as left_over
        from order_line group by order_id
      ) l on l.order_id = o.id
      left join (
        select order_id, count(*) as count from event where event = 'order.dispatched' group by order_id
      ) e on e.order_id = o.id
      where case when o.state in ('dispatched', 'delivered') then l.left_over > 0 or l.shipped = 0 or coalesce(e.count, 0) <> 1
                 when o.state = 'cancelled' then coalesce(e.count, 0) > 1
                 else l.left_over = 0 or coalesce(e.count, 0) > 0 end`,
  },
  {
    name: 'no more pieces are made again than were shipped',
    query: `select 'line ' || l.id || ' has ' || l.quantity_shipped || ' shipped and ' || r.replaced || ' made again'
      from (
        select o.replaces, l.replaces_line, sum(l.quantity - l.quantity_cancelled) as replaced
        from orders o join order_line l on l.order_id = o.id where o.replaces is not null group by 1, 2
      ) r left join order_line l on l.order_id = r.replaces and l.id = r.replaces_line
      where l.id is null or r.replaced > l.quantity_shipped`,
  },
  {
    name: 'what an operator did to an order is in the audit log',
    query: `select 'order ' || o.reference || ': ' || h.action || ' by ' || h.actor || ' is not in the audit log'
      from order_history h join orders o on o.id = h.order_id
      left join (
        select a.order_id as id, 'operator ' || p.email as actor from operator_action a join operator p on p.id = a.operator_id
        union
        select a.subject_id, 'operator ' || p.email from operator_action a join operator p on p.id = a.operator_id
      ) done on done.id = h.order_id and done.actor = h.actor
      where h.actor like 'operator %' and done.id is null`,
  },
  {
    // A row that is seen is of a transaction that has ended, unless it came in a dump of another server.
    name: 'events and orders are of transactions of this server',
    query: `select 'event ' || id || ' is of a transaction that is still to come' from event
      where transaction_id >= pg_snapshot_xmax(pg_current_snapshot())
      union all
      select 'order ' || reference || ' was changed by a transaction that is still to come' from orders
      where changed_by >= pg_snapshot_xmax(pg_current_snapshot())`,
  },
];

// Reading everything takes as long as it takes; the limit of the hot path is lifted for this transaction.
const NO_TIMEOUT = statement<never>('verify_no_timeout', "select set_config('statement_timeout', '0', true)");

const HOUR_MS = 3_600_000;

/** Looks, inside a transaction, for what breaks each invariant; at most a hundred findings each. */
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

/** A page of the stored blobs in the order of their hashes. */
export async function listBlobs(db: Db, after: string): Promise<{ hash: string; bytes: number }[]> {
  return db.all(BLOBS, [after]);
}
