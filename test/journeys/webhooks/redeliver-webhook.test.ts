import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { startDeliveries } from '../../../src/webhooks/deliver.ts';
import type { Delivery } from '../../../src/webhooks/recovery/deliveries-schema.ts';
import { eventually } from '../../harness/context.ts';
import { assertSigned } from '../../harness/receiver.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

const list = async (bearer: string, id: string): Promise<readonly Delivery[]> =>
  (await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries`)).body.data;
const again = (bearer: string, id: string, delivery: string) =>
  call<Delivery>(bearer, 'POST', `/webhooks/${id}/deliveries/${delivery}/redeliver`);

test('a delivery is sent again under the same event id, and one that waits is brought forward instead', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  let status = 204;
  world.receiver.serve('/again', (_hit, response) => void response.writeHead(status).end());
  const subscription = await world.subscribe(caller, '/again');
  const { id } = subscription;
  await world.publish(caller);
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  try {
    const [first] = await eventually('the delivery', async () => {
      const found = await list(bearer, id);
      return found[0]?.status === 'succeeded' && found;
    });
    assert.ok(first);
    const made = await again(bearer, id, first.id);
    assert.equal(made.status, 201);
    assert.notEqual(made.body.id, first.id);
    assert.deepEqual([made.body.kind, made.body.event_id, made.body.status], ['redelivery', first.event_id, 'pending']);
    const hits = await eventually('both', () => world.hitsOn('/again').length === 2 && world.hitsOn('/again'));
    assert.deepEqual(hits[1]?.body, hits[0]?.body, 'the same bytes, and so the same event id');
    assert.equal(hits[1]?.headers['svc-delivery-id'], made.body.id);
    assertSigned(hits[1] ?? assert.fail(), subscription.secret);

    // A redelivery that fails is retried, and counts towards nothing.
    status = 500;
    const failing = (await again(bearer, id, first.id)).body;
    const retrying = await eventually('its failure', async () =>
      (await list(bearer, id)).find((one) => one.id === failing.id && one.status === 'retrying'),
    );
    assert.equal((await world.look(caller, subscription)).failure_count, 0);
    status = 204;
    const forward = await again(bearer, id, retrying.id);
    assert.deepEqual([forward.status, forward.body.id], [200, retrying.id]);
    const done = await eventually('its retry', async () =>
      (await list(bearer, id)).find((one) => one.id === failing.id && one.status === 'succeeded'),
    );
    assert.equal(done.attempts, 2);
    assert.equal((await list(bearer, id)).length, 3);
  } finally {
    await worker.stop(2_000);
  }
});

test('nothing is sent again to a paused subscription, for another account, or once the event has left the log', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { id } = await world.subscribe(caller, '/refused');
  await world.publish(caller, { dueAt: new Date(Date.now() + 3_600_000) });
  const [delivery] = await list(bearer, id);
  assert.ok(delivery);
  assert.equal((await again(await token(), id, delivery.id)).status, 404);
  assert.equal((await again(bearer, id, publicId('dlv', newId()))).status, 404);
  assert.equal((await again(bearer, publicId('whk', newId()), delivery.id)).status, 404);

  await call(bearer, 'PATCH', `/webhooks/${id}`, { active: false });
  const paused = await call(bearer, 'POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
  assert.deepEqual([paused.status, paused.body.code], [409, 'conflict']);

  await call(bearer, 'PATCH', `/webhooks/${id}`, { active: true });
  await world.ctx.database.all({ name: 'test_drop_events', text: 'delete from event where account_id = $1' }, [
    caller.accountId,
  ]);
  const gone = await call(bearer, 'POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
  assert.deepEqual([gone.status, gone.body.code], [409, 'conflict']);
  assert.equal((await list(bearer, id)).length, 1, 'no delivery was made');
});
