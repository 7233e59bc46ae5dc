import { SHORT } from '../../catalogue/short/columns.ts';
import { type Db, statement } from '../../lib/db.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';

// Stock as operators see it, and what waits for promotion: paid orders that are placed, and those that were held
// before their promotion. Thousands can wait, with thousands of lines, so a worker counts them by variant. Its sums
// are exact up to a number of transactions (docs/decisions/0041); readers add what was changed since.

/**
 * SQL of the pieces of each variant of an order `c` that wait; no rows when it does not wait.
 * Each order's lines by themselves (`offset` keeps it so), never those of all orders.
 */
const WAITING_OF = `
  select sku, sum(quantity - quantity_cancelled - quantity_shipped) as pieces from order_line
  where account_id = c.account_id and order_id = c.id and c.state in ('placed', 'on_hold')
    and not exists (select from allocation a where a.account_id = c.account_id and a.order_id = c.id offset 0)
  group by sku having sum(quantity - quantity_cancelled - quantity_shipped) > 0 offset 0`;

/** SQL of the pieces of each variant that were counted of an order `c`. */
const COUNTED_OF = `
  select counted.sku, counted.pieces from stock_awaiting_order w, unnest(w.skus, w.pieces) as counted(sku, pieces)
  where w.account_id = c.account_id and w.order_id = c.id offset 0`;

// The upper bound says to the planner that the range is a small part: it takes one without for a third of all orders,
// and reads all of them. The first condition is that of the index, and holds for every order.
const CHANGED = `line_count >= 0 and changed_by >= (select counted_before from stock_awaiting_progress)
  and changed_by < '18446744073709551615'`;

export type StockDemandRow = {
  sku: string;
  on_hand: number;
  allocated: number;
  short: number;
  awaiting: number;
  updated_at: Date;
};

const stockSql = (page: string): string => `
  with changed as materialized (select account_id, id, state from orders where ${CHANGED}),
  since as materialized (
    select sku, sum(pieces) as pieces from (
      select l.sku, l.pieces from changed c cross join lateral (${WAITING_OF}) as l
      union all
      select w.sku, -w.pieces from changed c cross join lateral (${COUNTED_OF}) as w
    ) as change group by sku
  )
  select s.sku, s.on_hand, s.allocated, s.updated_at, coalesce((
      -- A range, so that each variant is looked up in the index of its own lines, however few variants are short.
      select sum(${SHORT}) from allocation where sku >= s.sku and sku <= s.sku and short_since is not null
    ), 0)::bigint as short,
    (coalesce(w.pieces, 0) + coalesce(n.pieces, 0))::bigint as awaiting
  from (${page}) as s left join stock_awaiting w on w.sku = s.sku left join since n on n.sku = s.sku
  order by s.sku`;

const STOCK_PAGE = statement<StockDemandRow>(
  'production_stock_page',
  stockSql(`select * from (
    select sku, on_hand, allocated, updated_at from stock where sku > coalesce($1::text, '') order by sku limit ${PAGE_ROWS_MAX}
  ) as first_ones order by sku limit $2`),
);
const STOCK_OF = statement<StockDemandRow>(
  'production_stock_of',
  stockSql(`select sku, on_hand, allocated, updated_at from stock
    where sku = any($3::text[]) and sku > coalesce($1::text, '') order by sku limit $2`),
);

/** Lists the stock of some variants or of all, by SKU, with the demand that waits for it. */
export async function listStockRows(
  db: Db,
  page: { skus: readonly string[] | undefined; after: string | null; limit: number },
): Promise<StockDemandRow[]> {
  if (page.skus === undefined) return db.all(STOCK_PAGE, [page.after, page.limit]);
  return db.all(STOCK_OF, [page.after, page.limit, page.skus]);
}

// Counting ------------------------------------------------------------------------------------------------------------

const IS_CHANGED = statement<{ is_changed: boolean }>(
  'production_is_changed',
  `select exists (select from orders where ${CHANGED} and changed_by < (select oldest_running_transaction())) as is_changed`,
);

/** Whether orders were changed that are not counted as they are now. Read without a transaction number. */
export async function hasUncounted(db: Db): Promise<boolean> {
  return (await db.one(IS_CHANGED, []))?.is_changed ?? false;
}

const LOCK = statement<{ is_only_row: boolean }>(
  'production_lock_counting',
  'select is_only_row from stock_awaiting_progress for update skip locked',
);

/** Locks the counting for this transaction. Returns false when another node counts now. */
export async function lockCounting(tx: Db): Promise<boolean> {
  return (await tx.one(LOCK, [])) !== undefined;
}

/** Orders of one count: events of its transaction and of later ones are not shown until it ends. */
export const COUNTED_AT_ONCE = 100;

// One statement, so that the changes and the numbers of those that still run are of one snapshot. All changes of the
// last transaction are among the rows (`with ties`): the next count begins after it.
const COUNT = statement<{ orders: number }>(
  'production_count_awaiting',
  `with changed as materialized (
     select account_id, id, state, changed_by from orders
     where ${CHANGED} and changed_by < (select oldest_running_transaction())
     order by changed_by fetch first ${COUNTED_AT_ONCE} rows with ties
   ),
   waiting as materialized (
     select c.account_id, c.id, array_agg(l.sku order by l.sku) as skus, array_agg(l.pieces order by l.sku) as pieces
     from changed c cross join lateral (${WAITING_OF}) as l group by c.account_id, c.id
   ),
   change as materialized (
     select sku, sum(pieces) as pieces from (
       select unnest(skus) as sku, unnest(pieces) as pieces from waiting
       union all
       select w.sku, -w.pieces from changed c cross join lateral (${COUNTED_OF}) as w
     ) as both_sides group by sku having sum(pieces) <> 0
   ),
   summed as (
     insert into stock_awaiting as s (sku, pieces) select sku, pieces from change
     on conflict (sku) do update set pieces = s.pieces + excluded.pieces
   ),
   counted as (
     insert into stock_awaiting_order as w (account_id, order_id, skus, pieces)
     select account_id, id, skus, pieces from waiting
     on conflict (account_id, order_id) do update set skus = excluded.skus, pieces = excluded.pieces
     where (w.skus, w.pieces) is distinct from (excluded.skus, excluded.pieces)
   ),
   waits_no_more as (
     delete from stock_awaiting_order w using changed c
     where w.account_id = c.account_id and w.order_id = c.id
       and not exists (select from waiting n where n.account_id = c.account_id and n.id = c.id)
   ),
   advanced as (
     update stock_awaiting_progress set counted_before = (last.number::text::bigint + 1)::text::xid8
     from (select max(changed_by) as number from changed) as last where last.number is not null
   )
   select count(*) as orders from changed`,
);

/** Counts the orders that were changed next. Returns how many; the counting is locked. */
export async function countNext(tx: Db): Promise<number> {
  return (await tx.one(COUNT, []))?.orders ?? 0;
}
