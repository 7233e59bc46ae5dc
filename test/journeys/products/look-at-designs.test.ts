import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { LookedAtDesigns, TakenDesign } from '../../../src/products/designer/designer-schema.ts';
import { flat } from '../../harness/pictures.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { baseProductId } from '../../harness/products.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { take } from './designing.ts';

let service: TestService;
let owner: PortalClient;
let small: TakenDesign;
before(async () => {
  service = await startTestService({ role: 'api' });
  owner = await openRole(service, 'manager');
  small = await take(owner, '/small.png', { widthPx: 900, heightPx: 1_200, colour: 'plum' });
});
after(() => service.stop());

const SKUS = ['TEE-CLASSIC-WHT-S', 'TEE-CLASSIC-NVY-M', 'TEE-CLASSIC-WHT-3XL'];

async function look(areas: readonly object[], changes: object = {}, by = owner) {
  const body = { base_product_id: await baseProductId(service), variant_skus: SKUS, decoration: { areas }, ...changes };
  return by.request<LookedAtDesigns & { code?: string }>('POST', '/designs/look', { body });
}

const front = (position: object, design = small.design) => ({ print_area: 'front', method: 'dtg', design, position });

test('a design is said to print as large and as sharp as an order would make it, on both end sizes and by each method', async () => {
  const { body } = await look([front({ scale: 0.5 }), { ...front({ scale: 1.4 }), print_area: 'back' }]);
  const [half, whole] = body.areas;
  assert.deepEqual(half?.print, { width_mm: 150, height_mm: 200, dpi: 152, share_outside: 0 });
  assert.deepEqual(half?.sizes, [
    { size: 'S', width_mm: 150, height_mm: 200, dpi: 152 },
    { size: '3XL', width_mm: 150, height_mm: 200, dpi: 152 },
  ]);
  assert.deepEqual(
    half?.methods.map(({ method, is_sharp }) => [method, is_sharp]),
    [
      ['dtg', true],
      ['dtf', true],
      ['screen_print', true],
    ],
  );
  assert.deepEqual(
    whole?.warnings.map(({ code }) => code),
    ['low_resolution', 'clipped'],
  );
  assert.match(whole?.warnings[0]?.message ?? '', /prints at 54 dpi; below 60/);
  assert.deepEqual(
    whole?.methods.map(({ is_sharp }) => is_sharp),
    [false, false, false],
  );
});

test('artwork over the edge is clipped and not near it; wholly outside it has no print, and both can be moved back', async () => {
  const codes = async (position: object) => {
    const { status, body } = await look([front(position)]);
    assert.equal(status, 200);
    return [body.areas[0]?.print === null, body.areas[0]?.warnings.map(({ code }) => code)];
  };
  assert.deepEqual(await codes({ scale: 0.3, x: 0.1 }), [false, ['clipped']]);
  assert.deepEqual(await codes({ scale: 0.3, x: 0.16 }), [false, ['outside_safe_zone']]);
  assert.deepEqual(await codes({ scale: 0.3, x: 0.5 }), [false, []]);
  assert.deepEqual(await codes({ scale: 0.3, x: 3 }), [true, ['outside_print_area']]);
});

test('a background that would print as a box is said once, with the colours that it shows on', async () => {
  const middle = await flat(300, 300, 'plum').png().toBuffer();
  const body = await flat(600, 600, 'white')
    .composite([{ input: middle }])
    .png()
    .toBuffer();
  service.stranger.serve('/boxed.png', { body, headers: { 'content-type': 'image/png' } });
  const artwork_url = service.stranger.url('/boxed.png');
  const { body: boxed } = await owner.request<TakenDesign>('POST', '/designs', { body: { artwork_url } });
  const more = { variant_skus: [...SKUS, 'TEE-CLASSIC-BLK-M'] };
  const seen = await look([front({ scale: 0.3 }, boxed.design)], more);
  const [warning, ...others] = (seen.body.areas[0]?.warnings ?? []).filter(({ code }) => code === 'opaque_background');
  assert.deepEqual(others, []);
  assert.match(
    warning?.message ?? '',
    /opaque background of #ffffff, which prints as a box on #\w{6}\..* So it does on \w+\.$/,
  );
});

test('each colour has a mockup with the artwork at its place, before there is a product', async () => {
  const { body } = await look([front({ scale: 0.5, y: 0.3 })]);
  const mockups = body.areas[0]?.mockups ?? [];
  assert.deepEqual(
    mockups.map(({ colour, colour_hex }) => [colour, colour_hex]),
    [
      ['White', '#ffffff'],
      ['Navy', '#1b2340'],
    ],
  );
  const { pathname, search } = new URL(mockups[1]?.mockup_url ?? '');
  const picture = sharp(Buffer.from(await (await fetch(service.url + pathname + search)).arrayBuffer()));
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => {
    const from = (Math.round((y * info.height) / 1_000) * info.width + Math.round((x * info.width) / 1_000)) * 3;
    return [...data.subarray(from, from + 3)];
  };
  const isNear = (one: number[], other: number[]) => one.every((value, i) => Math.abs(value - (other[i] ?? 0)) < 32);
  // The area lies at 355, 270 and is 290 wide: the artwork is in its middle, from a twentieth of its height.
  assert.ok(isNear(at(500, 380), [0xdd, 0xa0, 0xdd]), 'the artwork');
  assert.ok(isNear(at(500, 640), [0x1b, 0x23, 0x40]), 'below it');
  const label = await look([{ print_area: 'neck_label', method: 'dtf', design: small.design }]);
  assert.equal(label.body.areas[0]?.mockups.length, mockups.length, 'what the outline does not show is on a panel');
});

test('names that are not known, another account’s design and other roles are refused', async () => {
  const stranger = await service.openCustomer();
  const other = await openRole(service, 'owner', stranger.accountId);
  const theirs = await take(other, '/theirs.png', { colour: '#010203' });
  const cases: readonly (readonly [Awaited<ReturnType<typeof look>>, readonly string[]])[] = [
    [await look([front({}, theirs.design)]), ['decoration.areas[0].design unknown_design']],
    [await look([front({}, 'f'.repeat(64))]), ['decoration.areas[0].design unknown_design']],
    [await look([front({}, 'plum')]), ['decoration.areas[0].design pattern']],
    [await look([front({ scale: 0 })]), ['decoration.areas[0].position.scale out_of_bounds']],
    [await look([{ ...front({}), method: 'giclee' }]), ['decoration.areas[0].method unknown_method']],
    [await look([{ ...front({}), print_area: 'hem' }]), ['decoration.areas[0].print_area unknown_print_area']],
    [await look([front({}), front({})]), ['decoration.areas[1].print_area duplicate']],
    [await look([], { variant_skus: ['MUG-11OZ-WHT'] }), ['variant_skus[0] unknown_variant']],
    [await look([], { base_product_id: 'bprod_none' }), ['base_product_id unknown_base_product']],
    [await look([], { colour: 'red' }), ['colour unknown_field']],
  ];
  for (const [answer, problems] of cases) {
    assert.deepEqual([answer.status, problemsOf(answer as never)], [422, problems], answer.text);
  }
  const refused = await look([front({})], {}, await openRole(service, 'orders'));
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
});
