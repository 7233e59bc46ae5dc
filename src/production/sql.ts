import { PROMISED, SHORT } from '../catalogue/short/columns.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { COUNTED_MAX } from '../lib/queue.ts';
import { IS_STILL_SHORT } from '../orders/move-sql.ts';
import { COPIED_NAMES } from '../orders/order-columns.ts';

// Lines ---------------------------------------------------------------------------------------------------------------

export type WorkLineRow = {
  id: Uuid;
  ordinal: number;
  sku: string;
  name: string;
  quantity: number;
  cancelled: number;
  shipped: number;
  started: boolean;
  /** Pieces promised to the line and not started, and how many of them it is short of. */
  promised: number;
  short: number;
  pause: { code: string; reason: string } | null;
  jobs: { ordinal: number; area: string; method: string; done: number; ready: boolean; failure: string | null }[];
};

const LINES = statement<WorkLineRow>(
  'production_lines',
  `select l.id, l.ordinal, l.sku, l.name, l.quantity, l.quantity_cancelled as cancelled, l.quantity_shipped as shipped,
     l.started_at is not null as started, coalesce(a.promised, 0) as promised, coalesce(a.short, 0) as short, (
       select json_build_object('code', p.code, 'reason', p.reason) from line_pause p
       where p.account_id = l.account_id and p.order_id = l.order_id and p.line_id = l.id
     ) as pause,
     coalesce((
       select json_agg(json_build_object('ordinal', j.ordinal, 'area', j.print_area, 'method', j.method,
         'done', j.quantity_done, 'ready', coalesce(f.state = 'ready', false),
         'failure', case when f.state = 'failed' then coalesce(f.failure, '') end) order by j.ordinal)
       from print_job j left join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
       where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id
     ), '[]') as jobs
   from order_line l left join lateral (
     select ${PROMISED} as promised, ${SHORT} as short from allocation
     where account_id = l.account_id and order_id = l.order_id and line_id = l.id
   ) as a on true
   where l.order_id = $1 and l.account_id = $2 and ($3::uuid is null or l.id = $3)
   order by l.ordinal`,
);

type OfOrder = { readonly accountId: Uuid; readonly orderId: Uuid };

/** Reads the lines of a locked order with their print jobs. */
export async function readLines(tx: Db, of: OfOrder): Promise<WorkLineRow[]> {
  return tx.all(LINES, [of.orderId, of.accountId, null]);
}

/** Reads one line of a locked order. */
export async function findLine(tx: Db, of: OfOrder, lineId: Uuid): Promise<WorkLineRow | undefined> {
  return tx.one(LINES, [of.orderId, of.accountId, lineId]);
}

// Once an order is promoted, automatically or by an operator, its recorded shortage is obsolete.
const ROUTE = statement<never>(
  'production_route_jobs',
  `with no_longer_short as (
     delete from promotion_shortage where order_id = $1 and account_id = $2
   )
   update print_job j set is_open = true, promoted_at = $3, station = coalesce((
     select s.id from station s where j.method = any(s.methods) order by s.id limit 1
   ), j.method)
   where j.order_id = $1 and j.account_id = $2`,
);

/**
 * Routes each print job of a locked order to the station of its method, and opens it as work.
 * A method for which the catalogue names no station is a station of its own. A station that is set up later gets the
 * jobs that are promoted later.
 */
export async function routePrintJobs(tx: Db, of: OfOrder, now: Date): Promise<void> {
  await tx.all(ROUTE, [of.orderId, of.accountId, now]);
}

const START = statement<never>(
  'production_start_line',
  'update order_line set started_at = $4 where order_id = $1 and account_id = $2 and id = $3',
);

/** Marks a line of a locked order as started. */
export async function markLineStarted(tx: Db, of: OfOrder, lineId: Uuid, now: Date): Promise<void> {
  await tx.all(START, [of.orderId, of.accountId, lineId, now]);
}

const FINISH = statement<never>(
  'production_finish',
  `update print_job set quantity_done = quantity_done + $5, is_open = quantity_done + $5 < $6
   where order_id = $1 and account_id = $2 and line_id = $3 and ordinal = any($4::integer[])`,
);

/**
 * Counts pieces of some print jobs of a line as done.
 * A job with `wanted` pieces done is no longer open.
 */
export async function addDone(
  tx: Db,
  of: OfOrder,
  done: { lineId: Uuid; ordinals: readonly number[]; quantity: number; wanted: number },
): Promise<void> {
  await tx.all(FINISH, [of.orderId, of.accountId, done.lineId, done.ordinals, done.quantity, done.wanted]);
}

const SPOIL = statement<never>(
  'production_spoil',
  `with line as (
     update order_line set quantity_spoiled = quantity_spoiled + $4 where order_id = $1 and account_id = $2 and id = $3
   )
   update print_job set quantity_spoiled = quantity_spoiled + $4, quantity_done = least(quantity_done - $6, $5), is_open = true
   where order_id = $1 and account_id = $2 and line_id = $3`,
);

/**
 * Counts pieces of a line as spoiled, `finished` of them done at every print job.
 * The other done pieces of a print job are undone where more than `doneMax` would be left.
 */
export async function addSpoiled(
  tx: Db,
  of: OfOrder,
  spoiled: { lineId: Uuid; quantity: number; finished: number; doneMax: number },
): Promise<void> {
  const { lineId, quantity, doneMax, finished } = spoiled;
  await tx.all(SPOIL, [of.orderId, of.accountId, lineId, quantity, doneMax, finished]);
}

// Automatic promotion -------------------------------------------------------------------------------------------------

export type DueOrder = { id: Uuid; cancellable_until: Date };

// An order that was short of a variant is skipped until there is enough of it, so that no pass tries it in vain.
// `skip locked`: a row that another node has locked is left to it, and one that a customer is cancelling now is seen
// again in the next pass.
const NEXT_DUE = statement<DueOrder>(
  'production_next_due',
  `select o.id, o.cancellable_until from orders o
   where o.state = 'placed' and o.cancellable_until < $1 and (o.cancellable_until, o.id) > ($2::timestamptz, $3::uuid)
     and not (
       exists (select from promotion_shortage p where p.order_id = o.id and p.account_id = o.account_id)
       and ${IS_STILL_SHORT}
     )
   order by o.cancellable_until, o.id limit 1
   for update of o skip locked`,
);

/**
 * Locks the next order of all accounts that can be promoted: paid, not held, its window closed.
 * Oldest first, after a given position.
 */
export async function lockNextDue(
  tx: Db,
  next: { now: Date; after: { cancellableUntil: Date; id: Uuid } },
): Promise<DueOrder | undefined> {
  return tx.one(NEXT_DUE, [next.now, next.after.cancellableUntil, next.after.id]);
}

const RECORD_SHORTAGE = statement<never>(
  'production_record_shortage',
  `with former as (
     delete from promotion_shortage where order_id = $1 and account_id = $2 and sku <> all($3::text[])
   )
   insert into promotion_shortage (order_id, sku, account_id, created_at)
   select $1, sku, $2, $4 from unnest($3::text[]) as sku
   on conflict (order_id, sku, account_id) do update set created_at = excluded.created_at`,
);

/** Records what a locked order is short of. */
export async function recordShortage(tx: Db, of: OfOrder, skus: readonly string[], now: Date): Promise<void> {
  await tx.all(RECORD_SHORTAGE, [of.orderId, of.accountId, skus, now]);
}

// The rows are in the order of their key, so that the limit ends the reading.
const WANTED_SHORT = statement<{ skus: number }>(
  'production_wanted_short',
  `select count(distinct sku) as skus from (
     select sku from promotion_shortage order by order_id, sku, account_id limit ${COUNTED_MAX}
   ) as short`,
);

/** Counts the variants that automatic promotion was short of, among the first `COUNTED_MAX` shortages. */
export async function countWantedShort(db: Db): Promise<number> {
  return (await db.one(WANTED_SHORT, []))?.skus ?? 0;
}

// Replacements --------------------------------------------------------------------------------------------------------

export type ReplaceableRow = { line_id: Uuid; quantity: number; shipped: number; replaced: number };

const REPLACEABLE = statement<ReplaceableRow>(
  'production_replaceable',
  `select l.id as line_id, l.quantity, l.quantity_shipped as shipped, coalesce((
     select sum(r.quantity - r.quantity_cancelled) from orders o join order_line r on r.account_id = o.account_id and r.order_id = o.id
     where o.replaces = l.order_id and o.account_id = l.account_id and r.replaces_line = l.id
   ), 0)::integer as replaced
   from order_line l where l.order_id = $1 and l.account_id = $2`,
);

/** Reads the shipped pieces of each line of a locked order, and how many of them are being replaced. */
export async function readReplaceable(tx: Db, of: OfOrder): Promise<ReplaceableRow[]> {
  return tx.all(REPLACEABLE, [of.orderId, of.accountId]);
}

export type NewReplacement = OfOrder & {
  readonly id: Uuid;
  readonly reference: string;
  readonly lines: readonly { readonly id: Uuid; readonly of: Uuid; readonly quantity: number }[];
  readonly now: Date;
  readonly cancellableUntil: Date;
  readonly historyId: Uuid;
  readonly actor: string;
  readonly reason: string;
};

// Address, snapshots of the artwork and print files are those of the original order. Every amount is zero, so it is
// paid from the start and has no payment, no posting and no setup.
const REPLACE = statement<{ id: Uuid }>(
  'production_replace',
  `with made as (
     insert into orders (id, account_id, reference, source, replaces, state, ${COPIED_NAMES}, subtotal_pence, setup_pence, shipping_pence, vat_pence, duty_pence, total_pence, vat_breakdown,
       paid_at, catalogue_version, price_book_version, version, last_event_at, placed_at, cancellable_until, created_at, updated_at,
       line_count)
     select $3, account_id, $4, 'replacement', id, 'placed', ${COPIED_NAMES},
       0, 0, 0, 0, 0, 0, '[]', $6, catalogue_version, price_book_version, 1, $6, $6, $7, $6, $6, json_array_length($5::json)
     from orders where id = $1 and account_id = $2
     on conflict (reference) do nothing
     returning id
   ),
   wanted as materialized (
     select w.* from made, json_to_recordset($5::json) as w(id uuid, "of" uuid, quantity integer, ordinal integer)
   ),
   new_line as (
     insert into order_line (order_id, id, account_id, ordinal, product_id, sku, quantity, name, colour, size,
       unit_price_pence, line_price_pence, vat_class, declared_unit_pence, mock_hash, replaces_line)
     select $3, w.id, l.account_id, w.ordinal, l.product_id, l.sku, w.quantity, l.name, l.colour, l.size, 0, 0, l.vat_class,
       l.declared_unit_pence, l.mock_hash, l.id
     from wanted w join order_line l on l.order_id = $1 and l.account_id = $2 and l.id = w."of"
   ),
   new_job as (
     insert into print_job (order_id, line_id, ordinal, account_id, print_area, method, design_hash, print_file_key,
       unit_price_pence)
     select $3, w.id, j.ordinal, j.account_id, j.print_area, j.method, j.design_hash, j.print_file_key, 0
     from wanted w join print_job j on j.order_id = $1 and j.account_id = $2 and j.line_id = w."of"
   ),
   new_history as (
     insert into order_history (order_id, id, account_id, action, to_state, actor, reason, created_at)
     select $3, $8, $2, 'place', 'placed', $9, $10, $6 from made
   )
   select id from made`,
);

/**
 * Writes a replacement of a locked order.
 * Returns false when its generated reference is another order's; then nothing is written.
 */
export async function insertReplacement(tx: Db, made: NewReplacement): Promise<boolean> {
  const lines = made.lines.map((line, ordinal) => ({ ...line, ordinal }));
  const row = await tx.one(REPLACE, [
    made.orderId,
    made.accountId,
    made.id,
    made.reference,
    JSON.stringify(lines),
    made.now,
    made.cancellableUntil,
    made.historyId,
    made.actor,
    made.reason,
  ]);
  return row !== undefined;
}
