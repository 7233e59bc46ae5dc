import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { deleteBlob } from '../../../../src/artwork/reserve-blobs.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import { importCatalogue } from '../../../../src/pricing/import-catalogue.ts';
import type { Product } from '../../../../src/products/schema.ts';
import { baseProductId, create, read, teeBody } from '../../../harness/products.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { HOME, servePicture } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

let dataDir: string;
let service: TestService;
let customer: Customer;
let art: string;
let tee: Product;
const SKUS = ['TEE-CLASSIC-NVY-M', 'TEE-CLASSIC-NVY-L', 'TEE-CLASSIC-WHT-M'];
const NAVY = [0x1b, 0x23, 0x40];
const PLUM = [0xdd, 0xa0, 0xdd];

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'platen-mockups-'));
  // No worker: no print file is made here.
  service = await startTestService({ role: 'api', dataDir });
  customer = await service.openCustomer({ balancePence: 100_000 });
  art = await servePicture(service, '/plum.png', { widthPx: 900, heightPx: 1_200, colour: 'plum' });
  tee = await create(customer, await designed('front'));
});
after(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function designed(print_area: string, changes: object = {}) {
  const method = print_area === 'neck_label' ? 'dtf' : 'dtg';
  const areas = [{ print_area, method, artwork_url: art }];
  return teeBody(service, { variant_skus: SKUS, decoration: { areas }, ...changes });
}

function ask(url: string | null, changes: Readonly<Record<string, string>> = {}): Promise<Response> {
  const { pathname, searchParams } = new URL(url ?? '');
  for (const [name, value] of Object.entries(changes)) searchParams.set(name, value);
  return fetch(`${service.url}${pathname}?${searchParams.toString()}`);
}

async function shown(url: string | null) {
  const served = await ask(url);
  assert.deepEqual([served.status, served.headers.get('content-type')], [200, 'image/jpeg']);
  return sharp(Buffer.from(await served.arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true });
}

/** The colour of a picture at a point, in thousandths of its side. */
function colourAt({ data, info }: Awaited<ReturnType<typeof shown>>, x: number, y: number): number[] {
  const at = (Math.round((y * info.height) / 1_000) * info.width + Math.round((x * info.width) / 1_000)) * 3;
  return [...data.subarray(at, at + 3)];
}

function assertNear(actual: readonly number[], expected: readonly number[], what: string): void {
  const isNear = actual.every((value, index) => Math.abs(value - (expected[index] ?? 0)) < 32);
  assert.ok(isNear, `${what}: ${actual.join(' ')} is not near ${expected.join(' ')}`);
}

test('a product without a mockup has one drawn: the garment in its first colour with the artwork on its print area', async () => {
  assert.equal(tee.mockup_url, null, 'it has no mockup of its own (2.3)');
  const mockup = await shown(tee.mockups[0]?.mockup_url ?? null);
  assert.deepEqual([mockup.info.width, mockup.info.height], [800, 800]);
  assertNear(colourAt(mockup, 500, 450), PLUM, 'the middle of the print');
  assertNear(colourAt(mockup, 320, 600), NAVY, 'beside the print');
  assertNear(colourAt(mockup, 30, 30), [0xf6, 0xf5, 0xf2], 'the wall');
  const small = await shown(tee.thumbnail_url);
  assert.equal(small.info.width, 192);
  assertNear(colourAt(small, 500, 450), PLUM, 'the thumbnail');
});

test('what a client was shown can be sent back', async () => {
  const { name, description, tags, mockup_url } = await read(customer, tee.id);
  const sent = await customer.request<Product>('PATCH', `/products/${tee.id}`, { name, description, tags, mockup_url });
  assert.deepEqual([sent.status, sent.body.mockup_url], [200, null], sent.text);
});

test('it has one in each colour that can be ordered, drawn once in an hour', async () => {
  assert.deepEqual(
    tee.mockups.map(({ colour, colour_hex }) => [colour, colour_hex]),
    [
      ['Navy', '#1b2340'],
      ['White', '#ffffff'],
    ],
  );
  const white = await shown(tee.mockups[1]?.mockup_url ?? null);
  assertNear(colourAt(white, 320, 600), [250, 250, 250], 'a white garment');
  const drawn = (): number => readdirSync(join(dataDir, 'blobs', 'passing'), { recursive: true }).length;
  const before = drawn();
  await shown((await read(customer, tee.id)).mockups[1]?.mockup_url ?? null);
  assert.equal(drawn(), before);
});

test("a customer's own mockup stays; what the picture does not show is on a panel, and a product without a print has none", async () => {
  const mock = await servePicture(service, '/own.png', { widthPx: 300, heightPx: 200, colour: '#ffeecc' });
  const own = await create(customer, await designed('front', { mockup_url: mock }));
  assert.match(own.mockup_url ?? '', /\/files\//);
  assert.match(own.thumbnail_url ?? '', /\/pictures\//);
  assert.equal(own.mockups.length, 2);
  const hidden = await create(customer, await designed('neck_label'));
  assert.deepEqual([hidden.mockup_url, hidden.mockups.length], [null, 2]);
  const label = await shown(hidden.mockups[0]?.mockup_url ?? null);
  assertNear(colourAt(label, 500, 450), PLUM, 'the label on its panel');
  const both = await create(customer, await designed('front', {}));
  assert.match(both.mockups[0]?.mockup_url ?? '', /[?&]area=front&/);
  const blank = await create(customer, await teeBody(service));
  assert.deepEqual([blank.mockup_url, blank.thumbnail_url, blank.mockups], [null, null, []]);
});

test('a blank that no outline fits is a panel with its title, and one that the catalogue gives an outline is drawn by it', async () => {
  const catalogue = JSON.parse(await readFile('data/demo/catalogue.json', 'utf8')) as {
    base_products: { master_sku: string; title: string; outline?: string }[];
  };
  const retitled: Readonly<Record<string, object>> = {
    'TEE-ORGANIC': { title: 'Linen tea towel' },
    'HOODIE-PULL': { title: 'Undershirt', outline: 'tee' },
  };
  const base_products = catalogue.base_products.map((base) => ({ ...base, ...retitled[base.master_sku] }));
  await importCatalogue(service.ctx, { ...catalogue, base_products });
  const on = async (masterSku: string, sku: string) => {
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: art }];
    const base_product_id = await baseProductId(service, masterSku);
    return create(customer, { base_product_id, name: 'One', variant_skus: [sku], decoration: { areas } });
  };
  const towel = await shown((await on('TEE-ORGANIC', 'TEE-ORGANIC-BLK-M')).mockups[0]?.mockup_url ?? null);
  const undershirt = await shown((await on('HOODIE-PULL', 'HOODIE-PULL-BLK-M')).mockups[0]?.mockup_url ?? null);
  for (const picture of [towel, undershirt]) {
    assert.deepEqual([picture.info.width, picture.info.height], [800, 800]);
    assertNear(colourAt(picture, 500, 450), PLUM, 'the print');
  }
  // Beside the body of a tee there is the wall, and above its sleeves; a panel reaches to both.
  for (const [x, y] of [
    [240, 700],
    [235, 120],
  ] as const) {
    assertNear(colourAt(towel, x, y), [0x1a, 0x1a, 0x1c], 'the panel');
    assertNear(colourAt(undershirt, x, y), [0xea, 0xe8, 0xe4], 'the wall');
  }
  const darkest = (picture: typeof towel): number =>
    Math.min(...Array.from({ length: 800 }, (_, x) => colourAt(picture, 100 + x, 913)[0] ?? 255));
  assert.ok(darkest(towel) < 120, 'its title stands below it');
});

test('the address of a mockup is signed whole, for an hour', async () => {
  for (const changes of [
    { area: 'back' },
    { on: 'TEE-CLASSIC-BLK-M' },
    { at: '0.5,0.5,2,0' },
    { at: 'a,b,c,d' },
    { width: '192' },
    { width: '9000' },
    { expires: '1' },
    { signature: 'x' },
  ]) {
    assert.equal((await ask(tee.mockups[0]?.mockup_url ?? null, changes)).status, 404, JSON.stringify(changes));
  }
});

test('a line of an order has its print on its garment at once, before its print file is made; the picture goes with the artwork', async () => {
  const other = await servePicture(service, '/lime.png', { widthPx: 600, heightPx: 800, colour: '#9bc53d' });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: other }];
  const item = { product_id: tee.id, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, decoration: { areas } };
  const placed = await customer.request<CreatedOrder>('POST', '/orders', { items: [item], shipping_address: HOME });
  assert.equal(placed.status, 201, placed.text);
  const { body } = await customer.request<Order>('GET', `/orders/${placed.body.id}`);
  const [line] = body.items;
  assert.equal(line?.artwork_ready, false);
  const small = await shown(line?.thumbnail_url ?? null);
  assertNear(colourAt(small, 500, 450), [0x9b, 0xc5, 0x3d], 'the print');

  const hash = line?.artwork?.areas[0]?.source?.sha256 ?? assert.fail();
  const passing = (): string[] =>
    readdirSync(join(dataDir, 'blobs', 'passing'), { recursive: true })
      .map(String)
      .filter((name) => name.includes(hash));
  assert.equal(passing().length, 1);
  await rows(service, "update blob set deleting = true where hash = decode($1, 'hex')", [hash]);
  assert.equal((await ask(line?.thumbnail_url ?? null)).status, 404, 'what is being deleted is not shown');
  await deleteBlob(service.ctx, hash);
  assert.deepEqual(passing(), []);
});
