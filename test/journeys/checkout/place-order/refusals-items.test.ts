import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PlaceOrderItem } from '../../../../src/orders/schema.ts';
import { orderOf, type Refusal, testRefusals, without } from '../../../harness/refusals.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, problemsOf, servePicture, teeItem, withoutRequestId } from '../../../harness/shop.ts';
import { everythingWritten, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
/** Products and an address that rows of the tables speak of. */
let tote: string;
let archived: string;
let theirs: string;
let plain: string;
let dropped: string;
let art: string;
let countsBefore: Record<string, number>;

before(async () => {
  // No worker: what a refusal leaves behind could otherwise be cleared away in the background.
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
  const other = await service.openCustomer({ balancePence: 100_000 });
  theirs = await addProduct(service, other, 'TOTE-COTTON');
  tote = await addProduct(service, customer, 'TOTE-COTTON');
  plain = await addProduct(service, customer, 'TEE-CLASSIC');
  archived = await addProduct(service, customer, 'TOTE-COTTON', { name: 'Archived' });
  await rows(service, "update product set status = 'archived' where name = 'Archived'");
  dropped = await addProduct(service, customer, 'TOTE-COTTON', { name: 'Dropped' });
  await rows(
    service,
    `update product_variant set active = false
     where sku = 'TOTE-COTTON-BLK' and product_id = (select id from product where name = 'Dropped')`,
  );
  art = await servePicture(service, '/good.png', { widthPx: 800, heightPx: 800, colour: '#123456' });
  countsBefore = await everythingWritten(service);
});
after(() => service.stop());

function ofItem(changes: object, ...more: PlaceOrderItem[]): object {
  return orderOf(service, changes, ...more);
}

function area(changes: object = {}): object {
  return { print_area: 'front', method: 'dtg', artwork_url: art, ...changes };
}

const FRONT = { area: 'front', method: 'dtg' };

const REFUSALS: readonly Refusal[] = [
  // D52
  ...[0, -1, 10_001, 1.5, '1', null, true, [1]].map((quantity) => ({
    what: `D52 a quantity of ${JSON.stringify(quantity)} (4.1 quantity, 8 quantity)`,
    body: () => ofItem({ quantity }),
    problems: [`items[0].quantity ${typeof quantity === 'number' && quantity !== 1.5 ? 'out_of_bounds' : 'type'}`],
  })),
  {
    what: 'D52 a quantity of 1e400',
    body: () => JSON.stringify(ofItem({ quantity: 7 })).replace('"quantity":7', '"quantity":1e400'),
    problems: ['items[0].quantity type'],
  },
  {
    what: 'D52 a quantity of NaN',
    body: () => JSON.stringify(ofItem({ quantity: 7 })).replace('"quantity":7', '"quantity":NaN'),
    status: 400,
    code: 'invalid_request',
    problems: [],
  },
  // E68
  { what: 'E68 no items (4.1 items)', body: () => without(basket(service), 'items'), problems: ['items required'] },
  { what: 'E68 empty items', body: () => basket(service, { items: [] }), problems: ['items out_of_bounds'] },
  { what: 'E68 items null', body: () => ({ ...basket(service), items: null }), problems: ['items type'] },
  { what: 'E68 items an object', body: () => ({ ...basket(service), items: {} }), problems: ['items type'] },
  {
    what: 'E68 an item that is no object',
    body: () => ({ ...basket(service), items: ['x'] }),
    problems: ['items[0] type'],
  },
  {
    what: 'E68 1,001 lines',
    body: () => basket(service, { items: Array.from({ length: 1_001 }, () => teeItem(service)) }),
    problems: ['items out_of_bounds'],
  },
  { what: 'an array for a body', body: () => [], problems: [' type'] },
  {
    what: 'an empty body object',
    body: () => ({}),
    problems: ['items required', 'shipping_address required'],
  },
  // E69
  ...[
    'prod_01h455vb4pex5vsknk084sn02q',
    'PROD_01H455VB4PEX5VSKNK084SN02Q',
    'nothing',
    'ord_01h455vb4pex5vsknk084sn02q',
  ].map((id) => ({
    what: `E69 the unknown product ${id} (4.1 product_id, 7 not_found)`,
    body: () => ofItem({ product_id: id }),
    status: 404,
    code: 'not_found',
    problems: ['items[0].product_id unknown_product'],
  })),
  {
    what: "E69 another account's product",
    body: () => ofItem({ product_id: theirs, variant_sku: 'TOTE-COTTON-NAT', print_jobs: [] }),
    status: 404,
    code: 'not_found',
    problems: ['items[0].product_id unknown_product'],
  },
  {
    what: 'E69 an unknown product beside a line that is wrong in its meaning',
    body: () => ofItem({ variant_sku: 'NOPE' }, { ...teeItem(service), product_id: theirs }),
    status: 404,
    code: 'not_found',
    problems: ['items[1].product_id unknown_product'],
  },
  // E70
  ...[
    'TOTE-COTTON-NAT',
    'tee-classic-wht-m',
    'TEE-CLASSIC-WHT-M ',
    'TEE-CLASSIC-WHT-3XL',
    '__proto__',
    'constructor',
  ].map((sku) => ({
    what: `E70 the SKU ${JSON.stringify(sku)}, which the product does not offer (4.1 variant_sku)`,
    body: () => ofItem({ variant_sku: sku }),
    problems: ['items[0].variant_sku unknown_variant'],
  })),
  {
    what: 'E70 a variant that was dropped from the product',
    body: () => ofItem({ product_id: dropped, variant_sku: 'TOTE-COTTON-BLK', print_jobs: [] }),
    problems: ['items[0].variant_sku unknown_variant'],
  },
  // E71
  {
    what: 'E71 an archived product',
    body: () => ofItem({ product_id: archived, variant_sku: 'TOTE-COTTON-NAT', print_jobs: [] }),
    problems: ['items[0].product_id product_archived'],
  },
  // E72 and 4.1.3
  {
    what: '4.1.3 an area of the blank that the product has no design for',
    body: () => ofItem({ print_jobs: [{ area: 'right_sleeve', method: 'dtf' }] }),
    problems: ['items[0].print_jobs[0].area unknown_print_area'],
  },
  {
    what: 'E72 a method that the area has not',
    body: () => ofItem({ print_jobs: [FRONT, { area: 'back', method: 'embroidery' }] }),
    problems: ['items[0].print_jobs[1].method unknown_method'],
  },
  {
    what: 'E72 the same area twice',
    body: () => ofItem({ print_jobs: [FRONT, { area: 'front', method: 'dtf' }] }),
    problems: ['items[0].print_jobs[1].area repeated'],
  },
  {
    what: 'E72 a thousand print jobs',
    body: () => ofItem({ print_jobs: Array.from({ length: 1_000 }, () => FRONT) }),
    problems: ['items[0].print_jobs out_of_bounds'],
  },
  { what: 'E72 print_jobs null', body: () => ofItem({ print_jobs: null }), problems: ['items[0].print_jobs type'] },
  {
    what: 'E72 a print job without its method',
    body: () => ofItem({ print_jobs: [{ area: 'front' }] }),
    problems: ['items[0].print_jobs[0].method required'],
  },
  // E74, E76, E77
  {
    what: 'E74 decoration {} (4.1 decoration)',
    body: () => ofItem({ decoration: {} }),
    problems: ['items[0].decoration one_of'],
  },
  {
    what: 'E74 decoration with both areas and personalisation (4.1 decoration, 4.2 one of)',
    body: () => ofItem({ decoration: { areas: [area()], personalisation: { inputs: {} } } }),
    problems: ['items[0].decoration one_of'],
  },
  ...[null, 'front', []].map((decoration) => ({
    what: `E74 decoration ${JSON.stringify(decoration)}`,
    body: () => ofItem({ decoration }),
    problems: ['items[0].decoration type'],
  })),
  {
    what: 'E76 decoration.areas []',
    body: () => ofItem({ decoration: { areas: [] } }),
    problems: ['items[0].decoration.areas out_of_bounds'],
  },
  {
    what: 'E77 personalisation on a fixed product (4.2 fixed product)',
    body: () => ofItem({ decoration: { personalisation: { inputs: { line: 'Hello' } } } }),
    problems: ['items[0].decoration.personalisation not_personalised'],
  },
  {
    what: 'E77 areas on a personalised product',
    body: () =>
      ofItem({
        product_id: service.demo.products.personalised,
        variant_sku: 'TEE-ORGANIC-ECR-M',
        decoration: { areas: [area()] },
      }),
    problems: ['items[0].decoration.areas product_personalised'],
  },
  {
    what: 'a personalised product with a required layer, without its inputs',
    body: () =>
      ofItem({
        product_id: service.demo.products.personalised,
        variant_sku: 'TEE-ORGANIC-ECR-M',
        print_jobs: undefined,
      }),
    problems: ['items[0].decoration required'],
  },
  {
    what: '4.2 print_area: an area of the blank that the product, which has designs, is not configured for (4.2 unknown)',
    body: () => ofItem({ decoration: { areas: [area({ print_area: 'neck_label', method: 'dtf' })] } }),
    problems: ['items[0].decoration.areas[0].print_area unknown_print_area'],
  },
  {
    what: '4.2 unknown: an unknown area, a wrong method and an area twice, all of them told at once (4.2 method)',
    body: () =>
      ofItem({
        product_id: plain,
        decoration: { areas: [area({ print_area: 'hem' }), area({ method: 'giclee' }), area({ print_area: 'front' })] },
      }),
    problems: [
      'items[0].decoration.areas[0].print_area unknown_print_area',
      'items[0].decoration.areas[1].method unknown_method',
      'items[0].decoration.areas[2].print_area repeated',
    ],
  },
  // E83
  {
    what: 'E83 a basket that stock does not hold (4.1 estimate errors, 4.1.7)',
    body: () => ofItem({ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 10_000, print_jobs: [] }),
    status: 409,
    code: 'out_of_stock',
    problems: [],
  },
];
testRefusals(REFUSALS, () => customer);

test('4.1.7 out of stock names each variant with what is asked over all its lines, what there is, and the lines (7 out_of_stock, E83)', async () => {
  const product = { product_id: tote, print_jobs: [] };
  const items = [
    { ...product, variant_sku: 'TOTE-COTTON-NAT', quantity: 10_000 },
    { ...product, variant_sku: 'TOTE-COTTON-BLK', quantity: 1 },
    { ...product, variant_sku: 'TOTE-COTTON-NAT', quantity: 2 },
  ];
  const [stock] = await rows<{ on_hand: number }>(service, "select on_hand from stock where sku = 'TOTE-COTTON-NAT'");
  const refused = await customer.request('POST', '/orders', basket(service, { items }));
  assert.equal(refused.status, 409);
  assert.deepEqual(refused.body.oversold, [
    { variant_sku: 'TOTE-COTTON-NAT', requested: 10_002, available: stock?.on_hand, lines: [0, 2] },
  ]);
});

test('422 comes before 409 for stock, and 404 before both (decisions, "Order of checks")', async () => {
  const short = { product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 10_000, print_jobs: [] };
  const statuses = await Promise.all(
    [
      [short],
      [short, teeItem(service, { variant_sku: 'NOPE' })],
      [short, teeItem(service, { variant_sku: 'NOPE' }), teeItem(service, { product_id: theirs })],
    ].map(async (items) => (await customer.request('POST', '/orders', basket(service, { items }))).status),
  );
  assert.deepEqual(statuses, [409, 422, 404]);
});

test('a refusal with a finite choice lists what would be valid', async () => {
  const answer = await customer.request('POST', '/orders', ofItem({ print_jobs: [{ area: 'hem', method: 'dtg' }] }));
  assert.deepEqual(answer.body.errors?.[0]?.valid_values, ['front', 'back', 'left_sleeve']);
});

test("an unknown product and another account's are the same answer, byte for byte (B38, E69)", async () => {
  const ask = (id: string) => customer.request('POST', '/orders', ofItem({ product_id: id }));
  assert.equal(withoutRequestId(await ask(theirs)), withoutRequestId(await ask('prod_01h455vb4pex5vsknk084sn02q')));
});

test('every line with an unknown product is named in one answer, and the detail names the first', async () => {
  const unknown = teeItem(service, { product_id: 'prod_01h455vb4pex5vsknk084sn02q' });
  const items = [teeItem(service), unknown, teeItem(service), teeItem(service, { product_id: theirs }), unknown];
  const answer = await customer.request('POST', '/orders', basket(service, { items }));
  assert.equal(answer.status, 404);
  assert.deepEqual(
    problemsOf(answer),
    [1, 3, 4].map((line) => `items[${line}].product_id unknown_product`),
  );
  assert.match(answer.body.detail, /^items\[1\]\.product_id: .+ \(and 2 more, see errors\)$/);
});

test('no refusal wrote an order, a posting, a reference, an event, a job, a design or a file', async () => {
  assert.deepEqual(await everythingWritten(service), countsBefore);
});
