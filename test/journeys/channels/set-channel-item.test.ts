import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import { ITEMS_MAX } from '../../../src/channels/items/item-sql.ts';
import { parseId } from '../../../src/lib/ids.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { addProduct, servePicture } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import {
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

test('an item is mapped however long its title is, in any script', async () => {
  const shop = await connectShop();
  const long = (from: number): string =>
    String.fromCharCode(...Array.from({ length: 500 }, (_, at) => 0x4e_00 + ((from + at * 7_919) % 20_000)));
  const item = { id: '1', title: long(0), options: long(3), quantity: 1 };
  const view = await sendAndLook(shop, shopOrder(shop, { items: [item] }));
  assert.equal(view.reason, 'needs_mapping');
  const [missing] = (await itemsOf(shop)).missing;
  const mapping = { key: missing?.key ?? '', title: 'Fern tee', product_id: shop.productId, variant_sku: shop.sku };
  const set = await setItem(shop, mapping);
  assert.equal(set.status, 204, set.text);
  await eventually('it is placed', async () => (await seen(shop, view.id)).state === 'placed');
  const other = await sendAndLook(shop, shopOrder(shop, { items: [{ ...item, options: long(4) }] }));
  assert.equal(other.reason, 'needs_mapping', 'another of its options is another item');
  const refused = await setItem(shop, { ...mapping, key: long(0) + long(3) });
  assert.deepEqual(
    [refused.status, refused.body.errors?.map(({ path, code }) => [path, code])],
    [422, [['key', 'out_of_bounds']]],
  );
});

test('what is known of an item is said anew though as many are known as may be; one more is refused', async () => {
  const shop = await connectShop(1);
  const fern = { key: 'title Fern', title: 'Fern' };
  assert.equal((await setItem(shop, { ...fern, not_ours: true })).status, 204);
  await rows(
    service,
    `insert into channel_item (account_id, channel_id, key, title, set_at)
     select $1, $2, 'title ' || n, 'x', now() from generate_series(1, $3) n returning 1`,
    [shop.customer.accountId, parseId('chan', shop.channelId) ?? assert.fail(), ITEMS_MAX - 1],
  );
  const again = await setItem(shop, { ...fern, product_id: shop.productId, variant_sku: shop.sku });
  assert.equal(again.status, 204, again.text);
  assert.equal((await setItem(shop, { key: 'title Moss', title: 'Moss', not_ours: true })).status, 409);
});

test('an unknown item waits, and one mapping places the orders that wait for it and all later ones', async () => {
  const shop = await connectDesignedShop();
  const before = (await ordersOf(shop)).length;
  const waiting = [
    await sendAndLook(shop, shopOrder(shop, { items: [mystery] })),
    await sendAndLook(shop, shopOrder(shop, { items: [mystery] })),
  ];
  assert.deepEqual(
    waiting.map(({ state, reason, items, actions }) => [state, reason, items[0]?.state, actions.place]),
    [
      ['waiting', 'needs_mapping', 'missing', false],
      ['waiting', 'needs_mapping', 'missing', false],
    ],
  );
  const [missing] = (await itemsOf(shop)).missing;
  assert.deepEqual([missing?.key, missing?.orders], ['variant 9001', 2]);
  const { productId, sku } = shop;
  const set = await setItem(shop, { key: 'variant 9001', title: 'Fern tee', product_id: productId, variant_sku: sku });
  assert.equal(set.status, 204, set.text);
  for (const { id } of waiting) {
    await eventually('it is placed', async () => (await seen(shop, id)).state === 'placed');
  }
  // The SKU and the title are renamed in the shop: its own id of the variant stays.
  const renamed = { ...mystery, sku: 'NEW', title: 'Fern tee, organic', options: 'Ivory / M' };
  const later = await sendAndLook(shop, shopOrder(shop, { items: [renamed] }));
  assert.equal(later.state, 'placed');
  assert.equal((await ordersOf(shop)).length, before + 3);
  const { body } = await shop.owner.api<Order>('GET', `/orders/${later.order?.id}`);
  assert.deepEqual(
    body.items.map(({ qty, print_jobs: jobs }) => [qty, jobs.map(({ area }) => area)]),
    [[2, ['front', 'back', 'left_sleeve']]],
    'every stored design is printed',
  );
  const known = (await itemsOf(shop)).known;
  assert.deepEqual(
    known.map(({ key, variant }) => [key, variant?.variant_sku]),
    [['variant 9001', sku]],
  );
});

test('a mapping to no product, to no variant of it, to another account’s, or to both is refused with its field', async () => {
  const shop = await connectShop();
  const other = await connectShop();
  const key = { key: 'variant 1', title: 'Tee' };
  const cases: [object, string][] = [
    [{ ...key, product_id: 'prod_x', variant_sku: shop.sku }, 'product_id'],
    [{ ...key, product_id: other.productId, variant_sku: other.sku }, 'product_id'],
    [{ ...key, product_id: shop.productId, variant_sku: 'NONE' }, 'variant_sku'],
    [{ ...key, product_id: shop.productId }, 'variant_sku'],
    [key, 'product_id'],
    [{ ...key, not_ours: true, product_id: shop.productId, variant_sku: shop.sku }, 'not_ours'],
    [{ ...key, title: '', not_ours: true }, 'title'],
  ];
  for (const [body, path] of cases) {
    const answer = await setItem(shop, body);
    assert.deepEqual([answer.status, answer.body.errors?.map((each) => each.path)], [422, [path]], answer.text);
  }
  assert.deepEqual((await itemsOf(shop)).known, []);
});

test('items of another account’s shop are those of none; readers and those of orders change nothing', async () => {
  const shop = await connectShop();
  const other = await connectShop();
  const body = { key: 'variant 1', title: 'Tee', not_ours: true };
  const foreign = await other.owner.request('POST', `/channels/${shop.channelId}/items`, { body });
  assert.equal(foreign.status, 404);
  assert.equal((await other.owner.request('GET', `/channels/${shop.channelId}/items`)).status, 404);
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, shop.customer.accountId);
    assert.equal((await person.request('POST', `/channels/${shop.channelId}/items`, { body })).status, 403, role);
    assert.equal((await person.request('GET', `/channels/${shop.channelId}/items`)).status, 200, role);
  }
});

test('what a buyer entered fills the layers of a personalised product; what lacks waits, and stops no other', async () => {
  const shop = await connectDesignedShop();
  const product = service.demo.products.personalised;
  const { body: described } = await shop.owner.api<{
    layers: { id: string; name: string; type: string; required: boolean }[];
  }>('GET', `/products/${product}/personalisation`);
  const text = described.layers.find(({ type, required }) => type === 'text' && required);
  assert.ok(text !== undefined);
  const { body: whole } = await shop.owner.api<{ variants: { blank_variant_sku: string }[] }>(
    'GET',
    `/products/${product}`,
  );
  const sku = `${product}/${whole.variants[0]?.blank_variant_sku}`;
  const item = { id: '1', sku, title: 'Name tee', quantity: 1 };
  const without = await sendAndLook(shop, shopOrder(shop, { items: [item] }));
  assert.deepEqual([without.state, without.reason], ['waiting', 'needs_personalisation']);
  const properties = [
    { name: text.name.toUpperCase(), value: 'Ada' },
    { name: '_checkout_token', value: 'x' },
  ];
  const placed = await sendAndLook(shop, shopOrder(shop, { items: [{ ...item, properties }] }));
  assert.equal(placed.state, 'placed', JSON.stringify(placed.problems));
  const misnamed = [...properties, { name: 'Second line', value: 'of 1815' }];
  const waiting = await sendAndLook(shop, shopOrder(shop, { items: [{ ...item, properties: misnamed }] }));
  assert.deepEqual([waiting.state, waiting.reason], ['waiting', 'needs_personalisation'], 'a layer is empty');
  assert.match(waiting.problems[0]?.message ?? '', /entered under “Second line” belongs to no layer/);
  await shop.owner.request('POST', `/shop-orders/${waiting.id}/place`);
  await eventually('a person has it made as it is', async () => (await seen(shop, waiting.id)).state === 'placed');
});

test('an order whose picture cannot be fetched waits, and is placed by itself once it can be', async () => {
  const shop = await connectDesignedShop();
  const product = await addProduct(service, shop.customer, 'TEE-ORGANIC', {
    name: 'Photo tee',
    personalisation: {
      areas: [{ print_area: 'front', method: 'dtg' }],
      layers: [
        {
          ...{
            id: 'photo',
            name: 'Photo',
            type: 'image',
            required: true,
            print_area: 'front',
            z_order: 1,
            fit: 'cover',
          },
          box: { x_px: 0, y_px: 0, width_px: 400, height_px: 400 },
        },
      ],
    },
  });
  const path = '/photo-of-a-buyer.png';
  service.stranger.serve(path, { status: 503 });
  const properties = [{ name: 'Photo', value: service.stranger.url(path) }];
  const sku = `${product}/TEE-ORGANIC-ECR-M`;
  const order = shopOrder(shop, { items: [{ id: '1', sku, title: 'Photo tee', quantity: 1, properties }] });
  const waiting = await sendAndLook(shop, order);
  assert.deepEqual([waiting.state, waiting.reason], ['waiting', 'needs_personalisation'], JSON.stringify(waiting));
  await servePicture(service, path, { colour: 'teal' });
  service.shiftMs(61_000);
  await eventually('it is placed by itself', async () => (await seen(shop, waiting.id)).state === 'placed');
});

test('an order of a product without artwork waits, and a person or a rule of the shop has blank garments made', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}`;
  const set = async (makesBlanks: boolean): Promise<void> => {
    const { body } = await shop.owner.request<Channel>('PATCH', path, { body: { makes_blanks: makesBlanks } });
    assert.equal(body.makes_blanks, makesBlanks);
  };
  await set(false);
  const [first, second] = [await sendAndLook(shop, shopOrder(shop)), await sendAndLook(shop, shopOrder(shop))];
  for (const { state, reason } of [first, second]) assert.deepEqual([state, reason], ['waiting', 'needs_artwork']);
  assert.match(first.problems[0]?.message ?? '', /has no artwork/);
  await shop.owner.request('POST', `/shop-orders/${first.id}/place`);
  await eventually('a person has it made', async () => (await seen(shop, first.id)).state === 'placed');
  assert.equal((await seen(shop, second.id)).state, 'waiting');
  await set(true);
  await lookAgain();
  await eventually('the rule has it made', async () => (await seen(shop, second.id)).state === 'placed');
});

test('items that are not known are made by others where the shop says so; one that is lost again still waits', async () => {
  const shop = await connectShop();
  const theirs = { ...mystery, id: '2' };
  const mixed = await sendAndLook(shop, shopOrder(shop, { items: [ourItem(shop), theirs] }));
  assert.equal(mixed.reason, 'needs_mapping');
  const path = `/channels/${shop.channelId}`;
  const { body } = await shop.owner.request<Channel>('PATCH', path, { body: { unknown_is_others: true } });
  assert.equal(body.unknown_is_others, true);
  await lookAgain();
  await eventually('what is ours is made', async () => (await seen(shop, mixed.id)).state === 'placed');
  const none = await sendAndLook(shop, shopOrder(shop, { items: [theirs] }));
  assert.deepEqual([none.state, none.reason], ['ignored', 'nothing_ours']);
  await shop.owner.api('DELETE', `/products/${shop.productId}`);
  const lost = await sendAndLook(shop, shopOrder(shop));
  assert.deepEqual([lost.state, lost.reason], ['waiting', 'needs_mapping'], 'it names a product of ours');
});

test('an order that was left to others by mistake is placed once its shop sends it again, and not by itself', async () => {
  const shop = await connectShop();
  const item = { key: 'variant 9001', title: 'Fern tee' };
  assert.equal((await setItem(shop, { ...item, not_ours: true })).status, 204);
  const order = shopOrder(shop, { items: [mystery] });
  const { id, reason } = await sendAndLook(shop, order);
  assert.equal(reason, 'nothing_ours');
  assert.equal((await sendAndLook(shop, order)).reason, 'nothing_ours');
  assert.equal((await setItem(shop, { ...item, product_id: shop.productId, variant_sku: shop.sku })).status, 204);
  await lookAgain();
  assert.equal((await seen(shop, id)).state, 'ignored', 'others may have made it');
  assert.equal((await sendAndLook(shop, order)).state, 'placed');
  assert.equal((await sendAndLook(shop, order)).state, 'placed');
  assert.equal((await ordersOf(shop)).length, 1);
});
