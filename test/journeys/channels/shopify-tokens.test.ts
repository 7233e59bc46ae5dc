import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findLink } from '../../../src/channels/linked/link-sql.ts';
import { callsWithRenewal, unsealed } from '../../../src/channels/linked/renew-credentials.ts';
import { ask } from '../../../src/channels/platforms/shopify/ask.ts';
import { SHOPIFY } from '../../../src/channels/platforms/shopify/shopify.ts';
import { parseId } from '../../../src/lib/ids.ts';
import {
  type Connected,
  channelsOf,
  closeShopify,
  connect,
  double,
  isPlaced,
  openShopify,
  service,
  until,
  untilVisited,
} from './shopify-shops.ts';

before(() => openShopify(['once', 'lost', 'middle', 'dead']));
after(closeShopify);

/** The calls of a sync that has just begun, at some node. */
async function openCalls({ customer: { accountId }, channelId }: Connected) {
  const id = parseId('chan', channelId);
  assert.ok(id !== undefined);
  const link = await findLink(service.ctx.database, accountId, id);
  assert.ok(link !== undefined);
  const { signal } = new AbortController();
  const access = { accountId, channelId: id, address: link.address, platform: SHOPIFY, signal };
  return callsWithRenewal(service.ctx, access, { sealed: link.sealed, credentials: unsealed(service.ctx, link) });
}

const QUERY = 'query Service { shop { fulfillmentServices { id } } }';

test('two syncs with a token that ends renew it once, and both go on with the new one', async () => {
  const connected = await connect('once');
  const syncs = [await openCalls(connected), await openCalls(connected), await openCalls(connected)];
  service.shiftMs(3_400_000);
  const answers = await Promise.all(syncs.map((sync) => ask(sync, QUERY)));
  assert.equal(answers.length, 3);
  assert.equal(connected.shop.tokens.refreshed, 1);
  const order = await double.order(connected.shop, [connected.ours]);
  await until(connected, order.id, isPlaced);
});

test('a renewal whose answer is lost is made again with the token of before', async () => {
  const connected = await connect('lost');
  connected.shop.tokens.isExpired = true;
  connected.shop.faults.push('none', 'answer lost');
  const order = await double.order(connected.shop, [connected.ours]);
  await untilVisited(connected, order.id, isPlaced);
  assert.equal(connected.shop.tokens.refreshed, 2);
});

test('a token that ends in the middle of a sync is renewed, and the sync goes on', async () => {
  const connected = await connect('middle');
  const sync = await openCalls(connected);
  await ask(sync, QUERY);
  connected.shop.tokens.isExpired = true;
  await ask(sync, QUERY);
  assert.equal(connected.shop.tokens.refreshed, 1);
  const order = await double.order(connected.shop, [connected.ours]);
  await until(connected, order.id, isPlaced);
  assert.equal(connected.shop.tokens.refreshed, 1);
});

test('a token that cannot be renewed any more is a fault with what mends it', async () => {
  const connected = await connect('dead');
  Object.assign(connected.shop.tokens, { isExpired: true, refresh: 'another', refreshBefore: undefined });
  const sync = await openCalls(connected);
  await assert.rejects(ask(sync, QUERY), { name: 'ShopFault', kind: 'refused' });
  assert.equal((await channelsOf(connected)).length, 1);
});
