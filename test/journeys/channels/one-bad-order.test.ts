import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor } from '../../harness/floor.ts';
import type { Handler } from '../../harness/stranger.ts';
import type { WooOrder } from '../../harness/woo-double.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, ordersOf, service } from './shops.ts';
import {
  buy,
  channelOfLinked,
  inboxOf,
  type LinkedShop,
  linkShop,
  passTime,
  untilInbox,
  wooLine,
} from './woo-shops.ts';

// What a shop answers badly to one thing stops nothing else of it.

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service);
});
after(closeShops);
afterEach(() => assertSound(service));

const error: Handler = (_hit, response) => void response.writeHead(500).end('<b>Fatal error</b>');

/** A plug-in of the shop wants nothing to do with the request. */
const refusal: Handler = (_hit, response) => {
  response.writeHead(400, { 'content-type': 'application/json' }).end('{"code":"plugin_says_no"}');
};

/** The shop answers everything of one order with an error of its own. */
function spoil({ woo }: LinkedShop, { id }: WooOrder, times = 1_000, part = ''): void {
  woo.fail({ times, how: error, only: new RegExp(`/orders/${id}${part}$`) });
}

const placedOf = (shop: LinkedShop) => ordersOf({ ...shop, secret: '' });

test('orders that the shop cannot give out stop no other, are counted with words, and are placed once it can', async () => {
  const shop = await linkShop(10);
  const bad = [buy(shop), buy(shop), buy(shop)];
  for (const order of bad) spoil(shop, order);
  const good = [buy(shop), buy(shop)];
  for (const order of [...bad, ...good]) await shop.woo.tell(order);
  for (const order of good) await untilInbox(shop, order, 'placed');
  const { link } = await channelOfLinked(shop);
  assert.equal(link?.fault, null, 'the shop as a whole is well');
  const lastOf = async () => {
    const { unreadable, last_unreadable: last } = (await channelOfLinked(shop)).link ?? assert.fail();
    return unreadable >= 3 ? (last ?? undefined) : undefined;
  };
  const counted = await eventuallyLater(service, 'they are counted', lastOf, 121_000);
  assert.match(counted, /^Order \d+: The shop answers with an error of its own \(500\)\.$/);
  shop.woo.mend();
  passTime(3_600_000);
  for (const order of bad) await untilInbox(shop, order, 'placed');
  assert.equal((await placedOf(shop)).length, 5);
});

test('an order that a plug-in of the shop refuses to give out stops no other, and is counted with words', async () => {
  const shop = await linkShop(10);
  const bad = buy(shop);
  shop.woo.fail({ times: 1_000, how: refusal, only: new RegExp(`/orders/${bad.id}$`) });
  await shop.woo.tell(bad);
  await eventually('it was asked for', async () => shop.woo.asked.includes(`GET /orders/${bad.id}`));
  const good = buy(shop);
  await shop.woo.tell(good);
  await untilInbox(shop, good, 'placed');
  assert.equal((await channelOfLinked(shop)).link?.fault, null, 'the shop as a whole is well');
  const lastOf = async () => (await channelOfLinked(shop)).link?.last_unreadable ?? undefined;
  const last = await eventuallyLater(service, 'it is counted', lastOf, 121_000);
  assert.equal(last, `Order ${bad.id}: The shop refuses this request (400).`);
  shop.woo.mend();
  passTime(3_600_000);
  await untilInbox(shop, bad, 'placed');
});

/** The shop keeps something from the key that lets the print shop in. */
const keptBack: Handler = (_hit, response) => {
  const body = { code: 'woocommerce_rest_cannot_view', message: 'Sorry, you cannot view this resource.' };
  response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

test('an order that the key of the print shop may not see stops no other, and is counted with words', async () => {
  const shop = await linkShop(10);
  const bad = [buy(shop), buy(shop), buy(shop)];
  for (const { id } of bad) {
    shop.woo.fail({ times: 1_000, how: keptBack, only: new RegExp(`^GET /orders/${id}$`) });
  }
  for (const order of bad) await shop.woo.tell(order);
  await eventually('all were asked for', async () =>
    bad.every(({ id }) => shop.woo.asked.includes(`GET /orders/${id}`)),
  );
  const good = buy(shop);
  await shop.woo.tell(good);
  await untilInbox(shop, good, 'placed');
  assert.equal((await channelOfLinked(shop)).link?.fault, null, 'the shop as a whole is well');
  const lastOf = async () => {
    const { unreadable, last_unreadable: last } = (await channelOfLinked(shop)).link ?? assert.fail();
    return unreadable >= 3 ? (last ?? undefined) : undefined;
  };
  const last = await eventuallyLater(service, 'they are counted', lastOf, 121_000);
  assert.match(last, /^Order \d+: The shop lets the print shop in, and does not let it see or change this\./);
  shop.woo.mend();
  passTime(3_600_000);
  for (const order of bad) await untilInbox(shop, order, 'placed');
});

test('a shop that lets the print shop in no more is at fault as a whole, and is asked rarely', async () => {
  const shop = await linkShop(10);
  const orders = [buy(shop), buy(shop), buy(shop)];
  shop.woo.fail({ times: 1_000, how: keptBack });
  shop.woo.asked.length = 0;
  for (const order of orders) await shop.woo.tell(order);
  const fault = await eventually('it says so', async () => (await channelOfLinked(shop)).link?.fault ?? undefined);
  assert.match(fault.message, /does not let the print shop in any more/);
  passTime(600_000);
  await shop.woo.tell(orders[0] ?? assert.fail('there are three'));
  passTime(600_000);
  assert.ok(shop.woo.asked.length <= 2, shop.woo.asked.join());
  const tries = await rows<{ tries: number }>(service, 'select tries from channel_hint where channel_id::text = $1', [
    await uuidOf(shop),
  ]);
  assert.deepEqual(
    tries.map(({ tries: count }) => count),
    [0, 0, 0],
  );
  shop.woo.mend();
  passTime(3_600_000);
  for (const order of orders) await untilInbox(shop, order, 'placed');
});

const forbidden: Handler = (_hit, response) => {
  response.writeHead(403, { 'content-type': 'application/json' }).end('{"code":"woocommerce_rest_cannot_view"}');
};

for (const [way, how] of [
  ['refuses', refusal],
  ['forbids us', forbidden],
] as const) {
  test(`an order whose refunds the shop ${way} to see stops no other of its list`, () => hideRefunds(how));
}

async function hideRefunds(how: Handler): Promise<void> {
  const shop = await linkShop(10);
  const bad = buy(shop, { refunds: [{ id: 1 }] });
  shop.woo.fail({ times: 1_000, how, only: new RegExp(`/orders/${bad.id}/refunds$`) });
  const good = buy(shop);
  passTime();
  await untilInbox(shop, good, 'placed');
  const isUnreadable = async () => (await inboxOf(shop))[String(bad.id)] === 'waiting unreadable';
  await eventuallyLater(service, 'it stands there as one that cannot be read', isUnreadable, 121_000);
  const later = buy(shop);
  const isPlaced = async () => (await inboxOf(shop))[String(later.id)] === 'placed';
  await eventuallyLater(service, 'the list goes on', isPlaced, 121_000);
  assert.equal((await channelOfLinked(shop)).link?.fault, null);
}

const SPOILED: readonly [string, Handler][] = [
  ['spoils', (_hit, response) => void response.writeHead(200).end('{"id": 1, ')],
  ['has refused', refusal],
];
for (const [what, spoiled] of SPOILED) {
  test(`a page of changed orders that one of them ${what} is read order by order`, async () => {
    const shop = await linkShop(5);
    const [bad, good] = [buy(shop), buy(shop)];
    const { woo } = shop;
    woo.fail({
      times: 1_000,
      only: /^GET \/orders$/,
      how: (hit, response) => {
        const bare = [...woo.orders.values()].map(({ id, date_modified_gmt }) => ({ id, date_modified_gmt }));
        if (hit.path.includes('_fields=')) response.writeHead(200).end(JSON.stringify(bare));
        else return spoiled(hit, response);
      },
    });
    spoil(shop, bad);
    passTime();
    await untilInbox(shop, good, 'placed');
    assert.equal((await inboxOf(shop))[String(bad.id)], undefined);
    const isUnreadable = async () => (await inboxOf(shop))[String(bad.id)] === 'waiting unreadable';
    await eventuallyLater(service, 'it stands there as one that cannot be read', isUnreadable, 121_000);
    woo.mend();
    passTime(3_600_000);
    await untilInbox(shop, bad, 'placed');
  });
}

test('a report that the shop answers with an error of its own stops no other, and is made once it can be', async () => {
  const shop = await linkShop(5);
  const orders = [buy(shop), buy(shop), buy(shop)];
  const started: OpsOrder[] = [];
  for (const order of orders) {
    await shop.woo.tell(order);
    await untilInbox(shop, order, 'placed');
    const placed = (await placedOf(shop)).find(({ external_reference: of }) => of.endsWith(`:${order.id}`));
    started.push(await start(placed ?? assert.fail('it is placed')));
  }
  const [bad, worse, good] = orders;
  if (bad === undefined || worse === undefined || good === undefined) assert.fail('there are three');
  for (const order of [bad, worse]) spoil(shop, order, 1_000, '/notes');
  for (const [at, order] of started.entries()) await ship(order, `RM${at}`);
  await eventually('the good one is reported', () => (shop.woo.notes.get(good.id) ?? []).length === 1);
  assert.equal((await channelOfLinked(shop)).link?.fault, null);
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  shop.woo.mend();
  passTime(3_600_000);
  for (const { id } of [bad, worse]) {
    await eventually('it is reported', () => (shop.woo.notes.get(id) ?? []).length === 1);
  }
});

test('a report that the key of the print shop may not write stops no other, and is made once it may', async () => {
  const shop = await linkShop(5);
  const [bad, good] = [buy(shop), buy(shop)];
  shop.woo.fail({ times: 1_000, how: keptBack, only: new RegExp(`/orders/${bad.id}/notes$`) });
  for (const [at, order] of [bad, good].entries()) {
    await shop.woo.tell(order);
    await untilInbox(shop, order, 'placed');
    const placed = (await placedOf(shop)).find(({ external_reference: of }) => of.endsWith(`:${order.id}`));
    await ship(await start(placed ?? assert.fail('it is placed')), `RM${at}`);
  }
  await eventually('the good one is reported', () => (shop.woo.notes.get(good.id) ?? []).length === 1);
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  assert.equal((await channelOfLinked(shop)).link?.fault, null);
  shop.woo.mend();
  passTime(3_600_000);
  await eventually('it is reported', () => (shop.woo.notes.get(bad.id) ?? []).length === 1);
});

test('a key that may only read is a fault of the shop in words, and all is reported once it may write again', async () => {
  const shop = await linkShop(10);
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const [placed] = await placedOf(shop);
  const begun = await start(placed ?? assert.fail('it is placed'));
  const body = JSON.stringify({ code: 'woocommerce_rest_authentication_error', message: 'No write permissions.' });
  shop.woo.fail({
    times: 100_000,
    only: /^(POST|PUT|DELETE) /,
    how: (_hit, response) => void response.writeHead(401, { 'content-type': 'application/json' }).end(body),
  });
  await ship(begun, 'RM1');
  const fault = await eventually('it is said', async () => (await channelOfLinked(shop)).link?.fault ?? undefined);
  assert.match(fault.message, /does not let the print shop in any more \(401\)/);
  shop.woo.mend();
  passTime(3_601_000);
  await eventually('it is reported', () =>
    (shop.woo.notes.get(order.id) ?? []).some(({ note }) => note.includes('RM1')),
  );
});

test('a parcel whose report had no answer is not reported again before the shop would have done it', async () => {
  const shop = await linkShop(5);
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const [placed] = await placedOf(shop);
  const begun = await start(placed ?? assert.fail('it is placed'));
  shop.woo.lose(1, /^POST \/orders\/\d+\/notes$/);
  const posts = (): number => shop.woo.asked.filter((one) => /^POST \/orders\/\d+\/notes$/.test(one)).length;
  await ship(begun, 'RM9');
  await eventually('it was sent', () => posts() === 1);
  const due = await eventually('it is put off', async () => {
    const [report] = await rows<{ due_at: Date }>(
      service,
      'select due_at from channel_report r join channel c on c.id = r.channel_id where c.id::text = $1 and failures = 1',
      [await uuidOf(shop)],
    );
    return report?.due_at;
  });
  assert.ok(due.getTime() - service.ctx.clock.now().getTime() > 20_000);
  passTime(601_000);
  await eventually('the shop knows all', async () => (await channelOfLinked(shop)).link?.unreported === 0);
  assert.equal(shop.woo.notes.get(order.id)?.length, 1, 'it was there, and is not sent again');
});

test('a text that no database takes is written without what it cannot have', async () => {
  const shop = await linkShop(5);
  const title = `Fern\0 tee ${'x'.repeat(490)}\u{1F33F}`;
  const order = buy(shop, { line_items: [wooLine(shop, { name: title })], customer_note: 'half \ud83c' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
});

test('unpaid orders leave room for those that are paid, and are taken once they are', async () => {
  const shop = await linkShop(5);
  const first = buy(shop, { status: 'pending' });
  await shop.woo.tell(first);
  await untilInbox(shop, first, 'waiting unpaid');
  await fill(shop, first, 5_000);
  const [unpaid, paid] = [buy(shop, { status: 'failed' }), buy(shop)];
  for (const order of [unpaid, paid]) await shop.woo.tell(order);
  await untilInbox(shop, paid, 'placed');
  assert.equal((await inboxOf(shop))[String(unpaid.id)], undefined);
  assert.equal((await channelOfLinked(shop)).link?.fault, null);
  shop.woo.change(unpaid.id, { status: 'processing' });
  await shop.woo.tell(unpaid);
  await untilInbox(shop, unpaid, 'placed');
});

test('a full inbox takes no new order and says so; what is placed goes on, and what waits outside comes in later', async () => {
  const shop = await linkShop(5);
  const known = buy(shop);
  await shop.woo.tell(known);
  await untilInbox(shop, known, 'placed');
  const first = buy(shop, { status: 'on-hold' });
  await shop.woo.tell(first);
  await untilInbox(shop, first, 'waiting on_hold');
  await fill(shop, first, 10_000);
  const outside = buy(shop);
  await shop.woo.tell(outside);
  shop.woo.change(known.id, { status: 'cancelled' });
  await shop.woo.tell(known);
  await untilInbox(shop, known, 'placed cancelled');
  passTime();
  const fault = await eventually('it says so', async () => (await channelOfLinked(shop)).link?.fault ?? undefined);
  assert.match(fault.message, /^So many orders of this shop wait/);
  await fill(shop, first, 1);
  passTime(601_000);
  await untilInbox(shop, outside, 'placed');
  await eventually('nothing is wrong any more', async () => (await channelOfLinked(shop)).link?.fault === null);
});

test('a full inbox asks its shop for no more new orders, and reads what the shop has changed of others', async () => {
  const shop = await linkShop(5);
  const { woo } = shop;
  const outside = Array.from({ length: 45 }, () => buy(shop));
  const first = buy(shop, { status: 'on-hold' });
  const known = buy(shop);
  for (const order of [first, known]) await woo.tell(order);
  await untilInbox(shop, first, 'waiting on_hold');
  await untilInbox(shop, known, 'placed');
  await fill(shop, first, 10_000);
  woo.asked.length = 0;
  await rows(
    service,
    `insert into channel_hint (account_id, channel_id, shop_order_id, noted_at)
     select c.account_id, c.id, o.id, now() from channel c, unnest($2::text[]) as o (id) where c.id::text = $1
     returning shop_order_id`,
    [await uuidOf(shop), outside.map(({ id }) => String(id))],
  );
  passTime();
  woo.change(known.id, { status: 'cancelled' });
  await woo.tell(known);
  await untilInbox(shop, known, 'placed cancelled');
  await eventually('it says so', async () => (await channelOfLinked(shop)).link?.fault?.message.startsWith('So many'));
  const asked = (what: RegExp): number => woo.asked.filter((one) => what.test(one)).length;
  assert.equal(asked(/^GET \/orders\/\d+$/), 2, 'one was asked for, and then those that are known');
  assert.equal(asked(/^GET \/orders$/), 2, 'its orders, and those in the bin');
});

/** Has an order that waits count as so many. */
async function fill(shop: LinkedShop, { id }: WooOrder, weight: number): Promise<void> {
  await rows(
    service,
    'update channel_order set weight = $1 where channel_id = $2::uuid and shop_order_id = $3 returning id',
    [weight, await uuidOf(shop), String(id)],
  );
}

async function uuidOf({ woo }: LinkedShop): Promise<string> {
  const [row] = await rows<{ id: string }>(service, 'select id from channel where address = $1', [woo.address]);
  return row?.id ?? assert.fail('it is linked');
}

async function start(placed: { readonly id: string }): Promise<OpsOrder> {
  const order = (await floor.request('GET', `/orders/${placed.id}`)).body;
  await closeWindow(service, order);
  await floor.post(`/orders/${placed.id}/promote`);
  const { lines } = (await floor.request('GET', `/orders/${placed.id}`)).body;
  for (const { id } of lines) await floor.post(`/orders/${placed.id}/lines/${id}/start`);
  return (await floor.request('GET', `/orders/${placed.id}`)).body;
}

async function ship({ id, lines }: OpsOrder, number: string): Promise<void> {
  const items = lines.map((line) => ({ line_id: line.id, quantity: 1 }));
  const parcel = { carrier: 'Royal Mail', tracking_number: number, tracking_url: `https://track.example/${number}` };
  await floor.post(`/orders/${id}/shipments`, { ...parcel, items }, 201);
}
