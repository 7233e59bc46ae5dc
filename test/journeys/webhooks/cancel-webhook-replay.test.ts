import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { newId, type Uuid } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { startDeliveries } from '../../../src/webhooks/deliver.ts';
import type { Delivery } from '../../../src/webhooks/recovery/deliveries-schema.ts';
import type { Replay } from '../../../src/webhooks/recovery/replay-schema.ts';
import { eventually } from '../../harness/context.ts';
import { past, replay, step } from './replays.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

const LEASED = {
  name: 'test_lease',
  text: 'update webhook_delivery set lease_token = $2, due_at = $3 where account_id = $1',
};
// The clock stays: ids of a time to come would be those of the next test file of this process, too.
const DUE = {
  name: 'test_due',
  text: "update webhook_delivery set due_at = created_at - interval '1 day' where account_id = $1",
};
const makeDue = (accountId: Uuid) => world.ctx.database.all(DUE, [accountId]);

async function begin(path: string, events: number) {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { at } = await past(caller, events);
  const { id } = await world.subscribe(caller, path);
  const started = (await replay(bearer, id, { since: at[0]?.toISOString() })).body.replay ?? assert.fail();
  await step();
  const of = `/webhooks/${id}/replays/${started.id}`;
  return {
    caller,
    look: async () => (await call<Replay>(bearer, 'GET', of)).body,
    cancel: async () => (await call<Replay>(bearer, 'PATCH', of, { status: 'cancelled' })).body,
    deliveries: async () => (await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries`)).body.data,
  };
}

test('after the attempts under way nothing more of a cancelled replay is sent, and they are counted as they end', async () => {
  const held: ServerResponse[] = [];
  world.receiver.serve('/leaving', (_hit, response) => void held.push(response));
  const { caller, look, cancel, deliveries } = await begin('/leaving', 5);
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  try {
    await eventually('an attempt', () => held.length === 1);
    const cancelled = await cancel();
    assert.deepEqual([cancelled.status, cancelled.sent], ['cancelled', 3]);
    assert.deepEqual([cancelled.succeeded, cancelled.failed], [0, 2], 'the one under way is not counted yet');
    held[0]?.writeHead(500).end();
    await eventually('its end', async () => (await deliveries()).some(({ attempts }) => attempts === 1));
    await step();
    const ended = await look();
    assert.deepEqual([ended.succeeded, ended.failed], [0, 3]);
    assert.deepEqual(new Set((await deliveries()).map(({ status }) => status)), new Set(['cancelled']));

    // Whatever retry there could be.
    await makeDue(caller.accountId);
    await step();
    world.receiver.serve('/afterwards', { status: 204 });
    const later = await begin('/afterwards', 1);
    await eventually('a later delivery', async () => (await later.deliveries())[0]?.status === 'succeeded');
    assert.equal(world.hitsOn('/leaving').length, 1);
    assert.deepEqual([(await look()).sent, (await look()).failed], [3, 3], 'and nothing is counted twice');
  } finally {
    await worker.stop(2_000);
  }
});

test('an attempt that succeeds after its replay was cancelled counts as succeeded', async () => {
  const held: ServerResponse[] = [];
  world.receiver.serve('/late', (_hit, response) => void held.push(response));
  const { look, cancel, deliveries } = await begin('/late', 1);
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  try {
    await eventually('an attempt', () => held.length === 1);
    await cancel();
    held[0]?.writeHead(204).end();
    await eventually('its end', async () => (await deliveries())[0]?.status === 'succeeded');
    await step();
    assert.deepEqual([(await look()).succeeded, (await look()).failed], [1, 0]);
  } finally {
    await worker.stop(2_000);
  }
});

test('the claim of a worker that died is not taken over once the replay is cancelled', async () => {
  const { caller, look, cancel } = await begin('/dead', 3);
  const lease = new Date(world.ctx.clock.now().getTime() + 30_000);
  await world.ctx.database.all(LEASED, [caller.accountId, newId() satisfies Uuid, lease]);
  assert.equal((await cancel()).failed, 0);
  await step();
  assert.equal((await look()).failed, 0, 'its lease runs');
  await makeDue(caller.accountId);
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  try {
    world.receiver.serve('/alive', { status: 204 });
    const later = await begin('/alive', 1);
    await eventually('another delivery', async () => (await later.deliveries())[0]?.status === 'succeeded');
  } finally {
    await worker.stop(2_000);
  }
  await step();
  assert.equal(world.hitsOn('/dead').length, 0);
  assert.deepEqual([(await look()).succeeded, (await look()).failed], [0, 3]);
});
