import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import type { Handler } from '../../harness/stranger.ts';
import { closeShops, openShops, ordersOf, service } from './shops.ts';
import { buy, channelOfLinked, inboxOf, linkShop, passTime, untilInbox, wooLine } from './woo-shops.ts';

before(() => openShops());
after(closeShops);

test('an order of which the shop reported nothing is found by the list of changes, and so is a later change of it', async () => {
  const shop = await linkShop();
  const order = buy(shop, { status: 'pending' });
  passTime();
  await untilInbox(shop, order, 'waiting unpaid');
  shop.woo.change(order.id, { status: 'processing' });
  passTime();
  await untilInbox(shop, order, 'placed');
});

test('notices that come twice, late, in another order or again change nothing: each order is placed once', async () => {
  const shop = await linkShop(10);
  const orders = Array.from({ length: 8 }, () => buy(shop));
  await Promise.all([...orders].reverse().flatMap((order) => [shop.woo.tell(order), shop.woo.tell(order)]));
  for (const order of orders) await untilInbox(shop, order, 'placed');
  for (const order of orders) await shop.woo.tell(order);
  passTime();
  await eventually('it was synchronised again', async () => (await channelOfLinked(shop)).link?.synced_at !== null);
  assert.equal((await ordersOf({ ...shop, secret: '' })).length, 8);
});

test('a notice with a wrong signature is 401 and counted; the ping of a new webhook is 200 and nothing', async () => {
  const shop = await linkShop();
  const order = buy(shop, { status: 'pending' });
  assert.deepEqual(await shop.woo.tell(order, { secret: 'whsec_made_up' }), [401]);
  const { refused, last_refused_at: at } = await channelOfLinked(shop);
  assert.equal(refused, 1);
  assert.ok(at !== null);
  const [hook] = shop.woo.hooks.values();
  const { pathname } = new URL(hook?.delivery_url ?? '');
  const ping = async (path: string, body: string): Promise<number> =>
    (await fetch(service.url + path, { method: 'POST', body })).status;
  assert.equal(await ping(pathname, 'webhook_id=7'), 200);
  assert.equal(await ping(pathname, 'webhook_id=7&more=1'), 401);
  assert.equal(await ping('/channels/chan_nonsense/notices', 'webhook_id=7'), 401);
  const other = await linkShop();
  const secret = [...other.woo.hooks.values()][0]?.secret ?? '';
  assert.deepEqual(await shop.woo.tell(order, { secret }), [401], 'the secret of another shop');
});

test('what the shop says of an order is what becomes of it', async () => {
  const shop = await linkShop(10);
  const cases: [object, string][] = [
    [{ status: 'on-hold' }, 'waiting on_hold'],
    [{ status: 'wc-awaiting-stock' }, 'waiting unknown_status'],
    [{ status: 'failed' }, 'waiting unpaid'],
    [{ status: 'cancelled' }, 'ignored cancelled_in_shop'],
    [{ status: 'completed' }, 'ignored fulfilled_in_shop'],
    [{ meta_data: [{ key: '_wcpay_mode', value: 'test' }] }, 'ignored test'],
    [{ meta_data: [{ key: '_ppcp_paypal_payment_mode', value: 'sandbox' }] }, 'ignored test'],
    [{ meta_data: [{ key: '_wc_stripe_mode', value: 'test' }] }, 'ignored test'],
    [{ meta_data: [{ key: '_mollie_payment_mode', value: 'test' }] }, 'ignored test'],
    [{ meta_data: [{ key: '_wc_klarna_environment', value: 'us-test' }] }, 'ignored test'],
    [{ payment_method: 'cod', meta_data: [{ key: '_ppcp_paypal_payment_mode', value: 'live' }] }, 'placed'],
    [{ line_items: [wooLine(shop, { sku: 'THEIRS' })] }, 'waiting needs_mapping'],
    [{ shipping: { address_1: 'x', country: 'GB' } }, 'waiting address_refused'],
  ];
  for (const [changes, wanted] of cases) {
    const order = buy(shop, changes);
    await shop.woo.tell(order);
    await untilInbox(shop, order, wanted);
  }
  const draft = buy(shop, { status: 'checkout-draft' });
  await shop.woo.tell(draft);
  const next = buy(shop);
  await shop.woo.tell(next);
  await untilInbox(shop, next, 'placed');
  assert.equal((await inboxOf(shop))[String(draft.id)], undefined, 'its buyer has not finished it');
});

test('a refunded piece is not made, and an order that is refunded as a whole is none', async () => {
  const shop = await linkShop(10);
  const refund = (id: number, quantity: number) => ({
    refunds: [{ id: 9 }],
    refund_details: [{ line_items: [{ quantity: -quantity, meta_data: [{ key: '_refunded_item_id', value: id }] }] }],
  });
  const partly = buy(shop, { line_items: [wooLine(shop, { quantity: 3 })], ...refund(1, 2) });
  await shop.woo.tell(partly);
  await untilInbox(shop, partly, 'placed');
  const [placed] = await ordersOf({ ...shop, secret: '' });
  const { body } = await shop.owner.api<Order>('GET', `/orders/${placed?.id}`);
  assert.deepEqual(
    body.items.map(({ qty }) => qty),
    [1],
  );
  const whole = buy(shop, refund(1, 1));
  await shop.woo.tell(whole);
  await untilInbox(shop, whole, 'ignored cancelled_in_shop');
});

test('a piece that the shop has sent itself before the order is placed is not made', async () => {
  const shop = await linkShop(10);
  shop.woo.feature(true);
  const order = buy(shop, { status: 'on-hold', line_items: [wooLine(shop, { quantity: 3 })] });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'waiting on_hold');
  shop.woo.sendByShop(order, 1, 2);
  shop.woo.change(order.id, { status: 'processing' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const [placed] = await ordersOf({ ...shop, secret: '' });
  const { body } = await shop.owner.api<Order>('GET', `/orders/${placed?.id}`);
  assert.deepEqual(
    body.items.map(({ qty }) => qty),
    [1],
  );
  const whole = buy(shop);
  shop.woo.sendByShop(whole, 1, 1);
  await shop.woo.tell(whole);
  await untilInbox(shop, whole, 'ignored fulfilled_in_shop');
});

test('answers that are no answer are a fault in words, and what they hid is found once the shop is well', async () => {
  const page = '<!doctype html><title>Maintenance</title>';
  const cases: [Handler, RegExp][] = [
    [(_hit, response) => void response.writeHead(500).end('<b>Fatal error</b>'), /error of its own \(500\)/],
    [(_hit, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page), /a page for people/],
    [
      (_hit, response) => void response.writeHead(200).end('{"id": 1, '),
      /no JSON \(200\): a plug-in may write into it/,
    ],
    [(_hit, response) => void response.writeHead(403, { 'content-type': 'text/html' }).end(page), /a firewall/],
    [
      (_hit, response) => void response.writeHead(401).end('{"code":"rest_login_required","message":"Log in."}'),
      /a security plug-in/,
    ],
    [(_hit, response) => void response.writeHead(302, { location: 'https://10.0.0.1/' }).end(), /redirects \(302\)/],
    [(_hit, response) => void response.writeHead(429, { 'retry-after': '7' }).end(), /left alone for 7 seconds/],
    [(_hit, response) => void response.socket?.destroy(), /does not answer\. No answer/],
    [(_hit, response) => void response.writeHead(200).end('x'.repeat(9 * 1_048_576)), /has more than \d+ bytes/],
  ];
  for (const [how, words] of cases) {
    const shop = await linkShop();
    // One answer may be that of one order alone: the list, in both of its forms, is asked before the shop is at fault.
    shop.woo.fail({ times: 3, how });
    const order = buy(shop);
    await shop.woo.tell(order);
    const fault = await eventually(
      'the fault shows',
      async () => (await channelOfLinked(shop)).link?.fault ?? undefined,
    );
    assert.match(fault.message, words);
    shop.woo.mend();
    passTime(20_000);
    await untilInbox(shop, order, 'placed');
    assert.equal((await channelOfLinked(shop)).link?.fault, null);
  }
});

test('a plug-in that prints before the JSON and behind it hides nothing', async () => {
  const shop = await linkShop();
  const order = buy(shop);
  const noise = ['\uFEFFNotice: Undefined index [x] in /a/b.php', '<!-- {"cached":true} -->'];
  shop.woo.fail({
    times: 1,
    only: /^GET \/orders\/\d+$/,
    how: (_hit, response) => void response.writeHead(200).end([noise[0], JSON.stringify(order), noise[1]].join('\n')),
  });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  assert.equal((await channelOfLinked(shop)).link?.fault, null);
});

test('a shop that hangs delays nothing of another', async () => {
  const slow = await linkShop();
  const well = await linkShop();
  // Longer than the other shop needs, and shorter than a call may last.
  const how: Handler = (_hit, response) => void setTimeout(() => response.socket?.destroy(), 2_000);
  slow.woo.fail({ times: 1, how });
  await slow.woo.tell(buy(slow));
  const order = buy(well);
  await well.woo.tell(order);
  await untilInbox(well, order, 'placed');
});

test('a shop whose webhooks cannot be set up has its orders read and its parcels reported all the same, and says so', async () => {
  let asked = 0;
  const shop = await linkShop(5, ({ woo }) => {
    woo.fail({
      times: Number.POSITIVE_INFINITY,
      only: /\/webhooks/,
      how: (_hit, response) => {
        asked += 1;
        response.writeHead(500).end('<h1>A plug-in has failed</h1>');
      },
    });
  });
  const order = buy(shop);
  passTime();
  await untilInbox(shop, order, 'placed');
  const { link } = await channelOfLinked(shop);
  assert.match(
    link?.fault?.message ?? '',
    /changes at once, so that they are found within minutes .* webhooks fail: The shop/,
  );
  const before = asked;
  await sleep(5_000);
  assert.ok(asked <= before + 1, `it is asked ${asked - before} times more while no time passes`);
  shop.woo.mend();
  passTime();
  await eventually('they are set up', async () => (await channelOfLinked(shop)).link?.fault === null);
  assert.ok(shop.woo.hooks.size > 0);
});

test('webhooks that the shop has switched off or lost are mended', async () => {
  const shop = await linkShop();
  const [first, second] = [...shop.woo.hooks.values()];
  if (first === undefined || second === undefined) assert.fail('there are webhooks');
  first.status = 'disabled';
  shop.woo.hooks.delete(second.id);
  passTime(601_000);
  await eventually(
    'all are on',
    () => [...shop.woo.hooks.values()].filter(({ status }) => status === 'active').length === 4,
  );
});

test('orders that cannot be read are counted with words, and stop no other', async () => {
  const shop = await linkShop();
  const broken = buy(shop, { date_created_gmt: 'yesterday' });
  await shop.woo.tell(broken);
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const link = await eventually('it is counted', async () => {
    const { link: now } = await channelOfLinked(shop);
    return now !== null && now.unreadable > 0 ? now : undefined;
  });
  assert.match(link.last_unreadable ?? '', new RegExp(`Order ${broken.id}: An order has no id or no time`));
});

test('more orders than a page, all changed in the same second, are all found', async () => {
  const shop = await linkShop(2);
  const line_items = [wooLine(shop, { sku: 'THEIRS' })];
  for (let at = 0; at < 130; at += 1) shop.woo.order({ line_items });
  passTime();
  await eventually('all are there', async () => {
    const { waiting } = await channelOfLinked(shop);
    return waiting.find(({ reason }) => reason === 'needs_mapping')?.orders === 130;
  });
});

test('orders that the key may not read hide no other that was changed in the same minutes', async () => {
  const shop = await linkShop(2);
  const line_items = [wooLine(shop, { sku: 'THEIRS' })];
  for (let at = 0; at < 60; at += 1) shop.woo.order({ line_items });
  for (const [at, id] of [...shop.woo.orders.keys()].entries()) if (at % 20 === 0) shop.woo.hidden.add(id);
  passTime();
  await eventually('all that it may are there', async () => {
    const { waiting } = await channelOfLinked(shop);
    return waiting.find(({ reason }) => reason === 'needs_mapping')?.orders === 57;
  });
});
