import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { findSubscriptionDetail } from '../../src/webhooks/subscription-sql.ts';
import { openAccount, openTestContext, type TestContext } from '../harness/context.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// One account has most of what there is, beside many small ones. The planner takes it for another of them, and reads
// and sorts all that it expects to be little. So such statements must leave it no choice but an index in the right
// order.

const SMALL = 100;
const OF_SMALL = 60;
const OF_LARGE = 20_000;
/** A page of 25, in some nodes of a plan. */
const TOUCHED_MAX = 400;

let ctx: TestContext;
let large: Awaited<ReturnType<typeof openAccount>>;
const subscription = newId();
before(async () => {
  ctx = await openTestContext({});
  large = await openAccount(ctx);
  await ctx.database.script(`
    set local session_replication_role = replica;
    create temp table subscribed as
      select '${large.accountId}'::uuid as account_id, '${subscription}'::uuid as id, ${OF_LARGE} as deliveries
      union all select gen_random_uuid(), gen_random_uuid(), ${OF_SMALL} from generate_series(1, ${SMALL});
    insert into webhook_subscription (account_id, id, url, secret_sealed, created_at, updated_at)
    select account_id, id, 'https://shop.example', '', now(), now() from subscribed;
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, attempted_at, created_at)
    select account_id, uuid_v7(now() - make_interval(mins => n)), id, 1, gen_random_uuid(), 'order.created', 'succeeded', now(),
      now() - make_interval(mins => n), now() - make_interval(mins => n)
    from subscribed, generate_series(1, ${OF_LARGE}) as n where n <= deliveries order by random();
    analyze`);
});
after(() => ctx.close());

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
