import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder, Estimate } from '../../../../src/orders/schema.ts';
import type { CreateProductBody } from '../../../../src/products/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { eventually } from '../../../harness/context.ts';
import { blackPng, flat } from '../../../harness/pictures.ts';
import { allProducts, change, create, refuseChange, teeBody } from '../../../harness/products.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { basket, problemsOf, servePicture } from '../../../harness/shop.ts';
import { redirectTo } from '../../../harness/stranger.ts';
import { everythingWritten, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
let good: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer({ balancePence: 500_000 });
  good = await servePicture(service, '/good.png', { widthPx: 600, heightPx: 600, colour: '#204060' });
  const { stranger } = service;
  stranger.serve('/500', { status: 500, body: 'secret inner words' });
  stranger.serve('/page.png', { body: '<html>', headers: { 'content-type': 'image/png' } });
  stranger.serve('/gif.png', { body: await flat(4, 4, '#ff0000').gif().toBuffer() });
  stranger.serve('/wide.png', { body: blackPng(12_001, 1) });
  stranger.serve('/huge', { body: 'x', contentLength: 52_428_801 });
  stranger.serve('/cut.png', { body: (await flat(90, 90, '#00ff00').png().toBuffer()).subarray(0, 120) });
  stranger.serve('/to-metadata', redirectTo('https://169.254.169.254/latest/meta-data'));
});
after(() => service.stop());

const AREAS = ['front', 'back', 'neck_label'];

/** A decoration of as many areas as there are addresses. */
function decoration(...urls: string[]): { decoration: NonNullable<CreateProductBody['decoration']> } {
  const areas = urls.map((artwork_url, index) => ({ print_area: AREAS[index] ?? '', method: 'dtf', artwork_url }));
  return { decoration: { areas } };
}

function badge(artwork_url: string): { decoration: NonNullable<CreateProductBody['decoration']> } {
  return { decoration: { areas: [{ print_area: 'left_sleeve', method: 'embroidery', artwork_url }] } };
}

/** A basket of one piece of a product with its embroidered sleeve. */
function stitched(product_id: string): object {
  const print_jobs = [{ area: 'left_sleeve', method: 'embroidery' }];
  return basket(service, { items: [{ product_id, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, print_jobs }] });
}

const FAILURES: readonly (readonly [address: string, code: string])[] = [
  ['http://art.example.test/a.png', 'scheme'],
  ['not an address', 'url'],
  ['https://169.254.169.254/latest', 'ssrf'],
  ['/to-metadata', 'ssrf'],
  ['/missing', 'fetch'],
  ['/500', 'fetch'],
  ['/huge', 'size'],
  ['/page.png', 'format'],
  ['/gif.png', 'format'],
  ['/wide.png', 'dimensions'],
  ['/cut.png', 'corrupt'],
];
for (const [address, code] of FAILURES) {
  test(`4.4.2 4.4.3 ${address} fails as ${code}, as artwork and as mockup, in POST and PATCH, and nothing is written (8 one bad URL)`, async () => {
    const { id } = await create(customer, await teeBody(service));
    const untouched = await allProducts(service);
    const url = address.startsWith('/') ? service.stranger.url(`${address}?key=s3cret-query`) : address;
    const cases = [
      { changes: { ...decoration(good, url), mockup_url: good }, path: 'decoration.areas[1].artwork_url' },
      { changes: { ...decoration(good), mockup_url: url, name: 'Changed' }, path: 'mockup_url' },
    ];
    for (const { changes, path } of cases) {
      const created = await customer.request('POST', '/products', await teeBody(service, changes));
      for (const answer of [created, await refuseChange(customer, id, changes)]) {
        assert.deepEqual([answer.status, problemsOf(answer)], [422, [`${path} ${code}`]], answer.text);
        assert.doesNotMatch(answer.text, /s3cret-query|secret inner|ECONN|ENOTFOUND|\/tmp\/|\bat file:/);
      }
    }
    assert.deepEqual(await allProducts(service), untouched);
  });
}

test('J157 every address that fails is told at once, and each distinct one is asked once (4.4.2)', async () => {
  const untouched = await allProducts(service);
  const missing = service.stranger.url('/missing');
  const before = service.stranger.hits.length;
  const body = await teeBody(service, { ...decoration(missing, good, 'https://10.0.0.1/'), mockup_url: missing });
  const refused = await customer.request('POST', '/products', body);
  assert.deepEqual(problemsOf(refused), [
    'decoration.areas[0].artwork_url fetch',
    'decoration.areas[2].artwork_url ssrf',
    'mockup_url fetch',
  ]);
  assert.deepEqual(
    service.stranger.hits
      .slice(before)
      .map(({ path }) => path)
      .toSorted(),
    ['/good.png', '/missing'],
  );
  assert.deepEqual(await allProducts(service), untouched);
});

test('artwork of which nothing would lie on its area is refused: it would be billed as a print', async () => {
  const untouched = await allProducts(service);
  const at = (x: number, scale = 1) => ({
    print_area: 'front',
    method: 'dtg',
    artwork_url: good,
    position: { x, scale },
  });
  const place = async (x: number, scale?: number) =>
    customer.request('POST', '/products', await teeBody(service, { decoration: { areas: [at(x, scale)] } }));
  for (const x of [1.6, -0.6, 10]) {
    const refused = await place(x);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['decoration.areas[0].position outside_print_area']]);
  }
  assert.deepEqual(await allProducts(service), untouched);
  assert.deepEqual(
    [(await place(1.4)).status, (await place(1.6, 3)).status],
    [201, 201],
    'what still shows a part of itself is taken',
  );
});

test('4.4.4 J158 the same bytes twenty times at once are one stored file and one design of the account', async () => {
  const owner = await service.openCustomer({ balancePence: 50_000 });
  const url = await servePicture(service, '/many.png', { widthPx: 500, heightPx: 500, colour: '#135790' });
  const before = await counts(owner);
  const bodies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      teeBody(service, { ...badge(`${url}?copy=${index}`), name: `Copy ${index}` }),
    ),
  );
  const products = await Promise.all(bodies.map((body) => create(owner, body)));
  const now = await counts(owner);
  assert.deepEqual(
    [now.blobs, now.files, now.designs, now.used, now.staged],
    [1 + (before.blobs ?? 0), 1 + (before.files ?? 0), 1, 1, 0],
  );
  const setups: number[] = [];
  for (const { id } of products.slice(0, 3)) {
    const estimate = await owner.request<Estimate>('POST', '/orders/estimate', stitched(id));
    const order = await owner.request<CreatedOrder>('POST', '/orders', stitched(id));
    assert.equal(order.status, 201, order.text);
    assert.equal(estimate.body.setup_total, order.body.charged.setup_total);
    setups.push(order.body.charged.setup_total);
  }
  assert.deepEqual(setups, [18, 0, 0], 'the setup is paid once, whatever product has the design');
});

async function counts(owner: Customer): Promise<Record<string, number>> {
  const [found] = await rows<{ designs: number; used: number }>(
    service,
    `select (select count(*) from design where account_id = $1) as designs,
            (select count(distinct design_hash) from product_area where account_id = $1) as used`,
    [owner.accountId],
  );
  const { blob, files, staged } = await everythingWritten(service);
  return { ...found, blobs: blob ?? 0, files: files ?? 0, staged: staged ?? 0 };
}

test('4.4.4 bytes posted again later, or set by a PATCH, refer to the design that is there, and its setup is paid', async () => {
  const owner = await service.openCustomer({ balancePence: 50_000 });
  const url = await servePicture(service, '/again.png', { widthPx: 510, heightPx: 500, colour: '#135790' });
  const first = await create(owner, await teeBody(service, badge(url)));
  assert.equal((await owner.request<CreatedOrder>('POST', '/orders', stitched(first.id))).body.charged.setup_total, 18);
  service.shiftMs(86_400_000);
  const posted = await create(owner, await teeBody(service, badge(`${url}?elsewhere`)));
  const patched = await create(owner, await teeBody(service));
  await change(owner, patched.id, badge(`${url}?patched`));
  for (const { id } of [posted, patched]) {
    const { body } = await owner.request<Estimate>('POST', '/orders/estimate', stitched(id));
    assert.equal(body.setup_total, 0);
  }
  assert.equal((await counts(owner)).designs, 1);
});

test("J158 another account's same bytes are a design of its own: no discount, and nothing tells of the other", async () => {
  const url = await servePicture(service, '/shared.png', { widthPx: 520, heightPx: 500, colour: '#135790' });
  const [one, two] = [
    await service.openCustomer({ balancePence: 50_000 }),
    await service.openCustomer({ balancePence: 50_000 }),
  ];
  const setups: number[] = [];
  for (const owner of [one, two]) {
    const { id } = await create(owner, await teeBody(service, badge(url)));
    setups.push((await owner.request<CreatedOrder>('POST', '/orders', stitched(id))).body.charged.setup_total);
    assert.equal((await counts(owner)).designs, 1);
  }
  assert.deepEqual(setups, [18, 18]);
});

test('a caller who goes away while the artwork is fetched leaves nothing', async () => {
  const untouched = await allProducts(service);
  const gone = new AbortController();
  service.stranger.serve('/hangs.png', () => gone.abort());
  const body = await teeBody(service, { ...decoration(good, service.stranger.url('/hangs.png')) });
  const request = fetch(`${service.url}/api/v1/products`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: gone.signal,
  });
  await assert.rejects(request);
  await eventually('nothing is left in staging', async () => (await allProducts(service)).staged === 0);
  assert.deepEqual(await allProducts(service), untouched);
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
