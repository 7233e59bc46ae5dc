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

const END = { name: 'test_end', text: `update webhook_delivery set state = 'succeeded' where account_id = $1` };

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

    // While one is open, the event has no second.
    await eventually('its end', async () =>
      (await list(bearer, id)).some((one) => one.id === made.body.id && one.status === 'succeeded'),
    );

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

test('of many requests at once one makes a redelivery, and the others get the same one', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { id } = await world.subscribe(caller, '/many');
  await world.publish(caller, { dueAt: new Date(Date.now() + 3_600_000) });
  const first = (await list(bearer, id))[0] ?? assert.fail();
  await world.ctx.database.all(END, [caller.accountId]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => again(bearer, id, first.id)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 200).length, 19);
  const made = new Set(answers.map(({ body }) => body.id));
  assert.equal(made.size, 1);
  assert.equal((await list(bearer, id)).length, 2);

  await world.ctx.database.all(END, [caller.accountId]);
  const [one] = [...made];
  const next = await again(bearer, id, one ?? assert.fail());
  assert.equal(next.status, 201, 'once it has ended another may follow');
  const named = await again(bearer, id, first.id);
  assert.deepEqual([named.status, named.body.id], [200, next.body.id], 'whichever delivery of the event is named');

  const elsewhere = await world.subscribe(caller, '/many-elsewhere');
  assert.equal((await again(bearer, elsewhere.id, first.id)).status, 404);
});

test('a subscription has a hundred redeliveries under way at most; another has its own', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const [{ id }, other] = [await world.subscribe(caller, '/full'), await world.subscribe(caller, '/free')];
  for (let event = 0; event < 101; event += 1) await world.publish(caller);
  await world.ctx.database.all(END, [caller.accountId]);
  const all = (await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries?limit=100`)).body;
  const last = (await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries?cursor=${all.next_cursor}`)).body;
  for (const { id: delivery } of all.data) assert.equal((await again(bearer, id, delivery)).status, 201);
  const left = last.data[0] ?? assert.fail();
  const refused = await call(bearer, 'POST', `/webhooks/${id}/deliveries/${left.id}/redeliver`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.equal((await again(bearer, id, all.data[0]?.id ?? '')).status, 200, 'those under way can be asked for');
  const free = (await list(bearer, other.id))[0] ?? assert.fail();
  assert.equal((await again(bearer, other.id, free.id)).status, 201);
  await world.ctx.database.all(END, [caller.accountId]);
  assert.equal((await again(bearer, id, left.id)).status, 201, 'once they have ended');
});

test('an event that is older than the log is not sent again, though a redelivery still keeps it', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { id } = await world.subscribe(caller, '/old');
  await world.publish(caller);
  const first = (await list(bearer, id))[0] ?? assert.fail();
  await world.ctx.database.all(END, [caller.accountId]);
  const open = await again(bearer, id, first.id);
  assert.equal(open.status, 201);
  world.ctx.clock.shift(31 * 86_400_000);
  assert.equal((await again(bearer, id, first.id)).status, 200, 'the one that is open is brought forward');
  await world.ctx.database.all(END, [caller.accountId]);
  const later = await call(bearer, 'POST', `/webhooks/${id}/deliveries/${first.id}/redeliver`);
  assert.deepEqual([later.status, later.body.code], [409, 'conflict']);
});
