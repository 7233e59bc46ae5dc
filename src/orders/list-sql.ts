import { type Db, statement } from '../lib/db.ts';
import { FIRST_ID, firstIdAt, LAST_ID, type Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import { type OrderRow, SHOWN_HEAD_COLUMNS, type ShownOrderParts } from './read-sql.ts';
import { PAGE_LINE_TEXTS, type PageLineTexts } from './reading/line-texts-sql.ts';
import type { OrderState } from './status.ts';

/**
 * What a row says of its page.
 * `candidates`: how many rows it had before it was cut for its lines; `next_id`: the order that follows the row.
 */
export type OfPage = { candidates: number; next_id: Uuid | null };

export type ListedRow = Omit<ShownOrderParts, 'files_text'> & PageLineTexts & OfPage;

const LISTED_COLUMNS = `${SHOWN_HEAD_COLUMNS}, ${PAGE_LINE_TEXTS}`;

/**
 * A page is cut before the order that has more than this many lines with those before it.
 * As many as an order can have, so that a page has at least one. A page of 100 such orders would be 150 MB.
 */
const LINES_A_PAGE_MAX = 1_000;

/**
 * SQL of a page from the ids of its orders, newest or oldest first.
 * It has the first $3 of them, but no more than their lines allow; then it has fewer rows than `candidates`.
 * `ofAccount` narrows the orders `l` to those of account $1, or is `true` for the lists of all accounts.
 */
export function pageOf(
  ids: string,
  columns = LISTED_COLUMNS,
  order: 'desc' | 'asc' = 'desc',
  ofAccount = 'l.account_id = $1',
): string {
  return `with page as materialized (
     select * from (
       select account_id, id, sum(line_count) over (order by id ${order}) as lines, row_number() over (order by id ${order}) as place,
         lead(id) over (order by id ${order}) as next_id, count(*) over () as candidates
       from (
         select l.account_id, l.id, l.line_count from (${ids}) as found join orders l on ${ofAccount} and l.id = found.id
         order by l.id ${order} limit $3
       ) as asked
     ) as counted
     where lines <= ${LINES_A_PAGE_MAX} or place = 1
   )
   select ${columns}, page.candidates, page.next_id
   from page join orders o on o.account_id = page.account_id and o.id = page.id
   order by o.id ${order}`;
}

// A page is found on the index alone, and only its rows are joined with their lines. Two choices are for the planner,
// which plans once for all values. The inner limit is a constant: it estimates an unknown limit as a tenth of the
// table, and then reads all of it (78 ms in place of 0.6 with 200,000 orders). The cursor is always compared: "is
// null or below" is a filter that walks from the newest order to the cursor, and not a position in the index.
const LIST = statement<ListedRow>(
  'orders_list',
  pageOf(`
     select id from orders where account_id = $1 and id < coalesce($2::uuid, '${LAST_ID}') order by id desc limit ${PAGE_ROWS_MAX}`),
);

// A public status is up to three internal states, and an account may ask for a type as well: each state and type is a
// range of the index, read in its order and cut to a page before they are merged, so a rare one costs no walk over
// all the others. A range is written as two row comparisons: with `state = …` the planner drops the column from the
// order, and walks all orders of the account in the hope of finding a page of them soon.
const LIST_FILTERED = statement<ListedRow>('orders_list_filtered', pageOf(filteredIds(PAGE_ROWS_MAX)));

/** SQL of the ids of an account's orders in some states and of some types, newest first, up to so many. */
export function filteredIds(most: number): string {
  return `
     select found.id from unnest($4::text[], $5::text[]) as wanted(state, type)
     cross join lateral (
       select id from orders
       where account_id = $1
         and (state, type, id) >= (wanted.state, wanted.type, '${FIRST_ID}'::uuid)
         and (state, type, id) < (wanted.state, wanted.type, coalesce($2::uuid, '${LAST_ID}'))
       order by state desc, type desc, id desc limit ${most}
     ) as found
     order by found.id desc limit ${most}`;
}

const SETTLED = 'changed_by < (select oldest_running_transaction())';

/** A change later than this after the placing is a late one; as in the index orders_changed_late. */
const LATE = '168 hours';
const LATE_MS = 168 * 3_600_000;

// Of an account's orders in a state the planner expects as few as most accounts have, and would read and sort all that
// a large one has: three seconds of 200,000. So it is left the index, which has them in their order.
const IN_ORDER = statement<never>(
  'orders_read_in_order',
  "select set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)",
);

// Orders that were placed at a time or later were also updated since then, and their ids are later than that time
// ($6): ranges as above. Rows of a transaction are left out while another that may precede it is running (domain,
// "Events").
const LIST_PLACED_SINCE = statement<ListedRow>(
  'orders_list_placed_since',
  pageOf(`
     select found.id from unnest($4::text[], $5::text[]) as wanted(state, type)
     cross join lateral (
       select id from orders
       where account_id = $1
         and (state, type, id) >= (wanted.state, wanted.type, $6::uuid)
         and (state, type, id) < (wanted.state, wanted.type, coalesce($2::uuid, '${LAST_ID}'))
         and updated_at >= $7 and ${SETTLED}
       order by state desc, type desc, id desc limit ${PAGE_ROWS_MAX}
     ) as found
     order by found.id desc limit ${PAGE_ROWS_MAX}`),
);

// Orders that are older than that time ($6) and were changed since. Most changes come within a week of the placing,
// so a week of ids ($8) is walked, and later changes have an index of their own. The fences (`offset 0`) keep the
// planner, which plans for any value, from walking the ids of all orders in the hope of finding a page of them soon.
const LIST_CHANGED_SINCE = statement<ListedRow>(
  'orders_list_changed_since',
  pageOf(`
     select c.id from (
       (
         select id, state, type from orders
         where account_id = $1 and id >= $8::uuid and id < least($6::uuid, coalesce($2::uuid, '${LAST_ID}'))
           and updated_at >= $7 and updated_at - created_at <= interval '${LATE}' and ${SETTLED}
           and (state, type) in (select * from unnest($4::text[], $5::text[]))
         order by id desc limit ${PAGE_ROWS_MAX}
       )
       union all
       (
         select id, state, type from (
           select id, state, type, changed_by from orders
           where account_id = $1 and updated_at >= $7 and updated_at - created_at > interval '${LATE}'
           offset 0
         ) as late
         where id < least($6::uuid, coalesce($2::uuid, '${LAST_ID}')) and ${SETTLED}
           and (state, type) in (select * from unnest($4::text[], $5::text[]))
         order by id desc limit ${PAGE_ROWS_MAX}
       )
     ) as c
     order by c.id desc limit ${PAGE_ROWS_MAX}`),
);

/** SQL of whether an order `o`, which a list has found by something rarer, passes its other filters. */
export const PASSES = `o.state = any($4::text[]) and o.type = any($5::text[])
    and o.updated_at >= coalesce($6::timestamptz, '-infinity')`;

/** The filter of a list of orders: states and types, each pair of them. */
export type OrderFilter = {
  readonly states: readonly OrderState[];
  readonly types: readonly OrderRow['type'][];
};

/** What `PASSES` compares: a filter, and from when on the orders were changed. */
export type NarrowedFilter = OrderFilter & { readonly updatedSince: Date | undefined };

/** The parameters of `PASSES`. */
export function narrowedParameters(filter: NarrowedFilter): [states: string[], types: string[], Date | null] {
  return [[...filter.states], [...filter.types], filter.updatedSince ?? null];
}

type OrderPart = { readonly before: Uuid | null; readonly limit: number };

/** A page of an account's orders, newest first, from after `before`; without a filter all of them. */
export async function listOrderRows(
  db: Db,
  accountId: Uuid,
  page: OrderPart & { filter: OrderFilter | undefined },
): Promise<ListedRow[]> {
  const { before, limit, filter } = page;
  if (filter === undefined) return db.all(LIST, [accountId, before, limit]);
  return db.all(LIST_FILTERED, [accountId, before, limit, ...pairsOf(filter)]);
}

/**
 * As `listOrderRows`, of the orders that were placed at a time or later.
 * They come before those that were only changed since. In a transaction, whose later statements are planned to read
 * indexes in order, too.
 */
export async function listPlacedSince(
  tx: Db,
  accountId: Uuid,
  page: OrderPart & { filter: OrderFilter; since: Date },
): Promise<ListedRow[]> {
  const { before, limit, filter, since } = page;
  await tx.all(IN_ORDER, []);
  return tx.all(LIST_PLACED_SINCE, [accountId, before, limit, ...pairsOf(filter), firstIdAt(since), since]);
}

/** As `listOrderRows`, of the orders that were placed before a time and changed then or later. */
export async function listChangedSince(
  db: Db,
  accountId: Uuid,
  page: OrderPart & { filter: OrderFilter; since: Date },
): Promise<ListedRow[]> {
  const { before, limit, filter, since } = page;
  const weekBefore = firstIdAt(new Date(since.getTime() - LATE_MS));
  const times = [firstIdAt(since), since, weekBefore];
  return db.all(LIST_CHANGED_SINCE, [accountId, before, limit, ...pairsOf(filter), ...times]);
}

/** Every state with every type, as two columns. */
function pairsOf({ states, types }: OrderFilter): [string[], string[]] {
  const pairs = states.flatMap((state) => types.map((type) => ({ state, type })));
  return [pairs.map(({ state }) => state), pairs.map(({ type }) => type)];
}
