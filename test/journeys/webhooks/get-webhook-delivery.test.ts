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
  const { request, answer, ...shown } = (await call<DeliveryDetail>(bearer, 'GET', path)).body;
  assert.deepEqual([shown, answer], [delivery, null]);
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

test('a failed delivery has the beginning of what its receiver answered, until it is answered otherwise; so does the subscription since when', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const said = `{"error":"the stock table is locked\0"}${'x'.repeat(2_000)}`;
  world.receiver.serve('/says', (_hit, response) => {
    const isFirst = world.hitsOn('/says').length === 1;
    response.writeHead(isFirst ? 500 : 200).end(isFirst ? said : 'thanks');
  });
  const { id } = await world.subscribe(caller, '/says');
  await world.publish(caller);
  // The receiver of the tests is a trusted private host, of which no text is taken: here it stands for a public one.
  const post: typeof world.ctx.outbound.post = async (url, options) => {
    const result = await world.ctx.outbound.post(url, options);
    if (result.kind === 'answered') options.takeAnswer?.(Buffer.from(result.status === 500 ? said : 'thanks'));
    return result;
  };
  const worker = startDeliveries({ ...world.ctx, outbound: { ...world.ctx.outbound, post } }, { pollMs: 20 });
  const ended = (status: string) =>
    eventually(status, async () => {
      const path = `/webhooks/${id}/deliveries?status=${status}`;
      return (await call<Page<Delivery>>(bearer, 'GET', path)).body.data[0];
    });
  try {
    const failed = await ended('retrying');
    const path = `/webhooks/${id}/deliveries/${failed.id}`;
    const { answer } = (await call<DeliveryDetail>(bearer, 'GET', path)).body;
    assert.equal(answer, said.replace('\0', '\ufffd').slice(0, 1_024));
    const failing = (await call(bearer, 'GET', `/webhooks/${id}`)).body;
    assert.deepEqual([failing.failing_since, failing.failure_count], [failed.attempted_at, 1]);
    assert.deepEqual((await call(bearer, 'GET', '/webhooks')).body.data[0]?.failing_since, failed.attempted_at);

    assert.equal((await call(bearer, 'POST', `${path}/redeliver`)).status, 200);
    await ended('succeeded');
    assert.equal((await call<DeliveryDetail>(bearer, 'GET', path)).body.answer, null);
    assert.equal((await call(bearer, 'GET', `/webhooks/${id}`)).body.failing_since, null);
  } finally {
    await worker.stop(2_000);
  }
});
