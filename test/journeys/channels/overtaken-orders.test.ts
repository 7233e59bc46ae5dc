import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { shopOrderJobs } from '../../../src/channels/inbox/look-at-order.ts';
import type { ShopOrderView, ShopOrderWithAddress } from '../../../src/channels/inbox-schema.ts';
import type { ShopOrder } from '../../../src/channels/shop-order.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { parseId } from '../../../src/lib/ids.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import { forgetUnplaced } from '../../../src/privacy/erase/shop-orders-sql.ts';
import { eventually } from '../../harness/context.ts';
import { type Mailbox, openMailbox } from '../../harness/mailbox.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import {
  type ConnectedShop,
  closeShops,
  connectShop,
  endOrderJob,
  lookAgain,
  mystery,
  openShops,
  orderJobs,
  ordersOf,
  ourItem,
  runOrderJobs,
  seen,
  send,
  service,
  setItem,
  shopOrder,
} from './shops.ts';

// A shop changes its order at the moment at which it is placed. The workers are run by hand.

let mailbox: Mailbox;
before(async () => {
  mailbox = await openMailbox();
  await openShops('api', mailbox.env);
});
after(async () => {
  await closeShops();
  await mailbox.close();
});

/** What a worker that dies before it notes the order has done. */
async function placeUnnoted(shop: ConnectedShop, order: ShopOrder, more: object = {}): Promise<string> {
  const { contact_name, line1, city, postcode } = order.shipping_address as Record<string, string>;
  const { status, body, text } = await shop.customer.request<CreatedOrder>('POST', '/orders', {
    external_reference: `${shop.channelId}:${order.id}`,
    items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 1, print_jobs: [] }],
    shipping_address: { contact_name, line1, city, postcode, country_code: 'GB' },
    metadata: { channel: shop.channelId, shop_order: order.id, shop_number: '#1001' },
    ...more,
  });
  assert.equal(status, 201, text);
  await service.ctx.database.script(`update orders set source = 'channel' where reference = '${body.reference}'`);
  return body.id;
}

const later = (order: ShopOrder, changes: Partial<ShopOrder>): ShopOrder => {
  service.shiftMs(1_000);
  return { ...order, ...changes, updated_at: isoTime(service.ctx.clock.now()) };
};

const statusOf = async ({ owner }: ConnectedShop, id: string): Promise<string> =>
  (await owner.api<Order>('GET', `/orders/${id}`)).body.status;

test('a cancel that comes while its order is placed cancels that order', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const placed = await placeUnnoted(shop, order);
  await send(shop, later(order, { cancelled: true }));
  await runOrderJobs();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.order?.id], ['placed', 'cancelled', placed]);
  assert.equal(await statusOf(shop, placed), 'cancelled');
  await assertSound(service);
});

test('a cancel that is looked at before its order is placed by an earlier look cancels that order, too', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const [first] = await orderJobs();
  await send(shop, later(order, { cancelled: true }));
  await endOrderJob((await orderJobs())[1]);
  assert.equal((await seen(shop, body.id)).reason, 'cancelled_in_shop');
  // The first look has begun before, and ends now.
  const placed = await placeUnnoted(shop, order);
  await endOrderJob(first);
  await runOrderJobs();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.order?.id], ['placed', 'cancelled', placed]);
  assert.equal(await statusOf(shop, placed), 'cancelled');
});

const lineOf = async ({ owner }: ConnectedShop, id: string): Promise<string> =>
  (await owner.api<Order>('GET', `/orders/${id}`)).body.shipping_address.line1;

test('a change that comes while its order is placed is done as that of a placed order, and stays done', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const placed = await placeUnnoted(shop, order);
  const moved = { ...order.shipping_address, line1: '13 Mill Lane' };
  const changed = later(order, { shipping_address: moved, items: [ourItem(shop, { quantity: 2 })] });
  await send(shop, changed);
  await runOrderJobs();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.order?.id], ['placed', '', placed]);
  assert.deepEqual([view.items[0]?.quantity, view.items[0]?.state], [1, 'ours']);
  assert.equal(await lineOf(shop, placed), '13 Mill Lane');
  const added = async () => {
    const { body: list } = await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
    return list.data.flatMap(({ shop_order_id: of, reason, items }) =>
      of === `${order.id}:2` ? [[reason, items[0]?.quantity]] : [],
    );
  };
  assert.deepEqual(await added(), [['supplement', 1]]);
  await send(shop, later(changed, { on_hold: true }));
  await runOrderJobs();
  await send(shop, later(changed, {}));
  await runOrderJobs();
  assert.deepEqual([(await seen(shop, body.id)).reason, await lineOf(shop, placed)], ['', '13 Mill Lane']);
  assert.deepEqual(await added(), [['supplement', 1]]);
  await assertSound(service);
});

test('a change that comes while its order is placed, and cannot be done, is said and mailed, and its lines are known', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const placed = await placeUnnoted(shop, order);
  await send(shop, later(order, { shipping_address: { ...order.shipping_address, postcode: '' }, note: 'A gift.' }));
  await runOrderJobs();
  const { state, reason, problems, items } = await seen(shop, body.id);
  assert.deepEqual([state, reason, items[0]?.state], ['placed', 'changed_in_shop', 'ours']);
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['shipping_address.postcode', ''],
  );
  const whole = await shop.owner.request<ShopOrderWithAddress>('GET', `/shop-orders/${body.id}`);
  assert.deepEqual([whole.body.items[0]?.line, whole.body.order?.id], [0, placed]);
  const mails = await rows(service, "select 1 from mail where kind = 'held_in_shop' and account_id = $1", [
    shop.customer.accountId,
  ]);
  assert.equal(mails.length, 1);
  await send(shop, later(order, {}));
  await runOrderJobs();
  assert.equal(await lineOf(shop, placed), '12 Mill Lane');
});

test('an item that a shop takes out while its order is placed is cancelled, and the other one is made', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop, { items: [ourItem(shop), mystery] });
  const { body } = await send(shop, order);
  const line = { product_id: shop.productId, print_jobs: [], quantity: 1 };
  const other = { ...line, variant_sku: shop.sku.replace('WHT', 'BLK') };
  const placed = await placeUnnoted(shop, order, { items: [other, { ...line, variant_sku: shop.sku }] });
  await send(shop, later(order, { items: [ourItem(shop)] }));
  await runOrderJobs();
  const live = await rows<{ live: number }>(
    service,
    'select quantity - quantity_cancelled as live from order_line where order_id = $1 order by ordinal',
    [parseId('ord', placed) ?? assert.fail()],
  );
  assert.deepEqual([(await seen(shop, body.id)).reason, live], ['', [{ live: 0 }, { live: 1 }]]);
  await assertSound(service);
});

test('a look that is repeated after its worker has died finds its order, and says nothing', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const placed = await placeUnnoted(shop, order);
  await runOrderJobs();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.order?.id], ['placed', '', placed]);
});

test('a look that is repeated after its worker has died knows the rules of its shop: their service is ours', async () => {
  const shop = await connectShop();
  const rules = { services: [{ theirs: 'Fast', ours: 'Tracked 24' }], unknown_is_others: true };
  await shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body: rules });
  const order = shopOrder(shop, { shipping_method: 'Fast', items: [ourItem(shop), { ...mystery, id: '2' }] });
  const { body } = await send(shop, order);
  const placed = await placeUnnoted(shop, order, { shipping_service: 'Tracked 24' });
  await runOrderJobs();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.problems, view.order?.id], ['placed', '', [], placed]);
});

/** Does something while the look at an order has decided, and has not noted that yet. */
async function whileLookedAt(orderId: string, act: () => Promise<{ readonly status: number }>): Promise<void> {
  const [job] = await orderJobs();
  const noted = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = service.ctx.database.transaction(async (tx) => {
    await tx.all({ name: 'test_hold_order', text: 'select id from channel_order where id = $1 for update' }, [
      parseId('sho', orderId) ?? assert.fail(),
    ]);
    held.resolve();
    await noted.promise;
  });
  await held.promise;
  const looking = endOrderJob(job);
  await eventually('the look waits to note it', async () => (await waiting()) === 1);
  const acting = act();
  const isDone = acting.then(() => true);
  await eventually('it is done, or waits for the look', async () =>
    (await waiting()) === 2 ? true : Promise.race([isDone, Promise.resolve(false)]),
  );
  noted.resolve();
  await Promise.all([holding, looking]);
  assert.ok((await acting).status < 300);
  await lookAgain();
  await runOrderJobs();
}

async function waiting(): Promise<number> {
  const [row] = await rows<{ count: number }>(
    service,
    'select count(*)::integer as count from pg_locks where not granted',
  );
  return row?.count ?? 0;
}

test('an item that is mapped while its order is looked at is known to that order', async () => {
  const shop = await connectShop();
  const { body } = await send(shop, shopOrder(shop, { items: [mystery] }));
  const target = { key: 'variant 9001', title: 'Fern tee', product_id: shop.productId, variant_sku: shop.sku };
  await whileLookedAt(body.id, () => setItem(shop, target));
  assert.equal((await seen(shop, body.id)).state, 'placed');
});

test('a shop that goes on, or asks for no approval any more, while its order is looked at has it placed', async () => {
  for (const [before, after] of [
    [{ paused: true }, { paused: false }],
    [{ needs_approval: true }, { needs_approval: false }],
    [{ delay_minutes: 60 }, { delay_minutes: 0 }],
  ]) {
    const shop = await connectShop();
    const change = (body: object | undefined) => shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body });
    assert.equal((await change(before)).status, 200);
    const { body } = await send(shop, shopOrder(shop));
    await whileLookedAt(body.id, () => change(after));
    assert.equal((await seen(shop, body.id)).state, 'placed', JSON.stringify(before));
  }
});

test('a shop that is disconnected while its order is looked at has it ignored', async () => {
  const shop = await connectShop();
  const { body } = await send(shop, shopOrder(shop, { items: [mystery] }));
  await whileLookedAt(body.id, () => shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`));
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason], ['ignored', 'disconnected']);
});

test('what an order waits for is counted from when its shop lets it be placed', async () => {
  const shop = await connectShop();
  const rules = { delay_minutes: 45 };
  assert.equal((await shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body: rules })).status, 200);
  const order = shopOrder(shop, { unpaid: true });
  const { body } = await send(shop, order);
  await runOrderJobs();
  service.shiftMs(7_200_000);
  const paid = later(order, { unpaid: false, risk_pending: true });
  await send(shop, paid);
  await runOrderJobs();
  assert.equal((await seen(shop, body.id)).reason, 'risk_pending');
  service.shiftMs(1_801_000);
  await send(shop, later(paid, { note: 'A gift.' }));
  await runOrderJobs();
  assert.equal((await seen(shop, body.id)).reason, 'delayed', 'the shop has had half an hour for that');
  service.shiftMs(900_000);
  await lookAgain();
  await runOrderJobs();
  assert.equal((await seen(shop, body.id)).state, 'placed', 'what it changes meanwhile begins nothing anew');

  // WooCommerce cancels by itself what is not paid in an hour, and its buyer pays all the same.
  const restored = shopOrder(shop, { unpaid: true });
  const { id } = (await send(shop, restored)).body;
  await runOrderJobs();
  service.shiftMs(3_600_000);
  await send(shop, later(restored, { cancelled: true }));
  await runOrderJobs();
  service.shiftMs(3_600_000);
  await send(shop, later(restored, { unpaid: false }));
  await runOrderJobs();
  assert.equal((await seen(shop, id)).reason, 'delayed');
});

test('an item of others that their shop has held begins the delay of ours not anew', async () => {
  const shop = await connectShop();
  await shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body: { delay_minutes: 60 } });
  const theirs = { id: '2', title: 'Mug', quantity: 1, made_by_others: true };
  const order = shopOrder(shop, { items: [ourItem(shop), { ...theirs, on_hold: true }] });
  const { body } = await send(shop, order);
  await runOrderJobs();
  service.shiftMs(3_000_000);
  await send(shop, later(order, { items: [ourItem(shop), theirs] }));
  await runOrderJobs();
  service.shiftMs(660_000);
  await lookAgain();
  await runOrderJobs();
  assert.equal((await seen(shop, body.id)).state, 'placed', 'an hour is over since it came');
});

/** Does something while the look at an order that is due is placing it, before any of that is written. */
async function whileItIsPlaced(act: () => Promise<{ readonly status: number }>): Promise<number> {
  const [job = assert.fail()] = await orderJobs();
  const { placing } = service.ctx;
  let status = 0;
  const acting: typeof placing = async (...order) => {
    status = (await act()).status;
    return placing(...order);
  };
  await shopOrderJobs({ ...service.ctx, placing: acting })[0]?.run(job, new AbortController().signal);
  await runOrderJobs();
  return status;
}

/** A shop with an order whose delay is over, so that it is looked at now. */
async function delayedOrder(): Promise<{
  readonly shop: ConnectedShop;
  readonly order: ShopOrder;
  readonly id: string;
}> {
  const shop = await connectShop();
  await shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body: { delay_minutes: 60 } });
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  await runOrderJobs();
  service.shiftMs(3_601_000);
  await lookAgain();
  return { shop, order, id: body.id };
}

test('an order that a person ignores while it is placed is cancelled, its money is back, and it stays ignored', async () => {
  const { shop, order, id } = await delayedOrder();
  const before = await balancePence(service, shop.customer);
  const ignore = () => shop.owner.request('POST', `/shop-orders/${id}/ignore`);
  assert.equal(await whileItIsPlaced(ignore), 200);
  const [placed = assert.fail(), ...others] = await ordersOf(shop);
  assert.deepEqual([await statusOf(shop, placed.id), others], ['cancelled', []]);
  assert.equal(await balancePence(service, shop.customer), before);
  await send(shop, later(order, { note: 'As a gift.' }));
  await runOrderJobs();
  const view = await seen(shop, id);
  assert.deepEqual([view.state, view.reason, view.order], ['ignored', 'by_person', null]);
  await assertSound(service);
});

test('an order that is ignored when its worker has died, and the window is over: the print shop is asked to cancel it', async () => {
  const { shop, order, id } = await delayedOrder();
  const placed = await placeUnnoted(shop, order);
  service.shiftMs(3_700_000);
  assert.equal((await shop.owner.request('POST', `/shop-orders/${id}/ignore`)).status, 200);
  await runOrderJobs();
  const { state, reason, problems, order: here } = await seen(shop, id);
  assert.deepEqual([state, reason, here?.id], ['placed', 'asked_to_cancel', placed]);
  assert.match(problems[0]?.message ?? '', /^It was ignored while it was placed here/);
});

test('an order that is ignored while it is placed, and whose cancel fails for good, is for a person with a task', async () => {
  const { shop, order, id } = await delayedOrder();
  const [job = assert.fail()] = await orderJobs();
  const placed = await placeUnnoted(shop, order);
  assert.equal((await shop.owner.request('POST', `/shop-orders/${id}/ignore`)).status, 200);
  await shopOrderJobs(service.ctx)[0]?.giveUp(job, 'the provider is away');
  const { state, reason, problems, order: here } = await seen(shop, id);
  assert.deepEqual([state, reason, here?.id], ['placed', 'cancel_refused', placed]);
  assert.match(
    problems[0]?.message ?? '',
    /^It was ignored while it was placed, but here it goes on: its refund fails/,
  );
  const tasks = await rows<{ note: string; order: boolean }>(
    service,
    'select note, order_id is not null as order from ops_task where account_id = $1',
    [shop.customer.accountId],
  );
  assert.deepEqual([tasks.length, tasks[0]?.order], [1, true]);
  assert.match(tasks[0]?.note ?? '', /was ignored while it was placed, and its cancel failed/);
  await endOrderJob(job);
});

test('an order that is erased, or cancelled in its shop, while it is placed, and whose cancel fails, has a task, too', async () => {
  for (const [what, words] of [
    ['erased', 'had its recipient erased'],
    ['cancelled_in_shop', 'was cancelled in the shop'],
  ] as const) {
    const { shop, order, id } = await delayedOrder();
    const [job = assert.fail()] = await orderJobs();
    if (what === 'cancelled_in_shop') {
      await send(shop, later(order, { cancelled: true }));
      await endOrderJob((await orderJobs())[1]);
      await placeUnnoted(shop, order);
    } else {
      await placeUnnoted(shop, order);
      const ids = [parseId('sho', id) ?? assert.fail()];
      await forgetUnplaced(service.ctx.database, shop.customer.accountId, ids, service.ctx.clock.now());
    }
    assert.equal((await seen(shop, id)).reason, what);
    await shopOrderJobs(service.ctx)[0]?.giveUp(job, 'the provider is away');
    const { state, reason } = await seen(shop, id);
    assert.deepEqual([state, reason], ['placed', 'cancel_refused']);
    const tasks = await rows<{ note: string }>(service, 'select note from ops_task where account_id = $1', [
      shop.customer.accountId,
    ]);
    assert.deepEqual([tasks.length, tasks[0]?.note.includes(words)], [1, true]);
    await endOrderJob(job);
  }
});

test('an order whose recipient is erased while it is placed is cancelled, and an operator is to erase it, too', async () => {
  const { shop, order, id } = await delayedOrder();
  const placed = await placeUnnoted(shop, order);
  await forgetUnplaced(
    service.ctx.database,
    shop.customer.accountId,
    [parseId('sho', id) ?? assert.fail()],
    service.ctx.clock.now(),
  );
  await runOrderJobs();
  const { state, reason, order: here } = await seen(shop, id);
  assert.deepEqual([state, reason, here?.id], ['placed', 'cancelled', placed]);
  const tasks = await rows<{ kind: string; note: string }>(
    service,
    'select kind, note from ops_task where account_id = $1',
    [shop.customer.accountId],
  );
  assert.deepEqual([tasks.length, tasks[0]?.kind], [1, 'buyer_asks']);
  assert.ok(tasks[0]?.note.includes(`'{"order":"${placed}"}'`), tasks[0]?.note);
  await assertSound(service);
});

test('what a shop changes, or a person corrects, while the look goes on that places it reaches the order', async () => {
  const { shop, order, id } = await delayedOrder();
  const corrected = { ...order.shipping_address, country_code: 'GB', line1: '14 Mill Lane' };
  const correct = () => shop.owner.request('POST', `/shop-orders/${id}/address`, { body: corrected });
  assert.equal(await whileItIsPlaced(correct), 200);
  const placed = (await seen(shop, id)).order?.id ?? '';
  assert.deepEqual([(await seen(shop, id)).reason, await lineOf(shop, placed)], ['', '14 Mill Lane']);
  // What the shop sends with the address of before keeps it.
  await send(shop, later(order, { on_hold: true }));
  await runOrderJobs();
  await send(shop, later(order, {}));
  await runOrderJobs();
  assert.deepEqual([(await seen(shop, id)).reason, await lineOf(shop, placed)], ['', '14 Mill Lane']);

  const second = await delayedOrder();
  const moved = { ...second.order.shipping_address, line1: '15 Mill Lane' };
  assert.equal(
    await whileItIsPlaced(() => send(second.shop, later(second.order, { shipping_address: moved, note: 'A gift.' }))),
    202,
  );
  const { reason, problems, order: made } = await seen(second.shop, second.id);
  assert.deepEqual([reason, problems.length], ['changed_in_shop', 1], 'the note');
  assert.equal(await lineOf(second.shop, made?.id ?? ''), '15 Mill Lane');
  await assertSound(service);
});

test('what cannot be told apart, or is sent by its shop, while its order is placed is said and mailed, and changes nothing', async () => {
  const shop = await connectShop();
  const two = shopOrder(shop, { items: [ourItem(shop), ourItem(shop, { id: '2' })] });
  const line = { product_id: shop.productId, variant_sku: shop.sku, quantity: 1, print_jobs: [] };
  const changes: [ShopOrder, object, Partial<ShopOrder>][] = [
    [two, { items: [line, line] }, { items: [ourItem(shop, { id: '2' })] }],
    [shopOrder(shop), {}, { fulfilled: true }],
  ];
  for (const [order, more, change] of changes) {
    const { body } = await send(shop, order);
    const placed = await placeUnnoted(shop, order, more);
    await send(shop, later(order, change));
    await runOrderJobs();
    const { state, reason, problems, items, order: here } = await seen(shop, body.id);
    assert.deepEqual([state, reason, here?.id], ['placed', 'changed_in_shop', placed]);
    assert.match(problems[0]?.message ?? '', /^The shop has changed this order while it was placed/);
    assert.ok(items.some((item) => item.state === 'ours'));
    assert.notEqual(await statusOf(shop, placed), 'cancelled');
  }
  const mails = await rows(service, "select 1 from mail where kind = 'held_in_shop' and account_id = $1", [
    shop.customer.accountId,
  ]);
  assert.equal(mails.length, 2);
  await assertSound(service);
});
