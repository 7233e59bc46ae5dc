import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isoTime } from '../../../src/lib/clock.ts';
import { parseId } from '../../../src/lib/ids.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import { readPdf } from '../../harness/pdf.ts';
import { assertSound, rows } from '../../harness/written.ts';
import {
  channelOf,
  closeShops,
  connectDesignedShop,
  connectShop,
  logged,
  lookAgain,
  looked,
  openShops,
  ordersOf,
  ourItem,
  seen,
  send,
  sendAndLook,
  service,
  shopOrder,
} from './shops.ts';

const DAY_MS = 86_400_000;

before(() => openShops());
after(closeShops);

describe('a signed order of a connected shop', () => {
  test('is placed with its stored designs, under the number of the channel and the shop', async () => {
    const shop = await connectDesignedShop();
    const order = shopOrder(shop, { note: 'Gift, please no invoice' });
    const view = await sendAndLook(shop, order);
    assert.deepEqual([view.state, view.reason, view.number], ['placed', '', '#1001']);
    assert.equal(view.recipient, null, 'the recipient stands in the order alone');
    assert.deepEqual(
      view.items.map(({ id, state }) => [id, state]),
      [['1', 'ours']],
    );
    const { body } = await shop.owner.api<Order>('GET', `/orders/${view.order?.reference}`);
    assert.equal(body.external_reference, `${shop.channelId}:${order.id}`);
    assert.deepEqual([body.payment_status, body.notes], ['paid', 'Gift, please no invoice']);
    assert.deepEqual(body.metadata, { channel: shop.channelId, shop_order: order.id, shop_number: '#1001' });
    assert.equal(body.shipping_address.country_code, 'GB', 'the name of a country is read');
    assert.deepEqual(
      body.items.map(({ qty, print_jobs: jobs }) => [qty, jobs.length > 0]),
      [[1, true]],
    );
    await assertSound(service);
    // Its buyer knows the number of the shop, and so do those who pack.
    const viewer = await service.openOperator('viewer');
    const slip = await fetch(`${service.url}/ops/v1/orders/${view.order?.id}/packing-slip`, {
      headers: { authorization: `Bearer ${viewer.token}` },
    });
    const text = readPdf(Buffer.from(await slip.arrayBuffer()))
      .flatMap(({ texts }) => texts)
      .join('\n');
    assert.match(text, /Reference #1001/);
    assert.ok(!text.includes(shop.channelId));
  });

  test('is placed once, however often and in how many requests at once it is sent', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(shop, order)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    const [first] = answers;
    const view = await looked(shop, first?.body.id ?? '');
    assert.equal(view.state, 'placed');
    const again = await send(shop, order);
    assert.deepEqual([again.status, again.body.order?.reference], [202, view.order?.reference]);
    assert.equal((await ordersOf(shop)).length, 1);
  });

  test('two shops with the same number are two orders', async () => {
    const [one, other] = [await connectShop(), await connectShop()];
    const order = shopOrder(one, { id: '7001' });
    const views = [await sendAndLook(one, order), await sendAndLook(other, { ...order, items: [ourItem(other)] })];
    assert.deepEqual(
      views.map(({ state, number }) => [state, number]),
      [
        ['placed', '#1001'],
        ['placed', '#1001'],
      ],
    );
    assert.deepEqual([(await ordersOf(one)).length, (await ordersOf(other)).length], [1, 1]);
  });

  test('leaves the lines of others alone, and is ignored where it has no other', async () => {
    const shop = await connectShop();
    const mug = { id: '2', variant_id: '555', title: 'Mug', quantity: 3 };
    const marked = await shop.owner.request('POST', `/channels/${shop.channelId}/items`, {
      body: { key: 'variant 555', title: 'Mug', not_ours: true },
    });
    assert.equal(marked.status, 204, marked.text);
    const mixed = await sendAndLook(shop, shopOrder(shop, { items: [mug, ourItem(shop)] }));
    assert.deepEqual([mixed.state, mixed.items.map(({ state }) => state)], ['placed', ['others', 'ours']]);
    const { body } = await shop.owner.api<Order>('GET', `/orders/${mixed.order?.id}`);
    assert.equal(body.items.length, 1);
    const none = await sendAndLook(shop, shopOrder(shop, { items: [mug] }));
    assert.deepEqual([none.state, none.reason], ['ignored', 'nothing_ours']);
  });

  test('that is a test, or cancelled before it was placed, is never placed', async () => {
    const shop = await connectShop();
    const trial = await sendAndLook(shop, shopOrder(shop, { test: true }));
    const off = await sendAndLook(shop, shopOrder(shop, { cancelled: true }));
    assert.deepEqual(
      [trial, off].map(({ state, reason }) => [state, reason]),
      [
        ['ignored', 'test'],
        ['ignored', 'cancelled_in_shop'],
      ],
    );
    assert.deepEqual(await ordersOf(shop), []);
  });

  test('that was ordered before the shop was connected waits until a person has it placed', async () => {
    const shop = await connectShop();
    const earlier = isoTime(new Date(service.ctx.clock.now().getTime() - 86_400_000));
    const view = await sendAndLook(shop, shopOrder(shop, { ordered_at: earlier }));
    assert.deepEqual([view.state, view.reason, view.actions.place], ['waiting', 'earlier', true]);
    assert.deepEqual(await ordersOf(shop), []);
    const placed = await shop.owner.request('POST', `/shop-orders/${view.id}/place`);
    assert.equal(placed.status, 200, placed.text);
    assert.equal((await looked(shop, view.id)).state, 'placed');
  });

  for (const [name, reason] of [
    ['unpaid', 'unpaid'],
    ['on_hold', 'on_hold'],
  ] as const) {
    test(`that the shop has ${name} waits for the shop, not for a person`, async () => {
      const shop = await connectShop();
      const order = shopOrder(shop, { [name]: true });
      const view = await sendAndLook(shop, order);
      assert.deepEqual([view.state, view.reason, view.actions.place], ['waiting', reason, false]);
      assert.equal((await shop.owner.request('POST', `/shop-orders/${view.id}/place`)).status, 409);
      service.shiftMs(1_000);
      const later = isoTime(service.ctx.clock.now());
      await send(shop, { ...order, [name]: false, updated_at: later });
      assert.equal((await looked(shop, view.id)).state, 'placed');
    });
  }

  test('that is of high risk waits for a person', async () => {
    const shop = await connectShop();
    const view = await sendAndLook(shop, shopOrder(shop, { high_risk: true }));
    assert.deepEqual([view.state, view.reason], ['waiting', 'high_risk']);
    await shop.owner.request('POST', `/shop-orders/${view.id}/place`);
    assert.equal((await looked(shop, view.id)).state, 'placed');
  });

  test('that is scheduled waits for its day and is placed by itself then', async () => {
    const shop = await connectShop();
    const day = new Date(service.ctx.clock.now().getTime() + 3_600_000);
    const view = await sendAndLook(shop, shopOrder(shop, { scheduled_for: isoTime(day) }));
    assert.deepEqual([view.state, view.reason, view.next_look_at], ['waiting', 'scheduled', isoTime(day)]);
    await lookAgain();
    assert.equal((await seen(shop, view.id)).state, 'waiting');
    service.shiftMs(3_601_000);
    await lookAgain();
    await eventually('it is placed', async () => (await seen(shop, view.id)).state === 'placed');
  });

  test('that has a bad address waits with what is wrong, and a later one of the shop is placed', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop);
    const bad = { ...order, shipping_address: { ...order.shipping_address, country_code: 'Ruritania', city: '' } };
    const view = await sendAndLook(shop, bad);
    assert.deepEqual([view.state, view.reason], ['waiting', 'address_refused']);
    assert.deepEqual(
      view.problems.map(({ path }) => path),
      ['shipping_address.city', 'shipping_address.country_code'],
    );
    // It stops no other order.
    assert.equal((await sendAndLook(shop, shopOrder(shop))).state, 'placed');
    service.shiftMs(1_000);
    await send(shop, { ...order, updated_at: isoTime(service.ctx.clock.now()) });
    assert.equal((await looked(shop, view.id)).state, 'placed');
  });

  test('an older state of an order, which comes late, changes nothing', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop);
    const later = isoTime(new Date(service.ctx.clock.now().getTime() + 60_000));
    const held = await sendAndLook(shop, { ...order, on_hold: true, updated_at: later });
    assert.equal(held.reason, 'on_hold');
    await send(shop, order);
    await lookAgain();
    assert.equal((await seen(shop, held.id)).reason, 'on_hold');
    assert.deepEqual(await ordersOf(shop), []);
  });

  test('a state of a year to come freezes nothing: what the shop sends next is taken', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop);
    const held = await sendAndLook(shop, { ...order, on_hold: true, updated_at: '2099-01-01T00:00:00.000Z' });
    assert.equal(held.reason, 'on_hold');
    service.shiftMs(360_000);
    await send(shop, { ...order, updated_at: isoTime(service.ctx.clock.now()) });
    assert.equal((await looked(shop, held.id)).state, 'placed');
  });

  test('a cancel of the shop cancels the order in its window', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop);
    const view = await sendAndLook(shop, order);
    service.shiftMs(1_000);
    await send(shop, { ...order, cancelled: true, updated_at: isoTime(service.ctx.clock.now()) });
    await eventually('it is cancelled', async () => (await seen(shop, view.id)).reason === 'cancelled');
    const { body } = await shop.owner.api<Order>('GET', `/orders/${view.order?.id}`);
    assert.equal(body.status, 'cancelled');
    await assertSound(service);
  });

  test('a cancel of the shop after the window asks the print shop to cancel', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop);
    const view = await sendAndLook(shop, order);
    service.shiftMs(3_700_000);
    await send(shop, { ...order, cancelled: true, updated_at: isoTime(service.ctx.clock.now()) });
    await eventually('it is asked', async () => (await seen(shop, view.id)).reason === 'asked_to_cancel');
    const { body } = await shop.owner.api<Order>('GET', `/orders/${view.order?.id}`);
    assert.deepEqual(
      [body.status, body.cancellation_request?.state, body.cancellation_request?.reason],
      ['pending', 'open', 'buyer_cancelled'],
    );
  });

  test('any other change of a placed order is noted for a person', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop);
    const view = await sendAndLook(shop, order);
    service.shiftMs(1_000);
    await send(shop, { ...order, note: 'As a gift.', updated_at: isoTime(service.ctx.clock.now()) });
    const noted = await eventually('it is looked at', async () => {
      const now = await seen(shop, view.id);
      return now.reason === 'change_asked' ? undefined : now;
    });
    assert.deepEqual([noted.state, noted.reason, noted.problems.length], ['placed', 'changed_in_shop', 1]);
    assert.equal((await ordersOf(shop)).length, 1);
  });

  test('the same with a later time of the shop alone is no change', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop);
    const view = await sendAndLook(shop, order);
    service.shiftMs(1_000);
    await send(shop, { ...order, updated_at: isoTime(service.ctx.clock.now()) });
    assert.deepEqual([(await seen(shop, view.id)).state, (await seen(shop, view.id)).reason], ['placed', '']);
  });

  test('is kept without what nobody needs here of its buyer', async () => {
    const shop = await connectShop();
    const order = { ...shopOrder(shop, { on_hold: true }), customer: { born: '1815-12-10' } };
    const { body } = await send(shop, { ...order, shipping_address: { ...order.shipping_address, latitude: 53.8 } });
    await looked(shop, body.id);
    const kept = await rows<{ text: string }>(
      service,
      'select content::text as text from channel_order where content is not null',
    );
    assert.ok(kept.some(({ text }) => text.includes(order.id)));
    assert.ok(!kept.some(({ text }) => /1815|latitude/.test(text)));
  });

  test('is asked for again later while too much of the shop waits for people', async () => {
    const shop = await connectShop();
    await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
    await rows(
      service,
      'update channel_order set weight = 10000 where id = (select id from channel_order order by id desc limit 1) returning id',
    );
    const { status, headers, body } = await send(shop, shopOrder(shop));
    assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 'rate_limited', '3600']);
    const other = await connectShop();
    assert.equal((await sendAndLook(other, shopOrder(other))).state, 'placed', 'nobody else waits for them');
  });

  test('that is to be made in half a year waits for its day, and then is placed', async () => {
    const shop = await connectShop();
    const order = shopOrder(shop, {
      scheduled_for: isoTime(new Date(service.ctx.clock.now().getTime() + 180 * DAY_MS)),
    });
    const { id } = await sendAndLook(shop, order);
    const stateOf = async (): Promise<string | undefined> =>
      (
        await rows<{ state: string }>(service, 'select state from channel_order where id = $1', [
          parseId('sho', id) ?? '',
        ])
      )[0]?.state;
    service.shiftMs(100 * DAY_MS);
    await lookAgain();
    assert.equal(await stateOf(), 'waiting');
    service.shiftMs(81 * DAY_MS);
    await eventually('it is placed', async () => (await stateOf()) === 'placed');
  });

  test('that no balance covers is placed, waits for money, and says so', async () => {
    const shop = await connectShop(0);
    const view = await sendAndLook(shop, shopOrder(shop));
    assert.deepEqual([view.state, view.order?.is_unpaid], ['placed', true]);
  });
});

describe('a request that is refused', () => {
  const wrong = async (shop: Awaited<ReturnType<typeof connectShop>>, ...rest: [unknown, object?]) => {
    const { status, text, body } = await send(shop, ...rest);
    return { status, text, code: body.code };
  };

  test('with another secret, another body, an old or a future time, or for no channel: all alike, and counted', async () => {
    const shop = await connectShop();
    const other = await connectShop();
    const order = shopOrder(shop);
    const now = service.ctx.clock.now().getTime();
    const answers = [
      await wrong(shop, order, { secret: other.secret }),
      await wrong(shop, order, { tamper: (text: string) => text.replace('Ada', 'Bob') }),
      await wrong(shop, order, { at: new Date(now - 301_000) }),
      await wrong(shop, order, { at: new Date(now + 301_000) }),
      await wrong(shop, order, { headers: { 'webhook-signature': 'v1,AAAA' } }),
    ];
    assert.deepEqual(new Set(answers.map(({ status, code }) => `${status} ${code}`)), new Set(['401 unauthorized']));
    assert.equal((await channelOf(shop)).refused, 5);
    const unknown = await wrong({ ...shop, channelId: 'chan_01kb0000000000000000000000' }, order);
    assert.deepEqual([unknown.status, unknown.code], [401, 'unauthorized']);
    const strip = (text: string): string => text.replace(/req_[0-9a-z]+/g, 'req');
    assert.equal(strip(unknown.text), strip(answers[0]?.text ?? ''), 'no one learns which channels there are');
    assert.deepEqual(await ordersOf(shop), []);
    assert.ok(!logged.some((line) => line.includes(shop.secret) || line.includes(other.secret)));
  });

  test('for what is no JSON, or has not the shape: every problem with its path, nothing written', async () => {
    const shop = await connectShop();
    assert.equal((await wrong(shop, '{')).status, 400);
    const { status, body } = await send(shop, { ...shopOrder(shop), id: '', items: [], ordered_at: 'yesterday' });
    assert.equal(status, 422);
    assert.deepEqual(body.errors?.map(({ path }) => path).toSorted(), ['id', 'items', 'ordered_at']);
    const listed = await shop.owner.request<{ data: unknown[] }>('GET', '/shop-orders');
    assert.deepEqual(listed.body.data, []);
  });

  test('for a day of an item that does not exist, and for an id like that of an addition', async () => {
    const shop = await connectShop();
    const noDay = shopOrder(shop, { items: [ourItem(shop, { scheduled_for: '2027-02-30T00:00:00Z' })] });
    for (const [order, path] of [
      [noDay, 'items[0].scheduled_for'],
      [shopOrder(shop, { id: '1234:2' }), 'id'],
    ] as const) {
      const { status, body } = await send(shop, order);
      assert.deepEqual([status, body.errors?.map((problem) => problem.path)], [422, [path]]);
    }
    assert.deepEqual(await ordersOf(shop), []);
  });
});
