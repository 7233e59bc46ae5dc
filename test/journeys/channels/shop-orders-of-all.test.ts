import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { shopOrderJobs } from '../../../src/channels/inbox/look-at-order.ts';
import type { OpsShopOrder } from '../../../src/channels/inbox-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { rows } from '../../harness/written.ts';
import { closeShops, connectShop, looked, openShops, ordersOf, sendAndLook, service, shopOrder } from './shops.ts';

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'production');
});
after(closeShops);

type Page = { data: OpsShopOrder[] };

test('an order that failed is in the list of operators with a task, and is placed once it is tried again', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop, { high_risk: true }));
  // As if the queue had given it up.
  const [row] = await rows<{ id: string; revision: number }>(
    service,
    `update channel_order set state = 'new', reason = '' where id = (select id from channel_order order by id desc limit 1)
     returning id, revision`,
  );
  const [handler] = shopOrderJobs(service.ctx);
  const job = {
    id: row?.id,
    kind: 'shop_order',
    key: '',
    payload: row,
    attempts: 8,
    account_id: shop.customer.accountId,
  } as Parameters<NonNullable<typeof handler>['giveUp']>[0];
  await handler?.giveUp(job, 'a bug of ours');
  const listed = (await floor.request<Page>('GET', '/shop-orders')).body.data;
  assert.deepEqual(
    listed.map(({ id, state, account_id: account }) => [id, state, account]),
    [[view.id, 'failed', publicId('acct', shop.customer.accountId)]],
  );
  const tasks = await rows<{ note: string }>(service, "select note from ops_task where kind = 'shop_order_failed'");
  assert.deepEqual([tasks.length, tasks[0]?.note.includes(view.id)], [1, true]);
  const placed = await floor.request<OpsShopOrder>('POST', `/shop-orders/${view.id}/place`);
  assert.equal(placed.status, 200, placed.text);
  assert.equal((await looked(shop, view.id)).state, 'placed');
  assert.equal((await ordersOf(shop)).length, 1);
  const again = await floor.request('POST', `/shop-orders/${view.id}/place`);
  assert.equal(again.status, 409);
});

test('operators see the orders of all shops by state, ignore one, and refuse nothing that is placed', async () => {
  const [one, other] = [await connectShop(), await connectShop()];
  const waiting = [
    await sendAndLook(one, shopOrder(one, { on_hold: true })),
    await sendAndLook(other, shopOrder(other, { on_hold: true })),
  ];
  const listed = (await floor.request<Page>('GET', '/shop-orders?state=waiting')).body.data;
  assert.deepEqual(
    listed.slice(0, 2).map(({ id }) => id),
    waiting.map(({ id }) => id).toReversed(),
  );
  const [first] = waiting;
  const ignored = await floor.request<OpsShopOrder>('POST', `/shop-orders/${first?.id}/ignore`);
  assert.deepEqual([ignored.status, ignored.body.state], [200, 'ignored']);
  assert.equal((await floor.request('POST', `/shop-orders/${first?.id}/ignore`)).status, 409);
  const placed = await sendAndLook(one, shopOrder(one));
  assert.equal((await floor.request('POST', `/shop-orders/${placed.id}/ignore`)).status, 409);
  assert.equal((await floor.request('GET', '/shop-orders/sho_01kb0000000000000000000000')).status, 404);
  assert.equal(
    (await floor.request<OpsShopOrder>('GET', `/shop-orders/${placed.id}`)).body.order?.id,
    placed.order?.id,
  );
  const viewer = await openFloor(service, 'viewer');
  assert.equal((await viewer.request('POST', `/shop-orders/${waiting[1]?.id}/ignore`)).status, 403);
  assert.equal((await floor.request('GET', '/shop-orders?state=lost')).status, 422);
});

test('operators narrow the orders of all shops to a reason, and get the same as CSV', async () => {
  const [one, other] = [await connectShop(), await connectShop()];
  const unpaid = [
    await sendAndLook(one, shopOrder(one, { unpaid: true })),
    await sendAndLook(other, shopOrder(other, { unpaid: true })),
  ].map(({ id }) => id);
  const idsOf = async (query: string): Promise<string[]> =>
    (await floor.request<Page>('GET', `/shop-orders?${query}`)).body.data.map(({ id }) => id);
  assert.deepEqual(await idsOf('reason=unpaid'), unpaid.toReversed());
  assert.deepEqual(await idsOf('reason=unpaid&state=waiting'), unpaid.toReversed());
  assert.deepEqual(await idsOf('reason=unpaid&state=failed'), []);
  assert.deepEqual(await idsOf(`reason=unpaid&cursor=${unpaid[1]}`), [unpaid[0]]);
  const { token } = await service.openOperator('viewer');
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
  const csv = await (await fetch(`${service.url}/ops/v1/shop-orders?reason=unpaid`, { headers })).text();
  assert.deepEqual([csv.trim().split('\r\n').length, unpaid.every((id) => csv.includes(id))], [3, true], csv);
  const refused = await floor.request<{ errors: { path: string }[] }>('GET', '/shop-orders?reason=lost');
  assert.deepEqual([refused.status, refused.body.errors[0]?.path], [422, 'reason']);
});

test('operators see all orders of one customer and of one shop, as its people do', async () => {
  const [one, other] = [await connectShop(), await connectShop()];
  const account = publicId('acct', one.customer.accountId);
  const ids = [
    await sendAndLook(one, shopOrder(one, { unpaid: true })),
    await sendAndLook(one, shopOrder(one)),
    await sendAndLook(other, shopOrder(other, { unpaid: true })),
  ].map(({ id }) => id);
  const [unpaid, placed] = ids;
  const idsOf = async (query: string): Promise<string[]> =>
    (await floor.request<Page>('GET', `/shop-orders?${query}`)).body.data.map(({ id }) => id);
  assert.deepEqual(await idsOf(`account=${account}`), [placed, unpaid]);
  assert.deepEqual(await idsOf(`channel=${one.channelId}`), [placed, unpaid]);
  assert.deepEqual(await idsOf(`account=${account}&channel=${one.channelId}&state=waiting`), [unpaid]);
  assert.deepEqual(await idsOf(`channel=${one.channelId}&reason=unpaid`), [unpaid]);
  assert.deepEqual(await idsOf(`channel=${one.channelId}&limit=1&cursor=${placed}`), [unpaid]);
  assert.deepEqual(await idsOf(`account=${account}&channel=${other.channelId}`), []);
  assert.deepEqual(await idsOf('account=acct_01kb0000000000000000000000'), []);
  assert.deepEqual(await idsOf('account=nothing'), []);
  assert.equal((await floor.request('GET', '/shop-orders?channel=chan_01kb0000000000000000000000')).status, 404);
});
