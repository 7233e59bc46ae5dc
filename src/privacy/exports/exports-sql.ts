import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import type { Territory } from '../../pricing/territory.ts';

/** What the evidence of an export may lack. */
export const LACKING = ['dispatch', 'tracking_number', 'declaration', 'invoice'] as const;
export type Lacking = (typeof LACKING)[number];

const LOCK = statement<{ place: string | null }>(
  'privacy_lock_exports',
  "select place from retention_walk where name = 'exports' for update skip locked",
);
const OPEN = statement<never>(
  'privacy_open_exports',
  "insert into retention_walk (name, opened_at) values ('exports', $1) on conflict (name) do nothing",
);

/** Locks the search for exports; undefined while another process is at it. */
export async function lockExports(tx: Db, now: Date): Promise<{ place: string | null } | undefined> {
  await tx.all(OPEN, [now]);
  return tx.one(LOCK, []);
}

const ADVANCE = statement<never>(
  'privacy_advance_exports',
  "update retention_walk set place = coalesce($1, place), completed_at = coalesce($2, completed_at) where name = 'exports'",
);

/** Saves how far the search has come. */
export async function advanceExports(
  tx: Db,
  to: { readonly place: string | null; readonly completedAt: Date | null },
): Promise<void> {
  await tx.all(ADVANCE, [to.place, to.completedAt]);
}

export type PaidRow = {
  id: Uuid;
  account_id: Uuid;
  country_code: string;
  postcode: string;
  /** Null of orders that an earlier version has placed. */
  vat_territory: Territory | null;
  is_unregistered: boolean;
  paid_at: Date;
  paid_at_text: string;
};

/** The most that one look returns, as a constant for the planner. */
const ROWS_MAX = 500;

// As the index `orders_charged_abroad` has it: by what it was charged by. Where an earlier version has placed it, by
// its address, however the postcode is written: more gets through there than leaves the country.
const IS_ABROAD = `vat_pence = 0 and source <> 'replacement' and case when vat_territory is null
    then (shipping_address ->> 'country_code') not in ('GB', 'IM')
      or ((shipping_address ->> 'country_code') = 'GB' and ((shipping_address ->> 'postcode') collate "C") ~* 'j.*e|g.*y|[^ -~]')
    else vat_territory not in ('gb', 'ni', 'im') end`;

const PAID = statement<PaidRow>(
  'privacy_paid_exports',
  `select id, account_id, shipping_address ->> 'country_code' as country_code, shipping_address ->> 'postcode' as postcode, vat_territory,
     coalesce((vat_breakdown -> 0 ->> 'unregistered')::boolean, false) as is_unregistered, paid_at, paid_at::text as paid_at_text
   from orders
   where ${IS_ABROAD}
     and paid_at < $1 and paid_at >= $2::timestamptz and (paid_at, id) > ($2::timestamptz, $3::uuid)
   order by paid_at, id limit ${ROWS_MAX}`,
);

/** Reads the next paid orders without VAT whose address may be abroad, the first paid first. */
export async function findPaidExports(
  db: Db,
  from: { readonly before: Date; readonly place: string | null },
): Promise<{ rows: PaidRow[]; isEnd: boolean }> {
  const [at = '-infinity', id = FIRST_ID] = from.place?.split('|') ?? [];
  const rows = await db.all(PAID, [from.before, at, id]);
  return { rows, isEnd: rows.length < ROWS_MAX };
}

// Due three months after the tax point. Until it was looked at, all may be lacking.
const WATCH = statement<never>(
  'privacy_watch_exports',
  `insert into export_watch (account_id, order_id, due_at, lacks_dispatch, lacks_tracking_number, lacks_declaration, lacks_invoice)
   select account_id, order_id, (paid_at at time zone 'UTC' + interval '3 months') at time zone 'UTC', true, false, false, true
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as w(account_id, order_id, paid_at)
   on conflict do nothing`,
);

/** Watches orders that leave the country until their evidence is complete. */
export async function watchExports(tx: Db, orders: readonly PaidRow[]): Promise<void> {
  await tx.all(WATCH, [
    orders.map((order) => order.account_id),
    orders.map(({ id }) => id),
    orders.map((order) => order.paid_at.toISOString()),
  ]);
}

// A cancelled order of which nothing was sent was no supply. One that was sent in part counts with what was sent.
const REFRESH = statement<{ order_id: Uuid }>(
  'privacy_refresh_exports',
  `with page as materialized (
     select order_id, account_id from export_watch where order_id > $1 order by order_id limit ${ROWS_MAX}
   ),
   seen as materialized (
     select p.order_id, p.account_id, o.state = 'cancelled' and s.parcels = 0 as is_over,
       o.state not in ('dispatched', 'delivered', 'cancelled') as dispatch, s.untracked > 0 as tracking_number,
       s.undeclared > 0 as declaration,
       (select true from invoice i where i.account_id = p.account_id and i.order_id = p.order_id) is null as invoice
     from page p join orders o on o.account_id = p.account_id and o.id = p.order_id
     cross join lateral (
       select count(*) as parcels, count(*) filter (where tracking_number = '') as untracked,
         count(*) filter (where customs is null) as undeclared
       from shipment s where s.account_id = p.account_id and s.order_id = p.order_id
     ) as s
   ),
   done as (
     delete from export_watch w using seen s where w.account_id = s.account_id and w.order_id = s.order_id
       and (s.is_over or not (s.dispatch or s.tracking_number or s.declaration or s.invoice))
   ),
   noted as (
     update export_watch w set lacks_dispatch = s.dispatch, lacks_tracking_number = s.tracking_number,
       lacks_declaration = s.declaration, lacks_invoice = s.invoice
     from seen s where w.account_id = s.account_id and w.order_id = s.order_id
       and not s.is_over and (s.dispatch or s.tracking_number or s.declaration or s.invoice)
       and (w.lacks_dispatch, w.lacks_tracking_number, w.lacks_declaration, w.lacks_invoice)
         is distinct from (s.dispatch, s.tracking_number, s.declaration, s.invoice)
   )
   select order_id from page order by order_id`,
);

/**
 * Notes what the evidence of the next watched orders lacks.
 * Ends the watch of those that lack nothing.
 * Returns the last order that it looked at; undefined at the end.
 */
export async function refreshExports(tx: Db, after: Uuid | undefined): Promise<Uuid | undefined> {
  const rows = await tx.all(REFRESH, [after ?? FIRST_ID]);
  return rows.length < ROWS_MAX ? undefined : rows.at(-1)?.order_id;
}

export type ExportRow = {
  order_id: Uuid;
  reference: string;
  account_id: Uuid;
  country_code: string;
  postcode: string;
  vat_territory: Territory | null;
  paid_at: Date;
  due_at: Date;
  lacks_dispatch: boolean;
  lacks_tracking_number: boolean;
  lacks_declaration: boolean;
  lacks_invoice: boolean;
};

const listSql = (where: string): string => `
  select w.*, o.reference, o.shipping_address ->> 'country_code' as country_code, o.shipping_address ->> 'postcode' as postcode,
    o.vat_territory, o.paid_at from (
    select * from export_watch where order_id > $1 ${where} order by order_id limit ${PAGE_ROWS_MAX}
  ) as w join orders o on o.account_id = w.account_id and o.id = w.order_id order by w.order_id limit $2`;

const LIST = statement<ExportRow>('privacy_exports', listSql(''));
const LIST_LACKING: Readonly<Record<Lacking, typeof LIST>> = {
  dispatch: statement('privacy_exports_dispatch', listSql('and lacks_dispatch')),
  tracking_number: statement('privacy_exports_tracking_number', listSql('and lacks_tracking_number')),
  declaration: statement('privacy_exports_declaration', listSql('and lacks_declaration')),
  invoice: statement('privacy_exports_invoice', listSql('and lacks_invoice')),
};

/** Lists exports of all accounts that lack evidence, or one piece of it, the first placed first. */
export async function listExportRows(
  db: Db,
  page: { readonly lacking: Lacking | undefined; readonly after: Uuid | undefined; readonly limit: number },
): Promise<ExportRow[]> {
  const { lacking, after, limit } = page;
  return db.all(lacking === undefined ? LIST : LIST_LACKING[lacking], [after ?? FIRST_ID, limit]);
}
