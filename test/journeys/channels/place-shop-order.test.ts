import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ShopOrder } from '../../../src/channels/shop-order.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import {
  type ConnectedShop,
  closeShops,
  connectShop,
  looked,
  mystery,
  openShops,
  ordersOf,
  ourItem,
  seen,
  sendAndLook,
  service,
  setItem,
  shopOrder,
} from './shops.ts';

before(() => openShops());
after(closeShops);

test('a placed order can be neither placed again nor ignored', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop));
  assert.deepEqual(view.actions, { place: false, ignore: false, correct_address: false, ignore_entries: false });
  for (const action of ['place', 'ignore']) {
    assert.equal((await shop.owner.request('POST', `/shop-orders/${view.id}/${action}`)).status, 409, action);
  }
  assert.equal((await ordersOf(shop)).length, 1);
});

test('people of orders answer them, readers only look, and another account finds nothing', async () => {
  const shop = await connectShop();
  const other = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop, { high_risk: true }));
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  assert.equal((await reader.request('GET', `/shop-orders/${view.id}`)).status, 200);
  for (const action of ['place', 'ignore']) {
    assert.equal((await reader.request('POST', `/shop-orders/${view.id}/${action}`)).status, 403, action);
    assert.equal((await other.owner.request('POST', `/shop-orders/${view.id}/${action}`)).status, 404, action);
  }
  assert.equal((await other.owner.request('GET', `/shop-orders/${view.id}`)).status, 404);
  const clerk = await openRole(service, 'orders', shop.customer.accountId);
  const both = await Promise.all([1, 2].map(() => clerk.request('POST', `/shop-orders/${view.id}/place`)));
  assert.ok(both.some(({ status }) => status === 200));
  await eventually('it is placed', async () => (await seen(shop, view.id)).state === 'placed');
  assert.equal((await ordersOf(shop)).length, 1);
});

test('one with a status of the shop’s own is placed by a person; one of a later day is not, before it', async () => {
  const shop = await connectShop();
  const own = await sendAndLook(shop, shopOrder(shop, { unknown_status: true }));
  assert.deepEqual([own.reason, own.actions.place], ['unknown_status', true]);
  assert.equal((await shop.owner.request('POST', `/shop-orders/${own.id}/place`)).status, 200);
  assert.equal((await looked(shop, own.id)).state, 'placed');
  const day = isoTime(new Date(service.ctx.clock.now().getTime() + 86_400_000));
  const later = await sendAndLook(shop, shopOrder(shop, { scheduled_for: day }));
  assert.deepEqual([later.reason, later.actions.place], ['scheduled', false]);
  assert.equal((await shop.owner.request('POST', `/shop-orders/${later.id}/place`)).status, 409);
});

describe('what a person has approved, and the shop changes before it is placed', () => {
  /** An order that the shop suspects, approved by a person; it waits for its item. */
  async function approve(): Promise<{ shop: ConnectedShop; order: ShopOrder; id: string }> {
    const shop = await connectShop(20);
    const items = [{ ...mystery, quantity: 2 }, ourItem(shop, { id: '2' })];
    const order = shopOrder(shop, { high_risk: true, items });
    const { id } = await sendAndLook(shop, order);
    assert.equal((await shop.owner.request('POST', `/shop-orders/${id}/place`)).status, 200);
    const { state, reason } = await looked(shop, id);
    assert.deepEqual([state, reason], ['waiting', 'needs_mapping']);
    return { shop, order, id };
  }

  /** What becomes of it once the shop has changed it, and its item is known. */
  async function becomes(changes: (shop: ConnectedShop, order: ShopOrder) => Partial<ShopOrder>): Promise<string> {
    const { shop, order, id } = await approve();
    service.shiftMs(1_000);
    const updatedAt = isoTime(service.ctx.clock.now());
    await sendAndLook(shop, { ...order, ...changes(shop, order), updated_at: updatedAt });
    const known = { key: 'variant 9001', title: 'Fern tee', product_id: shop.productId, variant_sku: shop.sku };
    assert.equal((await setItem(shop, known)).status, 204);
    const { state, reason } = await eventually('it waits for its item no more', async () => {
      const view = await seen(shop, id);
      return view.state !== 'new' && view.reason !== 'needs_mapping' && view;
    });
    return `${state} ${reason}`.trim();
  }

  test('is placed with fewer pieces, or with a note', async () => {
    assert.equal(
      await becomes((_shop, { items: [first] }) => ({ items: [{ ...first, quantity: 1 }] as never })),
      'placed',
    );
    assert.equal(await becomes(() => ({ note: 'As a gift.' })), 'placed');
  });

  test('waits for a person anew with more pieces, another item, another address or another service', async () => {
    const changes: Parameters<typeof becomes>[0][] = [
      (_shop, { items: [first, ...rest] }) => ({ items: [{ ...first, quantity: 50 }, ...rest] as never }),
      (shop, { items }) => ({ items: [...items, ourItem(shop, { id: '3' })] }),
      (_shop, { shipping_address: address }) => ({ shipping_address: { ...address, city: 'York' } }),
      () => ({ shipping_method: 'Express' }),
    ];
    for (const change of changes) assert.equal(await becomes(change), 'waiting high_risk', String(change));
  });

  test('waits for a person anew once the shop suspects fraud', async () => {
    const shop = await connectShop(5);
    const order = shopOrder(shop, { unknown_status: true, items: [mystery] });
    const { id } = await sendAndLook(shop, order);
    assert.equal((await shop.owner.request('POST', `/shop-orders/${id}/place`)).status, 200);
    assert.equal((await looked(shop, id)).reason, 'needs_mapping');
    service.shiftMs(1_000);
    const later = { ...order, unknown_status: false, high_risk: true, updated_at: isoTime(service.ctx.clock.now()) };
    assert.equal((await sendAndLook(shop, later)).reason, 'high_risk');
  });
});
