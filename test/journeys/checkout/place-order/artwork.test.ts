import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { parseId } from '../../../../src/lib/ids.ts';
import type { CreatedOrder, Order, PlaceOrderBody } from '../../../../src/orders/schema.ts';
import { eventually } from '../../../harness/context.ts';
import { flat, pngChunks } from '../../../harness/pictures.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, servePicture, teeItem } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService({ drawn: 'as printed' });
  ({ customer } = service);
});
after(() => service.stop());

async function place(body: PlaceOrderBody): Promise<CreatedOrder> {
  const answer = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const RED = { width: 200, height: 200, channels: 4, background: 'red' } as const;

type Area = { print_area: string; method: string; artwork_url: string; mock_url?: string };

function decorated(...areas: Area[]): PlaceOrderBody {
  return basket(service, { items: [teeItem(service, { decoration: { areas } })] });
}

function hitsOn(path: string): number {
  return service.stranger.hits.filter((hit) => hit.path === path).length;
}

async function readyOrder(id: string): Promise<Order> {
  return eventually('print-ready artwork', async () => {
    const { body } = await customer.request<Order>('GET', `/orders/${id}`);
    return body.items.every((line) => line.artwork_ready) && body;
  });
}

test('3.2 template: artwork is fetched from its address and becomes print-ready: the size and DPI of the print area template (3.2 created, 3.2 polling, 4.2 artwork_url)', async () => {
  const url = await servePicture(service, '/badge.png', { widthPx: 1_200, heightPx: 1_000, colour: '#3366cc' });
  const body = decorated({ print_area: 'left_sleeve', method: 'dtf', artwork_url: url });
  const order = await place(body);
  assert.equal(order.items.lineItems[0]?.artwork_ready, false);
  await readyOrder(order.id);
  const [file] = await rows<{ hash: string }>(
    service,
    `select encode(f.output_hash, 'hex') as hash from print_job j join print_file f on f.key = j.print_file_key
     join orders o on o.id = j.order_id where o.reference = $1`,
    [order.reference],
  );
  const { format, width, height, density, space } = await sharp(
    await service.ctx.blobs.path(file?.hash ?? ''),
  ).metadata();
  assert.deepEqual([format, width, height, density, space], ['png', 1_063, 1_063, 300, 'srgb']);

  const second = await place(body);
  assert.equal(second.items.lineItems[0]?.artwork_ready, true, 'what was made before is ready at once');
});

test('3.2 template: the stored designs of a product become print-ready, each to the template of its area (4.1.1)', async () => {
  const jobs = [
    { area: 'front', method: 'dtg' },
    { area: 'left_sleeve', method: 'embroidery' },
  ];
  const order = await place(basket(service, { items: [teeItem(service, { print_jobs: jobs })] }));
  await readyOrder(order.id);
  const files = await rows<{ hash: string }>(
    service,
    `select encode(f.output_hash, 'hex') as hash from print_job j join print_file f on f.key = j.print_file_key
     join orders o on o.id = j.order_id where o.reference = $1 order by j.ordinal`,
    [order.reference],
  );
  const sizes = files.map(async ({ hash }) => {
    const { width, height, density } = await sharp(await service.ctx.blobs.path(hash)).metadata();
    return [width, height, density];
  });
  assert.deepEqual(await Promise.all(sizes), [
    [3_543, 4_724, 300],
    [1_063, 1_063, 300],
  ]);
});

test('4.1.4 decoration.areas supersedes print_jobs, which is then neither billed nor printed (E75)', async () => {
  const url = await servePicture(service, '/own.png', { widthPx: 3_000, heightPx: 3_000, colour: '#c02040' });
  const areas = [{ print_area: 'back', method: 'dtf', artwork_url: url }];
  const both = await place(
    basket(service, {
      items: [teeItem(service, { decoration: { areas }, print_jobs: [{ area: 'nowhere', method: 'magic' }] })],
    }),
  );
  const areasOnly = await place(decorated(...areas));
  assert.deepEqual(both.items.lineItems[0]?.print_jobs, [{ area: 'back', method: 'dtf' }]);
  assert.deepEqual(both.charged, areasOnly.charged);
  assert.deepEqual(both.warnings, []);
});

test('4.2 print_area: on a product without designs of its own every area of the blank may be decorated', async () => {
  const plain = await addProduct(service, customer, 'TEE-CLASSIC');
  const url = await servePicture(service, '/neck.png', { widthPx: 700, heightPx: 500, colour: '#101010' });
  const areas = [{ print_area: 'neck_label', method: 'dtf', artwork_url: url }];
  const items = [{ product_id: plain, variant_sku: 'TEE-CLASSIC-BLK-L', quantity: 2, decoration: { areas } }];
  const order = await place(basket(service, { items }));
  assert.deepEqual(order.items.lineItems[0]?.print_jobs, [{ area: 'neck_label', method: 'dtf' }]);
  assert.equal(order.items.lineItems[0]?.mock_url, null);
});

test('4.2 mock_url: the first mock_url becomes the mock of the line, signed for an hour, and is served as it came', async () => {
  const url = await servePicture(service, '/art.png', { widthPx: 1_500, heightPx: 1_500, colour: '#009988' });
  const mock = await servePicture(service, '/mock.png', { widthPx: 640, heightPx: 480, colour: '#ffeecc' });
  const later = await servePicture(service, '/later.png', { widthPx: 320, heightPx: 240, colour: '#ffeecc' });
  const order = await place(
    decorated(
      { print_area: 'front', method: 'dtg', artwork_url: url },
      { print_area: 'back', method: 'dtg', artwork_url: url, mock_url: mock },
      { print_area: 'left_sleeve', method: 'dtf', artwork_url: url, mock_url: later },
    ),
  );
  const { pathname, search } = new URL(order.items.lineItems[0]?.mock_url ?? '');
  const served = await fetch(`${service.url}${pathname}${search}`);
  assert.equal(served.status, 200);
  const { width, height } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
  assert.deepEqual([width, height], [640, 480]);
  assert.deepEqual(['/art.png', '/mock.png', '/later.png'].map(hitsOn), [1, 1, 1], 'one fetch for an address');
});

test('artwork with too few pixels for its area is taken, with the warning low_resolution at its address', async () => {
  const url = await servePicture(service, '/small.png', { widthPx: 300, heightPx: 400, colour: '#777777' });
  const order = await place(decorated({ print_area: 'front', method: 'dtg', artwork_url: url }));
  assert.deepEqual(
    order.warnings.map(({ code, path }) => [code, path]),
    [['low_resolution', 'items[0].decoration.areas[0].artwork_url']],
  );
  assert.match(order.warnings[0]?.message ?? '', /\b25 dpi\b/);
});

test('4.1.1 the artwork of a placed order is a snapshot: an edited and archived product changes none of it', async () => {
  const product = await addProduct(service, customer, 'TEE-CLASSIC', {
    areas: await storedAreas(),
    name: 'Short-lived tee',
  });
  const body = basket(service, { items: [teeItem(service, { product_id: product })] });
  const order = await place(body);
  const seen = (await readyOrder(order.id)).items;
  const edited = [order.items.lineItems[0]?.product_id ?? ''];
  assert.deepEqual(edited, [product]);
  await rows(
    service,
    "update product_area set method = 'dtf', scale = 0.1 where product_id = (select id from product where name = 'Short-lived tee')",
  );
  await rows(service, "update product set status = 'archived', name = 'Gone' where name = 'Short-lived tee'");
  const after = (await readyOrder(order.id)).items;
  assert.deepEqual(after.map(unsigned), seen.map(unsigned));
});

/** The pixels of a picture that is drawn to be looked at. */
async function shownAt(url: string, type = 'image/jpeg') {
  const { pathname, search } = new URL(url);
  const served = await fetch(`${service.url}${pathname}${search}`);
  assert.deepEqual([served.status, served.headers.get('content-type')], [200, type]);
  return sharp(Buffer.from(await served.arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true });
}

/** A line without its links, which are signed anew for each reply. */
function unsigned({ mock_url: _mock, thumbnail_url: _thumbnail, artwork, ...line }: Order['items'][number]) {
  return { ...line, artwork: artwork?.areas.map(({ proof_url: _proof, ...area }) => area) };
}

test('a fetched order says of each area what is printed, how large and how sharp, and shows its print file once it is made', async () => {
  const square = await flat(800, 600, 'white')
    .composite([{ input: { create: RED } }])
    .withIccProfile('p3')
    .png()
    .toBuffer();
  service.stranger.serve('/described.png', { body: square });
  const url = service.stranger.url('/described.png');
  const order = await place(decorated({ print_area: 'left_sleeve', method: 'dtf', artwork_url: url }));
  const line = (await readyOrder(order.id)).items[0];
  const { proof_url: proof, ...area } = line?.artwork?.areas[0] ?? { proof_url: null };
  assert.deepEqual(
    [line?.artwork?.state, line?.artwork?.areas.length, area],
    [
      'ready',
      1,
      {
        print_area: 'left_sleeve',
        method: 'dtf',
        state: 'ready',
        source: {
          width: 800,
          height: 600,
          sha256: createHash('sha256').update(square).digest('hex'),
          has_transparency: true,
          background: '#ffffff',
          colour_space: 'rgb',
          colour_profile: 'sP3C',
        },
        print: { width_mm: 90, height_mm: 67.5, dpi: 226, share_outside: 0 },
        failure: null,
        replaced_at: null,
        actions: { replace: { available: false } },
      },
    ],
  );
  const shown = await shownAt(proof ?? '');
  const [{ hash } = assert.fail()] = await rows<{ hash: string }>(
    service,
    `select encode(f.output_hash, 'hex') as hash from print_file f join print_job j on j.print_file_key = f.key
     join orders o on o.id = j.order_id where o.reference = $1`,
    [order.reference],
  );
  const printed = await sharp(await service.ctx.blobs.path(hash))
    .resize(640)
    .flatten({ background: '#ffffff' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  assert.deepEqual([shown.info.width, shown.info.height], [printed.info.width, printed.info.height]);
  const differences = shown.data.map((value, at) => Math.abs(value - (printed.data[at] ?? 0)));
  assert.ok(differences.reduce((sum, value) => sum + value, 0) / differences.length < 1, 'it is the print file');
  const mock = await shownAt(line?.thumbnail_url ?? '', 'image/webp');
  assert.equal(mock.info.width, 192);
  await rows(service, 'update order_line set mock_hash = null where id = $1', [parseId('line', line?.id ?? '') ?? '']);
  const { body: bare } = await customer.request<Order>('GET', `/orders/${order.id}`);
  const small = await shownAt(bare.items[0]?.thumbnail_url ?? '');
  assert.deepEqual([bare.items[0]?.mock_url, small.info.width], [null, 192], 'without a mock it shows the print');
  for (const [name, value] of [
    ['width', '192'],
    ['width', '5000'],
    ['on', 'TEE-CLASSIC-BLK-M'],
    ['expires', '1'],
  ] as const) {
    const other = new URL(proof ?? '');
    other.searchParams.set(name, value);
    const refused = await fetch(`${service.url}${other.pathname}${other.search}`);
    assert.equal(refused.status, 404, `${name} is signed`);
  }

  const { body } = await customer.request<{ data: Order[] }>('GET', '/orders?limit=1');
  const { proof_url: inList, ...sameArea } = body.data[0]?.items[0]?.artwork?.areas[0] ?? { proof_url: null };
  assert.deepEqual([typeof inList, sameArea], ['string', { ...area, state: 'ready' }], 'the list shows the same');
});

test('the artwork of a line is pending until its file is made, and there is none on a blank line', async () => {
  const jobs = { pending: [{ area: 'left_sleeve', method: 'dtf' }], blank: [] };
  const items = Object.values(jobs).map((print_jobs) => teeItem(service, { print_jobs }));
  const order = await place(basket(service, { items }));
  await readyOrder(order.id);
  // As if its worker had given it up: the state stays, and a failure is said beside it.
  await rows(
    service,
    `update print_file set state = 'failed', output_hash = null where key = (select j.print_file_key from print_job j
       join orders o on o.id = j.order_id where o.reference = $1 limit 1)`,
    [order.reference],
  );
  const { body } = await customer.request<Order>('GET', `/orders/${order.id}`);
  const [pending, blank] = body.items.map(({ artwork }) => artwork);
  assert.deepEqual(
    [pending?.state, pending?.areas.map(({ state, proof_url: proof, failure }) => [state, proof, failure])],
    ['pending', [['pending', null, '']]],
  );
  assert.equal(pending?.areas[0]?.source?.sha256.length, 64);
  assert.deepEqual(blank, { state: 'ready', areas: [] });
});

test('an order that was placed with recipes of version 1 keeps files without a profile, also when they are made again', async () => {
  const order = await place(
    basket(service, { items: [teeItem(service, { print_jobs: [{ area: 'front', method: 'dtg' }] })] }),
  );
  const fileOf = async (): Promise<Buffer> => {
    await readyOrder(order.id);
    const [file] = await rows<{ hash: string }>(
      service,
      `select encode(f.output_hash, 'hex') as hash from print_job j join print_file f on f.key = j.print_file_key
       join orders o on o.id = j.order_id where o.reference = $1`,
      [order.reference],
    );
    return readFile(await service.ctx.blobs.path(file?.hash ?? ''));
  };
  const chunksOf = (bytes: Buffer): string[] => [...new Set(pngChunks(bytes))];
  assert.deepEqual(chunksOf(await fileOf()), ['IHDR', 'iCCP', 'pHYs', 'IDAT', 'IEND']);
  await rows(
    service,
    `with file as (
       update print_file set recipe = jsonb_set(recipe, '{version}', '1'), state = 'pending', output_hash = null
       where key = (select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1)
       returning key
     )
     insert into job (id, kind, key, payload, run_at, created_at)
     select uuid_v7($2), 'normalise_artwork', encode(key, 'hex'), '{}', $2, $2 from file`,
    [order.reference, service.ctx.clock.now()],
  );
  assert.deepEqual(chunksOf(await fileOf()), ['IHDR', 'pHYs', 'IDAT', 'IEND']);
});

/** The areas of the demo's fixed product, as another product may have them. */
async function storedAreas() {
  const areas = await rows<{
    print_area: string;
    method: string;
    design_hash: string;
    x: number;
    y: number;
    scale: number;
    rotation: number;
  }>(
    service,
    `select print_area, method, encode(design_hash, 'hex') as design_hash, x, y, scale, rotation from product_area
     where account_id = $1 order by ordinal limit 1`,
    [customer.accountId],
  );
  return areas;
}
