import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, parseId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { REPLAYED_ATTEMPTED, startDeliveries } from '../../../src/webhooks/deliver.ts';
import type { Delivery } from '../../../src/webhooks/recovery/deliveries-schema.ts';
import type { Replay } from '../../../src/webhooks/recovery/replay-schema.ts';
import { eventually } from '../../harness/context.ts';
import { past, replay, step } from './replays.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

const END = { name: 'test_end', text: `update webhook_delivery set state = 'succeeded' where account_id = $1` };
const endDeliveries = (accountId: Uuid) => world.ctx.database.all(END, [accountId]);

test('a replay is paused, resumed and cancelled; it never has more than three deliveries under way', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { at } = await past(caller, 9);
  const { id } = await world.subscribe(caller, '/held', ['order.on_hold', 'order.created']);
  const started = (await replay(bearer, id, { since: at[0]?.toISOString() })).body.replay ?? assert.fail();
  const path = `/webhooks/${id}/replays/${started.id}`;
  const look = async () => (await call<Replay>(bearer, 'GET', path)).body;
  const change = (status: string) => call<Replay>(bearer, 'PATCH', path, { status });
  const open = async () =>
    (await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries?status=pending`)).body.data.length;

  for (let round = 0; round < 3; round += 1) await step();
  assert.deepEqual([(await look()).sent, await open()], [3, 3]);
  assert.equal((await change('paused')).body.status, 'paused');
  assert.equal((await change('paused')).body.status, 'paused', 'twice is once');
  await endDeliveries(caller.accountId);
  await step();
  assert.equal((await look()).sent, 3, 'nothing follows while it is paused');
  assert.equal((await change('running')).body.status, 'running');
  await step();
  assert.deepEqual([(await look()).sent, (await look()).succeeded], [6, 3]);

  const second = await call(bearer, 'POST', `/webhooks/${id}/replay`, { since: at[0]?.toISOString() });
  assert.deepEqual([second.status, second.body.code], [409, 'conflict']);
  const cancelled = (await change('cancelled')).body;
  assert.deepEqual([cancelled.status, cancelled.sent], ['cancelled', 6]);
  assert.equal(await open(), 0, 'what waits is taken back');
  await step();
  const after = await look();
  assert.deepEqual([after.sent, after.succeeded, after.failed], [6, 3, 3]);
  assert.equal((await change('cancelled')).status, 200);
  assert.equal((await change('running')).status, 409);
  assert.equal((await replay(bearer, id, { since: at[0]?.toISOString() })).status, 201, 'another may follow');
});

type Place = { moved: boolean; version: string };
const PLACE = {
  name: 'test_place',
  text: 'select place = ceiling as moved, xmin::text as version from webhook_replay where account_id = $1',
};

test('a replay whose events all have deliveries reads none again, and one that breaks does not stop the next', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { at } = await past(caller, 2);
  const since = at[0]?.toISOString();
  const [broken, sound] = [await world.subscribe(caller, '/broken'), await world.subscribe(caller, '/sound')];
  const first = (await replay(bearer, broken.id, { since })).body.replay ?? assert.fail();
  const id = parseId('rpl', first.id) ?? assert.fail();
  const full = { name: 'test_full', text: 'update webhook_replay set sent = $2 where id = $1' };
  await world.ctx.database.all(full, [id, 2_147_483_647]);
  const second = (await replay(bearer, sound.id, { since })).body.replay ?? assert.fail();
  await step();
  const look = async () => (await call<Replay>(bearer, 'GET', `/webhooks/${sound.id}/replays/${second.id}`)).body;
  assert.deepEqual([(await look()).sent, (await look()).status], [2, 'running']);
  assert.ok(
    world.ctx.logged.some((line) => line.includes('a replay could not be taken on') && line.includes(first.id)),
  );

  await world.ctx.database.all({ name: 'test_unbroken', text: 'delete from webhook_replay where id = $1' }, [id]);
  const place = async () => (await world.ctx.database.all<Place>(PLACE, [caller.accountId]))[0] ?? assert.fail();
  assert.equal((await place()).moved, true, 'three had room and two came: there are no more');

  const { version } = await place();
  assert.equal(await step(), 0, 'none was taken on, so that the worker waits longer');
  assert.equal((await place()).version, version, 'and nothing was written');
  await endDeliveries(caller.accountId);
  assert.equal(await step(), 1);
  assert.deepEqual([(await look()).status, (await look()).succeeded], ['completed', 2]);
});

test('events that left the log before their turn are counted as expired once the replay is completed', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { at, ids } = await past(caller, 5);
  const { id } = await world.subscribe(caller, '/expired');
  const begun = (await replay(bearer, id, { since: at[0]?.toISOString() })).body.replay ?? assert.fail();
  const look = async () => (await call<Replay>(bearer, 'GET', `/webhooks/${id}/replays/${begun.id}`)).body;
  await step();
  assert.deepEqual([(await look()).sent, (await look()).expired], [3, 0]);
  const last = parseId('evt', ids[4] ?? '') ?? assert.fail();
  await world.ctx.database.all({ name: 'test_drop', text: 'delete from event where id = $1' }, [last]);
  for (let round = 0; round < 2; round += 1) {
    await endDeliveries(caller.accountId);
    await step();
  }
  const { status, events, sent, succeeded, expired } = await look();
  assert.deepEqual([status, events, sent, succeeded, expired], ['completed', 5, 4, 4, 1]);
});

test('a replay pauses with its subscription and says why; the failures of replays count towards nothing', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { at } = await past(caller, 4);
  world.receiver.serve('/down', { status: 500 });
  const subscription = await world.subscribe(caller, '/down');
  const { id } = subscription;
  const started = (await replay(bearer, id, { since: at[0]?.toISOString() })).body.replay ?? assert.fail();
  const path = `/webhooks/${id}/replays/${started.id}`;
  await step();
  const hints: string[] = [];
  const worker = startDeliveries({ ...world.ctx, wake: (hint) => void hints.push(hint) }, { pollMs: 20 });
  try {
    await eventually('the failures', async () => {
      const list = await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries?status=retrying`);
      return list.body.data.length === 3;
    });
  } finally {
    await worker.stop(2_000);
  }
  assert.deepEqual(new Set(hints), new Set([REPLAYED_ATTEMPTED]), 'its worker need not look all the time');
  assert.equal((await world.look(caller, subscription)).failure_count, 0);

  await call(bearer, 'PATCH', `/webhooks/${id}`, { active: false });
  await step();
  const paused = (await call<Replay>(bearer, 'GET', path)).body;
  assert.equal(paused.status, 'paused');
  assert.match(paused.paused_reason ?? '', /Set active to true/);
  assert.equal((await call(bearer, 'PATCH', path, { status: 'running' })).status, 409);
  assert.equal((await replay(bearer, id, { since: at[0]?.toISOString() })).status, 409);
  await call(bearer, 'PATCH', `/webhooks/${id}`, { active: true });
  const resumed = (await call<Replay>(bearer, 'PATCH', path, { status: 'running' })).body;
  assert.deepEqual([resumed.status, resumed.paused_reason], ['running', null]);
});

test("5.5 another account's replay is not changed, and neither is one of another subscription", async () => {
  const bearer = await token();
  const { at } = await past(callerOf(bearer), 2);
  const { id } = await world.subscribe(callerOf(bearer), '/kept');
  const elsewhere = await world.subscribe(callerOf(bearer), '/elsewhere');
  const begun = (await replay(bearer, id, { since: at[0]?.toISOString() })).body.replay ?? assert.fail();
  const status = 'cancelled';
  for (const [who, path] of [
    [await token(), `/webhooks/${id}/replays/${begun.id}`],
    [bearer, `/webhooks/${elsewhere.id}/replays/${begun.id}`],
    [bearer, `/webhooks/${id}/replays/${publicId('rpl', newId())}`],
    [bearer, `/webhooks/${id}/replays/nonsense`],
  ] as const) {
    assert.equal((await call(who, 'PATCH', path, { status })).status, 404, path);
  }
  const path = `/webhooks/${id}/replays/${begun.id}`;
  assert.equal((await call(bearer, 'PATCH', path, { status: 'completed' })).status, 422);
  assert.deepEqual((await call<Replay>(bearer, 'GET', path)).body, begun);
});
