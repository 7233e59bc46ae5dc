import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import {
  type ListedByAccount,
  type ListedRow,
  listedBoth,
  listNarrowedRows,
  type NarrowedPage,
  PASSES,
} from '../list-sql.ts';
import type { Direction } from '../reading/direction.ts';
import type { BlockKind } from '../reading/order-parts-schema.ts';

// The orders of an account that do not go on, by the rules of `blocksOf`. Each reason has an index of its own, which
// begins with the account and is cut to a page before the reasons are put together.

/** SQL of the ids of the orders that one reason blocks, up to a page. */
type Source = (direction: Direction) => string;

// The index `orders_unpaid` has the same condition.
const unpaid: Source = ({ order, beyond, place }) => `
  select o.id from orders o
  where o.account_id = $1 and o.id ${beyond} ${place} and o.state = 'awaiting_payment' and o.attempt_id is null
    and o.erased_at is null and ${PASSES}
  order by o.id ${order} limit ${PAGE_ROWS_MAX}`;

// A range of `orders_by_state_and_type`, of each type, as in the lists by status. Its other filters are not about the
// columns of that index: with `o.state = any(…)` beside the range all orders of the account are walked.
const onHold: Source = ({ order, above, floor, below, ceiling }) => `
  select held.id from unnest('{bulk,sample}'::text[]) as wanted(type) cross join lateral (
    select o.id from orders o
    where o.account_id = $1
      and (o.state, o.type, o.id) ${above} ('on_hold', wanted.type, ${floor})
      and (o.state, o.type, o.id) ${below} ('on_hold', wanted.type, ${ceiling})
      and 'on_hold' = any($4::text[]) and wanted.type = any($5::text[])
      and o.updated_at >= coalesce($6::timestamptz, '-infinity')
    order by o.state ${order}, o.type ${order}, o.id ${order} limit ${PAGE_ROWS_MAX}
  ) as held`;

// The orders are looked up one by one, so that the planner does not merge all paused lines with all orders.
const paused: Source = ({ order, beyond, place }) => `
  select distinct p.order_id as id from line_pause p
  where p.account_id = $1 and p.order_id ${beyond} ${place}
    and (select true from orders o where o.account_id = p.account_id and o.id = p.order_id
      and o.state = 'in_production' and ${PASSES})
  order by p.order_id ${order} limit ${PAGE_ROWS_MAX}`;

const failed: Source = ({ order, beyond, place }) => `
  select distinct a.order_id as id from artwork_failure a
  where a.account_id = $1 and a.order_id ${beyond} ${place}
    and (select true from print_file f where f.key = a.print_file_key and f.account_id = a.account_id
      and f.state = 'failed' and f.dropped_at is null)
    and (select true from orders o where o.account_id = a.account_id and o.id = a.order_id
      and o.state not in ('dispatched', 'delivered', 'cancelled') and ${PASSES})
    and (select true from print_job j join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
      where j.account_id = a.account_id and j.order_id = a.order_id and j.print_file_key = a.print_file_key
        and l.quantity > l.quantity_cancelled + l.quantity_shipped limit 1)
  order by a.order_id ${order} limit ${PAGE_ROWS_MAX}`;

const SOURCES: Readonly<Record<BlockKind, readonly Source[]>> = {
  payment: [unpaid],
  hold: [onHold, paused],
  artwork: [failed],
};

/** What a list of blocked orders is about: one reason, or any. */
export type BlockedBy = BlockKind | 'anything';

const listed = (by: BlockedBy): ListedByAccount => {
  const sources = by === 'anything' ? Object.values(SOURCES).flat() : SOURCES[by];
  return listedBoth(
    `orders_list_blocked_by_${by}`,
    (
      direction,
    ) => `select blocked.id from (${sources.map((source) => `(${source(direction)})`).join(' union ')}) as blocked
    order by blocked.id ${direction.order} limit ${PAGE_ROWS_MAX}`,
  );
};

const LISTS: Readonly<Record<BlockedBy, ListedByAccount>> = {
  anything: listed('anything'),
  payment: listed('payment'),
  hold: listed('hold'),
  artwork: listed('artwork'),
};

/** As `listOrderRows`, of the orders that are blocked. */
export async function listBlockedRows(
  db: Db,
  accountId: Uuid,
  page: NarrowedPage & { readonly by: BlockedBy },
): Promise<ListedRow[]> {
  return listNarrowedRows(db, accountId, LISTS[page.by], page);
}
