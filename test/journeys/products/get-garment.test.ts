import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Garment } from '../../../src/products/designer/designer-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { baseProductId } from '../../harness/products.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('a garment has its colours with pictures, its sizes in order, its stock, and where each area lies on the picture', async () => {
  const reader = await openRole(service, 'reader');
  const text = "update stock set allocated = on_hand where sku = 'TEE-CLASSIC-WHT-L'";
  await service.ctx.database.all({ name: 'test_sold_out', text }, []);
  const { body, status } = await reader.request<Garment>('GET', `/garments/${await baseProductId(service)}`);
  assert.equal(status, 200);
  assert.deepEqual(body.sizes, ['S', 'M', 'L', 'XL', '2XL', '3XL']);
  const white = body.colours.find(({ colour }) => colour === 'White');
  assert.match(white?.front_url ?? '', /\/garments\/tee-front-ffffff\.svg$/);
  const stock = new Map(body.variants.map(({ sku, available }) => [sku, available]));
  assert.equal(stock.get('TEE-CLASSIC-WHT-L'), 0);
  assert.ok((stock.get('TEE-CLASSIC-WHT-M') ?? 0) > 0);
  const front = body.areas.find(({ print_area: area }) => area === 'front');
  // The spot of the front is 290 by 440 thousandths at 355, 270; 300 mm by 400 fill its width.
  assert.deepEqual(front?.backdrop, { view: 'front', left_mm: -367.24, top_mm: -279.31, side_mm: 1034.48 });
  assert.equal(front?.safe_mm, 10);
  assert.equal(body.areas.find(({ print_area: area }) => area === 'neck_label')?.backdrop, null);
  assert.deepEqual((await reader.request('GET', '/garments/bprod_none')).status, 404);
});

test('the picture of a garment is for everyone, kept by caches, and drawn for known garments alone', async () => {
  const picture = await fetch(`${service.url}/garments/hoodie-back-16161a.svg`);
  const { status, headers } = picture;
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('cache-control')],
    [200, 'image/svg+xml', 'public, max-age=86400'],
  );
  const svg = await picture.text();
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 1000 1000".*#16161a.*<\/svg>$/);
  for (const name of ['sock-front-ffffff.svg', 'tee-side-ffffff.svg', 'tee-front-fff.svg', 'tee-front-zzzzzz.svg']) {
    assert.equal((await fetch(`${service.url}/garments/${name}`)).status, 404, name);
  }
});
