import type { SqlValue } from '../../src/lib/database/session.ts';
import { type Database, statement } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';

// The rows that placed orders write: an event and its delivery, for the accounts in turn. The deliveries come due a
// while after the rows were written, all at once, so that writing them is no part of the measurement.
const WRITE = `with subscriber as (
    select id, account_id, row_number() over (order by url, id) - 1 as place from webhook_subscription
  ),
  chosen as (select * from subscriber where place >= $2 and place < $2::integer + $3::integer),
  new_event as (
    insert into event (id, account_id, order_id, sequence, event, data, created_at)
    select uuid_v7(clock_timestamp()), c.account_id, gen_random_uuid(), 1, 'order.created',
      json_build_object('order_id', 'ord_00000000000000000000000000', 'reference', 'PF-7KQ2M9XA', 'external_reference',
        gen_random_uuid(), 'status', 'confirmed', 'total', 61.84, 'currency', 'GBP', 'item_count', 5), $4::timestamptz
    from generate_series(0, $1::integer - 1) as n join chosen c on c.place = $2::integer + n % $3::integer
    returning id, account_id, event
  )
  insert into webhook_delivery (id, account_id, subscription_id, generation, event_id, event, state, due_at, created_at)
  select uuid_v7(clock_timestamp()), e.account_id, c.id, 1, e.id, e.event, 'pending', $4, $4
  from new_event e join chosen c on c.account_id = e.account_id`;

const WRITE_STATEMENT = statement<never>('bench_write_backlog', WRITE);

/** Subscriptions, each of an account of its own, by their place in the order of their URLs. */
export type Subscriptions = { readonly first: number; readonly subscriptions: number };
export const ANSWERING: Subscriptions = { first: 0, subscriptions: 32 };
export const HANGING: Subscriptions = { first: 32, subscriptions: 100 };
/** The one whose events are replayed. */
export const REPLAYED: Subscriptions = { first: 132, subscriptions: 1 };

const AT_ONCE_MAX = 50_000;

/** Writes so many events and their deliveries, which are due at a time. */
export async function writeBacklog(
  database: Database,
  { first, subscriptions }: Subscriptions,
  count: number,
  dueAt: Date,
): Promise<void> {
  for (let left = count; left > 0; left -= AT_ONCE_MAX) {
    const values: SqlValue[] = [Math.min(left, AT_ONCE_MAX), first, subscriptions, dueAt];
    await database.all(WRITE_STATEMENT, values);
  }
}

const UNSENT = statement<{ count: number }>(
  'bench_unsent',
  `select count(*) as count from webhook_delivery d join webhook_subscription s on s.id = d.subscription_id
   where state in ('pending', 'retrying') and url like '%/answers'`,
);

/** Counts the deliveries to receivers that answer which are not recorded as succeeded yet. */
export async function countUnsent(database: Database): Promise<number> {
  return (await database.one(UNSENT, []))?.count ?? 0;
}

const PAST = statement<{ id: Uuid; account_id: Uuid }>(
  'bench_write_past',
  `with subscriber as (select id, account_id from webhook_subscription where url like '%/replayed'),
   new_event as (
     insert into event (id, account_id, order_id, sequence, event, data, created_at)
     select uuid_v7(now() - interval '3 hours' + n * interval '10 milliseconds'), s.account_id, gen_random_uuid(), 1,
       'order.on_hold', json_build_object('reference', 'PF-7KQ2M9XA', 'status', 'pending', 'reason', 'held'),
       now() - interval '3 hours' + n * interval '10 milliseconds'
     from generate_series(1, $1::integer) as n, subscriber s
   )
   select id, account_id from subscriber`,
);

/** Writes so many events of the last hours, whose deliveries are long gone, and returns the subscription to replay. */
export async function writePast(database: Database, count: number): Promise<{ id: Uuid; account_id: Uuid }> {
  const subscription = await database.one(PAST, [count]);
  if (subscription === undefined) throw new Error('there is no subscription to replay');
  return subscription;
}
