import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { UploadValidation } from '../../../src/artwork/schema.ts';
import type { CreatedOrder, PlaceOrderBody } from '../../../src/orders/schema.ts';
import { blackPng, flat, PNG_SIGNATURE, pngChunk } from '../../harness/pictures.ts';
import { type Answer, type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { basket, problemsOf, servePicture, teeItem, withoutRequestId } from '../../harness/shop.ts';
import { type Handler, redirectTo, reset } from '../../harness/stranger.ts';
import { everythingWritten } from '../../harness/written.ts';

let service: TestService;
let customer: Customer;
let good: string;
let untouched: Record<string, number>;
before(async () => {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
  good = await servePicture(service, '/good.png', { widthPx: 600, heightPx: 600, colour: '#204060' });
  const { stranger } = service;
  stranger.serve('/204', { status: 204 });
  stranger.serve('/206', { status: 206, body: 'part' });
  stranger.serve('/500', { status: 500, body: 'secret inner words' });
  stranger.serve('/reset', reset);
  stranger.serve('/loop', redirectTo(stranger.url('/loop')));
  stranger.serve('/to-http', redirectTo(stranger.url('/good.png').replace('https:', 'http:')));
  stranger.serve('/to-loopback', redirectTo('https://127.0.0.1:1/good.png'));
  stranger.serve('/to-metadata', redirectTo('https://169.254.169.254/latest/meta-data'));
  stranger.serve('/huge', { body: 'x', contentLength: 52_428_801 });
  stranger.serve('/empty.png', { body: '' });
  stranger.serve('/page.png', { body: '<html>', headers: { 'content-type': 'image/png' } });
  stranger.serve('/gif.png', { body: await flat(4, 4, '#ff0000').gif().toBuffer() });
  stranger.serve('/wide.png', { body: blackPng(12_001, 1) });
  stranger.serve('/many.png', { body: blackPng(8_000, 7_501) });
  stranger.serve('/cut.png', { body: (await flat(90, 90, '#00ff00').png().toBuffer()).subarray(0, 120) });
  stranger.serve('/signature.png', { body: PNG_SIGNATURE });
  untouched = await everythingWritten(service);
});
after(() => service.stop());

function decorated(...areas: { artwork_url: string; mock_url?: string }[]): PlaceOrderBody {
  const names = ['front', 'back', 'left_sleeve'];
  const items = areas.map((area, index) =>
    teeItem(service, { decoration: { areas: [{ print_area: names[index % 2] ?? '', method: 'dtg', ...area }] } }),
  );
  return basket(service, { items });
}

async function validate(body: object): Promise<Answer<UploadValidation>> {
  return customer.request<UploadValidation>('POST', '/uploads/validate', body);
}

/** Addresses with the code of spec 7 that each fails with; a path is one of the stranger's. */
const FAILURES: readonly (readonly [url: string, code: string])[] = [
  ['http://art.example.test/a.png', 'scheme'],
  ['ftp://art.example.test/a.png', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['data:image/png;base64,iVBORw0KGgo=', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['/to-http', 'scheme'],
  ['not an address', 'url'],
  ['https://', 'url'],
  ['https://user:word@art.example.test/a.png', 'url'],
  ['https://127.0.0.1/a.png', 'ssrf'],
  ['https://2130706433/a.png', 'ssrf'],
  ['https://0x7f.1/a.png', 'ssrf'],
  ['https://[::1]/a.png', 'ssrf'],
  ['https://[::ffff:10.0.0.1]/a.png', 'ssrf'],
  ['https://169.254.169.254/latest', 'ssrf'],
  ['https://10.0.0.1/a.png', 'ssrf'],
  ['https://private.example.test/a.png', 'ssrf'],
  ['/to-loopback', 'ssrf'],
  ['/to-metadata', 'ssrf'],
  ['https://nowhere.invalid/a.png', 'fetch'],
  ['/missing', 'fetch'],
  ['/204', 'fetch'],
  ['/206', 'fetch'],
  ['/500', 'fetch'],
  ['/reset', 'fetch'],
  ['/loop', 'fetch'],
  ['/huge', 'size'],
  ['/empty.png', 'format'],
  ['/page.png', 'format'],
  ['/gif.png', 'format'],
  ['/wide.png', 'dimensions'],
  ['/many.png', 'dimensions'],
  ['/cut.png', 'corrupt'],
  ['/signature.png', 'corrupt'],
];

describe('8 one bad URL: an address is refused by the rule that it breaks, wherever it is given, and the whole order with it (8 scheme, 8 host, 8 format, 8 size, 8 dimensions, 7 upload codes, 2.7 failure, 4.3 dry run, G105, G106)', () => {
  for (const [address, code] of FAILURES) {
    test(`${address} fails as ${code} wherever an address is taken, and refuses the whole order`, async () => {
      const url = address.startsWith('/') ? service.stranger.url(`${address}?key=s3cret-query`) : address;
      const checked = await validate({ url });
      assert.equal(checked.status, 200, 'a well-formed request to validate is answered, whatever it finds');
      assert.deepEqual(
        [checked.body.valid, checked.body.results.length, checked.body.results[0]?.url, checked.body.results[0]?.code],
        [false, 1, url, code],
      );
      const asArtwork = decorated({ artwork_url: good }, { artwork_url: url });
      const asMock = decorated({ artwork_url: good, mock_url: url });
      for (const [body, path] of [
        [asArtwork, 'items[1].decoration.areas[0].artwork_url'],
        [asMock, 'items[0].decoration.areas[0].mock_url'],
      ] as const) {
        const refused = await customer.request('POST', '/orders', body);
        assert.deepEqual(
          [refused.status, refused.body.code, problemsOf(refused)],
          [422, 'validation_failed', [`${path} ${code}`]],
        );
        assert.doesNotMatch(
          refused.text,
          /s3cret-query|secret inner|ECONN|ENOTFOUND|\/tmp\/|\bat file:/,
          'nothing leaks',
        );
        const estimated = await customer.request('POST', '/orders/estimate', body);
        assert.equal(withoutRequestId(estimated), withoutRequestId(refused));
      }
    });
  }
});

test('4.1.6 one bad address among fifty good ones refuses the order, at its own path (8 one bad URL, 7 validation_failed, E82)', async () => {
  const areas = Array.from({ length: 50 }, (_, index) => ({ artwork_url: `${good}?copy=${index}` }));
  const bad = { artwork_url: service.stranger.url('/missing') };
  const refused = await customer.request('POST', '/orders', decorated(...areas.slice(0, 20), bad, ...areas.slice(20)));
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['items[20].decoration.areas[0].artwork_url fetch']]);
});

test('an address that fails at several places is told at each, and every other failure with it', async () => {
  const missing = service.stranger.url('/missing');
  const refused = await customer.request(
    'POST',
    '/orders',
    decorated({ artwork_url: missing, mock_url: missing }, { artwork_url: good }, { artwork_url: 'https://10.1.1.1/' }),
  );
  assert.deepEqual(problemsOf(refused), [
    'items[0].decoration.areas[0].artwork_url fetch',
    'items[0].decoration.areas[0].mock_url fetch',
    'items[2].decoration.areas[0].artwork_url ssrf',
  ]);
});

test('more than a hundred distinct addresses are refused before one of them is asked (G122)', async () => {
  const asked = service.stranger.hits.length;
  const areas = Array.from({ length: 101 }, (_, index) => ({ artwork_url: `${good}?number=${index}` }));
  const refused = await customer.request('POST', '/orders', decorated(...areas));
  assert.deepEqual(problemsOf(refused), ['items[100].decoration.areas[0].artwork_url too_many_urls']);
  assert.equal(service.stranger.hits.length, asked);
});

test('what is refused for another reason asks no address: a wrong area, an unknown product, no stock', async () => {
  const asked = service.stranger.hits.length;
  const [item] = decorated({ artwork_url: good }).items;
  for (const changes of [{ variant_sku: 'NOPE' }, { product_id: 'prod_x' }, { quantity: 10_000 }]) {
    const refused = await customer.request(
      'POST',
      '/orders',
      basket(service, { items: [{ ...teeItem(service), ...item, ...changes }] }),
    );
    assert.ok(refused.status >= 400 && refused.status < 500);
  }
  assert.equal(service.stranger.hits.length, asked);
});

test('1.5 an estimate with artwork keeps nothing of it (4.1 estimate effects)', async () => {
  const estimated = await customer.request(
    'POST',
    '/orders/estimate',
    decorated({ artwork_url: good, mock_url: good }),
  );
  assert.equal(estimated.status, 200, estimated.text);
});

test('4.3 result: a good address is described: type, upright size, bytes, hash; the name and declared type do not count (2.7 valid, 2.7 success, 8 format, H126)', async () => {
  const jpeg = await flat(300, 200, '#808080').removeAlpha().withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const webp = await flat(64, 32, '#808080').webp().toBuffer();
  service.stranger.serve('/photo.txt', { body: jpeg, headers: { 'content-type': 'text/html' } });
  service.stranger.serve('/sticker.gif', { body: webp });
  const { body } = await validate({
    urls: [good, service.stranger.url('/photo.txt'), service.stranger.url('/sticker.gif')],
  });
  assert.equal(body.valid, true);
  assert.deepEqual(
    body.results.map(({ mime, width, height }) => [mime, width, height]),
    [
      ['image/png', 600, 600],
      ['image/jpeg', 200, 300],
      ['image/webp', 64, 32],
    ],
  );
  assert.deepEqual(Object.keys(body.results[0] ?? {}), [
    'url',
    'valid',
    'mime',
    'width',
    'height',
    'bytes',
    'sha256',
    'has_transparency',
    'background',
    'colour_space',
    'colour_profile',
    'warnings',
  ]);
  assert.equal(body.results[1]?.bytes, jpeg.length);
  assert.match(body.results[1]?.sha256 ?? '', /^[0-9a-f]{64}$/);
});

test('8 size: a picture of exactly 52,428,800 bytes is accepted, and one of a byte more is refused, whether its length was declared or not (G113)', async () => {
  const largest = blackPng(8, 8, pngChunk('prIv', Buffer.alloc(52_428_800 - blackPng(8, 8).length - 12)));
  assert.equal(largest.length, 52_428_800);
  const { stranger } = service;
  const streamed = (rest: string): Handler => {
    return (_hit, response) => {
      response.write(largest);
      response.end(rest);
    };
  };
  stranger.serve('/largest.png', { body: largest });
  stranger.serve('/too-large.png', { body: Buffer.concat([largest, Buffer.alloc(1)]) });
  stranger.serve('/largest-streamed.png', streamed(''));
  stranger.serve('/too-large-streamed.png', streamed('x'));
  const names = ['largest', 'too-large', 'largest-streamed', 'too-large-streamed'];
  const { body } = await validate({ urls: names.map((name) => stranger.url(`/${name}.png`)) });
  assert.deepEqual(
    body.results.map(({ code, bytes }) => code ?? bytes),
    [52_428_800, 'size', 52_428_800, 'size'],
  );
});

test('4.3 urls: ten addresses with a bad one are ten results in order; the same address is fetched once and answered twice (2.7 valid, 2.7 results, 8 urls, G119, G120)', async () => {
  const urls = Array.from({ length: 8 }, (_, index) => `${good}?in-order=${index}`);
  urls.splice(5, 0, 'https://10.0.0.1/', `${good}?in-order=0`);
  const { status, body } = await validate({ urls });
  assert.deepEqual([status, body.valid], [200, false]);
  assert.deepEqual(
    body.results.map(({ url, valid }) => [url, valid]),
    urls.map((url) => [url, !url.startsWith('https://10.')]),
  );
  assert.equal(service.stranger.hits.filter((hit) => hit.path === '/good.png?in-order=0').length, 1);
});

const MALFORMED: readonly (readonly [body: object, problem: string])[] = [
  [{}, 'url one_of'],
  [{ url: 'https://a.example/', urls: ['https://a.example/'] }, 'urls one_of'],
  [{ urls: [] }, 'urls out_of_bounds'],
  [{ urls: Array.from({ length: 11 }, () => 'https://a.example/') }, 'urls out_of_bounds'],
  [{ urls: 'https://a.example/' }, 'urls type'],
  [{ urls: [1] }, 'urls[0] type'],
  [{ url: null }, 'url type'],
  [{ url: '' }, 'url out_of_bounds'],
  [{ url: `https://a.example/${'x'.repeat(10_240)}` }, 'url out_of_bounds'],
];
for (const [body, problem] of MALFORMED) {
  test(`validating ${JSON.stringify(body).slice(0, 60)} is refused: ${problem} (4.3 url, 4.3 urls, 8 urls, G119)`, async () => {
    const refused = await customer.request('POST', '/uploads/validate', body);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]]);
  });
}

test('nothing of all this was written: no order, no charge, no design, no file, nothing left in staging (4.1.6, 4.3 dry run, E82)', async () => {
  assert.deepEqual(await everythingWritten(service), untouched);
});

test('2.3 mockup_url: a signed address serves its file for an hour, and nothing else: not another file, not later, not elsewhere (8 mockup_url, J165)', async () => {
  const placed = await customer.request<CreatedOrder>(
    'POST',
    '/orders',
    decorated({ artwork_url: good, mock_url: good }),
  );
  const { pathname, searchParams } = new URL(placed.body.items.lineItems[0]?.mock_url ?? '');
  const expires = searchParams.get('expires') ?? '';
  const signature = searchParams.get('signature') ?? '';
  const ask = (path: string, query: string) => fetch(`${service.url}${path}?${query}`);
  const signed = `expires=${expires}&signature=${signature}`;
  const served = await ask(pathname, signed);
  assert.deepEqual([served.status, served.headers.get('content-type')], [200, 'image/png']);
  assert.equal(served.headers.get('x-content-type-options'), 'nosniff');
  const other = (await customer.request<{ mockup_url: string }>('GET', `/products/${service.demo.products.fixed}`))
    .body;
  const letter = signature.startsWith('A') ? 'B' : 'A';
  const attempts = [
    [pathname, ''],
    [pathname, `expires=${expires}`],
    [pathname, `expires=${Number(expires) + 1}&signature=${signature}`],
    [pathname, `expires=${expires}&signature=${letter}${signature.slice(1)}`],
    [pathname, `expires=${expires}&signature=`],
    [pathname, `expires=0${expires}&signature=${signature}x`],
    [pathname, `${signed}&expires=${expires}`],
    [new URL(other.mockup_url).pathname, signed],
    [pathname.toUpperCase().replace('FILES', 'files'), signed],
    ['/files/..%2f..%2f..%2fetc%2fpasswd', signed],
    [`${pathname}/..%2f..`, signed],
  ] as const;
  for (const [path, query] of attempts) {
    const answer = await ask(path, query);
    assert.equal(answer.status, 404, `${path}?${query}`);
    assert.match(await answer.text(), /"code":"not_found"/);
  }
  service.shiftMs(3_601_000);
  assert.equal((await ask(pathname, signed)).status, 404, 'an hour later');
});
