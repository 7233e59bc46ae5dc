import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { firstIdAt } from '../../src/lib/ids.ts';
import { eventually } from '../harness/context.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { openShop, type Shop } from '../harness/shop.ts';
import { assertSound, rows } from '../harness/written.ts';

// The keys allow old months to be dropped: a running service goes on while its tables are partitioned by ranges of
// their ids, writes into the partition of the month, and misses nothing but what was dropped.

const DAY_MS = 86_400_000;
/** As long as a transaction of another test file may take. */
const OTHERS_END_MS = 60_000;
const TABLES = ['event', 'webhook_delivery', 'order_history'] as const;

let service: TestService;
let shop: Shop;
before(async () => {
  service = await startTestService();
  shop = await openShop(service, 50);
  service.stranger.serve('/hook', { status: 204 });
  const subscribed = await shop.customer.request('POST', '/webhooks', { url: service.stranger.url('/hook') });
  assert.equal(subscribed.status, 201, subscribed.text);
});
after(() => service.stop());

/** Places and cancels so many orders: two events and two deliveries each. */
async function trade(orders: number): Promise<void> {
  for (let placed = 0; placed < orders; placed += 1) {
    const order = await shop.order();
    assert.equal(order.status, 201, order.text);
    const cancelled = await shop.customer.request('POST', `/orders/${order.body.id}/cancel`);
    assert.equal(cancelled.status, 200, cancelled.text);
  }
  await eventually('every event is delivered', async () => {
    return (await rows(service, "select 1 from webhook_delivery where state <> 'succeeded'")).length === 0;
  });
}

/** How many rows of the shop each partition of a table has; those that have none are left out. */
async function partitionsOf(table: (typeof TABLES)[number]): Promise<Record<string, number>> {
  const found = await rows<{ name: string; count: number }>(
    service,
    `select tableoid::regclass::text as name, count(*) as count from ${table} where account_id = $1 group by 1`,
    [shop.customer.accountId],
  );
  return Object.fromEntries(found.map(({ name, count }) => [name, count]));
}

/**
 * The whole log, which has so many events. It hides what an older transaction, still running elsewhere, may precede.
 */
function eventIds(count: number): Promise<string[]> {
  const read = async () => {
    const page = await shop.customer.request<{ data: { id: string }[] }>('GET', '/events?limit=100');
    assert.equal(page.status, 200, page.text);
    return page.body.data.length === count && page.body.data.map(({ id }) => id);
  };
  return eventually(`a log of ${count} events`, read, OTHERS_END_MS);
}

/** What a migration would do: the table as it is becomes the first partition, and each later span one of its own. */
function partitionSql(table: string, before: string, between: string, until: string): string {
  return `
    alter table ${table} rename to ${table}_before;
    create table ${table} (like ${table}_before including defaults including constraints including indexes) partition by range (id);
    alter table ${table} attach partition ${table}_before for values from (minvalue) to ('${before}');
    create table ${table}_first partition of ${table} for values from ('${before}') to ('${between}');
    create table ${table}_second partition of ${table} for values from ('${between}') to ('${until}');`;
}

test('events, deliveries and history become partitions by time under a running service, and an old month is dropped', async () => {
  await trade(3);
  const now = service.ctx.clock.now().getTime();
  const [first, second, end] = [10, 20, 30].map((days) => firstIdAt(new Date(now + days * DAY_MS)));
  assert.ok(first !== undefined && second !== undefined && end !== undefined);
  await service.ctx.database.script(TABLES.map((table) => partitionSql(table, first, second, end)).join('\n'));

  service.shiftMs(11 * DAY_MS);
  await trade(2);
  service.shiftMs(10 * DAY_MS);
  await trade(1);
  for (const table of TABLES) {
    const counts = { [`${table}_before`]: 6, [`${table}_first`]: 4, [`${table}_second`]: 2 };
    assert.deepEqual(await partitionsOf(table), counts);
  }
  const ids = await eventIds(12);
  assert.equal(new Set(ids).size, 12);
  await assertSound(service);

  await service.ctx.database.script(`
    alter table event detach partition event_before;
    alter table webhook_delivery detach partition webhook_delivery_before;
    drop table event_before, webhook_delivery_before;`);
  assert.deepEqual(await eventIds(6), ids.slice(6), 'what was not dropped is all there, in its order');
  await trade(1);
  assert.deepEqual(await partitionsOf('event'), { event_first: 4, event_second: 4 });
  assert.deepEqual(await partitionsOf('webhook_delivery'), { webhook_delivery_first: 4, webhook_delivery_second: 4 });
  await eventIds(8);
});

test('a delivery is looked for in the partition of its id alone', async () => {
  const plan = await rows<{ 'QUERY PLAN': string }>(
    service,
    `explain (costs off) select 1 from webhook_delivery d join event e on e.account_id = d.account_id and e.id = d.event_id
     where d.account_id = '${shop.customer.accountId}' and d.id = '${firstIdAt(service.ctx.clock.now())}'`,
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  assert.match(text, /webhook_delivery_second/);
  assert.doesNotMatch(text, /webhook_delivery_first/);
});
