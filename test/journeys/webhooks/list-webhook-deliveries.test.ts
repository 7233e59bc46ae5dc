import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { startDeliveries } from '../../../src/webhooks/deliver.ts';
import type { Delivery } from '../../../src/webhooks/recovery/deliveries-schema.ts';
import { eventually } from '../../harness/context.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test('a developer finds what was sent and how it was answered, by status and by event, page by page', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  world.receiver.serve('/listed', (_hit, response) => {
    response.writeHead(world.hitsOn('/listed').length === 1 ? 500 : 204).end();
  });
  const { id } = await world.subscribe(caller, '/listed');
  const other = await world.subscribe(caller, '/not-listed', ['order.dispatched']);
  const far = new Date(Date.now() + 3_600_000);
  const list = async (query = '') =>
    (await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries${query}`)).body;

  await world.publish(caller);
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  try {
    await eventually('the failure', async () => (await list('?status=retrying')).data.length === 1);
    await world.publish(caller);
    await eventually('the success', async () => (await list('?status=succeeded')).data.length === 1);
  } finally {
    await worker.stop(2_000);
  }
  const event = await world.publish(caller, { dueAt: far });

  const all = await list();
  assert.deepEqual(
    all.data.map(({ status, attempts, response_code: code, kind }) => [status, attempts, code, kind]),
    [
      ['pending', 0, null, 'event'],
      ['succeeded', 1, 204, 'event'],
      ['retrying', 1, 500, 'event'],
    ],
  );
  assert.deepEqual([all.has_more, all.next_cursor], [false, null]);
  const [pending, succeeded, retrying] = all.data;
  assert.deepEqual(
    [pending?.event_id, pending?.attempted_at, pending?.next_attempt_at],
    [publicId('evt', event), null, far.toISOString()],
  );
  assert.deepEqual([succeeded?.next_attempt_at, succeeded?.error], [null, null]);
  assert.match(retrying?.error ?? '', /answered 500/);
  assert.ok(retrying?.next_attempt_at !== null);

  const first = await list('?limit=2');
  assert.deepEqual([first.data, first.has_more], [all.data.slice(0, 2), true]);
  assert.deepEqual((await list(`?limit=2&cursor=${first.next_cursor}`)).data, all.data.slice(2));
  assert.deepEqual(await list('?event=order.on_hold'), all);
  assert.deepEqual((await list('?event=order.created')).data, []);
  assert.deepEqual((await list('?status=abandoned')).data, []);
  const between = async (since: Date, until: Date) =>
    (await list(`?since=${since.toISOString()}&until=${until.toISOString()}`)).data;
  const made = new Date(succeeded?.created_at ?? '');
  const next = new Date(made.getTime() + 1);
  assert.ok((await between(made, next)).some((delivery) => delivery.id === succeeded?.id));
  const minuteLater = new Date(Date.parse(pending?.created_at ?? '') + 60_001);
  assert.deepEqual(await between(minuteLater, far), []);
  const minuteBefore = new Date(Date.parse(retrying?.created_at ?? '') - 60_000);
  assert.deepEqual(await between(new Date(0), minuteBefore), []);
  assert.deepEqual(await between(new Date(0), far), all.data);
  const ofOther = await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${other.id}/deliveries`);
  assert.deepEqual(ofOther.body.data, [], 'each subscription has its own');

  // A pause ends what is open, at once and whether the worker has come to it or not.
  await call(bearer, 'PATCH', `/webhooks/${id}`, { active: false });
  assert.deepEqual(
    (await list('?status=cancelled')).data.map(({ id: of, next_attempt_at: next }) => [of, next]),
    [
      [pending?.id, null],
      [retrying?.id, null],
    ],
  );
  assert.deepEqual([(await list('?status=pending')).data, (await list('?status=retrying')).data], [[], []]);
});

test("5.5 another account's subscription is 404, and an unknown filter or cursor 422", async () => {
  const bearer = await token();
  const { id } = await world.subscribe(callerOf(bearer), '/one');
  assert.equal((await call(await token(), 'GET', `/webhooks/${id}/deliveries`)).status, 404);
  assert.equal((await call(bearer, 'GET', `/webhooks/${publicId('whk', newId())}/deliveries`)).status, 404);
  assert.equal((await call(bearer, 'GET', '/webhooks/nonsense/deliveries')).status, 404);
  for (const query of [
    'status=lost',
    'event=order.delivered',
    'limit=0',
    'cursor=evt_1',
    'since=today',
    'until=2026-02-30T00:00:00.000Z',
  ]) {
    assert.equal((await call(bearer, 'GET', `/webhooks/${id}/deliveries?${query}`)).status, 422, query);
  }
});
