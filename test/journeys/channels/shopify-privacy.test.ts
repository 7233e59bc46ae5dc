import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runErasures } from '../../../src/privacy/erase/worker.ts';
import { eventually } from '../../harness/context.ts';
import type { DoubleOrder } from '../../harness/shopify/shop-state.ts';
import { rows } from '../../harness/written.ts';
import { huntInDatabase } from '../privacy/hunt.ts';
import {
  begin,
  type Connected,
  channelsOf,
  closeShopify,
  connect,
  double,
  follow,
  inboxOf,
  isPlaced,
  openShopify,
  service,
  until,
  untilVisited,
  visitAgain,
  waitsFor,
} from './shopify-shops.ts';

before(() => openShopify(['redact', 'request', 'gone', 'again']));
after(closeShopify);

const PATH = '/channels/shopify/privacy';
const MARK = 'zorblax';
/** Of a buyer who asks once their shop is forgotten. */
const LATE = 'Quillfeather';
const address = {
  ...{ firstName: 'Ada', lastName: MARK, name: `Ada ${MARK}`, address1: `12 ${MARK} Lane`, city: 'Leeds' },
  ...{ zip: 'LS1 4DY', countryCodeV2: 'GB' },
};

/** What Shopify asks about a buyer of a shop. */
function asked({ shop }: Connected, topic: string, name: string, orders: readonly DoubleOrder[]) {
  const body = {
    shop_id: 1,
    shop_domain: shop.domain,
    customer: { id: 7, email: `ada@${MARK}.example`, phone: '' },
    [name]: orders.map(({ id }) => Number(id)),
  };
  return { topic, domain: shop.domain, body };
}

test('a buyer who is redacted is in nothing any more that was placed or not; others stay', async () => {
  const connected = await connect('redact');
  const { shop, ours } = connected;
  const buyer = { shippingAddress: address, email: `ada@${MARK}.example` };
  const sent = await double.order(shop, [ours], buyer);
  const waiting = await double.order(shop, [ours], { ...buyer, displayFinancialStatus: 'PENDING' });
  const other = await double.order(shop, [ours]);
  const { order } = await until(connected, sent.id, isPlaced);
  await until(connected, waiting.id, waitsFor('unpaid'));
  await until(connected, other.id, isPlaced);
  await connected.owner.api('POST', `/orders/${order?.id}/cancel`);
  assert.ok((await huntInDatabase(service.ctx.database, MARK)).length > 0);
  const request = asked(connected, 'customers/redact', 'orders_to_redact', [sent, waiting]);
  assert.equal(await double.send(PATH, { ...request, secret: 'another' }), 401);
  assert.equal(await double.send(PATH, request), 200);
  await eventually('nothing of them is left', async () => {
    await runErasures(service.ctx);
    return (await huntInDatabase(service.ctx.database, MARK)).length === 0;
  });
  await until(connected, waiting.id, ({ state }) => state === 'ignored');
  assert.equal((await inboxOf(connected)).find((one) => one.shop_order_id === other.id)?.state, 'placed');
  const acts = await rows<{ detail: { platform?: string } }>(
    service,
    "select detail from operator_action where action = 'erase'",
  );
  assert.deepEqual(
    acts.map(({ detail }) => detail.platform),
    ['shopify'],
  );
});

test('a buyer who asks what is held is a task with the orders, and no name of theirs', async () => {
  const connected = await connect('request');
  const { shop, ours } = connected;
  const sent = await double.order(shop, [ours], { shippingAddress: address });
  const { order } = await until(connected, sent.id, isPlaced);
  assert.equal(await double.send(PATH, asked(connected, 'customers/data_request', 'orders_requested', [sent])), 200);
  const [task] = await eventually('the task is there', async () => {
    const tasks = await rows<{ note: string }>(service, "select note from ops_task where kind = 'buyer_asks'");
    return tasks.length > 0 && tasks;
  });
  assert.ok(task?.note.includes(order?.reference ?? '-'), task?.note);
  assert.equal(task?.note.includes(MARK), false);
});

test('a shop that is redacted is disconnected, and how it was reached is forgotten', async () => {
  const connected = await connect('gone');
  const { shop, ours } = connected;
  const waiting = await double.order(shop, [ours], { displayFinancialStatus: 'PENDING', shippingAddress: address });
  const own = { ...address, address1: `${LATE} Lane` };
  const placed = await double.order(shop, [ours], { shippingAddress: own });
  await until(connected, waiting.id, waitsFor('unpaid'));
  const { order } = await until(connected, placed.id, isPlaced);
  const body = { shop_id: 1, shop_domain: shop.domain };
  const ofBuyer = { ...body, customer: { id: 1 }, orders_to_redact: [] };
  assert.equal(await double.send(PATH, { topic: 'shop/redact', domain: shop.domain, body: ofBuyer }), 200);
  assert.equal((await channelsOf(connected))[0]?.state, 'active', 'what is about a buyer, under another topic');
  assert.equal(await double.send(PATH, { topic: 'shop/redact', domain: shop.domain, body }), 200);
  assert.equal((await channelsOf(connected))[0]?.state, 'active', 'a shop that has let us in just now has our app');
  shop.isInstalled = false;
  await visitAgain();
  await eventually('it lets us in no more', async () => {
    const [now] = await channelsOf(connected);
    return now !== undefined && now.link !== null && now.link.fault !== null;
  });
  assert.equal(await double.send(PATH, { topic: 'shop/redact', domain: shop.domain, body }), 200);
  const [channel] = await channelsOf(connected);
  assert.deepEqual([channel?.state, channel?.link], ['disconnected', null]);
  await until(connected, waiting.id, ({ reason }) => reason === 'disconnected');
  assert.deepEqual(await rows(service, 'select 1 from channel where address = $1', [`https://${shop.domain}`]), []);
  // Once more, and of a shop that nobody knows: done.
  assert.equal(await double.send(PATH, { topic: 'shop/redact', domain: shop.domain, body }), 200);

  // A buyer of it asks later.
  await connected.owner.api('POST', `/orders/${order?.id}/cancel`);
  assert.ok((await huntInDatabase(service.ctx.database, LATE)).length > 0);
  const late = asked(connected, 'customers/redact', 'orders_to_redact', [placed]);
  assert.equal(await double.send(PATH, late), 200);
  await eventually('nothing of them is left', async () => {
    await runErasures(service.ctx);
    return (await huntInDatabase(service.ctx.database, LATE)).length === 0;
  });
});

test('a shop that is connected again once it was forgotten is known: what was placed of it is not placed again', async () => {
  const connected = await connect('again');
  const { shop, ours, owner } = connected;
  const order = await double.order(shop, [ours]);
  await until(connected, order.id, isPlaced);
  shop.isInstalled = false;
  await visitAgain();
  await eventually('it lets us in no more', async () => (await channelsOf(connected))[0]?.link?.fault != null);
  const body = { shop_id: 1, shop_domain: shop.domain };
  assert.equal(await double.send(PATH, { topic: 'shop/redact', domain: shop.domain, body }), 200);
  const { to } = await follow(double.consent(await begin(connected, 'again')), owner);
  assert.match(to, /\/shops/);
  const now = (await channelsOf(connected)).find(({ state }) => state === 'active') ?? assert.fail('it is connected');
  assert.notEqual(now.id, connected.channelId);
  const [asking = assert.fail()] = order.fulfillmentOrders;
  Object.assign(asking, { requestStatus: 'SUBMITTED' });
  await double.changed(shop, order);
  await untilVisited({ owner }, order.id, ({ channel: { id }, reason }) => id === now.id && reason === 'placed_before');
  // It is made: what the shop asks of it is answered so.
  await untilVisited({ owner }, order.id, () => asking.requestStatus !== 'SUBMITTED');
  assert.equal(asking.requestStatus, 'ACCEPTED');
});
