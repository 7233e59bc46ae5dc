import { type Db, type SqlValue, type Statement, statement } from '../lib/db.ts';
import { firstIdAt, type Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import { type OrderRow, SHOWN_HEAD_COLUMNS, type ShownOrderParts } from './read-sql.ts';
import { type Direction, directionsAt, type Sort } from './reading/direction.ts';
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

const DIRECTIONS = directionsAt('$2');

/** A statement for each end of an account's list that may come first. */
export type ListedByAccount = Readonly<Record<Sort, Statement<ListedRow>>>;

/** The lists of orders of account $1 whose ids some SQL finds: after the order $2, up to $3 rows. */
export function listedBoth(name: string, idsSql: (direction: Direction) => string): ListedByAccount {
  const sqlOf = (sort: Sort): string => pageOf(idsSql(DIRECTIONS[sort]), LISTED_COLUMNS, DIRECTIONS[sort].order);
  return { newest: statement(name, sqlOf('newest')), oldest: statement(`${name}_oldest`, sqlOf('oldest')) };
}

// A page is found on the index alone, and only its rows are joined with their lines. Two choices are for the planner,
// which plans once for all values. The inner limit is a constant: it estimates an unknown limit as a tenth of the
// table, and then reads all of it (78 ms in place of 0.6 with 200,000 orders). And the cursor is always compared.
const LIST = listedBoth(
  'orders_list',
  ({ order, beyond, place }) => `
     select id from orders where account_id = $1 and id ${beyond} ${place} order by id ${order} limit ${PAGE_ROWS_MAX}`,
);

// A public status is up to three internal states, and an account may ask for a type as well: each state and type is a
// range of the index, read in its order and cut to a page before they are merged, so a rare one costs no walk over
// all the others. A range is written as two row comparisons: with `state = …` the planner drops the column from the
// order, and walks all orders of the account in the hope of finding a page of them soon.
const LIST_FILTERED = listedBoth(
  'orders_list_filtered',
  ({ order, above, floor, below, ceiling }) => `
     select found.id from unnest($4::text[], $5::text[]) as wanted(state, type)
     cross join lateral (
       select id from orders
       where account_id = $1
         and (state, type, id) ${above} (wanted.state, wanted.type, ${floor})
         and (state, type, id) ${below} (wanted.state, wanted.type, ${ceiling})
       order by state ${order}, type ${order}, id ${order} limit ${PAGE_ROWS_MAX}
     ) as found
     order by found.id ${order} limit ${PAGE_ROWS_MAX}`,
);

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
const LIST_PLACED_SINCE = listedBoth(
  'orders_list_placed_since',
  ({ order, above, floor, below, ceiling }) => `
     select found.id from unnest($4::text[], $5::text[]) as wanted(state, type)
     cross join lateral (
       select id from orders
       where account_id = $1
         and (state, type, id) ${above} (wanted.state, wanted.type, greatest(${floor}, $6::uuid))
         and (state, type, id) ${below} (wanted.state, wanted.type, ${ceiling})
         and updated_at >= $7 and ${SETTLED}
       order by state ${order}, type ${order}, id ${order} limit ${PAGE_ROWS_MAX}
     ) as found
     order by found.id ${order} limit ${PAGE_ROWS_MAX}`,
);

// Orders that are older than that time ($6) and were changed since. Most changes come within a week of the placing,
// so a week of ids ($8) is walked, and later changes have an index of their own. The fences (`offset 0`) keep the
// planner, which plans for any value, from walking the ids of all orders in the hope of finding a page of them soon.
const LIST_CHANGED_SINCE = listedBoth(
  'orders_list_changed_since',
  ({ order, above, floor, below, ceiling }) => `
     select c.id from (
       (
         select id, state, type from orders
         where account_id = $1 and id ${above} greatest(${floor}, $8::uuid) and id ${below} least($6::uuid, ${ceiling})
           and updated_at >= $7 and updated_at - created_at <= interval '${LATE}' and ${SETTLED}
           and (state, type) in (select * from unnest($4::text[], $5::text[]))
         order by id ${order} limit ${PAGE_ROWS_MAX}
       )
       union all
       (
         select id, state, type from (
           select id, state, type, changed_by from orders
           where account_id = $1 and updated_at >= $7 and updated_at - created_at > interval '${LATE}'
           offset 0
         ) as late
         where id ${above} ${floor} and id ${below} least($6::uuid, ${ceiling}) and ${SETTLED}
           and (state, type) in (select * from unnest($4::text[], $5::text[]))
         order by id ${order} limit ${PAGE_ROWS_MAX}
       )
     ) as c
     order by c.id ${order} limit ${PAGE_ROWS_MAX}`,
);

/** SQL of whether an order `o`, which a list has found by something rarer, passes its other filters. */
export const PASSES = `o.state = any($4::text[]) and o.type = any($5::text[])
    and o.updated_at >= coalesce($6::timestamptz, '-infinity')`;

/** The filter of a list of orders: states and types, each pair of them. */
export type OrderFilter = {
  readonly states: readonly OrderState[];
  readonly types: readonly OrderRow['type'][];
};

/** What every page of an account's list has: the order that it begins after, and which end comes first. */
export type ListPart = { readonly after: Uuid | null; readonly limit: number; readonly sort: Sort };

/** A page of orders that pass `PASSES`: a filter, and from when on they were changed. */
export type NarrowedPage = ListPart & { readonly filter: OrderFilter & { readonly updatedSince: Date | undefined } };

/** A page of an account's orders; without a filter of all of them. */
export async function listOrderRows(
  db: Db,
  accountId: Uuid,
  page: ListPart & { filter: OrderFilter | undefined },
): Promise<ListedRow[]> {
  const { after, limit, sort, filter } = page;
  if (filter === undefined) return db.all(LIST[sort], [accountId, after, limit]);
  return db.all(LIST_FILTERED[sort], [accountId, after, limit, ...pairsOf(filter)]);
}

/** As `listOrderRows`, of a list with `PASSES`; `others` are its values from $7 on. */
export async function listNarrowedRows(
  db: Db,
  accountId: Uuid,
  list: ListedByAccount,
  { after, limit, sort, filter: { states, types, updatedSince } }: NarrowedPage,
  others: readonly SqlValue[] = [],
): Promise<ListedRow[]> {
  return db.all(list[sort], [accountId, after, limit, [...states], [...types], updatedSince ?? null, ...others]);
}

/**
 * As `listOrderRows`, of the orders that were placed at a time or later.
 * All of them are newer than those that were only changed since. In a transaction, whose later statements are planned
 * to read indexes in order, too.
 */
export async function listPlacedSince(
  tx: Db,
  accountId: Uuid,
  page: ListPart & { filter: OrderFilter; since: Date },
): Promise<ListedRow[]> {
  const { after, limit, sort, filter, since } = page;
  await tx.all(IN_ORDER, []);
  return tx.all(LIST_PLACED_SINCE[sort], [accountId, after, limit, ...pairsOf(filter), firstIdAt(since), since]);
}

/** As `listOrderRows`, of the orders that were placed before a time and changed then or later. */
export async function listChangedSince(
  db: Db,
  accountId: Uuid,
  page: ListPart & { filter: OrderFilter; since: Date },
): Promise<ListedRow[]> {
  const { after, limit, sort, filter, since } = page;
  const weekBefore = firstIdAt(new Date(since.getTime() - LATE_MS));
  const times = [firstIdAt(since), since, weekBefore];
  return db.all(LIST_CHANGED_SINCE[sort], [accountId, after, limit, ...pairsOf(filter), ...times]);
}

/** Every state with every type, as two columns. */
function pairsOf({ states, types }: OrderFilter): [string[], string[]] {
  const pairs = states.flatMap((state) => types.map((type) => ({ state, type })));
  return [pairs.map(({ state }) => state), pairs.map(({ type }) => type)];
}
