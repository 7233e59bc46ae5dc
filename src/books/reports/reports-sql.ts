import type { VatBreakdownRow } from '../../billing/postings.ts';
import { type Db, statement } from '../../lib/db.ts';
import { firstIdAt, HOUSE, type Uuid } from '../../lib/ids.ts';

// What the reports read: sales and credits by their tax points, entries on VAT, and the journals that were made.

/**
 * How much later than its tax point a sale or a credit may be posted.
 * A posting is never earlier than the account's entry before it, whose transaction may have waited for a lock; a
 * statement takes 15 s at most.
 */
export const POSTED_WITHIN_MS = 3_600_000;

// Sales are found by their postings, which an index has in the order of time. A sale is posted at its tax point, or
// within the time above.
const SALES = (range: string): string => `
  select p.created_at as posted_at, p.account_id, p.order_id
  from posting p
  where p.debit_account = 'order_deposits' and p.kind = 'sale' and ${range}
  group by p.created_at, p.order_id, p.account_id`;

// A postcode of the Channel Islands, however it is written. It is asked only where no invoice says the territory yet.
const IS_OF_ISLANDS = `upper(regexp_replace(normalize(o.shipping_address->>'postcode', nfkc), '[^[:alnum:]]', '', 'g'))
            ~ '^(GB)?(JE|GY)[0-9]{2,3}[A-Z]{2}$'`;

// At 0 % the place decides what it is: the Channel Islands are abroad, also where they are written as GB. An order that
// is erased has no postcode any more, and keeps its territory. Of an order `o` with its invoice `i`.
const TREATMENT = `
  case when coalesce((v.rate->>'unregistered')::boolean, false) then 'not_registered'
       when (v.rate->>'rate_bp')::integer > 0 then 'charged'
       when v.rate->>'note' ilike '%reverse charge%' then 'reverse_charge'
       when o.shipping_address->>'country_code' = 'IM' then 'zero_rated'
       when o.shipping_address->>'country_code' <> 'GB' then 'export'
       when coalesce(i.document->'delivery'->>'territory', o.vat_territory, case when ${IS_OF_ISLANDS} then 'je' end)
            in ('je', 'gg') then 'export'
       else 'zero_rated' end`;

export type VatSumRow = {
  rate_bp: number;
  treatment: 'charged' | 'zero_rated' | 'export' | 'reverse_charge' | 'not_registered';
  net_pence: number;
  vat_pence: number;
  documents: number;
  open_net_pence: number;
  open_vat_pence: number;
  open_documents: number;
};

const SUMS = (amounts: string, isOpen: string): string => `
  select (v.rate->>'rate_bp')::integer as rate_bp, ${TREATMENT} as treatment,
         sum((${amounts}->>'net_pence')::bigint)::bigint as net_pence, sum((${amounts}->>'vat_pence')::bigint)::bigint as vat_pence,
         count(*) as documents,
         coalesce(sum((${amounts}->>'net_pence')::bigint) filter (where ${isOpen}), 0)::bigint as open_net_pence,
         coalesce(sum((${amounts}->>'vat_pence')::bigint) filter (where ${isOpen}), 0)::bigint as open_vat_pence,
         count(*) filter (where ${isOpen}) as open_documents`;

const SALE_SUMS = statement<VatSumRow>(
  'books_sale_sums',
  `with sold as materialized (${SALES('p.created_at >= $1 and p.created_at < $3')})
   ${SUMS('v.rate', 'i.order_id is null')}
   from sold s join orders o on o.account_id = s.account_id and o.id = s.order_id
     left join invoice i on i.account_id = o.account_id and i.order_id = o.id
     cross join lateral jsonb_array_elements(o.vat_breakdown) as v(rate)
   where o.paid_at >= $1 and o.paid_at < $2
   group by 1, 2`,
);

/** Sales with a tax point between two instants, by rate and treatment. */
export async function sumSales(db: Db, from: Date, until: Date): Promise<VatSumRow[]> {
  return db.all(SALE_SUMS, [from, until, new Date(until.getTime() + POSTED_WITHIN_MS)]);
}

// The note and the registration are those of the rate of the order.
const CREDIT_RATES = `
  cross join lateral jsonb_array_elements(c.vat_breakdown) as own(rate)
  cross join lateral (
    select coalesce((
      select r.rate || own.rate from jsonb_array_elements(o.vat_breakdown) as r(rate)
      where r.rate->>'rate_bp' = own.rate->>'rate_bp' limit 1
    ), own.rate) as rate
  ) as v`;

const CREDIT_SUMS = statement<VatSumRow>(
  'books_credit_sums',
  `${SUMS('own.rate', 'c.noted_at is null')}
   from order_credit c join orders o on o.account_id = c.account_id and o.id = c.order_id
     left join invoice i on i.account_id = c.account_id and i.order_id = c.order_id
     ${CREDIT_RATES}
   where c.created_at >= $1 and c.created_at < $2
   group by 1, 2`,
);

/** Credits with a tax point between two instants, by rate and treatment. */
export async function sumCredits(db: Db, from: Date, until: Date): Promise<VatSumRow[]> {
  return db.all(CREDIT_SUMS, [from, until]);
}

export type ShiftRow = { account: string; pence: number };

// Per account: what has its tax point before a boundary and was posted at or after it.
const SHIFTS = statement<ShiftRow>(
  'books_posted_after_boundary',
  `with late as materialized (
     select s.account_id, s.order_id from (${SALES('p.created_at >= $1 and p.created_at < $3')}) as s
       join orders o on o.account_id = s.account_id and o.id = s.order_id
     where o.paid_at < $1
   ),
   near as materialized (
     select distinct account_id, order_id from order_credit where created_at >= $2 and created_at < $1
   ),
   moved as (
     select p.credit_account as account, p.amount_pence as pence
     from late l join posting p on p.account_id = l.account_id and p.order_id = l.order_id
     where p.kind = 'sale'
     union all
     -- Of the orders credited just before it: what their credits say, less what was posted before it.
     select a.account, -a.pence
     from near n join order_credit c on c.account_id = n.account_id and c.order_id = n.order_id
     cross join lateral (
       select 'refunds' as account, c.net_pence as pence
       union all
       select 'vat:' || (rate->>'rate_bp'), (rate->>'vat_pence')::bigint from jsonb_array_elements(c.vat_breakdown) as rate
     ) as a
     where c.created_at >= $2 and c.created_at < $1
     union all
     select p.debit_account, p.amount_pence
     from near n join posting p on p.account_id = n.account_id and p.order_id = n.order_id
     where p.kind = 'sale_reversed' and p.created_at >= $2 and p.created_at < $1
   )
   select case when account in ('sales', 'setup_fees', 'shipping_income', 'refunds') then 'net' else account end as account,
          sum(pence)::bigint as pence
   from moved where account <> 'duty_owed' group by 1 having sum(pence) <> 0`,
);

/** What has its tax point before an instant and was posted later, by account: `net` or VAT of a rate. */
export async function readPostedAfter(db: Db, instant: Date): Promise<ShiftRow[]> {
  const ms = instant.getTime();
  return db.all(SHIFTS, [instant, new Date(ms - POSTED_WITHIN_MS), new Date(ms + POSTED_WITHIN_MS)]);
}

const ENTRY_MOVES = statement<ShiftRow>(
  'books_entry_moves',
  `select account, sum(pence)::bigint as pence from (
     select credit_account as account, amount_pence as pence, created_at, id from posting
     where account_id = '${HOUSE}' and credit_account like 'vat:%' and id >= $3 and id < $4 and created_at >= $1 and created_at < $2
     union all
     select debit_account, -amount_pence, created_at, id from posting
     where account_id = '${HOUSE}' and debit_account like 'vat:%' and id >= $3 and id < $4 and created_at >= $1 and created_at < $2
   ) as moved group by account`,
);

/** What entries of the books have moved on the accounts of VAT between two instants. */
export async function readEntryMoves(db: Db, from: Date, until: Date): Promise<ShiftRow[]> {
  const [low, high] = [from.getTime() - POSTED_WITHIN_MS, until.getTime() + POSTED_WITHIN_MS];
  return db.all(ENTRY_MOVES, [from, until, firstIdAt(new Date(low)), firstIdAt(new Date(high))]);
}

export type VatItemRow = {
  /** Where the next page goes on. */
  at: Date;
  id: Uuid;
  account_id: Uuid;
  order_reference: string;
  tax_point: Date;
  number: number | null;
  is_within: boolean;
  rates: (VatBreakdownRow & { treatment: VatSumRow['treatment'] })[];
};

const RATES = (amounts: string): string => `
  json_agg(json_build_object('rate_bp', (v.rate->>'rate_bp')::integer, 'net_pence', (${amounts}->>'net_pence')::bigint,
    'vat_pence', (${amounts}->>'vat_pence')::bigint, 'treatment', ${TREATMENT}) order by (v.rate->>'rate_bp')::integer desc)`;

const SALE_ITEMS = statement<VatItemRow>(
  'books_sale_items',
  `with sold as materialized (
     ${SALES('p.created_at >= $4 and p.created_at < $3 and (p.created_at, p.order_id) > ($4::timestamptz, $5::uuid)')}
     order by p.created_at, p.order_id limit $6
   )
   select s.posted_at as at, s.order_id as id, s.account_id, o.reference as order_reference, o.paid_at as tax_point, i.number,
     o.paid_at >= $1 and o.paid_at < $2 as is_within,
     (select ${RATES('v.rate')} from jsonb_array_elements(o.vat_breakdown) as v(rate)) as rates
   from sold s join orders o on o.account_id = s.account_id and o.id = s.order_id
     left join invoice i on i.account_id = o.account_id and i.order_id = o.id
   order by s.posted_at, s.order_id`,
);

/** A page begins after a position, the first at `from` and the lowest id. */
export type ItemPage = {
  readonly from: Date;
  readonly until: Date;
  readonly after: Date;
  readonly id: string;
  readonly limit: number;
};

/** Sales posted between two instants or shortly after, oldest first; `is_within` by the tax point. */
export async function listSaleItems(db: Db, page: ItemPage): Promise<VatItemRow[]> {
  const until = new Date(page.until.getTime() + POSTED_WITHIN_MS);
  return db.all(SALE_ITEMS, [page.from, page.until, until, page.after, page.id, page.limit]);
}

const CREDIT_ITEMS = statement<VatItemRow>(
  'books_credit_items',
  `with given as materialized (
     select * from order_credit c
     where c.created_at >= $1 and c.created_at < $2 and (c.created_at, c.id) > ($3::timestamptz, $4::uuid)
     order by c.created_at, c.id limit $5
   )
   select c.created_at as at, c.id, c.account_id, o.reference as order_reference, c.created_at as tax_point, n.number,
     true as is_within,
     (select ${RATES('own.rate')} from jsonb_array_elements(c.vat_breakdown) as own(rate)
      cross join lateral (select coalesce((
        select r.rate || own.rate from jsonb_array_elements(o.vat_breakdown) as r(rate)
        where r.rate->>'rate_bp' = own.rate->>'rate_bp' limit 1), own.rate) as rate) as v) as rates
   from given c join orders o on o.account_id = c.account_id and o.id = c.order_id
     left join invoice i on i.account_id = c.account_id and i.order_id = c.order_id
     left join credit_note n on n.account_id = c.account_id and n.order_id = c.order_id and n.credit_id = c.id
   order by c.created_at, c.id`,
);

/** Credits given between two instants, oldest first. */
export async function listCreditItems(db: Db, page: ItemPage): Promise<VatItemRow[]> {
  return db.all(CREDIT_ITEMS, [page.from, page.until, page.after, page.id, page.limit]);
}

export type JournalRow = { from_day: string; until_day: string; made_by: string; made_at: Date };

const JOURNAL = `select from_day::text as from_day, until_day::text as until_day, made_by, made_at from book_journal`;

// Journals are made one after the other, and not while a day is being closed.
const LOCK_JOURNALS = statement<{ singleton: boolean }>(
  'books_lock_journals',
  'select singleton from seller_day for update',
);
const LAST_JOURNAL = statement<JournalRow>(
  'books_last_journal',
  `${JOURNAL} order by book_journal.until_day desc limit 1`,
);

/** Locks the making of journals to the end of the transaction, and returns the last one. */
export async function lockLastJournal(tx: Db): Promise<JournalRow | undefined> {
  await tx.all(LOCK_JOURNALS, []);
  return tx.one(LAST_JOURNAL, []);
}

const INSERT_JOURNAL = statement<never>(
  'books_insert_journal',
  'insert into book_journal (from_day, until_day, made_by, made_at) values ($1::date, $2::date, $3, $4)',
);

/** Writes a journal that begins the day after the last one. */
export async function insertJournal(
  tx: Db,
  journal: { from: string; to: string; by: string; now: Date },
): Promise<void> {
  await tx.all(INSERT_JOURNAL, [journal.from, journal.to, journal.by, journal.now]);
}

const FIND_JOURNAL = statement<JournalRow>('books_journal', `${JOURNAL} where book_journal.until_day = $1::date`);

/** A journal by its last day. */
export async function findJournal(db: Db, to: string): Promise<JournalRow | undefined> {
  return db.one(FIND_JOURNAL, [to]);
}

const LIST_JOURNALS = statement<JournalRow>(
  'books_journals',
  `${JOURNAL} where book_journal.until_day < $1::date order by book_journal.until_day desc limit $2`,
);

/** A page of journals before a day, latest first. */
export async function listJournalRows(db: Db, before: string, limit: number): Promise<JournalRow[]> {
  return db.all(LIST_JOURNALS, [before, limit]);
}
