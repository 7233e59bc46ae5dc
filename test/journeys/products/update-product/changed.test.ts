import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseId } from '../../../../src/lib/ids.ts';
import type { Product, UpdateProductBody } from '../../../../src/products/schema.ts';
import { allProducts, change, read, refuseChange } from '../../../harness/products.ts';
import { basket, problemsOf, unsigned } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';
import {
  art,
  closeChanges,
  customer,
  decorated,
  openChanges,
  order,
  other,
  service,
  WHITE_L,
  WHITE_M,
  WHITE_S,
} from '../changes.ts';

before(openChanges);
after(closeChanges);

const BLACK_M = 'TEE-CLASSIC-BLK-M';

const variantsOf = (product: Product) =>
  product.variants.map(({ blank_variant_sku: sku, active }) => `${sku} ${active ? 'active' : 'inactive'}`);

test('4.4 PATCH changes what is sent and nothing else, a field at a time (3.3 patch)', async () => {
  const before = await decorated();
  const { created_at: _created, updated_at: _updated, ...unchanged } = before;
  let expected: Omit<Product, 'created_at' | 'updated_at'> = unchanged;
  const changes: readonly (readonly [sent: UpdateProductBody, shown: Partial<Product>])[] = [
    [{ name: 'Renamed' }, { name: 'Renamed' }],
    [{ description: '' }, { description: '' }],
    [{ status: 'draft' }, { status: 'draft' }],
    [{ status: 'active' }, { status: 'active' }],
    [{ tags: [] }, { tags: [] }],
    [{ retail_price: 17.35 }, { retail_price: 17.35 }],
    [{ retail_price: null }, { retail_price: null }],
    [{ mockup_url: null }, { mockup_url: null }],
    [
      { name: 'Both', tags: ['a', 'b'] },
      { name: 'Both', tags: ['a', 'b'] },
    ],
    [
      { decoration: { areas: [{ print_area: 'back', method: 'dtf', artwork_url: other, position: { x: 0.25 } }] } },
      { print_areas: [{ print_area: 'back', method: 'dtf', position: { x: 0.25, y: 0.5, scale: 1, rotation: 0 } }] },
    ],
    [{ decoration: { areas: [] } }, { print_areas: [] }],
  ];
  let updatedAt = before.updated_at;
  for (const [sent, shown] of changes) {
    service.shiftMs(1_000);
    const { created_at, updated_at, ...changed } = await change(customer, before.id, sent);
    expected = { ...expected, ...shown };
    // The drawn pictures follow from what was changed.
    const drawn = { thumbnail_url: changed.thumbnail_url, mockups: changed.mockups };
    expected = { ...expected, ...drawn };
    assert.deepEqual(unsigned(changed), unsigned(expected), JSON.stringify(sent));
    assert.equal(created_at, before.created_at);
    assert.ok(updated_at > updatedAt, 'updated_at grows');
    updatedAt = updated_at;
    const found = await read(customer, before.id);
    assert.deepEqual(unsigned(found), unsigned({ ...expected, created_at, updated_at }));
  }
});

test('J159 a PATCH that sends nothing we know is 200 and leaves the product as it was, updated_at included', async () => {
  const before = await decorated();
  const untouched = await allProducts(service);
  service.shiftMs(1_000);
  const unknown = { colour: 'red', id: 'prod_x', personalised: true, print_areas: [], variants: [] };
  for (const body of [{}, unknown as UpdateProductBody]) {
    assert.deepEqual(unsigned(await change(customer, before.id, body)), unsigned(before));
  }
  assert.deepEqual(await allProducts(service), untouched);
});

test('a product that was read can be sent back whole', async () => {
  const before = await decorated();
  const { mockup_url: _signedForReading, ...body } = await read(customer, before.id);
  const { updated_at: _updated, ...after } = await change(customer, before.id, body as UpdateProductBody);
  const { updated_at: _before, ...same } = before;
  assert.deepEqual(unsigned(after), unsigned(same));
});

test('4.4 PATCH.1 decoration.areas replaces the decoration wholesale, in the order sent', async () => {
  const { id } = await decorated();
  const { print_areas } = await change(customer, id, {
    decoration: {
      areas: [
        { print_area: 'left_sleeve', method: 'dtf', artwork_url: other },
        { print_area: 'back', method: 'dtg', artwork_url: other },
      ],
    },
  });
  assert.deepEqual(
    print_areas.map(({ print_area, method, position }) => [print_area, method, position.scale]),
    [
      ['left_sleeve', 'dtf', 1],
      ['back', 'dtg', 1],
    ],
    'the sleeve has nothing left of its former position',
  );
  const stored = await rows<{ print_area: string; width_px: number }>(
    service,
    `select a.print_area, b.width_px from product_area a join blob b on b.hash = a.design_hash
     where a.product_id = $1 order by a.ordinal`,
    [parseId('prod', id) ?? ''],
  );
  assert.deepEqual(stored, [
    { print_area: 'left_sleeve', width_px: 900 },
    { print_area: 'back', width_px: 900 },
  ]);
});

test('J161 a SKU that is dropped becomes inactive and cannot be ordered; sent again it is active with the same id (3.4 dropped, 3.4 sent again, 4.4 PATCH.2)', async () => {
  const before = await decorated();
  const idOf = (product: Product, sku: string) => product.variants.find((v) => v.blank_variant_sku === sku)?.id;
  const dropped = await change(customer, before.id, { variant_skus: [BLACK_M, WHITE_L] });
  assert.deepEqual(variantsOf(dropped), [
    `${BLACK_M} active`,
    `${WHITE_L} active`,
    `${WHITE_S} inactive`,
    `${WHITE_M} inactive`,
  ]);
  assert.deepEqual(
    [WHITE_S, WHITE_M, WHITE_L].map((sku) => idOf(dropped, sku)),
    [WHITE_S, WHITE_M, WHITE_L].map((sku) => idOf(before, sku)),
  );
  const refused = await customer.request(
    'POST',
    '/orders',
    basket(service, { items: [{ product_id: before.id, variant_sku: WHITE_M, quantity: 1, print_jobs: [] }] }),
  );
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['items[0].variant_sku unknown_variant']]);
  assert.deepEqual(refused.body.errors?.[0]?.valid_values, [BLACK_M, WHITE_L]);
  assert.equal((await order(before.id, BLACK_M)).status, 201);

  const back = await change(customer, before.id, { variant_skus: [WHITE_M] });
  assert.deepEqual(variantsOf(back), [
    `${WHITE_M} active`,
    `${BLACK_M} inactive`,
    `${WHITE_L} inactive`,
    `${WHITE_S} inactive`,
  ]);
  assert.deepEqual([idOf(back, WHITE_M), idOf(back, BLACK_M)], [idOf(before, WHITE_M), idOf(dropped, BLACK_M)]);
  assert.equal((await order(before.id, WHITE_M)).status, 201);
  const ids = back.variants.map(({ id }) => id);
  assert.equal(new Set(ids).size, 4);
  const placed = await rows<{ sku: string }>(service, 'select sku from order_line where account_id = $1', [
    customer.accountId,
  ]);
  assert.ok(placed.length >= 2, 'placed orders keep their lines');
});

test('3.3 4.4 PATCH.3 a personalised product is read and archived, and not changed here: 409, nothing written (3.3 patch personalised, 7 conflict)', async () => {
  const id = service.demo.products.personalised;
  const owner = service.customer;
  const before = await read(owner, id);
  const untouched = await allProducts(service);
  const hits = service.stranger.hits.length;
  for (const body of [
    {},
    { name: 'New' },
    { decoration: { areas: [] } },
    { variant_skus: ['NOPE'] },
    { mockup_url: art },
  ]) {
    const refused = await refuseChange(owner, id, body);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], JSON.stringify(body));
  }
  assert.equal(service.stranger.hits.length, hits, 'nothing was fetched');
  assert.deepEqual(await allProducts(service), untouched);
  assert.deepEqual(unsigned(await read(owner, id)), unsigned(before));
  assert.equal((await owner.request('DELETE', `/products/${id}`)).status, 204);
  assert.deepEqual(unsigned({ ...(await read(owner, id)), updated_at: '' }), {
    ...(unsigned(before) as object),
    status: 'archived',
    updated_at: '',
  });
});
