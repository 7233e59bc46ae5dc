import { type Db, type Statement, statement } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import { IS_WAITING, isPast, type OrderTimes } from './ended-sql.ts';
import type { Due, Found } from './walk.ts';

// Orders in the order in which they ended, and those that were passed and wait.

/** The states that orders end in. */
export type EndState = 'dispatched' | 'cancelled' | 'awaiting_payment';

const IS_PAST = isPast({ dispatched: '$1', cancelled: '$2', unpaid: '$3' });

type OrderRow = { account_id: Uuid; key: Uuid; at: Date; at_text: string; is_waiting: boolean; is_wanted: boolean };

/** SQL of what of an order a walk ends, of an order `o`; the others are passed. */
const WANTED = {
  mocks: `(select true from order_line l where l.account_id = o.account_id and l.order_id = o.id and l.mock_hash is not null
    limit 1) is not null`,
  address: 'o.erased_at is null',
};
export type Wanted = keyof typeof WANTED;

const columns = (
  wanted: Wanted,
): string => `o.account_id, o.id as key, o.updated_at as at, o.updated_at::text as at_text,
  not (${IS_PAST}) or ${IS_WAITING} as is_waiting,
  ${WANTED[wanted]} as is_wanted`;

/** The most that one look returns, as a constant for the planner. */
const ROWS_MAX = 500;

const endedSql = (wanted: Wanted): string => `
  select ${columns(wanted)} from (
     select * from orders
     where (state || '') = $4 and state in ('awaiting_payment', 'dispatched', 'delivered', 'cancelled')
       and updated_at < $5 and (updated_at, id) > ($6::timestamptz, $7::uuid)
     order by updated_at, id limit ${ROWS_MAX}
   ) as o order by o.updated_at, o.id limit $8`;
const ENDED: Readonly<Record<Wanted, Statement<OrderRow>>> = {
  mocks: statement('privacy_ended_orders_with_mocks', endedSql('mocks')),
  address: statement('privacy_ended_orders_with_address', endedSql('address')),
};

/**
 * Finds the next orders of a state that ended before a time and have what the walk ends.
 * The first ended comes first.
 */
export async function findEndedOrders(
  db: Db,
  times: OrderTimes,
  from: {
    readonly wanted: Wanted;
    readonly state: EndState;
    readonly before: Date;
    readonly place: string | undefined;
    readonly limit: number;
  },
): Promise<Found> {
  const [at = '-infinity', id = FIRST_ID] = from.place?.split('|') ?? [];
  const values = [times.dispatched, times.cancelled, times.unpaid, from.state, from.before, at, id, from.limit];
  const rows = await db.all(ENDED[from.wanted], values);
  const last = rows.at(-1);
  return {
    due: rows.filter((row) => row.is_wanted && !row.is_waiting).map(dueOf),
    waiting: rows.filter((row) => row.is_wanted && row.is_waiting).map(dueOf),
    // As text: a time in JavaScript has no microseconds.
    next: last === undefined ? from.place : `${last.at_text}|${last.key}`,
    isEnd: rows.length < from.limit,
  };
}

function dueOf({ account_id, key, at }: OrderRow): Due {
  return { account_id, key, at };
}

const waitingSql = (wanted: Wanted): string => `
  select ${columns(wanted)} from (
     select * from (
       select order_id, account_id from retention_waiting where walk = $4 and order_id > $5 order by order_id limit ${ROWS_MAX}
     ) as first order by order_id limit $6
   ) as w join orders o on o.account_id = w.account_id and o.id = w.order_id order by o.id`;
const WAITING: Readonly<Record<Wanted, Statement<OrderRow>>> = {
  mocks: statement('privacy_waiting_orders_with_mocks', waitingSql('mocks')),
  address: statement('privacy_waiting_orders_with_address', waitingSql('address')),
};

/** Finds those of the orders that a walk has passed whose time has come now. */
export async function findWaitedOrders(
  db: Db,
  times: OrderTimes,
  from: { readonly wanted: Wanted; readonly walk: string; readonly place: string | undefined; readonly limit: number },
): Promise<Found> {
  const { wanted, walk, place, limit } = from;
  const rows = await db.all(WAITING[wanted], [
    times.dispatched,
    times.cancelled,
    times.unpaid,
    walk,
    place ?? FIRST_ID,
    limit,
  ]);
  return {
    due: rows.filter((row) => !row.is_waiting).map(dueOf),
    next: rows.at(-1)?.key,
    isEnd: rows.length < limit,
  };
}

const WAIT = statement<never>(
  'privacy_let_wait',
  `insert into retention_waiting (walk, order_id, account_id)
   select $1, id, account_id from unnest($2::uuid[], $3::uuid[]) as w(account_id, id) on conflict do nothing`,
);

/** Notes orders that are looked at again in each pass. */
export async function letWait(tx: Db, walk: string, orders: readonly Due[]): Promise<void> {
  if (orders.length > 0) await tx.all(WAIT, [walk, ...valuesOf(orders)]);
}

const END_WAIT = statement<never>(
  'privacy_end_wait',
  'delete from retention_waiting where walk = $1 and order_id = any($2::uuid[])',
);

/** Forgets orders that waited. */
export async function endWait(tx: Db, walk: string, orders: readonly Due[]): Promise<void> {
  if (orders.length > 0) await tx.all(END_WAIT, [walk, orders.map(({ key }) => key)]);
}

const DROP_MOCKS = statement<{ gone: number }>(
  'privacy_drop_line_mocks',
  `with emptied as (
     update order_line l set mock_hash = null
     from unnest($1::uuid[], $2::uuid[]) as g(account_id, order_id)
     where l.account_id = g.account_id and l.order_id = g.order_id and l.mock_hash is not null returning l.order_id
   )
   select count(distinct order_id)::integer as gone from emptied`,
);

/** Takes the mocks off the lines of some orders; returns of how many orders. */
export async function dropLineMocks(tx: Db, orders: readonly Due[]): Promise<number> {
  return (await tx.one(DROP_MOCKS, valuesOf(orders)))?.gone ?? 0;
}

function valuesOf(orders: readonly Due[]): [accounts: string[], ids: string[]] {
  return [orders.map((one) => one.account_id ?? ''), orders.map(({ key }) => key)];
}
