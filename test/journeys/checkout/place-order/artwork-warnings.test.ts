import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder, Estimate, Order, PlaceOrderBody, PlaceOrderItem } from '../../../../src/orders/schema.ts';
import type { Product } from '../../../../src/products/schema.ts';
import { flat, noise } from '../../../harness/pictures.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

const BLACK = 'TEE-CLASSIC-BLK-L';
const WHITE = 'TEE-CLASSIC-WHT-L';
/** The pixels of a sleeve, 90 by 90 mm. */
const SLEEVE_PX = 1_063;

let service: TestService;
let customer: Customer;
let plain: string;
let baseProductId: string;
before(async () => {
  service = await startTestService({ role: 'api', drawn: 'as printed' });
  ({ customer } = service);
  plain = await addProduct(service, customer, 'TEE-CLASSIC');
  const { body } = await customer.request<Product>('GET', `/products/${plain}`);
  baseProductId = body.base_product.id;
});
after(() => service.stop());

function serve(path: string, body: Uint8Array): string {
  service.stranger.serve(path, { body });
  return service.stranger.url(path);
}

/** A red square on a ground of one colour. */
function logo(ground: string) {
  const square = { create: { width: 400, height: 400, channels: 4, background: 'red' } } as const;
  return flat(SLEEVE_PX, SLEEVE_PX, ground).composite([{ input: square }]);
}

/** The warnings of an order that is placed, which are those of its estimate. */
async function warningsOf(body: PlaceOrderBody): Promise<CreatedOrder['warnings']> {
  const estimated = await customer.request<Estimate>('POST', '/orders/estimate', body);
  const placed = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.deepEqual([estimated.status, placed.status], [200, 201], placed.text);
  assert.deepEqual(placed.body.warnings, estimated.body.warnings);
  const { body: order } = await customer.request<Order>('GET', `/orders/${placed.body.id}`);
  assert.deepEqual(
    estimated.body.lines.map((line) => line.artwork),
    order.items.map((line) =>
      line.artwork?.areas.map(({ print_area, method, source, print }) => ({ print_area, method, source, print })),
    ),
    'an estimate says of the artwork what the order will say',
  );
  return placed.body.warnings;
}

const told = (warnings: CreatedOrder['warnings']): string[] => warnings.map(({ code, path }) => `${code} ${path}`);

async function productOf(name: string, url: string, position: object): Promise<string> {
  const areas = [{ print_area: 'left_sleeve', method: 'dtf', artwork_url: url, position }];
  const body = { base_product_id: baseProductId, name, variant_skus: [BLACK, WHITE], decoration: { areas } };
  const created = await customer.request<Product>('POST', '/products', body);
  assert.equal(created.status, 201, created.text);
  return created.body.id;
}

const stored = (productId: string, sku: string): PlaceOrderItem => ({
  product_id: productId,
  variant_sku: sku,
  quantity: 1,
  print_jobs: [{ area: 'left_sleeve', method: 'dtf' }],
});

test('each artwork of an order that will not print as it looks is warned of at its address, before and after placing', async () => {
  const boxed = serve('/boxed.png', await logo('white').png().toBuffer());
  const cmyk = serve('/cmyk.jpg', await noise(SLEEVE_PX, SLEEVE_PX).toColourspace('cmyk').jpeg().toBuffer());
  const small = serve('/small.png', await noise(300, 250).png().toBuffer());
  const medium = serve('/medium.png', await logo('#00000000').resize(600, 600).withIccProfile('p3').png().toBuffer());
  const areas = [
    { print_area: 'left_sleeve', method: 'dtf', artwork_url: boxed },
    { print_area: 'right_sleeve', method: 'dtf', artwork_url: cmyk },
    { print_area: 'neck_label', method: 'dtf', artwork_url: small },
  ];
  const lines = [
    { product_id: plain, variant_sku: BLACK, quantity: 1, decoration: { areas } },
    {
      product_id: plain,
      variant_sku: WHITE,
      quantity: 1,
      decoration: { areas: [{ print_area: 'left_sleeve', method: 'dtf', artwork_url: boxed }] },
    },
    {
      product_id: plain,
      variant_sku: BLACK,
      quantity: 1,
      decoration: { areas: [{ print_area: 'left_sleeve', method: 'embroidery', artwork_url: medium }] },
    },
  ];
  const warnings = await warningsOf(basket(service, { items: lines }));
  assert.deepEqual(told(warnings), [
    'opaque_background items[0].decoration.areas[0].artwork_url',
    'colour_converted items[0].decoration.areas[1].artwork_url',
    'low_resolution items[0].decoration.areas[2].artwork_url',
    'upscaled items[2].decoration.areas[0].artwork_url',
    'colour_converted items[2].decoration.areas[0].artwork_url',
  ]);
  assert.match(warnings[0]?.message ?? '', /#ffffff, which prints as a box on #16161a/);
  assert.match(warnings[2]?.message ?? '', /\b127 dpi\b/);
  assert.match(warnings[3]?.message ?? '', /1\.8 times, from 169 to 300 dpi/);
});

test('a stored design that its print area cuts is warned of at its product, once for all of its lines', async () => {
  const url = serve('/stored.png', await logo('#00000000').png().toBuffer());
  const cut = await productOf('Cut', url, { x: 1 });
  const whole = await productOf('Whole', url, { scale: 0.5 });
  const items = [stored(whole, BLACK), stored(cut, BLACK), stored(cut, WHITE), stored(cut, BLACK)];
  assert.deepEqual(await warningsOf(basket(service, { items })), [
    {
      code: 'clipped',
      path: 'items[1].product_id',
      message:
        '50 % of the artwork for left_sleeve lies outside the print area and is not printed. The same holds for 2 more lines.',
    },
  ]);
});

test('a design that was checked before backgrounds were looked at is not warned of, until its bytes come again', async () => {
  const url = serve('/old.png', await logo('#fefefe').png().toBuffer());
  const product = await productOf('Old', url, {});
  const body = basket(service, { items: [stored(product, BLACK)] });
  assert.deepEqual(told(await warningsOf(body)), ['opaque_background items[0].product_id']);
  await rows(service, "update blob set report = report - 'edgeColour' - 'isWideGamut'");
  assert.deepEqual(told(await warningsOf(body)), []);
  await productOf('Old again', url, {});
  assert.deepEqual(told(await warningsOf(body)), ['opaque_background items[0].product_id']);
});
