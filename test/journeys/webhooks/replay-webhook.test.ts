import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import { startDeliveries } from '../../../src/webhooks/deliver.ts';
import type { Delivery } from '../../../src/webhooks/recovery/deliveries-schema.ts';
import type { Replay } from '../../../src/webhooks/recovery/replay-schema.ts';
import { startRecovery } from '../../../src/webhooks/recovery/run-replays.ts';
import { eventually } from '../../harness/context.ts';
import { past, replay } from './replays.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

const idsOn = (path: string): string[] =>
  world.hitsOn(path).map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);

test('a replay counts first, and then sends each event of its time once, oldest first, under its own id', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { ids, at } = await past(caller, 12);
  world.receiver.serve('/replayed', { status: 204 });
  const { id } = await world.subscribe(caller, '/replayed');
  const span = { since: at[1]?.toISOString(), until: at[11]?.toISOString() };

  const plan = await replay(bearer, id, { ...span, dry_run: true });
  assert.deepEqual([plan.status, plan.body], [200, { ...span, events: 10, replay: null }]);
  const none = await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries`);
  assert.deepEqual(none.body.data, [], 'a count sends nothing, and neither does a new subscription');

  const started = await replay(bearer, id, span);
  assert.equal(started.status, 201);
  const begun = started.body.replay ?? assert.fail();
  assert.deepEqual([begun.status, begun.events, begun.sent], ['running', 10, 0]);
  const workers = [startDeliveries(world.ctx, { pollMs: 20 }), startRecovery(world.ctx)];
  const done = await eventually('its end', async () => {
    const { body } = await call<Replay>(bearer, 'GET', `/webhooks/${id}/replays/${begun.id}`);
    return body.status === 'completed' && body;
  });
  await Promise.all(workers.map((worker) => worker.stop(2_000)));
  assert.deepEqual([done.sent, done.succeeded, done.failed], [10, 10, 0]);
  assert.ok(done.ended_at !== null);
  const came = idsOn('/replayed');
  assert.deepEqual(came.toSorted(), ids.slice(1, 11).toSorted());
  // Three at a time, whose order among themselves is the network's.
  for (const [place, event] of came.entries()) assert.ok(Math.abs(ids.indexOf(event) - 1 - place) < 3);
  const { body: deliveries } = await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries`);
  assert.deepEqual([...new Set(deliveries.data.map(({ kind }) => kind))], ['replay']);

  assert.equal((await call(bearer, 'DELETE', `/webhooks/${id}`)).status, 204, 'with its replays');
});

test("5.5 a replay to another account's subscription is 404; a time that is none, ends early or is too old is 422", async () => {
  const bearer = await token();
  const { at } = await past(callerOf(bearer), 2);
  const since = at[0]?.toISOString();
  const { id } = await world.subscribe(callerOf(bearer), '/refused');
  assert.equal((await replay(await token(), id, { since })).status, 404);
  assert.equal((await replay(bearer, 'nonsense', { since })).status, 404);
  const now = world.ctx.clock.now().getTime();
  const day = (days: number) => new Date(now - days * 86_400_000).toISOString();
  for (const sent of [
    {},
    { since: '2026-02-30T00:00:00.000Z' },
    { since: day(1), until: day(2) },
    { since: day(-1) },
    { since: day(60), until: day(50) },
    { since, until: 'yesterday' },
  ]) {
    assert.equal((await replay(bearer, id, sent)).status, 422, JSON.stringify(sent));
  }
  const old = await replay(bearer, id, { since: day(400), dry_run: true });
  assert.ok(Date.parse(old.body.since) > Date.parse(day(31)), 'from where the log begins');
});
