import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { claimRenewal, findLink, renewLink } from '../../../src/channels/linked/link-sql.ts';
import { callsWithRenewal, unsealed } from '../../../src/channels/linked/renew-credentials.ts';
import { ask } from '../../../src/channels/platforms/shopify/ask.ts';
import { SHOPIFY } from '../../../src/channels/platforms/shopify/shopify.ts';
import { newId, parseId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { rows } from '../../harness/written.ts';
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

before(() => openShopify(['once', 'lost', 'middle', 'dead', 'held', 'again', 'died', 'late']));
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

/** Connections that hold a transaction open while its process does something else. */
const WAITING = `select state, query from pg_stat_activity
  where datname = current_database() and state like 'idle in transaction%'`;

test('while Shopify gives no token, no connection of the database waits for it', async () => {
  const connected = await connect('held');
  let release = (): void => {};
  connected.shop.tokens.isExpired = true;
  connected.shop.tokens.hold = new Promise((resolve) => {
    release = resolve;
  });
  const sync = await openCalls(connected);
  const hits = double.stranger.hits.length;
  const asked = ask(sync, QUERY);
  await eventually('it is asked for a token', async () => double.stranger.hits.length > hits + 1);
  assert.deepEqual(await rows(service, WAITING), []);
  release();
  await asked;
  assert.equal(connected.shop.tokens.refreshed, 1);
});

test('a shop that is connected again while its token is renewed is let in by what that gave', async () => {
  const connected = await connect('again');
  let release = (): void => {};
  connected.shop.tokens.isExpired = true;
  connected.shop.tokens.hold = new Promise((resolve) => {
    release = resolve;
  });
  const sync = await openCalls(connected);
  const hits = double.stranger.hits.length;
  const asked = ask(sync, QUERY);
  await eventually('it is asked for a token', async () => double.stranger.hits.length > hits + 1);
  const access = 'shpat_of_a_new_consent';
  const sealed = service.ctx.secrets.seal(
    JSON.stringify({ access_token: access, refresh_token: 'shprt_new', expires_at: '2999-01-01T00:00:00.000Z' }),
  );
  const of = { accountId: connected.customer.accountId, channelId: channelOf(connected) };
  await renewLink(service.ctx.database, { ...of, sealed, now: new Date('2999-01-01T00:00:00.000Z') });
  release();
  await connected.shop.tokens.hold;
  assert.equal(connected.shop.tokens.refreshed, 1);
  // The double takes that of the consent from now on.
  Object.assign(connected.shop.tokens, { access });
  await asked;
});

const channelOf = ({ channelId }: Connected) => parseId('chan', channelId) ?? assert.fail();

/** Has some process hold the claim of a renewal for so many seconds. */
async function claimed(connected: Connected, seconds: number): Promise<void> {
  const of = { accountId: connected.customer.accountId, channelId: channelOf(connected) };
  const { sealed } = (await findLink(service.ctx.database, of.accountId, of.channelId)) ?? assert.fail();
  assert.ok(await claimRenewal(service.ctx.database, of, { sealed, by: newId(), seconds }));
}

test('a claim of a process that has died ends, and the token is renewed then', async () => {
  const connected = await connect('died');
  await claimed(connected, 2);
  const until = performance.now() + 1_500;
  connected.shop.tokens.isExpired = true;
  const sync = await openCalls(connected);
  await ask(sync, QUERY);
  assert.equal(connected.shop.tokens.refreshed, 1);
  assert.ok(performance.now() >= until, 'not before the claim is over');
  const left = "select facts -> 'renewal' as left from channel_link where channel_id = $1";
  assert.deepEqual(await rows(service, left, [channelOf(connected)]), [{ left: null }]);
});

test('what a renewal gives whose claim is over is not kept: another may have been given something newer', async () => {
  const connected = await connect('late');
  let release = (): void => {};
  connected.shop.tokens.isExpired = true;
  connected.shop.tokens.hold = new Promise((resolve) => {
    release = resolve;
  });
  const late = await openCalls(connected);
  const hits = double.stranger.hits.length;
  const asked = ask(late, QUERY);
  await eventually('it is asked for a token', async () => double.stranger.hits.length > hits + 1);
  const isOver =
    "update channel_link set facts = facts || jsonb_build_object('renewal', jsonb_build_object('by', facts #>> '{renewal,by}', 'until', now() - interval '1 second')) where channel_id = $1";
  await rows(service, isOver, [channelOf(connected)]);
  await claimed(connected, 2);
  release();
  await asked;
  assert.equal(connected.shop.tokens.refreshed, 2, 'its own is dropped, and it renews once that claim is over too');
  await ask(await openCalls(connected), QUERY);
  assert.equal(connected.shop.tokens.refreshed, 2);
});
