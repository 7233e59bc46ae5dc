import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { eventually, openAccount } from '../../test/harness/context.ts';
import { assertSigned, openReceiverWorld, type ReceiverWorld } from '../../test/harness/receiver.ts';
import { statement } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import type { Worker } from '../lib/every.ts';
import { newId } from '../lib/ids.ts';
import { changeSubscription } from './change-subscription.ts';
import { startDeliveries } from './deliver.ts';
import { firstAttemptAt, flushNow, publishEvent } from './publish.ts';
import { removeSubscription } from './remove-subscription.ts';

let world: ReceiverWorld;
const workers: Worker[] = [];

before(async () => {
  world = await openReceiverWorld();
});
after(() => world.close());
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(2_000)));
  await world.ctx.database.all(statement('test_clear', 'delete from webhook_subscription'), []);
  await world.ctx.database.all(statement('test_clear_deliveries', 'delete from webhook_delivery'), []);
});

function work(): Worker {
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  workers.push(worker);
  return worker;
}

const COUNT = statement<{ deliveries: number; events: number }>(
  'test_count',
  `select (select count(*) from webhook_delivery where account_id = $1) as deliveries,
     (select count(*) from event where account_id = $1) as events`,
);

const OPEN = statement<{ count: number }>(
  'test_open',
  `select count(*) as count from webhook_delivery where account_id = $1 and state in ('pending', 'retrying')`,
);

const CUT = statement<never>(
  'test_cut',
  `select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
);

let rounds = 0;

/** Gives a defect time to show: twice, deliveries of another account come due and all go out. */
async function severalPasses(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    const caller = await openAccount(world.ctx);
    const path = `/pass-${++rounds}`;
    world.receiver.serve(path, { status: 200 });
    await world.subscribe(caller, path);
    await world.publish(caller);
    await eventually('another account', () => world.hitsOn(path).length === 1);
  }
}

test('an event reaches its subscription signed, so that its receiver can verify the exact bytes (6 delivery, 6.2 event, 6.2 data, 6.4 svc-signature, 6.4 svc-event, 6.4 svc-webhook-id, 6.5.1, 6.5.2, 9.4 webhooks)', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/signed', { status: 204 });
  const subscription = await world.subscribe(caller, '/signed');
  work();
  await world.publish(caller);
  const hit = await eventually('the delivery', () => world.hitsOn('/signed')[0]);
  assertSigned(hit, subscription.secret);
  const verified: unknown = new Webhook(subscription.secret).verify(hit.body, flat(hit.headers));
  const body = JSON.parse(hit.body.toString()) as { id: string; event: string; sequence: number };
  assert.deepEqual(verified, body);
  assert.deepEqual(Object.keys(body), ['id', 'event', 'created_at', 'data', 'sequence']);
  assert.equal(body.event, 'order.on_hold');
  assert.equal(body.sequence, 2);
  const data = '"data":{"reference":"PF-2345ABCD","status":"pending","reason":"Address to be checked – “today”"}';
  assert.ok(hit.body.toString().includes(data));
  assert.equal(hit.method, 'POST');
  assert.equal(hit.headers['user-agent'], 'svc-webhooks/1');
  assert.equal(hit.headers['content-type'], 'application/json');
  assert.equal(hit.headers['svc-event'], 'order.on_hold');
  assert.equal(hit.headers['svc-webhook-id'], subscription.id);
  assert.equal(hit.headers['webhook-id'], body.id);
  const seen = await eventually('the record', async () => {
    const detail = await world.look(caller, subscription);
    return detail.recent_deliveries.length > 0 && detail;
  });
  const [delivery] = seen.recent_deliveries;
  assert.equal(delivery?.id, hit.headers['svc-delivery-id']);
  assert.deepEqual(
    { ...delivery, id: '', delivered_at: '' },
    {
      id: '',
      event: 'order.on_hold',
      status: 'succeeded',
      attempts: 1,
      response_code: 204,
      error: null,
      delivered_at: '',
    },
  );
  assert.ok(!world.ctx.logged.join('\n').includes(subscription.secret), 'no secret in the log');
});

test('6.6 retries: a failed delivery is tried again on the schedule, with the same bytes and ids, and abandoned after six retries (6.2 id, 6.4 svc-delivery-id, 8 webhook retries)', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/never', { status: 500, body: 'secret banner' });
  const subscription = await world.subscribe(caller, '/never');
  work();
  await world.publish(caller);
  const attempted = (count: number) =>
    eventually(`attempt ${count}`, async () => {
      const [delivery] = (await world.look(caller, subscription)).recent_deliveries;
      return delivery?.attempts === count && delivery;
    });
  assert.equal((await attempted(1)).status, 'retrying');
  for (const [index, waitSeconds] of [60, 300, 1_500, 7_200, 36_000, 36_000].entries()) {
    world.ctx.clock.shift(waitSeconds * 890);
    await severalPasses();
    assert.equal(world.hitsOn('/never').length, index + 1, 'not before its time');
    world.ctx.clock.shift(waitSeconds * 220);
    await attempted(index + 2);
  }
  const last = await attempted(7);
  assert.equal(last.status, 'abandoned');
  assert.equal(last.response_code, 500);
  assert.equal(last.error, 'The receiver answered 500; only 2xx counts as delivered.');
  world.ctx.clock.shift(86_400_000);
  await severalPasses();
  const hits = world.hitsOn('/never');
  assert.equal(hits.length, 7);
  assert.equal(new Set(hits.map((hit) => hit.body.toString())).size, 1);
  assert.equal(new Set(hits.map((hit) => hit.headers['svc-delivery-id'])).size, 1);
  assert.equal(new Set(hits.map((hit) => hit.headers['svc-timestamp'])).size, 7);
  for (const hit of hits) assertSigned(hit, subscription.secret);
  assert.equal((await world.look(caller, subscription)).failure_count, 7);
});

test('3.5 disabled: fifteen consecutive failures disable a subscription, and from the third on all workers together make one attempt a minute (3.5 resume, 3.5 no backfill, 2.8 disabled_reason, 2.8 failure_count, 6.6 disabling, 8 webhook disabling, K170, K172)', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/down', { status: 503 });
  const subscription = await world.subscribe(caller, '/down');
  for (let count = 0; count < 30; count += 1) await world.publish(caller);
  work();
  work();
  const look = () => world.look(caller, subscription);
  await eventually('the first failures', async () => (await look()).failure_count >= 3);
  await severalPasses();
  let seen = await look();
  assert.ok(seen.failure_count <= 2 + 2 * 4, `a burst of ${seen.failure_count}`);
  while (seen.active) {
    const failures = seen.failure_count;
    world.ctx.clock.shift(61_000);
    seen = await eventually('one more failure', async () => {
      const now = await look();
      return now.failure_count > failures && now;
    });
    await severalPasses();
    assert.equal((await look()).failure_count, failures + 1, 'one at a time');
  }
  assert.equal(seen.failure_count, 15);
  assert.match(seen.disabled_reason ?? '', /^15 delivery attempts in a row failed/);
  assert.equal(world.hitsOn('/down').length, 15);

  await world.publish(caller);
  world.ctx.clock.shift(86_400_000);
  await eventually(
    'every open delivery cancelled',
    async () => (await world.ctx.database.one(OPEN, [caller.accountId]))?.count === 0,
  );
  const resumed = await changeSubscription(world.ctx, caller, subscription.id, {
    body: { active: true },
    unknownFields: [],
  });
  assert.deepEqual([resumed.active, resumed.disabled_reason], [true, null]);
  assert.equal((await look()).failure_count, 0);
  await severalPasses();
  assert.equal(world.hitsOn('/down').length, 15, 'nothing of before is sent');
  world.receiver.serve('/down', { status: 200 });
  await world.publish(caller);
  await eventually('what happens afterwards', () => world.hitsOn('/down').length === 16);
});

test('a receiver that comes back gets everything that has waited, and its failure count is zero again', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/restart', { status: 502 });
  const subscription = await world.subscribe(caller, '/restart');
  for (let count = 0; count < 20; count += 1) await world.publish(caller);
  work();
  await eventually('the first failures', async () => (await world.look(caller, subscription)).failure_count >= 3);
  await severalPasses();
  const failed = world.hitsOn('/restart').length;
  world.receiver.serve('/restart', { status: 200 });
  world.ctx.clock.shift(67_000);
  await eventually('all of them', () => world.hitsOn('/restart').length === failed + 20);
  await eventually('a clean record', async () => (await world.look(caller, subscription)).failure_count === 0);
  const ids = world
    .hitsOn('/restart')
    .slice(failed)
    .map((hit) => hit.headers['svc-delivery-id']);
  assert.equal(new Set(ids).size, 20);
});

test('3.5 pause: what happens while a subscription is paused never reaches it, and what was open at the pause is cancelled (3.5 no backfill, K172)', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/paused', { status: 500 });
  const subscription = await world.subscribe(caller, '/paused');
  work();
  await world.publish(caller);
  await eventually('the first attempt', async () => (await world.look(caller, subscription)).failure_count === 1);
  assert.equal(
    (await changeSubscription(world.ctx, caller, subscription.id, { body: { active: false }, unknownFields: [] }))
      .active,
    false,
  );
  const [delivery] = (await world.look(caller, subscription)).recent_deliveries;
  assert.equal(delivery?.status, 'cancelled');
  await world.publish(caller);
  await changeSubscription(world.ctx, caller, subscription.id, { body: { active: true }, unknownFields: [] });
  world.ctx.clock.shift(86_400_000);
  await severalPasses();
  assert.equal(world.hitsOn('/paused').length, 1);
  assert.equal((await world.look(caller, subscription)).recent_deliveries[0]?.status, 'cancelled');
  await world.publish(caller);
  await eventually('what happens after the pause', () => world.hitsOn('/paused').length === 2);
});

test('4.5 delete: a subscription that is removed during an attempt is gone at once, and nothing more is sent (3.5 delete, K174)', async () => {
  const caller = await openAccount(world.ctx);
  let answer = (): void => {};
  world.receiver.serve('/removed', (_hit, response) => {
    answer = () => response.writeHead(500).end();
  });
  const subscription = await world.subscribe(caller, '/removed');
  work();
  await world.publish(caller);
  await eventually('the attempt', () => world.hitsOn('/removed').length === 1);
  await world.publish(caller);
  await removeSubscription(world.ctx, caller, subscription.id);
  const refusal = (error: unknown) => error instanceof ApiError && error.code === 'not_found';
  await assert.rejects(world.look(caller, subscription), refusal);
  await assert.rejects(removeSubscription(world.ctx, caller, subscription.id), refusal);
  answer();
  world.ctx.clock.shift(86_400_000);
  await eventually(
    'no open delivery',
    async () => (await world.ctx.database.one(OPEN, [caller.accountId]))?.count === 0,
  );
  await severalPasses();
  assert.ok(world.hitsOn('/removed').length <= 2, 'at most what was under way');
});

test('two workers at once send each delivery once', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/once', { status: 200 });
  await world.subscribe(caller, '/once');
  await world.subscribe(caller, '/once', ['order.on_hold']);
  await world.subscribe(caller, '/once', ['order.created']);
  for (let count = 0; count < 100; count += 1) await world.publish(caller);
  work();
  work();
  work();
  await eventually('all deliveries', async () => (await world.ctx.database.one(OPEN, [caller.accountId]))?.count === 0);
  const ids = world.hitsOn('/once').map((hit) => hit.headers['svc-delivery-id']);
  assert.equal(ids.length, 200);
  assert.equal(new Set(ids).size, 200);
});

test('6.6 guarantee: an attempt that its worker did not live to record is made again, with the same ids and bytes (6.2 id)', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/killed', (hit, response) => {
    if (hit.path !== '/killed' || world.hitsOn('/killed').length > 1) response.writeHead(200).end();
  });
  const subscription = await world.subscribe(caller, '/killed');
  const doomed = startDeliveries(world.ctx, { pollMs: 20 });
  await world.publish(caller);
  await eventually('the first attempt', () => world.hitsOn('/killed').length === 1);
  await doomed.stop(0);
  work();
  await severalPasses();
  assert.equal(world.hitsOn('/killed').length, 1, 'not while the lease stands');
  world.ctx.clock.shift(31_000);
  await eventually('the second attempt', () => world.hitsOn('/killed').length === 2);
  const [first, second] = world.hitsOn('/killed');
  assert.deepEqual(first?.body, second?.body);
  assert.equal(first?.headers['svc-delivery-id'], second?.headers['svc-delivery-id']);
  await eventually(
    'its success',
    async () => (await world.look(caller, subscription)).recent_deliveries[0]?.status === 'succeeded',
  );
  assert.equal((await world.look(caller, subscription)).failure_count, 0);
});

test('a database that drops its connections in the middle costs no delivery', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/cut', { status: 200, delayMs: 5 });
  await world.subscribe(caller, '/cut');
  for (let count = 0; count < 100; count += 1) await world.publish(caller);
  work();
  const open = async () => (await world.ctx.database.one(OPEN, [caller.accountId]))?.count;
  for (const left of [80, 60, 40]) {
    await eventually(`${left} to go`, async () => ((await open()) ?? 0) <= left);
    await world.ctx.database.all(CUT, []);
  }
  await eventually('all deliveries', async () => {
    world.ctx.clock.shift(5_000);
    return (await open().catch(() => undefined)) === 0;
  });
  assert.equal(new Set(world.hitsOn('/cut').map((hit) => hit.headers['svc-delivery-id'])).size, 100);
});

test('a transaction that is rolled back leaves no event and no delivery (K175)', async () => {
  const caller = await openAccount(world.ctx);
  await world.subscribe(caller, '/undone');
  const now = world.ctx.clock.now();
  await assert.rejects(
    world.ctx.database.transaction(async (tx) => {
      const data = { reference: 'PF-2345ABCD', status: 'pending', reason: '' };
      const event = {
        event: 'order.on_hold',
        data,
        accountId: caller.accountId,
        orderId: newId(),
        sequence: 1,
      } as const;
      await publishEvent(tx, { ...event, createdAt: now, dueAt: now });
      throw new Error('the cause did not happen');
    }),
  );
  assert.deepEqual(await world.ctx.database.one(COUNT, [caller.accountId]), { deliveries: 0, events: 0 });
});

test('an event goes to the active subscriptions of its own account that want it, and to no other', async () => {
  const [caller, stranger] = [await openAccount(world.ctx), await openAccount(world.ctx)];
  await world.subscribe(caller, '/all');
  await world.subscribe(caller, '/holds', ['order.created', 'order.on_hold']);
  await world.subscribe(caller, '/others', ['order.created']);
  const paused = await world.subscribe(caller, '/paused-before');
  await changeSubscription(world.ctx, caller, paused.id, { body: { active: false }, unknownFields: [] });
  await world.subscribe(stranger, '/stranger');
  await world.publish(caller);
  assert.deepEqual(await world.ctx.database.one(COUNT, [caller.accountId]), { deliveries: 2, events: 1 });
  assert.deepEqual(await world.ctx.database.one(COUNT, [stranger.accountId]), { deliveries: 0, events: 0 });
});

test('a receiver that does not answer holds up its own deliveries and nobody else', async () => {
  const [caller, other] = [await openAccount(world.ctx), await openAccount(world.ctx)];
  const held = new Set<() => void>();
  world.receiver.serve('/slow', (_hit, response) => void held.add(() => response.writeHead(200).end()));
  world.receiver.serve('/quick', { status: 200 });
  await world.subscribe(caller, '/slow');
  await world.subscribe(other, '/quick');
  for (let count = 0; count < 100; count += 1) await world.publish(caller);
  const worker = startDeliveries(world.ctx, { pollMs: 20, concurrency: 8 });
  workers.push(worker);
  await eventually('the slow one', () => world.hitsOn('/slow').length === 1);
  await world.publish(other);
  await eventually('the quick one', () => world.hitsOn('/quick').length === 1, 2_000);
  assert.equal(world.hitsOn('/slow').length, 1, 'one at a time, until it has answered');
  for (const answer of held) answer();
  held.clear();
  await eventually('four at a time, now that it answers', () => held.size === 4);
  await severalPasses();
  assert.equal(held.size, 4, 'and no more');
  await eventually('the rest', async () => {
    for (const answer of held) answer();
    held.clear();
    return world.hitsOn('/slow').length === 100;
  });
  for (const answer of held) answer();
});

test('an account all of whose receivers hang uses its share of the places, and another account none of its time', async () => {
  const [caller, other] = [await openAccount(world.ctx), await openAccount(world.ctx)];
  const held = new Set<() => void>();
  const hold = (_hit: unknown, response: ServerResponse) => void held.add(() => response.writeHead(200).end());
  for (const path of ['/hangs-1', '/hangs-2', '/hangs-3', '/hangs-4']) {
    world.receiver.serve(path, hold);
    await world.subscribe(caller, path);
  }
  world.receiver.serve('/prompt', { status: 200 });
  await world.subscribe(other, '/prompt');
  for (let count = 0; count < 10; count += 1) await world.publish(caller);
  const worker = startDeliveries(world.ctx, { pollMs: 20, concurrency: 8, accountConcurrency: 3 });
  workers.push(worker);
  await eventually('its share is in use', () => held.size === 3);
  for (let count = 1; count <= 20; count += 1) {
    await world.publish(other);
    await eventually('the prompt one', () => world.hitsOn('/prompt').length === count);
  }
  assert.equal(held.size, 3, 'none of the others has ended or begun');
  for (const answer of held) answer();
  held.clear();
  await eventually('the rest', async () => {
    for (const answer of held) answer();
    held.clear();
    return (await world.ctx.database.one(OPEN, [caller.accountId]))?.count === 0;
  });
});

test('receivers that answered and now hang, each with much to be sent, leave places for the others', async () => {
  const held = new Set<ServerResponse>();
  let isHanging = false;
  world.receiver.serve('/turns', (_hit, response) => {
    if (isHanging) {
      held.add(response);
      response.once('close', () => held.delete(response));
    } else {
      response.writeHead(200).end();
    }
  });
  world.receiver.serve('/goes-on', { status: 200 });
  const other = await openAccount(world.ctx);
  await world.subscribe(other, '/goes-on');
  const hanging = await Promise.all(Array.from({ length: 6 }, () => openAccount(world.ctx)));
  for (const caller of hanging) {
    await world.subscribe(caller, '/turns');
    await world.publish(caller);
  }
  workers.push(startDeliveries(world.ctx, { pollMs: 20, concurrency: 16 }));
  for (const caller of hanging) {
    await eventually(
      'it has answered',
      async () => (await world.ctx.database.one(OPEN, [caller.accountId]))?.count === 0,
    );
  }
  isHanging = true;
  for (const caller of hanging) for (let count = 0; count < 5; count += 1) await world.publish(caller);
  await eventually('most of the places hang', () => held.size >= 10);
  for (let count = 1; count <= 5; count += 1) {
    await world.publish(other);
    await eventually('the other goes on', () => world.hitsOn('/goes-on').length === count);
  }
  assert.ok(held.size <= 14, `${held.size} places are taken: four each for two at most, one each for the rest`);
  isHanging = false;
  for (const response of held) response.writeHead(200).end();
});

test('6.6 latency: first attempts wait for the next flush, which every node does at the same multiples of the interval', () => {
  const cases = [
    { flush: 300, now: '2026-11-21T10:00:00.000Z', due: '2026-11-21T10:05:00.000Z' },
    { flush: 300, now: '2026-11-21T10:00:00.001Z', due: '2026-11-21T10:05:00.000Z' },
    { flush: 300, now: '2026-11-21T10:04:59.999Z', due: '2026-11-21T10:05:00.000Z' },
    { flush: 60, now: '2026-12-31T23:59:59.999Z', due: '2027-01-01T00:00:00.000Z' },
    { flush: 0, now: '2026-11-21T10:04:59.999Z', due: '2026-11-21T10:04:59.999Z' },
  ];
  for (const { flush, now, due } of cases) {
    assert.equal(firstAttemptAt({ webhookFlushSeconds: flush }, new Date(now)).toISOString(), due);
  }
});

test('an event waits for its flush, and flushing now brings first attempts forward and no retry', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/flush', { status: 500 });
  const subscription = await world.subscribe(caller, '/flush');
  work();
  await world.publish(caller);
  await eventually(
    'a delivery that waits for its retry',
    async () => (await world.look(caller, subscription)).failure_count === 1,
  );
  await world.publish(caller, { dueAt: new Date(world.ctx.clock.now().getTime() + 300_000) });
  await severalPasses();
  assert.equal(world.hitsOn('/flush').length, 1);
  await flushNow(world.ctx.database, world.ctx.clock.now());
  await eventually('the flushed one', () => world.hitsOn('/flush').length === 2);
  await severalPasses();
  assert.equal(world.hitsOn('/flush').length, 2);
});

test('a worker that is woken sends at once', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/woken', { status: 200 });
  await world.subscribe(caller, '/woken');
  const worker = startDeliveries(world.ctx, { pollMs: 60_000 });
  workers.push(worker);
  for (const count of [1, 2, 3]) {
    await world.publish(caller);
    worker.wake();
    await eventually('the delivery', () => world.hitsOn('/woken').length === count, 2_000);
  }
});

test('a backlog of one receiver flows on as its answers come, without waiting for a poll', async () => {
  const caller = await openAccount(world.ctx);
  world.receiver.serve('/flows', { status: 200 });
  await world.subscribe(caller, '/flows');
  for (let count = 0; count < 40; count += 1) await world.publish(caller);
  workers.push(startDeliveries(world.ctx, { pollMs: 60_000 }));
  await eventually('the whole backlog', () => world.hitsOn('/flows').length === 40);
});

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
