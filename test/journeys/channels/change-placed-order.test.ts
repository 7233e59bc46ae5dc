import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ShopOrderView, ShopOrderWithAddress } from '../../../src/channels/inbox-schema.ts';
import type { ShopItem, ShopOrder } from '../../../src/channels/shop-order.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { parseId } from '../../../src/lib/ids.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { closeWindow, openFloor, ship } from '../../harness/floor.ts';
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
  runOrderJob,
  runOrderJobs,
  seen,
  send,
  service,
  setItem,
  shopOrder,
} from './shops.ts';

// A shop changes an order that is placed. The workers are run by hand.

let mailbox: Mailbox;
before(async () => {
  mailbox = await openMailbox();
  await openShops('api', mailbox.env);
});
after(async () => {
  await closeShops();
  await mailbox.close();
});

type Placed = {
  readonly shop: ConnectedShop;
  readonly order: ShopOrder;
  readonly id: string;
  readonly orderId: string;
};

/** An order of so many pieces, in two lines, that is placed. */
async function place(pieces: readonly number[], covers = 12): Promise<Placed> {
  const shop = await connectShop(covers);
  const items = pieces.map((quantity, index) => ourItem(shop, { id: String(index + 1), quantity }));
  const order = shopOrder(shop, { items });
  const { body } = await send(shop, order);
  await runOrderJobs();
  const view = await seen(shop, body.id);
  assert.equal(view.state, 'placed', JSON.stringify(view.problems));
  return { shop, order, id: body.id, orderId: view.order?.id ?? '' };
}

/** What the shop has of the order some time later. */
async function change({ shop, order }: Placed, changes: Partial<ShopOrder>): Promise<void> {
  service.shiftMs(1_000);
  const { status } = await send(shop, { ...order, ...changes, updated_at: isoTime(service.ctx.clock.now()) });
  assert.equal(status, 202);
  await runOrderJobs();
}

const here = async ({ shop, orderId }: Placed): Promise<Order> =>
  (await shop.owner.api<Order>('GET', `/orders/${orderId}`)).body;

/** How many pieces of each line are made. */
async function liveOf({ orderId }: Placed): Promise<readonly number[]> {
  const live = await rows<{ live: number }>(
    service,
    'select quantity - quantity_cancelled as live from order_line where order_id = $1 order by ordinal',
    [parseId('ord', orderId) ?? assert.fail()],
  );
  return live.map((line) => line.live);
}

const items = (placed: Placed, ...quantities: readonly number[]): ShopItem[] =>
  quantities.flatMap((quantity, index) =>
    quantity === 0 ? [] : [ourItem(placed.shop, { id: String(index + 1), quantity })],
  );

/** What was added to an order: all that the inbox has of it but the order itself. */
async function addedTo({ shop, order }: Placed): Promise<readonly ShopOrderView[]> {
  const { body } = await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
  return body.data.filter(({ shop_order_id: id }) => id.startsWith(`${order.id}:`));
}

const answer = ({ shop }: Placed, id: string, action: 'place' | 'ignore') =>
  shop.owner.request('POST', `/shop-orders/${id}/${action}`);

describe('an address', () => {
  test('is changed here, and members that are gone are gone; the same again changes nothing', async () => {
    const placed = await place([1]);
    const address = { ...placed.order.shipping_address, line1: '13 Mill Lane', line2: 'Flat 2' };
    await change(placed, { shipping_address: address });
    const view = await seen(placed.shop, placed.id);
    assert.deepEqual([view.state, view.reason, view.problems], ['placed', '', []]);
    const { shipping_address: changed } = await here(placed);
    assert.deepEqual([changed.line1, changed.line2], ['13 Mill Lane', 'Flat 2']);
    await change(placed, { shipping_address: { ...address, line2: '' } });
    assert.equal((await here(placed)).shipping_address.line2, '');
    assert.deepEqual(await rows(service, 'select 1 from channel_order where later is not null'), []);
  });

  test('is changed after the window, until the order is made; then it is said in words', async () => {
    const placed = await place([1]);
    service.shiftMs(3_700_000);
    await change(placed, { shipping_address: { ...placed.order.shipping_address, line1: '14 Mill Lane' } });
    assert.equal((await here(placed)).shipping_address.line1, '14 Mill Lane');
    const floor = await openFloor(service, 'admin');
    await floor.post(`/orders/${placed.orderId}/promote`);
    for (const { id } of (await here(placed)).items) await floor.post(`/orders/${placed.orderId}/lines/${id}/start`);
    await change(placed, { shipping_address: { ...placed.order.shipping_address, line1: '15 Mill Lane' } });
    const { reason, problems } = await seen(placed.shop, placed.id);
    assert.deepEqual([reason, problems.map(({ path }) => path)], ['changed_in_shop', ['shipping_address']]);
    assert.match(problems[0]?.message ?? '', /here it is as it was/);
    assert.equal((await here(placed)).shipping_address.line1, '14 Mill Lane');
    // The shop takes it back: there is nothing to say any more.
    await change(placed, { shipping_address: { ...placed.order.shipping_address, line1: '14 Mill Lane' } });
    assert.equal((await seen(placed.shop, placed.id)).reason, '');
  });

  test('that is wrong, or has other prices, is said with its field, and what else has changed is done', async () => {
    const placed = await place([3]);
    const { shipping_address: before } = placed.order;
    await change(placed, { shipping_address: { ...before, postcode: ' ' }, items: items(placed, 2) });
    const wrong = await seen(placed.shop, placed.id);
    assert.deepEqual(
      [wrong.reason, wrong.problems.map(({ path }) => path)],
      ['changed_in_shop', ['shipping_address.postcode']],
    );
    assert.deepEqual(await liveOf(placed), [2]);
    await change(placed, { shipping_address: { ...before, country_code: 'FR' }, items: items(placed, 2) });
    const elsewhere = await seen(placed.shop, placed.id);
    assert.match(elsewhere.problems[0]?.message ?? '', /another territory/);
    assert.equal((await here(placed)).shipping_address.country_code, 'GB');
  });
});

describe('fewer pieces', () => {
  test('are cancelled and given back, once, however often it is done', async () => {
    const placed = await place([3, 2]);
    const before = await balancePence(service, placed.shop.customer);
    service.shiftMs(1_000);
    await send(placed.shop, {
      ...placed.order,
      items: items(placed, 1, 2),
      updated_at: isoTime(service.ctx.clock.now()),
    });
    const [job] = await orderJobs();
    assert.ok(job !== undefined);
    // A worker dies after the pieces are cancelled, and before that is noted.
    await service.ctx.database.script(
      `create function test_die() returns trigger language plpgsql as $$ begin raise exception 'the worker dies'; end $$;
       create trigger test_die before update on channel_order for each row when (old.later is not null) execute function test_die()`,
    );
    await assert.rejects(runOrderJob(job));
    await service.ctx.database.script('drop trigger test_die on channel_order; drop function test_die()');
    assert.deepEqual(await liveOf(placed), [1, 2]);
    const after = await balancePence(service, placed.shop.customer);
    assert.ok(after > before);
    await runOrderJobs();
    assert.deepEqual(await liveOf(placed), [1, 2]);
    assert.equal(await balancePence(service, placed.shop.customer), after);
    const view = await seen(placed.shop, placed.id);
    assert.deepEqual([view.reason, view.items.map(({ quantity }) => quantity)], ['', [1, 2]]);
    await change(placed, { items: items(placed, 1, 0) });
    assert.deepEqual(await liveOf(placed), [1, 0]);
    await assertSound(service);
  });

  test('none at all cancels the order', async () => {
    const placed = await place([2]);
    await change(placed, { items: [{ id: '9', title: 'Gift card', quantity: 1, made_by_others: true }] });
    assert.deepEqual(
      [(await seen(placed.shop, placed.id)).reason, (await here(placed)).status],
      ['cancelled', 'cancelled'],
    );
    assert.deepEqual(await addedTo(placed), []);
  });

  test('after the window are made, and that is said', async () => {
    const placed = await place([3]);
    service.shiftMs(3_700_000);
    await change(placed, { items: items(placed, 1) });
    const { reason, problems } = await seen(placed.shop, placed.id);
    assert.deepEqual([reason, problems.map(({ path }) => path)], ['changed_in_shop', ['items']]);
    assert.deepEqual(await liveOf(placed), [3]);
  });
});

test('fewer pieces of an order that is sent are no news: the shop has taken them back', async () => {
  const placed = await place([2]);
  const floor = await openFloor(service, 'admin');
  await closeWindow(service, await here(placed));
  await floor.post(`/orders/${placed.orderId}/promote`);
  const [line] = (await here(placed)).items;
  await floor.post(`/orders/${placed.orderId}/lines/${line?.id}/start`);
  await ship(floor, placed.orderId, [{ line_id: line?.id, quantity: 2 }]);
  await change(placed, { items: items(placed, 1) });
  const view = await seen(placed.shop, placed.id);
  assert.deepEqual([view.reason, view.problems, await liveOf(placed)], ['', [], [2]]);
});

describe('more pieces', () => {
  test('wait as an addition, which a person places: an order of its own with a number after its reference', async () => {
    const placed = await place([1]);
    await change(placed, { items: items(placed, 3) });
    const [added] = await addedTo(placed);
    assert.deepEqual([added?.state, added?.reason, added?.number], ['waiting', 'supplement', '#1001']);
    assert.deepEqual(
      added?.items.map(({ quantity }) => quantity),
      [2],
    );
    assert.equal((await ordersOf(placed.shop)).length, 1);
    assert.equal((await answer(placed, added?.id ?? '', 'place')).status, 200);
    await runOrderJobs();
    const references = (await ordersOf(placed.shop)).map(({ external_reference: reference }) => reference);
    const own = `${placed.shop.channelId}:${placed.order.id}`;
    assert.deepEqual(references.toSorted(), [own, `${own}:2`]);
    // The same again adds nothing; more is another addition.
    await change(placed, { items: items(placed, 3) });
    assert.equal((await addedTo(placed)).length, 1);
    await change(placed, { items: items(placed, 4) });
    const [newest, before] = await addedTo(placed);
    assert.deepEqual([newest?.state, newest?.items[0]?.quantity, before?.state], ['waiting', 1, 'placed']);
    assert.equal(newest?.shop_order_id, `${placed.order.id}:3`);
    await assertSound(service);
  });

  test('that change again before a person has answered are one addition, and none once they are taken back', async () => {
    const placed = await place([1]);
    await change(placed, { items: items(placed, 3) });
    await change(placed, { items: items(placed, 5) });
    const [raised, ...others] = await addedTo(placed);
    assert.deepEqual([raised?.items[0]?.quantity, others.length], [4, 0]);
    await change(placed, { items: items(placed, 1) });
    const [gone] = await addedTo(placed);
    assert.deepEqual([gone?.state, gone?.reason], ['ignored', 'cancelled_in_shop']);
    assert.deepEqual(await liveOf(placed), [1]);
    await change(placed, { items: items(placed, 3) });
    const [anew] = await addedTo(placed);
    assert.deepEqual([anew?.state, anew?.items[0]?.quantity], ['waiting', 2]);
  });

  test('that a person has declined are not asked for again', async () => {
    const placed = await place([1]);
    await change(placed, { items: items(placed, 2) });
    const [added] = await addedTo(placed);
    assert.equal((await answer(placed, added?.id ?? '', 'ignore')).status, 200);
    await change(placed, { items: items(placed, 2), note: 'As a gift.' });
    assert.deepEqual(
      (await addedTo(placed)).map(({ state }) => state),
      ['ignored'],
    );
    assert.equal((await seen(placed.shop, placed.id)).reason, 'changed_in_shop');
    await change(placed, { items: items(placed, 4) });
    assert.deepEqual(
      (await addedTo(placed)).map(({ state, items: [item] }) => [state, item?.quantity]),
      [
        ['waiting', 2],
        ['ignored', 1],
      ],
      'what was declined is not in it',
    );
  });

  test('keep the address that a person has put right', async () => {
    const placed = await place([1]);
    const later = { ...placed.order.shipping_address, postcode: '' };
    await change(placed, { items: items(placed, 2), shipping_address: later });
    const [added] = await addedTo(placed);
    const correct = { body: { ...placed.order.shipping_address, country_code: 'GB', line1: '16 Mill Lane' } };
    assert.equal((await placed.shop.owner.request('POST', `/shop-orders/${added?.id}/address`, correct)).status, 200);
    await runOrderJobs();
    await change(placed, { items: items(placed, 3), shipping_address: later });
    await answer(placed, added?.id ?? '', 'place');
    await runOrderJobs();
    const [whole] = await addedTo(placed);
    assert.deepEqual([whole?.state, whole?.items[0]?.quantity], ['placed', 2]);
    const { shipping_address: address } = await here({ ...placed, orderId: whole?.order?.id ?? '' });
    assert.equal(address.line1, '16 Mill Lane');
  });

  test('go where their order goes, though a person has put its address right here', async () => {
    const placed = await place([1]);
    const own = { line1: '99 Right Street' };
    const moved = await placed.shop.customer.request('PATCH', `/orders/${placed.orderId}/address`, own);
    assert.equal(moved.status, 200, moved.text);
    await change(placed, { items: items(placed, 2) });
    const [added] = await addedTo(placed);
    await change(placed, { items: items(placed, 3) });
    await answer(placed, added?.id ?? '', 'place');
    await runOrderJobs();
    const [whole] = await addedTo(placed);
    assert.deepEqual([whole?.state, whole?.items[0]?.quantity], ['placed', 2]);
    assert.equal(
      (await here({ ...placed, orderId: whole?.order?.id ?? '' })).shipping_address.line1,
      '99 Right Street',
    );
  });

  test('of which the shop makes another once they are placed are said, as those of the order itself', async () => {
    const placed = await place([1]);
    const [own = assert.fail(), more = assert.fail()] = items(placed, 1, 1);
    await change(placed, { items: [own, more] });
    const [added] = await addedTo(placed);
    await answer(placed, added?.id ?? '', 'place');
    await runOrderJobs();
    await change(placed, { items: [own, { ...more, sku: 'MUG-OF-OTHERS', title: 'A mug' }] });
    const { reason, problems } = await seen(placed.shop, placed.id);
    assert.deepEqual([reason, problems.map(({ path }) => path)], ['changed_in_shop', ['items[1]']]);
    await change(placed, { items: [own, more] });
    assert.equal((await seen(placed.shop, placed.id)).reason, '');
  });

  test('have the address of the shop where that of their order was erased', async () => {
    const placed = await place([1]);
    await closeWindow(service, { reference: (await here(placed)).reference });
    await rows(
      service,
      `update orders set erased_at = now(), shipping_address =
         (select jsonb_object_agg(key, case key when 'country_code' then 'GB' else '' end) from jsonb_each(shipping_address))
       where id = $1 returning id`,
      [parseId('ord', placed.orderId) ?? assert.fail()],
    );
    await change(placed, { items: items(placed, 2) });
    const [added] = await addedTo(placed);
    const whole = await placed.shop.owner.request<ShopOrderWithAddress>('GET', `/shop-orders/${added?.id}`);
    assert.equal(whole.body.shipping_address?.line1, '12 Mill Lane');
  });

  test('that replace the only line are ordered as the shop has them when a person answers', async () => {
    const placed = await place([1]);
    const replaced = (id: string): ShopItem[] => [ourItem(placed.shop, { id })];
    await change(placed, { items: replaced('L') });
    assert.equal((await here(placed)).status, 'cancelled');
    await change(placed, { items: replaced('XL') });
    const moved = { ...placed.order.shipping_address, line1: '99 New Street' };
    await change(placed, { items: replaced('XL'), shipping_address: moved });
    const added = await addedTo(placed);
    assert.deepEqual(
      added.map(({ state, items: [item] }) => [state, item?.id]),
      [['waiting', 'XL']],
    );
    const { reason, problems } = await seen(placed.shop, placed.id);
    assert.deepEqual([reason, problems], ['', []]);
    await answer(placed, added[0]?.id ?? '', 'place');
    await runOrderJobs();
    const [whole] = await addedTo(placed);
    assert.equal((await here({ ...placed, orderId: whole?.order?.id ?? '' })).shipping_address.line1, '99 New Street');
  });

  test('that replace the only line are ordered though a worker dies once that was cancelled', async () => {
    const placed = await place([1]);
    service.shiftMs(1_000);
    const items = [ourItem(placed.shop, { id: 'L' })];
    await send(placed.shop, { ...placed.order, items, updated_at: isoTime(service.ctx.clock.now()) });
    await service.ctx.database.script(`
      create function dies() returns trigger language plpgsql as $$ begin raise exception 'it dies'; end $$;
      create trigger dies before insert on channel_order for each row when (new.supplement_of is not null)
        execute function dies()`);
    const [job = assert.fail()] = await orderJobs();
    await assert.rejects(runOrderJob(job));
    await service.ctx.database.script('drop trigger dies on channel_order; drop function dies()');
    await endOrderJob(job);
    await runOrderJobs();
    const added = await addedTo(placed);
    assert.deepEqual(
      added.map(({ state, items: [item] }) => [state, item?.id]),
      [['waiting', 'L']],
    );
  });

  test('that are taken back once they are placed are cancelled there, first the later ones', async () => {
    const placed = await place([2]);
    await change(placed, { items: items(placed, 5) });
    const [added] = await addedTo(placed);
    await answer(placed, added?.id ?? '', 'place');
    await runOrderJobs();
    const [order] = await addedTo(placed);
    await change(placed, { items: items(placed, 3) });
    assert.deepEqual([await liveOf(placed), await liveOf({ ...placed, orderId: order?.order?.id ?? '' })], [[2], [1]]);
    await assertSound(service);
  });

  test('of an item that is new wait for its mapping; what others make is theirs', async () => {
    const placed = await place([1]);
    const others = { id: '8', title: 'Gift card', quantity: 1, made_by_others: true };
    await change(placed, { items: [...items(placed, 1), others] });
    assert.deepEqual([(await seen(placed.shop, placed.id)).reason, await addedTo(placed)], ['', []]);
    await change(placed, { items: [...items(placed, 1), others, { ...mystery, id: '7', quantity: 1 }] });
    const [added] = await addedTo(placed);
    assert.equal(added?.reason, 'needs_mapping');
    const { productId, sku } = placed.shop;
    await setItem(placed.shop, { key: 'variant 9001', title: 'Fern tee', product_id: productId, variant_sku: sku });
    await lookAgain();
    await runOrderJobs();
    assert.equal((await addedTo(placed))[0]?.reason, 'supplement');
  });

  test('of an item that is not known are of others, where the shop says that of the unknown', async () => {
    const placed = await place([1]);
    const rule = { unknown_is_others: true };
    assert.equal(
      (await placed.shop.owner.request('PATCH', `/channels/${placed.shop.channelId}`, { body: rule })).status,
      200,
    );
    await change(placed, { items: [...items(placed, 1), { ...mystery, id: '9' }] });
    const { reason, items: seenItems } = await seen(placed.shop, placed.id);
    assert.deepEqual([reason, await addedTo(placed)], ['', []]);
    assert.deepEqual(
      seenItems.map(({ state }) => state),
      ['ours', 'others'],
    );
  });

  test('are cancelled with the order, placed or not', async () => {
    const placed = await place([1]);
    await change(placed, { items: items(placed, 2) });
    const [added] = await addedTo(placed);
    await answer(placed, added?.id ?? '', 'place');
    await runOrderJobs();
    await change(placed, { items: items(placed, 3) });
    await change(placed, { items: items(placed, 3), cancelled: true });
    assert.equal((await seen(placed.shop, placed.id)).reason, 'cancelled');
    assert.deepEqual(
      (await addedTo(placed)).map(({ state, reason }) => `${state} ${reason}`),
      ['ignored cancelled_in_shop', 'placed cancelled'],
    );
    await assertSound(service);
  });

  test('stay where a cancel comes late, which the shop has taken back since', async () => {
    const placed = await place([1]);
    await change(placed, { items: items(placed, 2) });
    const [added] = await addedTo(placed);
    await answer(placed, added?.id ?? '', 'place');
    await runOrderJobs();
    service.shiftMs(1_000);
    const cancelledAt = isoTime(service.ctx.clock.now());
    await change(placed, { items: items(placed, 2) });
    const late = { ...placed.order, items: items(placed, 2), cancelled: true, updated_at: cancelledAt };
    assert.equal((await send(placed.shop, late)).status, 202);
    await runOrderJobs();
    assert.deepEqual([(await seen(placed.shop, placed.id)).reason, await liveOf(placed)], ['', [1]]);
    assert.deepEqual(
      (await addedTo(placed)).map(({ state, reason }) => `${state} ${reason}`),
      ['placed '],
    );
  });
});

test('a cancel of an order whose people have asked the print shop to cancel it already is no refusal', async () => {
  const placed = await place([1]);
  service.shiftMs(3_700_000);
  const path = `/orders/${placed.orderId}/cancellation-request`;
  const asked = await placed.shop.customer.request('POST', path, { reason: 'other', text: 'A wrong colour.' });
  assert.ok(asked.status < 300, asked.text);
  await change(placed, { cancelled: true });
  const { reason, problems } = await seen(placed.shop, placed.id);
  assert.deepEqual([reason, problems], ['asked_to_cancel', []]);
});

test('what a shop changes with taking back its cancel is done, and the request to the print shop is said', async () => {
  const placed = await place([2]);
  service.shiftMs(3_700_000);
  await change(placed, { cancelled: true });
  assert.equal((await seen(placed.shop, placed.id)).reason, 'asked_to_cancel');
  const moved = { ...placed.order.shipping_address, line1: '13 Mill Lane' };
  await change(placed, { shipping_address: moved, items: items(placed, 3) });
  const { reason, problems } = await seen(placed.shop, placed.id);
  assert.equal(reason, 'changed_in_shop');
  assert.match(problems[0]?.message ?? '', /Withdraw that request/);
  assert.equal((await here(placed)).shipping_address.line1, '13 Mill Lane');
  assert.deepEqual(
    (await addedTo(placed)).map(({ items: [item] }) => item?.quantity),
    [1],
  );
});

test('what a buyer entered anew, or a note, is said to be another, and is no longer once it is taken back', async () => {
  const placed = await place([1]);
  const engraved = items(placed, 1).map((item) => ({ ...item, properties: [{ name: 'Name', value: 'Ada' }] }));
  await change(placed, { items: engraved });
  const made = await seen(placed.shop, placed.id);
  assert.deepEqual([made.reason, made.problems.map(({ path }) => path)], ['changed_in_shop', ['items[0]']]);
  await change(placed, { note: 'As a gift.' });
  assert.deepEqual(
    (await seen(placed.shop, placed.id)).problems.map(({ path }) => path),
    [''],
  );
  await change(placed, {});
  assert.deepEqual([(await seen(placed.shop, placed.id)).reason, await addedTo(placed)], ['', []]);
});

test('a variant that the shop has deleted since changes no order of it, and another SKU does', async () => {
  const shop = await connectShop();
  const item = ourItem(shop, { variant_id: '77' });
  const order = shopOrder(shop, { items: [item] });
  const { body } = await send(shop, order);
  await runOrderJobs();
  const { variant_id: _gone, ...left } = item;
  const placed = { shop, order, id: body.id, orderId: (await seen(shop, body.id)).order?.id ?? '' };
  await change(placed, { items: [left] });
  assert.deepEqual((await seen(shop, body.id)).problems, []);
  const mails = "select from mail where kind = 'held_in_shop' and account_id = $1";
  assert.equal((await rows(service, mails, [shop.customer.accountId])).length, 0);
  await change(placed, { items: [{ ...left, sku: 'MUG' }] });
  assert.equal((await seen(shop, body.id)).reason, 'changed_in_shop');
  await change(placed, { items: [item] });
  assert.equal((await seen(shop, body.id)).reason, '');
});

test('a hold of the shop stops nothing here: it is said, and mailed once a day, until it is released', async () => {
  const placed = await place([1, 1]);
  const held = items(placed, 1, 1).map((item, index) => (index === 0 ? { ...item, on_hold: true } : item));
  await change(placed, { items: held });
  const { reason, problems } = await seen(placed.shop, placed.id);
  assert.equal(reason, 'changed_in_shop');
  assert.match(problems[0]?.message ?? '', /The shop holds this order since it was placed, and here it goes on/);
  await change(placed, { on_hold: true });
  const mails = () =>
    rows(service, "select recipient from mail where kind = 'held_in_shop' and account_id = $1", [
      placed.shop.customer.accountId,
    ]);
  assert.deepEqual(await mails(), [{ recipient: placed.shop.owner.person.email }]);
  assert.deepEqual(await liveOf(placed), [1, 1]);
  await change(placed, {});
  assert.equal((await seen(placed.shop, placed.id)).reason, '');
});

test('a suspicion of fraud stops nothing here: it is said, and mailed, until it is gone', async () => {
  const placed = await place([1]);
  await change(placed, { high_risk: true, note: 'As a gift.' });
  const { reason, problems } = await seen(placed.shop, placed.id);
  assert.equal(reason, 'changed_in_shop');
  assert.match(problems[0]?.message ?? '', /The shop suspects fraud since this order was placed/);
  const mails = await rows(service, "select from mail where kind = 'held_in_shop' and account_id = $1", [
    placed.shop.customer.accountId,
  ]);
  assert.equal(mails.length, 2, 'of the fraud, and of the note');
  await change(placed, { high_risk: true });
  await change(placed, {});
  assert.deepEqual((await seen(placed.shop, placed.id)).problems, []);
});

test('what was sent before an order is placed is not made, and what is sent later cancels nothing', async () => {
  const placed = await place([1]);
  const { shop } = placed;
  const item = ourItem(shop, { quantity: 3, sent_quantity: 1 });
  const order = shopOrder(shop, { items: [item, ourItem(shop, { id: '2', sent_quantity: 1 })] });
  const { body } = await send(shop, order);
  await runOrderJobs();
  const view = await seen(shop, body.id);
  const second = { ...placed, order, id: body.id, orderId: view.order?.id ?? '' };
  assert.deepEqual(await liveOf(second), [2]);
  await change(second, { items: [{ ...item, sent_quantity: 2 }, ourItem(shop, { id: '2', sent_quantity: 1 })] });
  const said = ['changed_in_shop', [2], []];
  assert.deepEqual([(await seen(shop, body.id)).reason, await liveOf(second), await addedTo(second)], said);
  // What it had sent came back, and was refunded.
  await change(second, { items: [{ ...item, quantity: 2, sent_quantity: 0 }] });
  assert.deepEqual([(await seen(shop, body.id)).reason, await liveOf(second), await addedTo(second)], ['', [2], []]);
  await change(second, { items: [{ ...item, quantity: 2, sent_quantity: 1 }] });
  assert.deepEqual(await liveOf(second), [1]);
});

test('what a shop sends itself after an order is placed is said and mailed, until as many pieces have left here', async () => {
  const placed = await place([2, 1]);
  const { shop } = placed;
  const sent = (first: number, others: Partial<ShopItem> = {}): Promise<void> => {
    const [one = assert.fail(), two = assert.fail()] = items(placed, 2, 1);
    const mug = { id: '9', title: 'A mug of others', quantity: 1, made_by_others: true, ...others };
    return change(placed, { items: [{ ...one, ...(first > 0 ? { sent_quantity: first } : {}) }, two, mug] });
  };
  await sent(0, { sent_quantity: 1 });
  assert.deepEqual((await seen(shop, placed.id)).problems, [], 'what others make is theirs to send');
  await sent(1);
  const view = await seen(shop, placed.id);
  assert.equal(view.reason, 'changed_in_shop');
  assert.deepEqual(
    view.problems.map(({ path }) => path),
    ['items[0]'],
  );
  assert.match(view.problems[0]?.message ?? '', /^The shop has sent 1 piece of this itself since the order was placed/);
  await sent(2);
  assert.match((await seen(shop, placed.id)).problems[0]?.message ?? '', /^The shop has sent 2 pieces /);
  const mails = "select from mail where kind = 'held_in_shop' and account_id = $1";
  assert.equal((await rows(service, mails, [shop.customer.accountId])).length, 1, 'once a day');
  assert.deepEqual(await liveOf(placed), [2, 1], 'nothing is cancelled by itself');
  await sent(0);
  assert.equal((await seen(shop, placed.id)).reason, '', 'it was taken back');

  const floor = await openFloor(service);
  await closeWindow(service, await here(placed));
  await floor.post(`/orders/${placed.orderId}/promote`);
  const [first = assert.fail(), second = assert.fail()] = (await here(placed)).items;
  for (const line of [first, second]) await floor.post(`/orders/${placed.orderId}/lines/${line.id}/start`);
  await ship(floor, placed.orderId, [{ line_id: first.id, quantity: 1 }]);
  await sent(1);
  assert.equal((await seen(shop, placed.id)).reason, '', 'the piece that was sent is ours');
  await sent(2);
  assert.match((await seen(shop, placed.id)).problems[0]?.message ?? '', /^The shop has sent 1 piece /);
});

test('what a shop has sent itself is counted here, whatever it says of that', async () => {
  const placed = await place([2]);
  for (const given of [{ 1: 1 }, { 1: { pieces: 'many' } }, 'a text', 7]) {
    await change(placed, { sent_since: given, note: JSON.stringify(given) } as Partial<ShopOrder>);
    const said = (await seen(placed.shop, placed.id)).problems.map(({ message }) => message);
    assert.ok(!said.some((message) => message.includes('has sent')), said.join());
  }
});

test('an address is changed in what was added to an order, too, and a hold is said until all of it is sent', async () => {
  const placed = await place([1]);
  const { shop } = placed;
  await change(placed, { items: items(placed, 2) });
  const [added] = await addedTo(placed);
  await answer(placed, added?.id ?? '', 'place');
  await runOrderJobs();
  const moved = { ...placed.order.shipping_address, line1: '13 Mill Lane' };
  await change(placed, { items: items(placed, 2), shipping_address: moved });
  const linesOf = async (): Promise<readonly string[]> => {
    const orders = (await ordersOf(shop)).map(({ id }) => shop.owner.api<Order>('GET', `/orders/${id}`));
    return (await Promise.all(orders)).map(({ body }) => body.shipping_address.line1);
  };
  assert.deepEqual(await linesOf(), ['13 Mill Lane', '13 Mill Lane']);

  const floor = await openFloor(service, 'admin');
  await closeWindow(service, await here(placed));
  await floor.post(`/orders/${placed.orderId}/promote`);
  const [line] = (await here(placed)).items;
  await floor.post(`/orders/${placed.orderId}/lines/${line?.id}/start`);
  await ship(floor, placed.orderId, [{ line_id: line?.id, quantity: 1 }]);
  await change(placed, { items: items(placed, 2), shipping_address: moved, on_hold: true, high_risk: true });
  const said = (await seen(shop, placed.id)).problems.map(({ message }) => message).join();
  assert.match(said, /^The shop holds this order.*The shop suspects fraud/);
  // The base is sent, and keeps its address; what is not sent yet goes to the other one.
  const again = { ...moved, line1: '14 Mill Lane' };
  await change(placed, { items: items(placed, 2), shipping_address: again });
  assert.deepEqual((await linesOf()).toSorted(), ['13 Mill Lane', '14 Mill Lane']);
  const { problems } = await seen(shop, placed.id);
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['shipping_address'],
  );
  // The shop takes it back.
  await change(placed, { items: items(placed, 2), shipping_address: moved });
  assert.deepEqual([(await seen(shop, placed.id)).reason, await linesOf()], ['', ['13 Mill Lane', '13 Mill Lane']]);
  await assertSound(service);
});

test('an address that cannot be changed is said of each order that keeps the one of before', async () => {
  const placed = await place([1]);
  await change(placed, { items: items(placed, 2) });
  const [added] = await addedTo(placed);
  await answer(placed, added?.id ?? '', 'place');
  await runOrderJobs();
  const elsewhere = { ...placed.order.shipping_address, country_code: 'FR' };
  await change(placed, { items: items(placed, 2), shipping_address: elsewhere });
  const { problems } = await seen(placed.shop, placed.id);
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['shipping_address', 'shipping_address'],
  );
  assert.ok(problems[0]?.message.includes((await here(placed)).reference), problems[0]?.message);
});
