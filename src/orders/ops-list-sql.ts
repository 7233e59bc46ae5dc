import { type Db, type Statement, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import { type OfPage, pageOf } from './list-sql.ts';
import { IS_STILL_SHORT } from './move-sql.ts';
import { OPS_COLUMNS, type OpsOrderParts } from './ops-sql.ts';
import { type Direction, directionsAt, type Sort } from './reading/direction.ts';
import type { SearchTerm } from './search/search-terms.ts';
import type { OrderState } from './status.ts';

// The lists of orders of all accounts, for operators alone: newest or oldest first, after a cursor, each on an index.

/** What an order lacks. */
export type Need = 'stock' | 'artwork' | 'refund' | 'payment' | 'resume';

export type ListedOpsRow = OpsOrderParts & OfPage;

type OpsPage = {
  readonly after: Uuid | null;
  readonly limit: number;
  readonly states: readonly OrderState[];
  readonly accountId: Uuid | undefined;
  readonly sort: Sort;
};

type Listed = Readonly<Record<Sort, Statement<ListedOpsRow>>>;

const DIRECTIONS = directionsAt('$1');

function listed(name: string, idsSql: (direction: Direction) => string): Listed {
  const made = (sort: Sort): Statement<ListedOpsRow> =>
    statement(`${name}_${sort}`, pageOf(idsSql(DIRECTIONS[sort]), OPS_COLUMNS, DIRECTIONS[sort].order, 'true'));
  return { newest: made('newest'), oldest: made('oldest') };
}

// As in the public lists, a page is found on the index alone: each state is a range of it, cut to a page before they
// are merged. The index is on `state || ''`, so the query must use the same expression.
const LIST = listed(
  'orders_ops_list',
  ({ order, above, floor, below, ceiling }) => `
    select found.id from unnest($2::text[]) as wanted(state)
    cross join lateral (
      select id from orders
      where (state || '', id) ${above} (wanted.state, ${floor}) and (state || '', id) ${below} (wanted.state, ${ceiling})
      order by state || '' ${order}, id ${order} limit ${PAGE_ROWS_MAX}
    ) as found
    order by found.id ${order} limit ${PAGE_ROWS_MAX}`,
);

// This uses the index of the account's own lists, which has the type after the state.
const LIST_OF_ACCOUNT = listed(
  'orders_ops_list_of_account',
  ({ order, above, floor, below, ceiling }) => `
    select found.id from unnest($2::text[]) as wanted(state), unnest('{bulk,sample}'::text[]) as any_type(type)
    cross join lateral (
      select id from orders
      where account_id = $4
        and (state, type, id) ${above} (wanted.state, any_type.type, ${floor})
        and (state, type, id) ${below} (wanted.state, any_type.type, ${ceiling})
      order by state ${order}, type ${order}, id ${order} limit ${PAGE_ROWS_MAX}
    ) as found
    order by found.id ${order} limit ${PAGE_ROWS_MAX}`,
);

/** A page of the orders in some states, of all accounts or of one. */
export async function listOpsOrderRows(db: Db, page: OpsPage): Promise<ListedOpsRow[]> {
  const { after, limit, states, accountId, sort } = page;
  if (accountId === undefined) return db.all(LIST[sort], [after, states, limit]);
  return db.all(LIST_OF_ACCOUNT[sort], [after, states, limit, accountId]);
}

/**
 * Lists of the orders that `sourceSql` finds, narrowed to the states and the account of the query.
 * `sourceSql` finds each order once, by `id`.
 */
const narrowed = (name: string, sourceSql: (direction: Direction) => string): Listed =>
  listed(
    name,
    (direction) => `
      select few.id from (${sourceSql(direction)}) as few join orders o on o.id = few.id
      where o.state = any($2::text[]) and ($4::uuid is null or o.account_id = $4)
      order by few.id ${direction.order} limit ${PAGE_ROWS_MAX}`,
  );

// Orders for which automatic promotion or an operator found too little stock, and for which there is too little now.
const SHORT_OF_STOCK = narrowed(
  'orders_ops_short',
  ({ order, place, beyond }) => `
    select p.order_id as id from (
      select distinct order_id, account_id from promotion_shortage where order_id ${beyond} ${place}
    ) as p join orders o on o.account_id = p.account_id and o.id = p.order_id
    where o.state = any($2::text[]) and ($4::uuid is null or o.account_id = $4) and ${IS_STILL_SHORT}
    order by p.order_id ${order} limit ${PAGE_ROWS_MAX}`,
);

// Leaves out orders of which only cancelled or shipped pieces have the failed artwork, and artwork that is made
// again.
const FAILED_ARTWORK = narrowed(
  'orders_ops_failed_artwork',
  ({ place, beyond }) => `
    select distinct a.order_id as id from artwork_failure a join print_file f on f.key = a.print_file_key
      and f.account_id = a.account_id and f.state = 'failed'
    where a.order_id ${beyond} ${place} and exists (
      select from print_job j join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
      where j.account_id = a.account_id and j.order_id = a.order_id and j.print_file_key = a.print_file_key
        and l.quantity > l.quantity_cancelled + l.quantity_shipped)`,
);

const REFUND_OWED = narrowed(
  'orders_ops_refund_owed',
  ({ place, beyond }) => `select id from orders where refund_owed_pence > 0 and id ${beyond} ${place}`,
);

// Every order with a paused line is in production, so a page can be cut here: the planner then looks up its orders, and
// does not merge all paused lines with all orders.
const PAUSED = narrowed(
  'orders_ops_paused',
  ({ order, place, beyond }) => `
    select distinct order_id as id from line_pause
    where order_id ${beyond} ${place} and ($4::uuid is null or account_id = $4)
    order by order_id ${order} limit ${PAGE_ROWS_MAX}`,
);

const NEED_LISTS: Readonly<Record<Exclude<Need, 'payment'>, Listed>> = {
  stock: SHORT_OF_STOCK,
  artwork: FAILED_ARTWORK,
  refund: REFUND_OWED,
  resume: PAUSED,
};

/** The states in which an order can need something. */
const STATES_OF: Readonly<Record<Exclude<Need, 'refund'>, readonly OrderState[]>> = {
  stock: ['placed', 'on_hold'],
  artwork: ['awaiting_payment', 'placed', 'on_hold', 'released', 'in_production'],
  payment: ['awaiting_payment'],
  resume: ['in_production'],
};

/**
 * As `listOpsOrderRows`, of the orders that lack something.
 * `stock`: too little at their promotion, and still too little now; `artwork`: it could not be made; `refund`: owed,
 * to be paid out by hand; `payment`: not paid yet; `resume`: a line of it is paused.
 */
export async function listNeedingRows(db: Db, page: OpsPage & { readonly need: Need }): Promise<ListedOpsRow[]> {
  const { after, limit, accountId, sort, need } = page;
  const states = need === 'refund' ? page.states : page.states.filter((state) => STATES_OF[need].includes(state));
  if (need === 'payment') return listOpsOrderRows(db, { ...page, states });
  return db.all(NEED_LISTS[need][sort], [after, states, limit, accountId ?? null]);
}

/** SQL of a text in capitals and without white space; the same expression as in the indexes. */
const normalised = (text: string): string => `upper(regexp_replace(${text}, '\\s', '', 'g') collate "C")`;

const OF_TRACKING = narrowed(
  'orders_ops_of_tracking',
  ({ place, beyond }) => `
    select distinct order_id as id from shipment
    where ${normalised('tracking_number')} = ${normalised('$5::text')} and order_id ${beyond} ${place}`,
);

/**
 * As `listOpsOrderRows`, of the orders with a parcel of this tracking number.
 * Case and spacing do not matter.
 */
export async function listTrackedRows(
  db: Db,
  page: OpsPage & { readonly trackingNumber: string },
): Promise<ListedOpsRow[]> {
  const { after, limit, states, accountId, sort, trackingNumber } = page;
  return db.all(OF_TRACKING[sort], [after, states, limit, accountId ?? null, trackingNumber]);
}

/** How many orders with the first term a page looks at for the other terms: a bound on its work. */
const SEARCHED_MAX = 20_000;

// The first term is a range of the index in the order of ids; the others are looked up for each of its orders.
const SEARCHED = narrowed(
  'orders_ops_searched',
  ({ order, place, beyond }) => `
    select few.order_id as id from (
      select account_id, order_id from order_search
      where kind = $5 and term = $6 and order_id ${beyond} ${place}
      order by order_id ${order} limit ${SEARCHED_MAX}
    ) as few
    where not exists (
      select from unnest($7::text[], $8::text[]) as more(kind, term)
      where not exists (
        select from order_search s
        where s.account_id = few.account_id and s.order_id = few.order_id and s.kind = more.kind and s.term = more.term))`,
);

/**
 * As `listOpsOrderRows`, of the orders that have all of these terms, of which there is at least one.
 * The first term is to be the rarest (`rarestFirst`): of its orders a page looks at 20,000. `findSearchedEnd` says
 * where a page with room left has stopped.
 */
export async function listSearchedRows(
  db: Db,
  page: OpsPage & { readonly terms: readonly SearchTerm[] },
): Promise<ListedOpsRow[]> {
  const { after, limit, states, accountId, sort, terms } = page;
  const [first, ...more] = terms;
  return db.all(SEARCHED[sort], [
    after,
    states,
    limit,
    accountId ?? null,
    first?.kind ?? null,
    first?.term ?? null,
    more.map(({ kind }) => kind),
    more.map(({ term }) => term),
  ]);
}

const endOf = (sort: Sort): Statement<{ id: Uuid }> => {
  const { order, place, beyond } = DIRECTIONS[sort];
  return statement(
    `orders_ops_searched_end_${sort}`,
    `select order_id as id from order_search where kind = $2 and term = $3 and order_id ${beyond} ${place}
     order by order_id ${order} offset ${SEARCHED_MAX - 1} limit 1`,
  );
};

const SEARCHED_END: Readonly<Record<Sort, Statement<{ id: Uuid }>>> = {
  newest: endOf('newest'),
  oldest: endOf('oldest'),
};

/** The last order that `listSearchedRows` has looked at; undefined when it has looked at all. */
export async function findSearchedEnd(
  db: Db,
  page: Pick<OpsPage, 'after' | 'sort'> & { readonly terms: readonly SearchTerm[] },
): Promise<Uuid | undefined> {
  const { after, sort, terms } = page;
  const [first] = terms;
  return (await db.one(SEARCHED_END[sort], [after, first?.kind ?? null, first?.term ?? null]))?.id;
}
