import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { DesignedProduct, TakenDesign } from '../../../src/products/designer/designer-schema.ts';
import type { Product } from '../../../src/products/schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { allProducts } from '../../harness/products.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket, problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { designTee, take, teeOf } from './designing.ts';

let service: TestService;
let owner: PortalClient;
let plum: TakenDesign;
before(async () => {
  service = await startTestService({ role: 'api' });
  owner = await openRole(service, 'owner');
  plum = await take(owner, '/plum.png', { widthPx: 900, heightPx: 1_200, colour: 'plum' });
});
after(() => service.stop());

const POSITION = { x: 0.4, y: 0.3, scale: 0.5, rotation: 15 };
const front = (changes: object = {}) => ({
  decoration: { areas: [{ print_area: 'front', method: 'dtg', design: plum.design, position: POSITION, ...changes }] },
});

test('a product of a placed design has it where it was placed, with prices by variant, and is ordered like any other', async () => {
  const asked = service.stranger.hits.length;
  const made = await designTee(owner, plum.design, {
    ...front(),
    retail_price: 24.5,
    retail_prices: { 'TEE-CLASSIC-WHT-3XL': 26.99, 'TEE-CLASSIC-WHT-S': null },
  });
  assert.equal(service.stranger.hits.length, asked, 'nothing is fetched again');
  assert.deepEqual(made.designs, [
    {
      ...{ print_area: 'front', method: 'dtg', design: plum.design, width: 900, height: 1_200, position: POSITION },
      picture_url: made.designs[0]?.picture_url,
    },
  ]);
  assert.deepEqual([made.retail_price, made.retail_prices], [24.5, { 'TEE-CLASSIC-WHT-3XL': 26.99 }]);
  const { body: read } = await owner.api<Product>('GET', `/products/${made.id}`);
  assert.deepEqual(read.print_areas, [{ print_area: 'front', method: 'dtg', position: POSITION }]);
  const order = await service.customer.request<CreatedOrder>(
    'POST',
    '/orders',
    basket(service, { items: [{ product_id: made.id, variant_sku: 'TEE-CLASSIC-WHT-S', quantity: 1 }] }),
  );
  assert.equal(order.status, 201, order.text);
  const [file] = await rows<{ recipe: { position: object; designHash: string } }>(
    service,
    'select f.recipe from print_job j join print_file f on f.key = j.print_file_key where j.order_id in (select id from orders order by id desc limit 1)',
  );
  assert.deepEqual([file?.recipe.position, file?.recipe.designHash], [POSITION, plum.design]);
});

test('each refusal names its member, and nothing is written', async () => {
  const other = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  const theirs = await take(other, '/theirs.png', { colour: '#010203' });
  const { blobs: _dated, ...untouched } = await allProducts(service);
  const cases: readonly (readonly [changes: object, problems: readonly string[]])[] = [
    [{ name: ' ' }, ['name pattern']],
    [{ variant_skus: [] }, ['variant_skus out_of_bounds']],
    [{ variant_skus: ['MUG-11OZ-WHT'] }, ['variant_skus[0] unknown_variant']],
    [{ base_product_id: 'bprod_none' }, ['base_product_id unknown_base_product']],
    [front({ design: theirs.design }), ['decoration.areas[0].design unknown_design']],
    [front({ design: 'f'.repeat(64) }), ['decoration.areas[0].design unknown_design']],
    [front({ method: 'giclee' }), ['decoration.areas[0].method unknown_method']],
    [front({ print_area: 'hem' }), ['decoration.areas[0].print_area unknown_print_area']],
    [front({ position: { x: 5 } }), ['decoration.areas[0].position outside_print_area']],
    [front({ artwork_url: 'https://art.example/a.png' }), ['decoration.areas[0].artwork_url unknown_field']],
    [{ retail_price: 1.234 }, ['retail_price decimals']],
    [{ retail_prices: { 'TEE-CLASSIC-WHT-S': 1.234 } }, ['retail_prices.TEE-CLASSIC-WHT-S decimals']],
    [{ retail_prices: { 'TEE-CLASSIC-WHT-S': -1 } }, ['retail_prices.TEE-CLASSIC-WHT-S out_of_bounds']],
    [{ retail_prices: { 'MUG-11OZ-WHT': 5 } }, ['retail_prices.MUG-11OZ-WHT unknown_variant']],
    [{ mockup_url: 'https://art.example/a.png' }, ['mockup_url unknown_field']],
  ];
  for (const [changes, problems] of cases) {
    const refused = await owner.request('POST', '/products', { body: await teeOf(service, plum.design, changes) });
    assert.deepEqual([refused.status, problemsOf(refused)], [422, problems], JSON.stringify(changes));
  }
  for (const role of ['orders', 'reader'] as const) {
    const refused = await (await openRole(service, role)).request('POST', '/products', {
      body: await teeOf(service, plum.design),
    });
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
  }
  const { blobs: _now, ...left } = await allProducts(service);
  assert.deepEqual(left, untouched);
});

test('a design whose bytes are being deleted is refused, and taking it in anew makes it usable again', async () => {
  const gone = await take(owner, '/gone.png', { colour: '#0a0b0c' });
  const text = "update blob set deleting = true where hash = decode($1, 'hex')";
  await service.ctx.database.all({ name: 'test_deleting', text }, [gone.design]);
  const body = await teeOf(service, gone.design);
  const refused = await owner.request('POST', '/products', { body });
  assert.deepEqual(problemsOf(refused), ['decoration.areas[0].design unknown_design']);
  const again = await take(owner, '/gone.png', { colour: '#0a0b0c' });
  assert.equal(again.design, gone.design);
  const made = await owner.request<DesignedProduct>('POST', '/products', { body });
  assert.equal(made.status, 201, made.text);
});
