import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { Page } from '../../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { importCatalogue } from '../../../../src/pricing/import-catalogue.ts';
import type { Product } from '../../../../src/products/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { allProducts, baseProductId, create, read, teeBody } from '../../../harness/products.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { basket, problemsOf, servePicture, unsigned } from '../../../harness/shop.ts';
import { balancePence } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
let art: string;
let mock: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer({ balancePence: 100_000 });
  art = await servePicture(service, '/art.png', { widthPx: 1_200, heightPx: 1_600, colour: '#204060' });
  mock = await servePicture(service, '/mock.png', { widthPx: 640, heightPx: 480, colour: '#ffeecc' });
});
after(() => service.stop());

function hitsOn(path: string): number {
  return service.stranger.hits.filter((hit) => hit.path === path).length;
}

const TAGS = ['summer', 'a,b', '{"x"}', 'NULL', '\\', 'summer'];

test('4.4.1 a product is created with every field, shown in the 201, the fetch and the list (1.6, 3.3 create, 4.4 mockup_url, 4.4 decoration.areas, 9.4 product writes)', async () => {
  const startedAt = service.ctx.clock.now().toISOString();
  const balance = await balancePence(service, customer);
  const product = await create(
    customer,
    await teeBody(service, {
      name: 'Fern 🌿 tee',
      description: 'Line one.\r\nLine <b>two</b>.',
      variant_skus: ['TEE-CLASSIC-BLK-L', 'TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-BLK-M'],
      retail_price: 24.99,
      tags: TAGS,
      mockup_url: mock,
      status: 'draft',
      decoration: {
        areas: [
          { print_area: 'back', method: 'dtf', artwork_url: art, position: { x: 0.4, scale: 0.75, rotation: -15 } },
          { print_area: 'front', method: 'dtg', artwork_url: `${art}?again` },
        ],
      },
    }),
  );
  const { id, base_product, variants, mockup_url, thumbnail_url, mockups, created_at, updated_at, ...rest } = product;
  assert.match(id, /^prod_[0-9a-z]{26}$/);
  assert.deepEqual(base_product, {
    id: await baseProductId(service),
    master_sku: 'TEE-CLASSIC',
    title: base_product.title,
  });
  const black = { colour: 'Black', colour_hex: '#16161a', active: true };
  assert.deepEqual(
    variants.map(({ id: variantId, ...variant }) => ({ ...variant, kind: variantId.slice(0, 4) })),
    [
      { blank_variant_sku: 'TEE-CLASSIC-BLK-L', ...black, kind: 'var_' },
      { blank_variant_sku: 'TEE-CLASSIC-WHT-M', colour: 'White', colour_hex: '#ffffff', active: true, kind: 'var_' },
      { blank_variant_sku: 'TEE-CLASSIC-BLK-M', ...black, kind: 'var_' },
    ],
    'in the order sent',
  );
  assert.deepEqual(rest, {
    name: 'Fern 🌿 tee',
    description: 'Line one.\r\nLine <b>two</b>.',
    status: 'draft',
    tags: TAGS,
    retail_price: 24.99,
    personalised: false,
    print_areas: [
      { print_area: 'back', method: 'dtf', position: { x: 0.4, y: 0.5, scale: 0.75, rotation: -15 } },
      { print_area: 'front', method: 'dtg', position: { x: 0.5, y: 0.5, scale: 1, rotation: 0 } },
    ],
  });
  assert.match(thumbnail_url ?? '', /\/pictures\//);
  assert.deepEqual(
    mockups.map(({ colour }) => colour),
    ['Black', 'White'],
    'in the order in which their variants were sent',
  );
  assert.equal(created_at, updated_at);
  assert.ok(created_at >= startedAt);
  const { pathname, search } = new URL(mockup_url ?? '');
  const served = await fetch(`${service.url}${pathname}${search}`);
  assert.equal(served.status, 200);
  const { width, height } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
  assert.deepEqual([width, height], [640, 480]);
  assert.deepEqual(unsigned(await read(customer, id)), unsigned(product));
  const list = await customer.request<Page<Product>>('GET', '/products');
  assert.deepEqual(unsigned(list.body.data[0]), unsigned(product));
  assert.equal(await balancePence(service, customer), balance, '1.6 it costs nothing');
});

test('with nothing but what it needs a product is active, without a price, tags, mockup or designs (3.3 create, 4.4 status)', async () => {
  const product = await create(customer, await teeBody(service));
  assert.deepEqual(
    [product.status, product.description, product.retail_price, product.tags, product.mockup_url, product.print_areas],
    ['active', '', null, [], null, []],
  );
  const nulls = await create(customer, await teeBody(service, { retail_price: null, mockup_url: null }));
  assert.deepEqual([nulls.retail_price, nulls.mockup_url], [null, null], 'what a reply shows as null may be sent so');
});

test('a created product can be ordered at once, printed from its stored designs (4.4 mockup_url, 4.1.1)', async () => {
  const areas = [
    { print_area: 'front', method: 'dtg', artwork_url: art },
    { print_area: 'back', method: 'dtf', artwork_url: art },
  ];
  const { id } = await create(customer, await teeBody(service, { mockup_url: mock, decoration: { areas } }));
  const print_jobs = areas.map(({ print_area: area, method }) => ({ area, method }));
  const fetched = hitsOn('/art.png');
  const order = await customer.request<CreatedOrder>(
    'POST',
    '/orders',
    basket(service, { items: [{ product_id: id, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, print_jobs }] }),
  );
  assert.equal(order.status, 201, order.text);
  const [line] = order.body.items.lineItems;
  assert.deepEqual([line?.name, line?.print_jobs], ['A tee', print_jobs]);
  assert.ok(line?.mock_url?.includes('/files/'), 'the mockup is the mock of the line');
  assert.equal(hitsOn('/art.png'), fetched, 'nothing is fetched again');
});

test('fields that the service does not know, or that only it decides, change nothing (9.2)', async () => {
  const body = {
    ...(await teeBody(service)),
    id: 'prod_00000000000000000000000000',
    account_id: 'acct_00000000000000000000000000',
    personalised: true,
    created_at: '2020-01-01T00:00:00.000Z',
    print_areas: [{ print_area: 'front' }],
    variants: [],
    '': 1,
  };
  const product = await create(
    customer,
    JSON.parse(`{"__proto__": {"status": "draft"}, ${JSON.stringify(body).slice(1)}`),
  );
  assert.notEqual(product.id, body.id);
  assert.deepEqual([product.personalised, product.status, product.print_areas], [false, 'active', []]);
});

test('J155 a position is stored as sent, without whole turns; members it does not have are ignored (2.3 position)', async () => {
  const cases: readonly (readonly [sent: object, shown: object])[] = [
    [{}, { x: 0.5, y: 0.5, scale: 1, rotation: 0 }],
    [
      { x: 0, y: 1, scale: 0.01, rotation: 1e9, z: 7 },
      { x: 0, y: 1, scale: 0.01, rotation: 280 },
    ],
    [
      { x: -0, scale: 100, rotation: 360 },
      { x: 0, y: 0.5, scale: 100, rotation: 0 },
    ],
    [
      { y: 0.123456789, rotation: -370.5 },
      { x: 0.5, y: 0.123456789, scale: 1, rotation: -10.5 },
    ],
    [{ rotation: -720 }, { x: 0.5, y: 0.5, scale: 1, rotation: 0 }],
  ];
  for (const [position, shown] of cases) {
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: art, position }];
    const product = await create(customer, await teeBody(service, { decoration: { areas } }));
    assert.deepEqual(product.print_areas[0]?.position, shown);
    assert.deepEqual((await read(customer, product.id)).print_areas[0]?.position, shown);
  }
});

for (const price of [0, 0.01, 1.1, 4.35, 19.99, 1e6, 999_999_999.99]) {
  test(`D67 a retail price of ${price} comes back as it was sent (D61, 4.4 retail_price)`, async () => {
    const product = await create(customer, await teeBody(service, { retail_price: price }));
    assert.equal(product.retail_price, price);
  });
}

test('J151 the longest name, description and lists are taken, counted in code points (8 product name, 8 product description, 8 product tags, 8 product areas, 4.4 name, 4.4 description, 4.4 tags)', async () => {
  const file = new URL('../../../../data/demo/catalogue.json', import.meta.url);
  const document = JSON.parse(await readFile(file, 'utf8')) as {
    base_products: { master_sku: string; print_areas: { print_area: string }[] }[];
  };
  const tote = document.base_products.find((base) => base.master_sku === 'TOTE-COTTON');
  const [front] = tote?.print_areas ?? [];
  assert.ok(tote && front);
  const names = Array.from({ length: 9 }, (_, index) => `panel_${index + 1}`);
  tote.print_areas.push(...names.map((print_area) => ({ ...front, print_area })));
  await importCatalogue(service.ctx, document);
  const areas = ['front', ...names].map((print_area) => ({ print_area, method: 'dtg', artwork_url: art }));
  const product = await create(customer, {
    base_product_id: await baseProductId(service, 'TOTE-COTTON'),
    name: '👕'.repeat(200),
    variant_skus: ['TOTE-COTTON-NAT'],
    description: '𝒳'.repeat(5_000),
    tags: Array.from({ length: 30 }, () => '🏷'.repeat(100)),
    decoration: { areas },
  });
  assert.deepEqual([product.print_areas.length, product.tags.length, product.name], [10, 30, '👕'.repeat(200)]);
  const untouched = await allProducts(service);
  const body = { base_product_id: product.base_product.id, name: 'Ten', variant_skus: ['TOTE-COTTON-NAT'] };
  const oneBad = areas.map((area, index) => (index === 8 ? { ...area, artwork_url: `${art}/none` } : area));
  const refused = await customer.request('POST', '/products', { ...body, decoration: { areas: oneBad } });
  assert.deepEqual(
    [refused.status, problemsOf(refused)],
    [422, ['decoration.areas[8].artwork_url fetch']],
    'J157 one bad artwork of ten',
  );
  assert.deepEqual(await allProducts(service), untouched);
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
