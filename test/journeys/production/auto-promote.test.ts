import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlaceOrderItem } from '../../../src/orders/schema.ts';
import { POLL_MS, promoteDueOrders } from '../../../src/production/auto-promote.ts';
import { eventually } from '../../harness/context.ts';
import { count, type Floor, openFloor, placeOrder } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, teeItem } from '../../harness/shop.ts';
import { assertSound, levelOf, rows } from '../../harness/written.ts';

const WINDOW_MS = 3_600_000;

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service);
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

const blank = (sku: string, quantity = 1): PlaceOrderItem =>
  teeItem(service, { variant_sku: sku, quantity, print_jobs: [] });
const pass = () => promoteDueOrders(service.ctx);
const closeWindows = () => service.shiftMs(WINDOW_MS + 1);

async function stateOf({ id }: { id: string }): Promise<string> {
  return (await floor.request('GET', `/orders/${id}`)).body.state;
}

async function triesOf(order: { reference: string }): Promise<readonly string[]> {
  const found = await rows<{ created_at: Date }>(
    service,
    'select p.created_at from promotion_shortage p join orders o on o.id = p.order_id where o.reference = $1',
    [order.reference],
  );
  return found.map(({ created_at: at }) => at.toISOString());
}

test('a paid order is promoted by itself once its cancellation window has closed, and not a moment before', async () => {
  const order = await placeOrder(service);
  assert.deepEqual(await pass(), { promoted: 0, short: 0 });
  const until = new Date(order.cancellable_until).getTime();
  service.shiftMs(until - service.ctx.clock.now().getTime() - 500);
  assert.deepEqual(await pass(), { promoted: 0, short: 0 });
  service.shiftMs(1_000);
  // An order that something else holds at this moment is passed over, and is there for the next pass.
  let promoted = 0;
  await eventually('it is promoted', async () => {
    promoted += (await pass()).promoted;
    return promoted > 0;
  });
  assert.equal(promoted, 1);
  const { body } = await floor.request('GET', `/orders/${order.id}`);
  assert.equal(body.state, 'released');
  const { action, actor, reason } = body.history.at(-1) ?? assert.fail('no history');
  assert.deepEqual([action, actor, reason], ['promote', 'system', 'automatic promotion']);
  assert.deepEqual(await pass(), { promoted: 0, short: 0 });
});

test('orders that are unpaid, held or cancelled are left alone', async () => {
  const poor = await service.openCustomer();
  const product = await addProduct(service, poor, 'TEE-CLASSIC');
  const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
  const unpaid = await placeOrder(service, { items }, poor);
  const held = await placeOrder(service);
  await floor.post(`/orders/${held.id}/hold`, { reason: 'a question' });
  const cancelled = await placeOrder(service);
  await service.customer.request('POST', `/orders/${cancelled.id}/cancel`);
  closeWindows();
  assert.deepEqual(await pass(), { promoted: 0, short: 0 });
  assert.deepEqual(
    [await stateOf(unpaid), await stateOf(held), await stateOf(cancelled)],
    ['awaiting_payment', 'on_hold', 'cancelled'],
  );
});

test('the oldest gets what there is; one that is short holds nobody up, is not tried in vain, and is the first after a receipt', async () => {
  const sku = 'TEE-CLASSIC-NVY-S';
  await count(floor, sku, 5);
  const oldest = await placeOrder(service, { items: [blank(sku, 3)] });
  const large = await placeOrder(service, { items: [blank(sku, 4)] });
  const small = await placeOrder(service, { items: [blank(sku, 2)] });
  const other = await placeOrder(service);
  closeWindows();
  assert.deepEqual(await pass(), { promoted: 3, short: 1 });
  assert.deepEqual(await Promise.all([oldest, large, small, other].map(stateOf)), [
    'released',
    'placed',
    'released',
    'released',
  ]);
  const tried = await triesOf(large);
  assert.equal(tried.length, 1);
  service.shiftMs(1_000);
  assert.deepEqual(await pass(), { promoted: 0, short: 0 }, 'nothing has come in, so it is not tried again');
  assert.deepEqual(await triesOf(large), tried);
  const late = await service.customer.request('POST', '/orders', basket(service, { items: [blank(sku)] }));
  assert.deepEqual([late.status, late.body.code], [409, 'out_of_stock'], 'nothing is available to a new order either');
  await floor.post('/stock/receipts', { items: [{ sku, quantity: 3 }] }, 201);
  assert.deepEqual(await pass(), { promoted: 0, short: 0 }, 'three are not enough for four');
  await floor.post('/stock/receipts', { items: [{ sku, quantity: 1 }] }, 201);
  assert.deepEqual(await pass(), { promoted: 1, short: 0 });
  assert.deepEqual([await stateOf(large), await triesOf(large)], ['released', []]);
  assert.deepEqual(await levelOf(service, sku), { on_hand: 9, allocated: 9 });
});

test('an order that was short of one variant and then proves short of another waits for that', async () => {
  const [one, two] = ['TEE-CLASSIC-SKY-S', 'TEE-CLASSIC-SKY-M'];
  await count(floor, one, 1);
  await count(floor, two, 1);
  const order = await placeOrder(service, { items: [blank(one), blank(two)] });
  await count(floor, one, 0);
  closeWindows();
  assert.deepEqual(await pass(), { promoted: 0, short: 1 });
  await count(floor, two, 0);
  await count(floor, one, 1);
  assert.deepEqual(await pass(), { promoted: 0, short: 1 });
  assert.deepEqual(await pass(), { promoted: 0, short: 0 });
  await count(floor, two, 1);
  assert.deepEqual(await pass(), { promoted: 1, short: 0 });
  assert.equal(await stateOf(order), 'released');
});

test('an order that was short of what is cancelled by now is promoted, although more of it is promised than there is', async () => {
  const [short, there] = ['TEE-CLASSIC-SKY-XL', 'TEE-CLASSIC-SKY-2XL'];
  await count(floor, short, 2);
  await count(floor, there, 1);
  const first = await placeOrder(service, { items: [blank(short)] });
  const order = await placeOrder(service, { items: [blank(short), blank(there)] });
  await floor.post(`/orders/${first.id}/promote`);
  await count(floor, short, 1);
  closeWindows();
  assert.deepEqual(await pass(), { promoted: 0, short: 1 });
  await count(floor, short, 0);
  await floor.post(`/orders/${order.id}/cancel`, { reason: 'no more', line_ids: [order.items.lineItems[0]?.id] });
  assert.deepEqual(await pass(), { promoted: 1, short: 0 });
  assert.equal(await stateOf(order), 'released');
});

test('what a short order waited for is forgotten with the order: cancelled by its owner or the shop, or promoted by hand', async () => {
  const sku = 'TEE-CLASSIC-SKY-L';
  await count(floor, sku, 3);
  const [own, shop, hand] = [
    await placeOrder(service, { items: [blank(sku)] }),
    await placeOrder(service, { items: [blank(sku)] }),
    await placeOrder(service, { items: [blank(sku)] }),
  ];
  await count(floor, sku, 0);
  closeWindows();
  assert.deepEqual(await pass(), { promoted: 0, short: 3 });
  for (const order of [own, shop, hand]) assert.equal((await triesOf(order)).length, 1);
  // Its window is open again, as after a mistake in the settings: only then does its owner still cancel it.
  await rows(
    service,
    "update orders set cancellable_until = cancellable_until + interval '1 day' where reference = $1",
    [own.reference],
  );
  assert.equal((await service.customer.request('POST', `/orders/${own.id}/cancel`)).status, 200);
  await floor.post(`/orders/${shop.id}/hold`, { reason: 'no such blanks any more' });
  assert.equal((await triesOf(shop)).length, 1, 'a hold may be resumed');
  await floor.post(`/orders/${shop.id}/cancel`, { reason: 'no such blanks any more' });
  await count(floor, sku, 1);
  await floor.post(`/orders/${hand.id}/promote`);
  for (const order of [own, shop, hand]) assert.deepEqual(await triesOf(order), [], order.reference);
});

test('an order that fails for another reason is logged and keeps no other back', async () => {
  const broken = await placeOrder(service);
  const good = await placeOrder(service);
  closeWindows();
  await service.ctx.database.script(`
    create function fail_one() returns trigger language plpgsql as $$ begin
      if exists (select from orders where id = new.order_id and reference = '${broken.reference}') then
        raise exception 'broken';
      end if;
      return new;
    end $$;
    create trigger fail_one before insert on allocation for each row execute function fail_one();`);
  try {
    assert.deepEqual(await pass(), { promoted: 1, short: 0 });
  } finally {
    await service.ctx.database.script('drop function fail_one() cascade');
  }
  assert.deepEqual([await stateOf(broken), await stateOf(good)], ['placed', 'released']);
  assert.deepEqual(await pass(), { promoted: 1, short: 0 });
});

test('AUTO_PROMOTE=on: the workers do it by themselves, and a receipt sets the waiting orders off', async () => {
  const on = await startTestService({ env: { AUTO_PROMOTE: 'on' } });
  try {
    const there = await openFloor(on);
    const sku = 'TEE-CLASSIC-WHT-L';
    const good = await placeOrder(on);
    const short = await placeOrder(on, { items: [teeItem(on, { variant_sku: sku, print_jobs: [] })] });
    await count(there, sku, 0);
    on.shiftMs(WINDOW_MS + 1);
    const isReleased = async ({ id }: { id: string }) =>
      (await there.request('GET', `/orders/${id}`)).body.state === 'released';
    await eventually('the order is promoted', () => isReleased(good));
    await eventually(
      'the short one was tried',
      async () => (await rows(on, 'select 1 from promotion_shortage')).length > 0,
    );
    await there.post('/stock/receipts', { items: [{ sku, quantity: 1 }] }, 201);
    await eventually('the receipt sets it off', () => isReleased(short));
  } finally {
    await on.stop();
  }
});

test('AUTO_PROMOTE is off unless it is set: nothing is promoted by itself', async () => {
  const order = await placeOrder(service);
  closeWindows();
  assert.equal(service.ctx.config.autoPromote, false);
  // A receipt wakes a promotion that runs; without one its polls come by.
  await floor.post('/stock/receipts', { items: [{ sku: 'TEE-CLASSIC-WHT-L', quantity: 1 }] }, 201);
  const endsAt = Date.now() + 3 * POLL_MS;
  while (Date.now() < endsAt) {
    assert.equal(await stateOf(order), 'placed');
    await delay(POLL_MS / 10);
  }
  const moves = await rows<{ action: string }>(
    service,
    'select action from order_history h join orders o on o.id = h.order_id where o.reference = $1',
    [order.reference],
  );
  assert.deepEqual(
    moves.map(({ action }) => action),
    ['place'],
  );
});
