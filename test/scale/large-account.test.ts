import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FIRST_ID, newId, type Uuid } from '../../src/lib/ids.ts';
import { listPlacedSince, type OrderFilter } from '../../src/orders/list-sql.ts';
import { SORTS } from '../../src/orders/reading/direction.ts';
import { findDueFiles } from '../../src/privacy/retention/files-sql.ts';
import { EVENT_NAMES } from '../../src/webhooks/events.ts';
import { listDeliveryRows } from '../../src/webhooks/recovery/deliveries-sql.ts';
import { findSubscriptionDetail } from '../../src/webhooks/subscription-sql.ts';
import { openAccount, openTestContext, type TestContext } from '../harness/context.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// One account has most of what there is, beside many small ones. The planner takes it for another of them, and reads
// and sorts all that it expects to be little. So such statements must leave it no choice but an index in the right
// order.

const SMALL = 100;
const OF_SMALL = 60;
const TINY = 400;
const OF_TINY = 20;
const OF_LARGE = 20_000;
/** A page of 25, in some nodes of a plan. */
const TOUCHED_MAX = 400;

/** A page of each event and state. */
const DELIVERIES_TOUCHED_MAX = 1_500;

/** Pictures that many orders share, and old print files of one order each. */
const PICTURES = 400;
const OLD = 25;

/** A page of each state and type, in a plan of some depth. */
const ORDERS_TOUCHED_MAX = 2_000;

let ctx: TestContext;
let large: Awaited<ReturnType<typeof openAccount>>;
const subscription = newId();
before(async () => {
  ctx = await openTestContext({});
  large = await openAccount(ctx);
  await ctx.database.script(`
    set local session_replication_role = replica;
    set local statement_timeout = 0;
    create temp table subscribed as
      select '${large.accountId}'::uuid as account_id, '${subscription}'::uuid as id, ${OF_LARGE} as deliveries
      union all select gen_random_uuid(), gen_random_uuid(), ${OF_SMALL} from generate_series(1, ${SMALL})
      union all select gen_random_uuid(), gen_random_uuid(), ${OF_TINY} from generate_series(1, ${TINY});
    insert into webhook_subscription (account_id, id, url, secret_sealed, created_at, updated_at)
    select account_id, id, 'https://shop.example', '', now(), now() from subscribed;
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, attempted_at, created_at)
    select account_id, uuid_v7(now() - make_interval(mins => n)), id, 1, gen_random_uuid(), 'order.created', 'succeeded', now(),
      now() - make_interval(mins => n), now() - make_interval(mins => n)
    from subscribed, generate_series(1, ${OF_LARGE}) as n where n <= deliveries order by random();
    insert into orders (account_id, id, reference, type, source, state, shipping_address, billing_address, shipping, line_count,
      subtotal_pence, setup_pence, shipping_pence, vat_pence, duty_pence, total_pence, vat_breakdown, balance_paid_pence, catalogue_version,
      price_book_version, last_event_at, changed_by, placed_at, paid_at, cancellable_until, created_at, updated_at)
    select account_id, uuid_v7(at), 'PF-' || row_number() over (), 'bulk', 'api', 'dispatched', '{"country_code":"GB"}', '{}', '{}', 0,
      0, 0, 0, 0, 0, 0, '[]', 0, 1, 1, at, '1', at, at, at, at, at
    from (
      select account_id, now() - make_interval(mins => n) as at
      from subscribed, generate_series(1, ${OF_LARGE}) as n where n <= 2 * deliveries order by random()
    ) as placed;
    create temp table files as select sha256(n::text::bytea) as key, n from generate_series(1, ${PICTURES + OLD}) as n;
    insert into print_file (key, account_id, recipe, state, created_at)
    select key, '${large.accountId}', '{}', 'pending', now() - make_interval(days => case when n > ${PICTURES} then 4000 else 0 end) from files;
    insert into print_job (account_id, order_id, line_id, ordinal, print_area, method, print_file_key, unit_price_pence)
    select account_id, id, id, 0, 'front', 'dtg', sha256((1 + row_number() over () % ${PICTURES})::text::bytea), 0 from orders;
    insert into print_job (account_id, order_id, line_id, ordinal, print_area, method, print_file_key, unit_price_pence)
    select o.account_id, o.id, o.id, 1, 'back', 'dtg', f.key, 0 from files f
    join lateral (select account_id, id from orders where account_id = '${large.accountId}' order by id offset f.n limit 1) as o on true
    where f.n > ${PICTURES};
    analyze`);
});
after(() => ctx.close());

const FILTER: OrderFilter = { states: ['dispatched', 'delivered'], types: ['bulk', 'sample'] };
const PAGE = { after: null, limit: 26, filter: FILTER };

test('a page of the orders of some states since a time touches a page of rows', async () => {
  const { accountId } = large;
  for (const days of [1, 3_000]) {
    const since = new Date(ctx.clock.now().getTime() - days * 86_400_000);
    for (const sort of SORTS) {
      const touched = await rowsTouched(ctx.database, (db) => listPlacedSince(db, accountId, { ...PAGE, sort, since }));
      assert.ok(touched <= ORDERS_TOUCHED_MAX, `since ${days} days, ${sort} first, it touches ${touched} rows`);
    }
  }
});

test('the latest deliveries of a subscription touch a page of rows, however many it had', async () => {
  const detail = await findSubscriptionDetail(ctx.database, large.accountId, subscription, 25);
  assert.equal(detail?.deliveries.length, 25);
  const times = detail.deliveries.map(({ attempted_at: at }) => at.getTime());
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  const touched = await rowsTouched(ctx.database, (db) =>
    findSubscriptionDetail(db, large.accountId, subscription, 25),
  );
  assert.ok(touched <= TOUCHED_MAX, `it touches ${touched} rows`);
});

test('a page of the deliveries of a subscription touches a page of rows, however many it had', async () => {
  const of = { accountId: large.accountId, subscriptionId: subscription };
  const states = (['pending', 'succeeded', 'abandoned'] as const).map((state) => ({ state, mayGo: null }));
  const part = { after: undefined, limit: 26, events: EVENT_NAMES, states, floor: FIRST_ID as Uuid };
  assert.equal((await listDeliveryRows(ctx.database, of, part)).length, 26);
  const touched = await rowsTouched(ctx.database, (db) => listDeliveryRows(db, of, part));
  assert.ok(touched <= DELIVERIES_TOUCHED_MAX, `it touches ${touched} rows`);
});

test('the end of old print files is found by their own orders, not by all that the account has printed', async () => {
  const terms = { config: ctx.config, now: ctx.clock.now() };
  assert.equal((await findDueFiles(ctx.database, terms, undefined, OLD)).isEnd, false, 'a page of them is old');
  const touched = await rowsTouched(ctx.database, (db) => findDueFiles(db, terms, undefined, OLD));
  assert.ok(touched <= OLD * 40, `it touches ${touched} rows`);
});
