import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { Brand, WrittenBrand } from '../../../src/brands/schema.ts';
import { flat } from '../../harness/pictures.ts';
import { type Customer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf, servePicture } from '../../harness/shop.ts';
import { everythingWritten, rows } from '../../harness/written.ts';
import { brandsWritten, createBrand, getBrand, longBy } from './brands.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer();
});
after(() => service.stop());

test('a brand shows every member by value, and an absent one as nothing', async () => {
  const logo = await servePicture(service, '/logo.png', { widthPx: 1_600, heightPx: 400, colour: '#204060' });
  const body = {
    name: '  Fern & Fable ',
    message: 'Thank you.\nCome again.',
    support_email: 'help@fern.example',
    website: 'https://fern.example/shop?x=1',
    return_lines: ['Fern & Fable', '2 Quay Street', 'York YO1 7HH'],
    is_default: true,
  };
  const made = await createBrand(customer, { ...body, logo_url: logo });
  const { id, logo_url: url, created_at: at, ...shown } = made;
  assert.match(id, /^brand_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  assert.deepEqual(shown, { ...body, name: 'Fern & Fable', status: 'active', updated_at: at, warnings: [] });
  assert.match(url ?? '', /\/files\/[0-9a-f]{64}\?expires=\d+&signature=/);
  const plain = await createBrand(customer, { name: 'Plain' });
  const { id: _id, created_at: _at, updated_at: _then, ...rest } = await getBrand(customer, plain.id);
  const none = { message: '', support_email: '', website: '', return_lines: [], logo_url: null, is_default: false };
  assert.deepEqual(rest, { name: 'Plain', ...none, status: 'active' });
});

test('a logo is stored as it is printed: small, opaque, on white, without metadata; equal ones are one file, and the original is not kept', async () => {
  const before = await rows(service, 'select hash from blob');
  const clear = await sharp({ create: { width: 3_000, height: 3_000, channels: 4, background: '#00000000' } })
    .composite([{ input: await flat(1_500, 3_000, '#ff0000').png().toBuffer(), left: 0, top: 0 }])
    .withExif({ IFD0: { Copyright: 'secret owner' } })
    .png()
    .toBuffer();
  service.stranger.serve('/clear.png', { body: clear });
  service.stranger.serve('/again.png', { body: clear });
  const one = await createBrand(customer, { name: 'One', logo_url: service.stranger.url('/clear.png') });
  const two = await createBrand(customer, { name: 'Two', logo_url: service.stranger.url('/again.png') });
  const fileOf = (brand: WrittenBrand): string => brand.logo_url?.replace(/\?.*$/, '') ?? assert.fail('no logo');
  assert.equal(fileOf(one), fileOf(two));
  const { pathname, search } = new URL(one.logo_url ?? '');
  const answer = await fetch(`${service.url}${pathname}${search}`);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  const bytes = Buffer.from(await answer.arrayBuffer());
  const { width, height, hasAlpha, exif } = await sharp(bytes).metadata();
  assert.deepEqual([width, height, hasAlpha, exif], [236, 236, false, undefined]);
  const pixels = await sharp(bytes).raw().toBuffer();
  assert.deepEqual([...pixels.subarray(0, 3)], [255, 0, 0]);
  assert.deepEqual([...pixels.subarray(-3)], [255, 255, 255]);
  assert.equal((await rows(service, 'select hash from blob')).length, before.length + 1);
});

const FAILURES: readonly (readonly [address: string, code: string])[] = [
  ['http://art.example.test/a.png', 'scheme'],
  ['data:image/png;base64,AAAA', 'scheme'],
  ['https://169.254.169.254/latest', 'ssrf'],
  ['/missing', 'fetch'],
  ['/page.png', 'format'],
  ['/cut.png', 'corrupt'],
];
for (const [address, code] of FAILURES) {
  test(`a logo that fails as ${code} is refused in POST and PATCH, and nothing is written`, async () => {
    service.stranger.serve('/page.png', { body: '<html>', headers: { 'content-type': 'image/png' } });
    service.stranger.serve('/cut.png', { body: (await flat(90, 90, '#00ff00').png().toBuffer()).subarray(0, 120) });
    const { id } = await createBrand(customer, { name: `Whole ${code} ${address}`.slice(0, 100) });
    const untouched = await everythingWritten(service);
    const logo_url = address.startsWith('/') ? service.stranger.url(address) : address;
    for (const answer of [
      await customer.request('POST', '/brands', { name: 'Never', logo_url }),
      await customer.request('PATCH', `/brands/${id}`, { name: 'Never', logo_url }),
    ]) {
      assert.deepEqual([answer.status, problemsOf(answer)], [422, [`logo_url ${code}`]], answer.text);
    }
    assert.deepEqual(await everythingWritten(service), untouched);
  });
}

test('lengths count code points; all that is wrong is told at once, and nothing is written', async () => {
  const line = longBy(100);
  const longest = { name: longBy(100), message: longBy(500), return_lines: Array.from({ length: 6 }, () => line) };
  await createBrand(customer, longest);
  const untouched = await brandsWritten(service);
  const refused = await customer.request('POST', '/brands', {
    name: longBy(100, 1),
    message: longBy(500, 1),
    support_email: 'nobody',
    website: 'http://fern.example',
    return_lines: Array.from({ length: 7 }, () => line),
    is_default: 'yes',
  });
  assert.deepEqual(problemsOf(refused).toSorted(), [
    'is_default type',
    'message out_of_bounds',
    'name out_of_bounds',
    'return_lines out_of_bounds',
    'support_email pattern',
    'website pattern',
  ]);
  for (const [body, expected] of [
    [{}, 'name required'],
    [{ name: ' ' }, 'name pattern'],
    [{ name: 'a\nb' }, 'name pattern'],
    [{ name: 'Lines', message: '\n'.repeat(20) }, 'message pattern'],
    [{ name: 'Lines', return_lines: ['a\r\nb'] }, 'return_lines[0] pattern'],
    [{ name: 'Web', website: 'https://' }, 'website pattern'],
  ] as const) {
    const answer = await customer.request('POST', '/brands', body);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [expected]], answer.text);
  }
  assert.deepEqual(await brandsWritten(service), untouched);
});

test('an unknown member is ignored with a warning', async () => {
  const { warnings } = await createBrand(customer, { name: 'Warned', web_site: 'https://fern.example' });
  assert.deepEqual(
    warnings.map(({ code, path }) => `${code} ${path}`),
    ['unknown_field web_site'],
  );
});

test('a name is taken whatever its case and blanks, also by one of two at the same moment; another account may have it', async () => {
  const [one, other] = [await service.openCustomer(), await service.openCustomer()];
  const first = await createBrand(one, { name: 'Café  Ñandú' });
  const again = await one.request('POST', '/brands', { name: 'CAFE\u0301 ÑANDÚ' });
  assert.deepEqual([again.status, problemsOf(again)], [422, ['name name_taken']]);
  assert.match(again.text, new RegExp(first.id));
  assert.equal((await other.request('POST', '/brands', { name: 'café ñandú' })).status, 201);
  const race = await Promise.all(Array.from({ length: 6 }, () => one.request('POST', '/brands', { name: 'Race' })));
  assert.deepEqual(
    race.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 422, 422, 422, 422, 422],
  );
});

test('an account has at most 50, also when many come at once; an archived one makes room, and frees its name', async () => {
  const full = await service.openCustomer();
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      full.request<Pick<Brand, 'id' | 'name'> & ErrorReply>('POST', '/brands', { name: `Brand ${n}` }),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 50);
  const refused = answers.find(({ status }) => status !== 201) ?? assert.fail('none refused');
  assert.deepEqual([refused.status, problemsOf(refused)], [422, [' too_many']]);
  const [one] = made;
  assert.equal((await full.request('DELETE', `/brands/${one?.body.id}`)).status, 204);
  assert.equal((await full.request('POST', '/brands', { name: one?.body.name })).status, 201);
});
