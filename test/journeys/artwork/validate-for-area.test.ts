import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { UploadValidation } from '../../../src/artwork/schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { flat, noise } from '../../harness/pictures.ts';
import { type Answer, type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, problemsOf } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';

let service: TestService;
let customer: Customer;
let untouched: Record<string, number>;
/** Base products by their SKU. */
let bases: ReadonlyMap<string, string>;
let boxed: string;
let cmyk: string;
before(async () => {
  service = await startTestService({ role: 'api', drawn: 'as printed' });
  ({ customer } = service);
  const { baseProducts } = await service.ctx.catalogue.latest();
  bases = new Map(baseProducts.map(({ id, entry }) => [entry.master_sku, publicId('bprod', id)]));
  const square = { create: { width: 200, height: 200, channels: 4, background: 'red' } } as const;
  const logo = flat(800, 600, 'white').composite([{ input: square }]);
  boxed = serve('/boxed.png', await logo.withIccProfile('p3').png().toBuffer());
  cmyk = serve('/cmyk.jpg', await noise(300, 300).toColourspace('cmyk').jpeg().toBuffer());
  untouched = await everythingWritten(service);
});
after(() => service.stop());

function serve(path: string, body: Uint8Array): string {
  service.stranger.serve(path, { body });
  return service.stranger.url(path);
}

async function validate(body: object): Promise<Answer<UploadValidation>> {
  return customer.request<UploadValidation>('POST', '/uploads/validate', body);
}

const onTee = (changes: object = {}): object => ({
  base_product_id: bases.get('TEE-CLASSIC'),
  print_area: 'left_sleeve',
  ...changes,
});
const told = ({ body }: Answer<UploadValidation>): string[] =>
  body.results.flatMap(({ warnings }) => (warnings ?? []).map(({ code, path }) => `${code} ${path}`));

test('without an area a result says what the picture is, and warns at the address of what needs no area', async () => {
  const answer = await validate({ urls: [cmyk, boxed, cmyk] });
  assert.equal(answer.status, 200);
  const [first, second] = answer.body.results;
  assert.deepEqual(
    [first?.colour_space, first?.colour_profile, first?.has_transparency, first?.background],
    ['cmyk', null, false, null],
  );
  assert.deepEqual(
    [second?.colour_space, second?.colour_profile, second?.has_transparency, second?.background],
    ['rgb', 'sP3C', true, '#ffffff'],
  );
  assert.equal(second?.print, undefined);
  assert.deepEqual(told(answer), ['colour_converted urls[0]', 'colour_converted urls[1]', 'colour_converted urls[2]']);
});

test('for an area it says how large and how sharp the artwork prints there, and warns as an order would', async () => {
  const answer = await validate({ url: boxed, ...onTee({ method: 'dtf', variant_sku: 'TEE-CLASSIC-BLK-L' }) });
  const [result] = answer.body.results;
  assert.deepEqual(
    [result?.valid, result?.print],
    [true, { width_mm: 90, height_mm: 67.5, dpi: 226, share_outside: 0 }],
  );
  assert.deepEqual(told(answer), ['upscaled url', 'opaque_background url', 'colour_converted url']);

  const productId = await addProduct(service, customer, 'TEE-CLASSIC');
  const areas = [{ print_area: 'left_sleeve', method: 'dtf', artwork_url: boxed }];
  const items = [{ product_id: productId, variant_sku: 'TEE-CLASSIC-BLK-L', quantity: 1, decoration: { areas } }];
  const estimated = await customer.request<CreatedOrder>('POST', '/orders/estimate', basket(service, { items }));
  assert.deepEqual(
    estimated.body.warnings.map(({ code, message }) => [code, message]),
    result?.warnings?.map(({ code, message }) => [code, message]),
  );
  untouched = await everythingWritten(service);
});

test('at a position it says what is cut off, and how sharp the rest is', async () => {
  const answer = await validate({ url: boxed, ...onTee({ position: { x: 1, scale: 2 } }) });
  const [result] = answer.body.results;
  // 180 mm wide around the right edge of 90 mm, and 135 mm high: 90 by 90 of 180 by 135 are seen.
  assert.deepEqual(result?.print, { width_mm: 180, height_mm: 135, dpi: 113, share_outside: 0.667 });
  assert.deepEqual(told(answer), ['low_resolution url', 'clipped url', 'colour_converted url']);
});

test('artwork of which nothing would be printed is not valid, as a product with it is refused', async () => {
  const { status, body } = await validate({ url: boxed, ...onTee({ position: { x: 5 } }) });
  assert.deepEqual(
    [status, body.valid, body.results[0]?.valid, body.results[0]?.code],
    [200, false, false, 'outside_print_area'],
  );
});

test('a method asks for the dpi that the catalogue states; without a method, the one that asks for most counts', async () => {
  const url = serve('/poster.png', await noise(2_050, 2_900).png().toBuffer());
  const poster = { base_product_id: bases.get('POSTER-A3'), print_area: 'full_bleed', url };
  for (const method of ['giclee', undefined]) {
    const answer = await validate({ ...poster, method });
    assert.deepEqual(told(answer), ['low_resolution url']);
    assert.match(answer.body.results[0]?.warnings?.[0]?.message ?? '', /prints at 175 dpi; below 200 /);
  }
});

describe('a print area is named in full and by names that the catalogue has', () => {
  const rows: readonly (readonly [body: () => object, problems: readonly string[]])[] = [
    [() => ({ base_product_id: bases.get('TEE-CLASSIC') }), ['print_area required']],
    [() => ({ print_area: 'front' }), ['base_product_id required']],
    [() => ({ position: {} }), ['base_product_id required', 'print_area required']],
    [() => ({ method: 'dtg', print_area: 'front' }), ['base_product_id required']],
    [() => onTee({ base_product_id: 'bprod_x' }), ['base_product_id unknown_base_product']],
    [() => onTee({ print_area: 'hem' }), ['print_area unknown_print_area']],
    [
      () => onTee({ method: 'giclee', variant_sku: 'POSTER' }),
      ['method unknown_method', 'variant_sku unknown_variant'],
    ],
    [() => onTee({ position: { scale: 0 } }), ['position.scale out_of_bounds']],
    [() => onTee({ position: { x: '1' } }), ['position.x type']],
  ];
  for (const [body, problems] of rows) {
    test(problems.join(', '), async () => {
      const asked = service.stranger.hits.length;
      const refused = await customer.request('POST', '/uploads/validate', { url: boxed, ...body() });
      assert.deepEqual([refused.status, problemsOf(refused)], [422, problems]);
      assert.equal(service.stranger.hits.length, asked, 'no address is asked');
    });
  }
});

test('nothing of all this was written', async () => {
  assert.deepEqual(await everythingWritten(service), untouched);
});
