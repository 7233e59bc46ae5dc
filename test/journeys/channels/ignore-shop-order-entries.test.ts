import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { assertSound } from '../../harness/written.ts';
import {
  type ConnectedShop,
  closeShops,
  connectDesignedShop,
  connectShop,
  itemsOf,
  lookAgain,
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

const ENTERED = [
  { name: 'Engrave', value: 'Anna' },
  { name: '_bundle', value: '7' },
];

/** An order of a plain product with what its buyer entered. */
const entered = (shop: ConnectedShop, changes: object = {}) =>
  shopOrder(shop, { items: [ourItem(shop, { properties: ENTERED, ...changes })] });

const ignoreEntries = ({ owner }: Pick<ConnectedShop, 'owner'>, id: string) =>
  owner.request<ShopOrderView>('POST', `/shop-orders/${id}/ignore-entries`);

async function untilPlaced(shop: ConnectedShop, { id }: ShopOrderView): Promise<void> {
  await eventually('it is placed', async () => {
    await lookAgain();
    return (await seen(shop, id)).state === 'placed';
  });
}

test('what a buyer entered for a product that is not personalised waits in words, and stops no other order', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, entered(shop));
  assert.deepEqual([view.state, view.reason, view.actions.ignore_entries], ['waiting', 'needs_personalisation', true]);
  assert.match(view.problems[0]?.message ?? '', /^What the buyer entered under “Engrave” is made by no one/);
  assert.doesNotMatch(JSON.stringify(view.problems), /Anna|_bundle/);
  assert.deepEqual(await ordersOf(shop), []);
  const other = await sendAndLook(shop, shopOrder(shop));
  assert.deepEqual([other.state, other.actions.ignore_entries], ['placed', false]);
});

test('bookkeeping of the shop, and what the title of the item says too, is no entry', async () => {
  const shop = await connectShop();
  const properties = [
    { name: '_bundle', value: '7' },
    { name: 'size', value: 'm' },
  ];
  const view = await sendAndLook(shop, entered(shop, { properties, title: 'Fern tee - White, M' }));
  assert.equal(view.state, 'placed', JSON.stringify(view));
});

test('a person says once that entries for an item do not matter: all orders that wait for it go on, later ones do not wait', async () => {
  const shop = await connectShop();
  const [one, two] = [await sendAndLook(shop, entered(shop)), await sendAndLook(shop, entered(shop))];
  const { status, text } = await ignoreEntries(shop, one.id);
  assert.equal(status, 200, text);
  await untilPlaced(shop, one);
  await untilPlaced(shop, two);
  const later = await sendAndLook(shop, entered(shop));
  assert.equal(later.state, 'placed');
  const { known } = await itemsOf(shop);
  assert.deepEqual(
    known.map(({ key, ignores_entries: ignores }) => [key, ignores]),
    [[`sku ${shop.productId}/${shop.sku}`, true]],
  );
  // Of another item nothing was said.
  const other = await sendAndLook(shop, entered(shop, { variant_id: '77' }));
  assert.equal(other.reason, 'needs_personalisation');
  assert.equal((await ordersOf(shop)).length, 3);
  await assertSound(service);
});

test('who says anew what the item is is asked anew, and a personalised product takes what was entered', async () => {
  const shop = await connectDesignedShop();
  const product = service.demo.products.personalised;
  const { body: described } = await shop.owner.api<{ layers: { name: string; type: string; required: boolean }[] }>(
    'GET',
    `/products/${product}/personalisation`,
  );
  const layer = described.layers.find(({ type, required }) => type === 'text' && required);
  const properties = [{ name: layer?.name ?? '', value: 'Ada' }];
  const view = await sendAndLook(shop, entered(shop, { properties, variant_id: '9001' }));
  assert.equal(view.reason, 'needs_personalisation');
  const { body: whole } = await shop.owner.api<{ variants: { blank_variant_sku: string }[] }>(
    'GET',
    `/products/${product}`,
  );
  const is = { product_id: product, variant_sku: whole.variants[0]?.blank_variant_sku };
  assert.equal((await setItem(shop, { key: 'variant 9001', title: 'Fern tee', ...is })).status, 204);
  await untilPlaced(shop, view);

  const plain = await sendAndLook(shop, entered(shop, { variant_id: '9002' }));
  assert.equal((await ignoreEntries(shop, plain.id)).status, 200);
  await untilPlaced(shop, plain);
  const anew = { key: 'variant 9002', title: 'Fern tee', product_id: shop.productId, variant_sku: shop.sku };
  assert.equal((await setItem(shop, anew)).status, 204);
  const asked = await sendAndLook(shop, entered(shop, { variant_id: '9002' }));
  assert.equal(asked.reason, 'needs_personalisation');
});

test('a person may place one order as it is, and nothing is remembered of that', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, entered(shop));
  await shop.owner.request('POST', `/shop-orders/${view.id}/place`);
  await untilPlaced(shop, view);
  assert.equal((await sendAndLook(shop, entered(shop))).reason, 'needs_personalisation');
});

test('it is refused of an order that does not wait for it, of another’s, and to who may only answer orders', async () => {
  const shop = await connectShop();
  const placed = await sendAndLook(shop, shopOrder(shop));
  const unknown = await sendAndLook(shop, shopOrder(shop, { items: [mystery] }));
  for (const { id } of [placed, unknown]) {
    const { status, body } = await ignoreEntries(shop, id);
    assert.deepEqual([status, (body as unknown as { code: string }).code], [409, 'conflict']);
  }
  const view = await sendAndLook(shop, entered(shop));
  const other = await connectShop();
  for (const id of [view.id, 'sho_00000000000000000000000000', 'nothing']) {
    assert.equal((await ignoreEntries(other, id)).status, 404, id);
  }
  const orders = await openRole(service, 'orders', shop.customer.accountId);
  assert.equal((await ignoreEntries({ owner: orders }, view.id)).status, 403);
  assert.equal((await seen(shop, view.id)).reason, 'needs_personalisation');
  assert.deepEqual((await itemsOf(shop)).known, []);
});
