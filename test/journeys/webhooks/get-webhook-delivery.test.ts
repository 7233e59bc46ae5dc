import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { startDeliveries } from '../../../src/webhooks/deliver.ts';
import type { Delivery, DeliveryDetail } from '../../../src/webhooks/recovery/deliveries-schema.ts';
import { eventually } from '../../harness/context.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test('a delivery is read with the request that its receiver got, by its own account alone (5.5)', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  world.receiver.serve('/sent', { status: 204 });
  const { id } = await world.subscribe(caller, '/sent');
  const other = await world.subscribe(caller, '/other', ['order.dispatched']);
  await world.publish(caller);
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  const delivery = await eventually('the delivery', async () => {
    const path = `/webhooks/${id}/deliveries?status=succeeded`;
    return (await call<Page<Delivery>>(bearer, 'GET', path)).body.data[0];
  });
  await worker.stop(2_000);
  const path = `/webhooks/${id}/deliveries/${delivery.id}`;
  const { request, ...shown } = (await call<DeliveryDetail>(bearer, 'GET', path)).body;
  assert.deepEqual(shown, delivery);
  const hit = world.hitsOn('/sent')[0] ?? assert.fail();
  assert.deepEqual(request?.body, JSON.parse(hit.body.toString()));
  for (const [name, value] of Object.entries(request?.headers ?? {})) assert.equal(hit.headers[name], value, name);
  assert.equal(request?.headers['svc-delivery-id'], delivery.id);

  for (const [who, wrong] of [
    [await token(), path],
    [bearer, `/webhooks/${other.id}/deliveries/${delivery.id}`],
    [bearer, `/webhooks/${id}/deliveries/${publicId('dlv', newId())}`],
    [bearer, `/webhooks/${id}/deliveries/whk_1`],
  ] as const) {
    assert.equal((await call(who, 'GET', wrong)).status, 404, wrong);
  }
  const drop = { name: 'test_drop_events', text: 'delete from event where account_id = $1' };
  await world.ctx.database.all(drop, [caller.accountId]);
  assert.equal((await call<DeliveryDetail>(bearer, 'GET', path)).body.request, null, 'the event has left the log');
});
