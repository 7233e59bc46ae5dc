import assert from 'node:assert/strict';
import type { BegunLink } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { createAuthority } from '../../harness/authority.ts';
import { eventually } from '../../harness/context.ts';
import { count, openFloor } from '../../harness/floor.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService } from '../../harness/service.ts';
import { TEE_WHITE_M } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import {
  becomes,
  byLine,
  type Circle,
  channelOf,
  FOUND_MS,
  found,
  listedOnce,
  orderOf,
  type Print,
  reported,
  sinceMs,
  startMaking,
} from './both-sides.ts';
import { startFront } from './front.ts';
import type { MedusaServer } from './install.ts';
import { openMedusaShop } from './medusa-shop.ts';
import { publishAndSell } from './publish.ts';
import { sellPublished } from './sell-published.ts';

// The whole circle with a real shop: sold there, made here, reported there.

const HOST = 'medusa.example.test';
const THEIRS = 'FERN-TEE-AS-THEY-CALL-IT';
/** Goes round once; fails at the first thing that is not as it should be. */
export async function goRound(server: MedusaServer, print: Print): Promise<void> {
  const authority = createAuthority();
  const front = await startFront(authority, HOST, server.port);
  const service = await startTestService({ authority, env: { TRUSTED_PRIVATE_HOSTS: front.hostPort } });
  try {
    const medusa = await openMedusaShop(server, [`${service.demo.products.fixed}/${TEE_WHITE_M}`, THEIRS]);
    print('made     a shop of Medusa: a region, a place, a way of shipping, a product of two variants');
    const early = await medusa.buy([1]);
    const owner = await openRole(service, 'owner');
    await refuseWrongKey(owner, front.url);
    const channelId = await connect(owner, front.url, medusa.key);
    print('linked   by its key; a wrong one is a fault in words');
    const circle = { service, owner, medusa, channelId, print };
    await leaveEarlier(circle, early);
    const [id, orderId] = await sellAndPlace(circle);
    await shipAndTell(circle, id, orderId);
    await cancelThere(circle);
    await cancelHere(circle);
    await comesBackAsNothing(circle, id);
    await sellPublished(circle);
    await publishAndSell(server, medusa);
    print('sold     a product that was published there, until it was out of stock');
  } finally {
    await service.stop();
    await front.close();
  }
}

async function refuseWrongKey(owner: PortalClient, address: string): Promise<void> {
  const channelId = await connect(owner, address, `sk_${'0'.repeat(64)}`);
  const { fault } = await eventually('the wrong key is found', async () => {
    const { link } = await channelOf(owner, channelId);
    return link?.fault === null || link === null ? undefined : link;
  });
  assert.match(fault?.message ?? '', /does not let the print shop in any more \(401\)/);
  await owner.request('POST', `/channels/${channelId}/disconnect`);
}

async function connect(owner: PortalClient, address: string, key: string): Promise<string> {
  const body = { platform: 'medusa', name: 'Fern and Thread', address: `${address}/app/orders`, key };
  const begun = await owner.request<BegunLink>('POST', '/channels/links', { body });
  assert.equal(begun.status, 201, begun.text);
  assert.ok(begun.body.channel !== undefined && begun.body.consent_url === undefined, begun.text);
  return begun.body.channel.id;
}

async function leaveEarlier({ owner, channelId, print }: Circle, early: string): Promise<void> {
  const view = await found({ owner, channelId }, early);
  assert.deepEqual([view.state, view.reason], ['waiting', 'unpaid'], JSON.stringify(view));
  const ignored = await owner.request<ShopOrderView>('POST', `/shop-orders/${view.id}/ignore`);
  assert.equal(ignored.status, 200, ignored.text);
  print('left     an order of before alone');
}

/** Sold in the shop, and an order here once it is paid there and its items are known. */
async function sellAndPlace(circle: Circle): Promise<readonly [string, string]> {
  const { owner, medusa, channelId, print } = circle;
  const id = await medusa.buy([3, 1]);
  const unpaid = await found(circle, id);
  assert.deepEqual([unpaid.state, unpaid.reason], ['waiting', 'unpaid'], JSON.stringify(unpaid));
  // The list of payments is at its end, so that what comes now is found by the next sync.
  await listedOnce(circle);
  let beganMs = performance.now();
  await medusa.capture(id);
  const unknown = await becomes(circle, id, 'needs_mapping');
  print(`found    the payment of an order, which does not change the order itself, in ${sinceMs(beganMs)}`);
  const item = unknown.items.find(({ state }) => state === 'missing');
  assert.equal(item?.key, `variant ${medusa.variantIds[1]}`, JSON.stringify(unknown.items));
  const body = {
    key: item?.key,
    title: item?.title,
    product_id: circle.service.demo.products.fixed,
    variant_sku: TEE_WHITE_M,
  };
  const mapped = await owner.request('POST', `/channels/${channelId}/items`, { body });
  assert.equal(mapped.status, 204, mapped.text);
  const placed = await becomes(circle, id, '');
  assert.equal(placed.state, 'placed', JSON.stringify(placed));
  beganMs = performance.now();
  const next = await medusa.buy([1]);
  await medusa.capture(next);
  const again = await becomes(circle, next, '');
  assert.equal(again.state, 'placed', JSON.stringify(again));
  print(`placed   an order from its purchase and its payment there in ${sinceMs(beganMs)}, without anybody's hands`);
  return [id, placed.order?.id ?? ''];
}

/** Shipped here in two parcels, and fulfilled there in two, by line and quantity, each with its tracking number. */
async function shipAndTell(circle: Circle, id: string, orderId: string): Promise<void> {
  const { service, medusa, print } = circle;
  await count(await openFloor(service), TEE_WHITE_M, 100);
  const { lines, ship } = await startMaking(service, orderId);
  const [first, second] = lines.toSorted((a, b) => b.quantity - a.quantity).map((line) => line.id);
  await ship('RM100GB', [{ line_id: first, quantity: 2 }]);
  const beganMs = performance.now();
  await eventually('the first parcel is reported', async () => (await reported(medusa, id)).length === 1, FOUND_MS);
  print(`reported     a parcel with its tracking number in ${sinceMs(beganMs)}`);
  await ship('RM200GB', [
    { line_id: first, quantity: 1 },
    { line_id: second, quantity: 1 },
  ]);
  await eventually('the second parcel is reported', async () => (await reported(medusa, id)).length === 2, FOUND_MS);
  const order = await orderOf(medusa, id);
  const ofLine = (at: number): string => order.items.find((one) => one.variant_id === medusa.variantIds[at])?.id ?? '';
  assert.deepEqual(await reported(medusa, id), [
    ['RM100GB https://track.example/RM100GB', [[ofLine(0), 2]]],
    [
      'RM200GB https://track.example/RM200GB',
      [
        [ofLine(0), 1],
        [ofLine(1), 1],
      ].toSorted(byLine),
    ],
  ]);
  assert.equal(order.fulfillment_status, 'shipped');
  print(
    'reported     the rest: the shop has two shipped fulfilments by line and quantity, and calls its order shipped',
  );
}

async function cancelThere(circle: Circle): Promise<void> {
  const { service, medusa, print } = circle;
  const id = await medusa.buy([1]);
  await medusa.capture(id);
  const { order } = await becomes(circle, id, '');
  await medusa.admin('POST', `/orders/${id}/cancel`, {});
  await becomes(circle, id, 'cancelled');
  const [row] = await rows<{ state: string }>(service, 'select state from orders where reference = $1', [
    order?.reference ?? '',
  ]);
  assert.equal(row?.state, 'cancelled');
  print('passed   a cancel of the shop on');
}

async function cancelHere(circle: Circle): Promise<void> {
  const { service, medusa, print } = circle;
  const id = await medusa.buy([1]);
  await medusa.capture(id);
  const { order } = await becomes(circle, id, '');
  const answer = await service.customer.request('POST', `/orders/${order?.id}/cancel`);
  assert.equal(answer.status, 200, answer.text);
  const { metadata, status } = await eventually(
    'the cancel is reported',
    async () => {
      const seen = await orderOf(medusa, id);
      return seen.metadata?.platen_cancelled === undefined ? undefined : seen;
    },
    FOUND_MS,
  );
  assert.match(String(metadata?.platen_cancelled), /has cancelled its order .+ Refund your buyer\.$/);
  assert.equal(status, 'pending', 'its people say whether the whole order is cancelled');
  print('reported     a cancel of ours, as a note');
}

/** What we wrote into the shop comes back by its lists, and changes nothing. */
async function comesBackAsNothing(circle: Circle, id: string): Promise<void> {
  const { service, owner, channelId, print } = circle;
  await listedOnce(circle);
  await eventually(
    'all was reported',
    async () => (await channelOf(owner, channelId)).link?.unreported === 0,
    FOUND_MS,
  );
  await listedOnce(circle);
  const { link } = await channelOf(owner, channelId);
  assert.deepEqual([link?.fault, link?.unreadable], [null, 0], JSON.stringify(link));
  const view = await found(circle, id);
  assert.deepEqual([view.state, view.reason], ['placed', ''], 'our own parcels are no change of the shop');
  const [placed] = await rows<{ orders: number }>(
    service,
    "select count(*)::int as orders from orders where source = 'channel'",
  );
  assert.equal(placed?.orders, 4);
  await assertSound(service);
  print('proved   four orders, none twice; what we wrote there came back as nothing; verify finds nothing');
}
