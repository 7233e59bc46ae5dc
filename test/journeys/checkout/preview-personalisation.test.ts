import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { mintToken } from '../../../src/accounts/mint-token.ts';
import { makePrintFile } from '../../../src/artwork/make-print-file.ts';
import { drawProof } from '../../../src/artwork/proof/draw-proof.ts';
import type { PersonalisationPreview } from '../../../src/checkout/personalisation/preview-schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { noise } from '../../harness/pictures.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../harness/service.ts';
import { addProduct, basket } from '../../harness/shop.ts';
import { whileKilled } from '../../harness/while-killed.ts';
import { everythingWritten, rows } from '../../harness/written.ts';

type Reply = Answer<PersonalisationPreview & ErrorReply>;

let dataDir: string;
let service: TestService;
let customer: Customer;
let photo: string;
const SKU = 'TEE-ORGANIC-SAG-M';
const SAGE = '#9caf96';
const CAP = 'CAP-TWILL-KHA';
const KHAKI = '#7c7355';

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'platen-preview-'));
  // No worker: nothing but the previews draws here.
  service = await startTestService({ role: 'api', dataDir, drawn: 'as printed' });
  ({ customer } = service);
  const body = await noise(900, 700).blur(20).png().toBuffer();
  service.stranger.serve('/photo.png', { body });
  service.stranger.serve('/page.html', { body: '<html></html>' });
  photo = service.stranger.url('/photo.png');
});
after(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const inStore = (part: string): string[] => readdirSync(join(dataDir, 'blobs', part), { recursive: true }).map(String);
const staged = (): string[] => inStore('staging');

function preview(inputs: Record<string, unknown>, more: object = {}, by = customer): Promise<Reply> {
  return by.request('POST', `/products/${service.demo.products.personalised}/personalisation/preview`, {
    inputs,
    variant_sku: SKU,
    ...more,
  });
}

async function shown(answer: Reply): Promise<Buffer> {
  assert.equal(answer.status, 200, answer.text);
  const { pathname, search } = new URL(answer.body.proof_url);
  const served = await fetch(`${service.url}${pathname}${search}`);
  assert.equal(served.status, 200);
  assert.deepEqual(
    [served.headers.get('content-type'), served.headers.get('cache-control')],
    ['image/jpeg', 'no-store'],
  );
  return Buffer.from(await served.arrayBuffer());
}

/** How far two pictures of one size differ: of 255, at the average pixel, and at all but a hundredth of them. */
function difference(one: Buffer, other: Buffer): { mean: number; most: number } {
  assert.equal(one.length, other.length);
  const each = one.map((value, at) => Math.abs(value - (other[at] ?? 0))).toSorted();
  const mean = each.reduce((sum, value) => sum + value, 0) / each.length;
  return { mean, most: each[Math.floor(each.length * 0.99)] ?? 255 };
}

/** A cap with a text that is broken into two lines, a photo and a collage. */
async function addCap(): Promise<string> {
  const layer = { required: false, print_area: 'front' };
  const box = (x: number, y: number, width: number, height: number) => ({
    box: { x_px: x, y_px: y, width_px: width, height_px: height },
  });
  return addProduct(service, customer, 'CAP-TWILL', {
    personalisation: {
      areas: [{ print_area: 'front', method: 'embroidery' }],
      layers: [
        {
          ...layer,
          ...box(333, 47, 911, 333),
          id: 'line',
          name: 'Line',
          type: 'text',
          z_order: 3,
          length_max: 40,
          align: 'centre',
          size_px: { min: 40, max: 400 },
          font: { default: 'Pacifico' },
          color: { default: '#5e1a2b' },
        },
        { ...layer, ...box(31, 31, 277, 588), id: 'photo', name: 'Photo', type: 'image', z_order: 1, fit: 'cover' },
        {
          ...layer,
          ...box(401, 411, 813, 203),
          id: 'album',
          name: 'Album',
          type: 'photo_collage',
          z_order: 2,
          grid: { columns: 3, rows: 1, gap_px: 13 },
          pictures_max: 3,
        },
      ],
    },
  });
}

// First of all: a child that has drawn a picture may still have it when its file is lost.
test('what a repeat cannot change is not 503: a lost picture of the product is 409, inputs that cannot be drawn 422', async () => {
  const [{ hash } = assert.fail()] = await rows<{ hash: string }>(
    service,
    `select option ->> 'design' as hash from product, jsonb_path_query(personalisation, '$.**.options[*]') as option
     where option ->> 'id' = 'sun' and id = '${parseId('prod', service.demo.products.personalised)}' limit 1`,
  );
  const path = await service.ctx.blobs.path(hash);
  const back = { print_area: 'back' };
  await rename(path, `${path}.away`);
  try {
    const lost = await preview({ line: 'Lost', motif: 'sun' }, back);
    assert.deepEqual([lost.status, lost.body.code], [409, 'conflict'], lost.text);
    assert.doesNotMatch(lost.text, new RegExp(hash));
    assert.equal(
      (await preview({ line: 'Lost', motif: 'sun' })).status,
      200,
      'the area that does not need it is drawn',
    );

    await writeFile(path, 'no picture');
    const broken = await preview({ line: 'Broken', motif: 'sun' }, back);
    assert.equal(broken.status, 422, broken.text);
    assert.deepEqual(
      broken.body.errors?.map((problem) => [problem.path, problem.code]),
      [['inputs', 'not_drawable']],
    );
  } finally {
    await rename(`${path}.away`, path);
  }
  assert.equal((await preview({ line: 'Broken', motif: 'sun' }, back)).status, 200);
  assert.deepEqual([staged(), service.ctx.proofs.counts().running], [[], 0]);
});

test('the proof is the print file that an order of the same inputs gets, smaller and on the colour of the variant', async () => {
  const cap = await addCap();
  const inputs = { line: 'Sunday walks with Ōmar 🦜', photo, album: JSON.stringify([photo]) };
  const given = { inputs, variant_sku: CAP };
  const proof = await shown(await customer.request('POST', `/products/${cap}/personalisation/preview`, given));
  const { width, height } = await sharp(proof).metadata();
  assert.deepEqual([width, height], [800, 400]);

  const decoration = { personalisation: { inputs } };
  const item = { product_id: cap, variant_sku: CAP, quantity: 1, decoration };
  const placed = await customer.request<CreatedOrder>('POST', '/orders', basket(service, { items: [item] }));
  assert.equal(placed.status, 201, placed.text);
  const [{ key } = assert.fail()] = await rows<{ key: string }>(
    service,
    "select encode(key, 'hex') as key from print_file where recipe ->> 'kind' = 'personalised'",
  );
  await makePrintFile(service.ctx, key);
  const [{ hash } = assert.fail()] = await rows<{ hash: string }>(
    service,
    "select encode(output_hash, 'hex') as hash from print_file where key = decode($1, 'hex')",
    [key],
  );
  const printed = await sharp(await service.ctx.blobs.path(hash))
    .resize(width, height, { fit: 'fill' })
    .flatten({ background: KHAKI })
    .removeAlpha()
    .raw()
    .toBuffer();
  const seen = await sharp(proof).raw().toBuffer();
  const { mean, most } = difference(seen, printed);
  assert.ok(mean < 2 && most < 40, `mean ${mean}, all but a hundredth ${most}`);
  // The measure sees a print that is moved by a hundredth of the area.
  const pixels = 8;
  const moved = Buffer.concat([seen.subarray(pixels * 3), seen.subarray(0, pixels * 3)]);
  const off = difference(moved, printed);
  assert.ok(off.mean > 2 * mean && off.most > 2 * most, `mean ${off.mean}, all but a hundredth ${off.most}`);
});

test('a preview writes nothing, keeps no picture of the inputs, warns as an order does and ends after an hour', async () => {
  const before = await everythingWritten(service);
  const answer = await preview({ line: 'Ada', portrait: photo }, { print_area: 'back', colour: 'blue' });
  await shown(answer);
  const { print_area, print_areas, warnings, expires_at } = answer.body;
  assert.deepEqual([print_area, print_areas], ['back', ['front', 'back']]);
  assert.deepEqual(
    warnings.map(({ code, path }) => [code, path]),
    [
      ['low_resolution', 'inputs.portrait'],
      ['unknown_field', 'colour'],
    ],
  );
  assert.deepEqual([await everythingWritten(service), staged()], [before, []]);
  const now = service.ctx.clock.now().getTime();
  assert.ok(Math.abs(Date.parse(expires_at) - now - 3_600_000) < 60_000);

  const url = new URL(answer.body.proof_url);
  for (const [name, value] of [
    ['expires', String(Number(url.searchParams.get('expires')) + 1)],
    ['expires', String(Math.floor(now / 1_000) - 1)],
    ['signature', 'x'],
  ] as const) {
    const other = new URL(url);
    other.searchParams.set(name, value);
    const served = await fetch(`${service.url}${other.pathname}${other.search}`);
    assert.equal(served.status, 404, name);
  }
});

test('equal inputs are drawn once; another account has a proof of its own', async () => {
  const first = await preview({ line: 'Twice' });
  const drawn = inStore('passing').length;
  const again = await preview({ line: 'Twice' });
  assert.equal(inStore('passing').length, drawn);
  assert.equal(new URL(again.body.proof_url).pathname, new URL(first.body.proof_url).pathname);
  const black = await preview({ line: 'Twice' }, { variant_sku: 'TEE-ORGANIC-BLK-M' });
  assert.notEqual(new URL(black.body.proof_url).pathname, new URL(first.body.proof_url).pathname);
});

test('inputs that leave every layer of an area empty show the plain colour', async () => {
  const proof = await shown(await preview({ line: 'Front only' }, { print_area: 'back' }));
  const { channels } = await sharp(proof).stats();
  for (const [index, value] of [0x9c, 0xaf, 0x96].entries()) {
    assert.ok(Math.abs((channels[index]?.mean ?? 0) - value) < 2 && (channels[index]?.stdev ?? 9) < 1);
  }
});

describe('what is refused, with every problem and its path', () => {
  const cases: [string, Record<string, unknown>, object, string[]][] = [
    ['an unknown layer', { line: 'A', lien: 'B' }, {}, ['inputs.lien unknown_layer']],
    ['a text that is too long', { line: 'x'.repeat(25) }, {}, ['inputs.line out_of_bounds']],
    ['a character that no font has', { line: '한글' }, {}, ['inputs.line unsupported_character']],
    ['a layer that is required', {}, {}, ['inputs.line required']],
    ['a value of another type', { line: 5 }, {}, ['inputs.line type']],
    ['an option that is none', { line: 'A', motif: 'moon' }, {}, ['inputs.motif unknown_option']],
    ['a font that is no choice', { line: 'A', 'line#font': 'Arial' }, {}, ['inputs.line#font unknown_font']],
    ['a picture that is none', { line: 'A', portrait: '/page.html' }, {}, ['inputs.portrait format']],
    ['a variant that is not offered', { line: 'A' }, { variant_sku: 'NONE' }, ['variant_sku unknown_variant']],
    ['an area that the template lacks', { line: 'A' }, { print_area: 'hem' }, ['print_area unknown_print_area']],
    ['two problems', { motif: 'moon' }, {}, ['inputs.line required', 'inputs.motif unknown_option']],
  ];
  for (const [title, given, more, expected] of cases) {
    test(title, async () => {
      const inputs = { ...given };
      if (inputs.portrait === '/page.html') inputs.portrait = service.stranger.url('/page.html');
      const answer = await preview(inputs, more);
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(answer.body.errors?.map(({ path, code }) => `${path} ${code}`).toSorted(), expected);
      assert.deepEqual(staged(), []);
    });
  }

  test("a product that is not personalised is 422, and another account's, like an unknown one, 404", async () => {
    const path = (id: string): string => `/products/${id}/personalisation/preview`;
    const fixed = await customer.request('POST', path(service.demo.products.fixed), { inputs: {} });
    assert.deepEqual(
      [fixed.status, fixed.body.errors?.map((problem) => [problem.path, problem.code])],
      [422, [['inputs', 'not_personalised']]],
    );
    const stranger = await service.openCustomer();
    assert.equal((await preview({ line: 'A' }, {}, stranger)).status, 404);
    const unknown = service.demo.products.fixed.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    assert.equal((await customer.request('POST', path(unknown), { inputs: {} })).status, 404);
  });
});

test('5.4 a token that may only read products has no address fetched; text and options are drawn', async () => {
  const { accountId } = customer;
  const { token } = await mintToken(service.ctx, { accountId, scopes: ['products:read'] });
  const headers = { authorization: `Bearer ${token}` };
  const request: Customer['request'] = (method, path, body) => customer.request(method, path, body, headers);
  const reader = { accountId, token, request };
  const hits = service.stranger.hits.length;
  for (const inputs of [
    { line: 'A', portrait: photo },
    { line: 'A', photos: JSON.stringify([photo]) },
  ]) {
    const refused = await preview(inputs, {}, reader);
    assert.equal(refused.status, 403, refused.text);
    assert.deepEqual(
      [refused.body.code, (refused.body as { required_scope?: string }).required_scope],
      ['insufficient_scope', 'orders:write'],
    );
    assert.match(refused.headers.get('www-authenticate') ?? '', /scope="orders:write"/);
  }
  assert.equal(service.stranger.hits.length, hits);
  assert.equal((await preview({ line: 'A', motif: 'sun' }, { print_area: 'back' }, reader)).status, 200);
});

test('proofs are drawn one at a time, so that a print file always finds the other child; who waits too long gets 503', async () => {
  const free = await service.ctx.proofs.take({ owner: 'address:test' });
  const waiting = preview({ line: 'Patience' });
  // The turn is held, and the pool is not: production has both children.
  const inspected = await customer.request<{ valid: boolean }>('POST', '/uploads/validate', { url: photo });
  assert.equal(inspected.body.valid, true);
  assert.deepEqual(service.ctx.proofs.counts().running, 1);
  const gone = service.ctx.proofs.take({ owner: 'address:other', waitMs: 20 });
  await assert.rejects(gone);
  free();
  assert.equal((await waiting).status, 200);
  const closed = { ...service.ctx, proofs: { ...service.ctx.proofs, take: () => gone } };
  const template = { widthPx: 100, heightPx: 100, dpi: 300 };
  const recipe = { kind: 'personalised' as const, version: 2 as const, template, drawings: [] };
  const piece = { file: { key: 'a'.repeat(64), recipe }, pathOf: service.ctx.blobs.path, ground: SAGE };
  await assert.rejects(drawProof(closed, piece), { code: 'unavailable' });
});

test('a child that is killed in the making of a proof is replaced, and where both are the answer is 503 and nothing is left', async () => {
  const once = await whileKilled(service, () => preview({ line: 'Killed once', photos: JSON.stringify([photo]) }), 1);
  assert.equal(once.status, 200, once.text);
  const template = { widthPx: 3_543, heightPx: 4_724, dpi: 300 };
  const box = { left: 0, top: 0, width: 3_000, height: 2_000 };
  const text = { kind: 'text' as const, box, text: 'Killed twice', font: 'Oswald', color: '#000000' };
  const drawings = [{ ...text, align: 'left' as const, sizePx: { min: 100, max: 900 } }];
  const recipe = { kind: 'personalised' as const, version: 2 as const, template, drawings };
  const piece = { file: { key: 'b'.repeat(64), recipe }, pathOf: service.ctx.blobs.path, ground: SAGE };
  const kept = inStore('passing').length;
  await assert.rejects(
    whileKilled(service, () => drawProof(service.ctx, piece)),
    { code: 'unavailable' },
  );
  assert.deepEqual([staged(), inStore('passing').length], [[], kept]);
  assert.deepEqual(service.ctx.proofs.counts().running, 0);
});
