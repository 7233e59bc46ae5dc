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
             || coalesce(p.sum, 0) || ' posted'
      from orders o left join (
        select order_id, sum(amount_pence) as sum from posting
        where kind = 'charge' and debit_account = 'customer_balance' group by order_id
      ) p on p.order_id = o.id
      where o.balance_paid_pence <> coalesce(p.sum, 0)
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
      where coalesce(p.sum, 0) <> 0`,
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
      where o.refunded_pence + o.refund_owed_pence > o.balance_paid_pence + o.method_paid_pence
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
    query: `select 'order ' || o.reference || ' has ' || o.method_paid_pence || ' paid by a method and payments of '
             || coalesce(p.sum, 0)
      from orders o left join (select order_id, sum(amount_pence) as sum from payment group by order_id) p on p.order_id = o.id
      where o.method_paid_pence <> coalesce(p.sum, 0)`,
  },
  {
    name: 'an invoice shows what its order was charged',
    query: `select 'invoice ' || i.number || ' shows ' || (i.document ->> 'total_pence') || ' and order ' || o.reference || ' has '
             || o.total_pence
      from invoice i join orders o on o.id = i.order_id
      where (i.document ->> 'total_pence')::bigint <> o.total_pence or i.account_id <> o.account_id`,
  },
  {
    name: 'no number of an invoice is missing',
    query: `select 'invoices end at ' || coalesce(max(number), 0) || ', are ' || count(*) || ', and the next is '
             || (select next_number from invoice_series)
      from invoice having count(*) <> coalesce(max(number), 0)
        or (select next_number from invoice_series) <> count(*) + 1`,
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
    query: `select 'stock of ' || s.sku || ' is ' || s.on_hand || ' and its movements sum to ' || coalesce(m.sum, 0)
      from stock s left join (
        select sku, sum(quantity) as sum from stock_movement where kind in ('receipt', 'count', 'consume', 'spoil')
        group by sku
      ) m on m.sku = s.sku
      where s.on_hand <> coalesce(m.sum, 0)`,
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
