import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BegunLink, Channel } from '../../../src/channels/channel-schema.ts';
import { eventually } from '../../harness/context.ts';
import { openRole, pastProof } from '../../harness/portal.ts';
import { openWooDouble } from '../../harness/woo-double.ts';
import { rows } from '../../harness/written.ts';
import { sellBlanks } from './blanks.ts';
import { closeShops, logged, openShops, ordersOf, service } from './shops.ts';
import {
  beginLink,
  buy,
  channelOfLinked,
  type LinkedShop,
  linkShop,
  passTime,
  untilInbox,
  wooLine,
} from './woo-shops.ts';

const DAY_MS = 86_400_000;

before(() => openShops());
after(closeShops);

test('a shop is linked by consent, has its webhooks, and an order in it is placed', async () => {
  const shop = await linkShop();
  const { woo } = shop;
  assert.deepEqual([...woo.hooks.values()].map(({ topic, status }) => `${topic} ${status}`).toSorted(), [
    'order.created active',
    'order.deleted active',
    'order.restored active',
    'order.updated active',
  ]);
  const order = buy(shop);
  assert.deepEqual(await woo.tell(order), [200]);
  await untilInbox(shop, order, 'placed');
  const { link, platform, last_order_at: lastAt } = await channelOfLinked(shop);
  assert.deepEqual([platform, link?.address, link?.fault], ['woocommerce', woo.address, null]);
  assert.ok(lastAt !== null);
});

test('two shops whose orders have the same number: both are placed, each as its own', async () => {
  const one = await linkShop();
  const other = await linkShop();
  for (const shop of [one, other]) {
    const order = buy(shop, { number: '1001' });
    await shop.woo.tell(order);
    await untilInbox(shop, order, 'placed');
    assert.equal((await ordersOf({ ...shop, secret: '' })).length, 1);
  }
});

test('nothing of what was ordered before is placed: the unfinished is listed to choose from, the rest is left', async () => {
  const old = { date_created_gmt: '2026-01-05T09:00:00', date_modified_gmt: '2026-01-05T09:00:00' };
  const shop = await linkShop(5, ({ woo, ...rest }) => {
    for (let at = 0; at < 120; at += 1) woo.order({ ...old, status: 'completed', line_items: [wooLine(rest)] });
    for (let at = 0; at < 60; at += 1) woo.order({ ...old, line_items: [wooLine(rest)] });
  });
  const found = await eventually('all were looked at', async () => {
    const { waiting } = await channelOfLinked(shop);
    return waiting.length === 1 && waiting[0]?.orders === 60 ? waiting : undefined;
  });
  assert.deepEqual(found, [{ reason: 'earlier', orders: 60 }]);
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  assert.equal((await ordersOf({ ...shop, secret: '' })).length, 1);
});

test('a shop whose clock is behind counts as linked by its own clock, also where its webhooks fail', async () => {
  for (const times of [0, Number.POSITIVE_INFINITY]) {
    const shop = await linkShop(5, ({ woo }) => {
      woo.clock.setSkew(-3_600_000);
      woo.fail({ times, only: /\/webhooks/, how: (_hit, response) => void response.writeHead(500).end('<h1>') });
    });
    const order = buy(shop);
    passTime();
    await untilInbox(shop, order, 'placed');
  }
});

test('a shop that is connected again, as its address is typed again, is the one of before: its orders are made once', async () => {
  const shop = await linkShop();
  const { woo, owner } = shop;
  woo.revoke();
  assert.equal(await woo.consent(await beginLink(owner, `${woo.address}/`, { name: 'Again' })), 200);
  const { body } = await owner.request<{ data: Channel[] }>('GET', '/channels');
  assert.deepEqual(
    body.data.map(({ id, name }) => [id, name]),
    [[shop.channelId, 'Fern and Thread']],
  );
  const order = buy(shop);
  await woo.tell(order);
  await untilInbox(shop, order, 'placed');
  passTime();
  await eventually('it was read again', async () => (await channelOfLinked(shop)).link?.fault === null);
  assert.equal((await ordersOf({ ...shop, secret: '' })).length, 1);
});

test('what was placed while the shop was connected before is not placed again, and what was not can be', async () => {
  for (const www of ['', 'www.']) await connectAnew(www);
});

async function connectAnew(www: string): Promise<void> {
  const shop = await linkShop();
  const { woo, owner } = shop;
  const [placed, cancelled] = [buy(shop), buy(shop)];
  for (const order of [placed, cancelled]) {
    await woo.tell(order);
    await untilInbox(shop, order, 'placed');
  }
  const before = await ordersOf({ ...shop, secret: '' });
  const [kept, gone] = [placed, cancelled].map(({ id }) =>
    before.find(({ external_reference: of }) => of.endsWith(`:${id}`)),
  );
  assert.equal((await owner.api('POST', `/orders/${gone?.id}/cancel`)).status, 200);
  assert.equal((await owner.request('POST', `/channels/${shop.channelId}/disconnect`)).status, 200);
  service.shiftMs(2_000);
  assert.equal(await woo.consent(await beginLink(owner, woo.address.replace('://', `://${www}`))), 200);
  const { body } = await owner.request<{ data: Channel[] }>('GET', '/channels');
  const anew = body.data.find(({ state }) => state !== 'disconnected') ?? assert.fail('it is connected again');
  const again = { ...shop, channelId: anew.id };
  await untilInbox(again, placed, 'ignored placed_before');
  await untilInbox(again, cancelled, 'waiting earlier');
  assert.equal((await ordersOf({ ...shop, secret: '' })).length, 2);
  const { body: view } = await owner.request<{ data: { problems: { message: string }[] }[] }>(
    'GET',
    `/shop-orders?channel=${anew.id}&reason=placed_before`,
  );
  const { reference } = (await owner.api<{ reference: string }>('GET', `/orders/${kept?.id}`)).body;
  assert.match(view.data[0]?.problems[0]?.message ?? '', new RegExp(`It is order ${reference}, placed`));

  // Its buyer cancels it there: that reaches the order, which no other connection hears of.
  service.shiftMs(1_000);
  woo.change(placed.id, { status: 'cancelled' });
  await woo.tell(placed);
  await eventually('it is cancelled', async () => {
    return (await owner.api<{ status: string }>('GET', `/orders/${kept?.id}`)).body.status === 'cancelled';
  });
}

test('a shop that was set up anew at its address counts its orders from one again: each that was paid is placed', async () => {
  const shop = await linkShop();
  const { woo, owner } = shop;
  const before = buy(shop);
  await woo.tell(before);
  await untilInbox(shop, before, 'placed');
  assert.equal((await owner.request('POST', `/channels/${shop.channelId}/disconnect`)).status, 200);
  service.shiftMs(10_000);
  woo.orders.delete(before.id);
  assert.equal(await woo.consent(await beginLink(owner, woo.address)), 200);
  const { body } = await owner.request<{ data: Channel[] }>('GET', '/channels');
  const anew = body.data.find(({ state }) => state !== 'disconnected') ?? assert.fail('it is connected again');
  await sellBlanks(service, anew.id);
  await eventually('its webhooks are there', () => woo.hooks.size > 0);
  service.shiftMs(10_000);
  const made = buy(shop);
  woo.orders.delete(made.id);
  const again = { ...made, id: before.id, number: before.number };
  woo.orders.set(again.id, again);
  await woo.tell(again);
  await untilInbox({ ...shop, channelId: anew.id }, again, 'placed');
  assert.equal((await ordersOf({ ...shop, secret: '' })).length, 2);
});

test('an address that is none, is not public or is not https is refused with its field', async () => {
  const { owner } = await linkShop();
  const body = { platform: 'woocommerce', name: 'Shop' };
  for (const address of [
    'http://shop.example.test',
    'https://',
    'ftp://x',
    'https://user:pw@art.example.test',
    'https://10.0.0.1',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://unknown.example.test',
  ]) {
    const answer = await owner.request('POST', '/channels/links', { body: { ...body, address } });
    assert.equal(answer.status, 422, `${address}: ${answer.text}`);
    assert.deepEqual(
      answer.body.errors?.map(({ path }) => path),
      ['address'],
      address,
    );
  }
  const unknown = await owner.request('POST', '/channels/links', {
    body: { ...body, platform: 'magento', address: 'x' },
  });
  assert.deepEqual(
    unknown.body.errors?.map(({ path }) => path),
    ['platform'],
  );
});

test('only owners and managers with a fresh proof begin, and only for shops of their own', async () => {
  const shop = await linkShop();
  const address = shop.woo.address;
  const body = { platform: 'woocommerce', name: 'Shop', address };
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  assert.equal((await reader.request('POST', '/channels/links', { body })).status, 403);
  const other = await linkShop();
  const foreign = await other.owner.request('POST', '/channels/links', { body: { ...body, channel: shop.channelId } });
  assert.equal(foreign.status, 404);
  await pastProof(service, shop.owner);
  const stale = await shop.owner.request('POST', '/channels/links', { body });
  assert.deepEqual([stale.status, stale.body.code], [403, 'proof_required']);
});

test('a consent counts once, for whom it was asked, within half an hour; what is none is refused', async () => {
  const { owner, customer } = await linkShop();
  const shops = async (): Promise<number> =>
    (await owner.request<{ data: Channel[] }>('GET', '/channels')).body.data.length;
  const woo = openWooDouble(service);
  const url = await beginLink(owner, woo.address);
  assert.equal(await woo.consent(url, { consumer_key: 'ck_short' }), 400);
  assert.equal(await woo.consent(url, { user_id: 'somebody else' }), 401);
  assert.equal(await shops(), 1);
  assert.equal(await woo.consent(url), 200);
  assert.equal(await woo.consent(url), 401, 'once');
  assert.equal(await shops(), 2);
  const late = await beginLink(owner, woo.address);
  service.shiftMs(1_801_000);
  assert.equal(await woo.consent(late), 401, 'too late');
  const absent = await fetch(`${service.url}/channels/consents/magento`, { method: 'POST', body: '{}' });
  assert.equal(absent.status, 404);
  const large = await fetch(`${service.url}/channels/consents/woocommerce`, {
    method: 'POST',
    body: 'x'.repeat(20_000),
  });
  assert.equal(large.status, 413);
  const left = await rows<{ n: number }>(
    service,
    'select count(*)::integer as n from channel_invitation where account_id = $1 and expires_at > $2',
    [customer.accountId, service.ctx.clock.now()],
  );
  assert.equal(left[0]?.n, 0);
  assert.equal(
    logged.some((line) => /c[ks]_[0-9a-f]{40}/.test(line)),
    false,
    'no key is logged',
  );
});

test('a shop that takes our key away is a fault in words, is asked rarely, and goes on once it is linked again', async () => {
  const shop = await linkShop();
  shop.woo.revoke();
  const order = buy(shop);
  await shop.woo.tell(order);
  const fault = await eventually('the fault shows', async () => (await channelOfLinked(shop)).link?.fault ?? undefined);
  assert.match(fault.message, /does not let the print shop in any more \(401\)\. Connect it again\./);
  const asked = shop.woo.asked.length;
  await shop.woo.tell(order);
  const url = await beginLink(shop.owner, 'https://typed-again.example.test', { channel: shop.channelId });
  assert.ok(url.startsWith(shop.woo.address), 'its address stays');
  assert.equal(shop.woo.asked.length, asked, 'nothing is asked meanwhile');
  assert.equal(await shop.woo.consent(url), 200);
  await untilInbox(shop, order, 'placed');
  await eventually('the shop is well', async () => (await channelOfLinked(shop)).link?.fault === null);
  assert.equal(
    (await shop.owner.request<{ data: Channel[] }>('GET', '/channels')).body.data.length,
    1,
    'it is the same shop',
  );
});

test('a shop that is disconnected is left as it was found, and nothing of it is taken any more', async () => {
  const shop = await linkShop();
  const order = buy(shop);
  const secret = [...shop.woo.hooks.values()][0]?.secret ?? '';
  const hooks = [...shop.woo.hooks.entries()];
  assert.equal((await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`)).status, 200);
  await eventually('its webhooks are gone', () => shop.woo.hooks.size === 0);
  for (const [id, hook] of hooks) shop.woo.hooks.set(id, hook);
  assert.deepEqual(await shop.woo.tell(order, { secret }), [401]);
  await eventually('its key is forgotten', async () => (await linksOf(shop)) === 0);
  const rotate = await shop.owner.request('POST', `/channels/${shop.channelId}/secret`);
  assert.equal(rotate.status, 409);
  const again = await shop.owner.request<Partial<BegunLink>>('POST', '/channels/links', {
    body: { platform: 'woocommerce', name: 'x', address: shop.woo.address, channel: shop.channelId },
  });
  assert.equal(again.status, 409);
});

/** How many shops an account has the key of. */
async function linksOf({ customer }: LinkedShop): Promise<number> {
  return (await rows(service, 'select from channel_link where account_id = $1', [customer.accountId])).length;
}

test('a shop that was at fault for days before it was disconnected is left as it was found, too', async () => {
  const shop = await linkShop();
  const since = new Date(service.ctx.clock.now().getTime() - 2 * DAY_MS);
  const fault =
    "update channel_link set fault = 'It is full.', fault_kind = 'busy', fault_since = $2 where account_id = $1";
  await rows(service, fault, [shop.customer.accountId, since]);
  const hooks = shop.woo.hooks.size;
  assert.ok(hooks > 0);
  assert.equal((await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`)).status, 200);
  await eventually('its key is forgotten', async () => (await linksOf(shop)) === 0);
  assert.equal(shop.woo.hooks.size, 0);
  assert.equal(shop.woo.asked.filter((one) => one.startsWith('DELETE /webhooks/')).length, hooks);
});

test('the key of a shop that stays away is forgotten a day after it was disconnected, and not before', async () => {
  const shop = await linkShop();
  shop.woo.fail({ times: 1_000, only: /^/, how: (_hit, response) => void response.writeHead(500).end() });
  const asked = shop.woo.asked.length;
  assert.equal((await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`)).status, 200);
  await eventually('it was asked', async () => shop.woo.asked.length > asked);
  passTime(DAY_MS - 3_600_000);
  const again = shop.woo.asked.length;
  await eventually('it was asked again', async () => shop.woo.asked.length > again);
  assert.equal(await linksOf(shop), 1);
  passTime(2 * 3_600_000);
  await eventually('its key is forgotten', async () => (await linksOf(shop)) === 0);
});
