import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { create, read, teeBody } from '../../../harness/products.ts';
import type { ErrorReply } from '../../../harness/service.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { servePicture } from '../../../harness/shop.ts';

let service: TestService;
let customer: Customer;
let product: string;
let whole: Buffer;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer();
  const mockup_url = await servePicture(service, '/mock.png', { widthPx: 640, heightPx: 480, colour: '#ffeecc' });
  product = (await create(customer, await teeBody(service, { mockup_url }))).id;
  whole = Buffer.from(await (await ask(await mockup())).arrayBuffer());
  assert.ok(whole.length > 1_000);
});
after(() => service.stop());

/** The signed address of the product's mockup, on the port where the test service listens. */
async function mockup(): Promise<URL> {
  const { mockup_url: signed } = await read(customer, product);
  const { pathname, search } = new URL(signed ?? '');
  return new URL(pathname + search, service.url);
}

async function ask(url: URL, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(url, { method, headers });
}

test('J165 a mockup address works for an hour from the response and not a second longer; a new reply has a new one', async () => {
  const url = await mockup();
  service.shiftMs(3_598_000);
  assert.equal((await ask(url)).status, 200);
  service.shiftMs(3_000);
  assert.equal((await ask(url)).status, 404, '3,601 s later');
  const anew = await mockup();
  assert.equal(anew.pathname, url.pathname);
  assert.equal((await ask(anew)).status, 200);
});

test('J165 an address that was tampered with leads to no file: one 404 for all', async () => {
  const url = await mockup();
  const other = await service.openCustomer();
  const theirs = await servePicture(service, '/theirs.png', { widthPx: 64, heightPx: 48, colour: '#000000' });
  const their = await create(other, await teeBody(service, { mockup_url: theirs }));
  const changed = (change: (url: URL) => void): URL => {
    const copy = new URL(url);
    change(copy);
    return copy;
  };
  const later = String(Number(url.searchParams.get('expires')) + 1);
  const attempts = [
    changed((it) => it.searchParams.set('signature', `${it.searchParams.get('signature')}A`)),
    changed((it) => it.searchParams.set('signature', '')),
    changed((it) => it.searchParams.delete('signature')),
    changed((it) => it.searchParams.set('expires', later)),
    changed((it) => it.searchParams.set('expires', '9'.repeat(400))),
    changed((it) => it.searchParams.append('expires', later)),
    changed((it) => {
      it.pathname = new URL(their.mockup_url ?? '').pathname;
    }),
    changed((it) => {
      it.pathname = `/files/${'0'.repeat(64)}`;
    }),
    new URL(`/files/..%2f..%2f..%2fetc%2fpasswd${url.search}`, service.url),
    new URL(`${url.pathname}%00${url.search}`, service.url),
    new URL(`${url.pathname}/..%2f..%2fservice.lock${url.search}`, service.url),
  ];
  for (const attempt of attempts) {
    const answer = await ask(attempt, { range: 'bytes=0-9' });
    assert.equal(answer.status, 404, attempt.href);
    assert.equal(((await answer.json()) as ErrorReply).code, 'not_found');
  }
});

const RANGES: readonly (readonly [range: string, from: (bytes: number) => number, to: (bytes: number) => number])[] = [
  ['bytes=0-0', () => 0, () => 0],
  ['bytes=0-99', () => 0, () => 99],
  ['bytes=100-199', () => 100, () => 199],
  ['bytes=500-', () => 500, (bytes) => bytes - 1],
  ['bytes=500-99999999', () => 500, (bytes) => bytes - 1],
  ['bytes=-1', (bytes) => bytes - 1, (bytes) => bytes - 1],
  ['bytes=-100', (bytes) => bytes - 100, (bytes) => bytes - 1],
  ['bytes=-99999999', () => 0, (bytes) => bytes - 1],
  ['Bytes=7-8', () => 7, () => 8],
];
for (const [range, from, to] of RANGES) {
  test(`J165 Range ${range} of a mockup is those bytes, as 206`, async () => {
    const answer = await ask(await mockup(), { range });
    const [start, end] = [from(whole.length), to(whole.length)];
    assert.deepEqual(
      [answer.status, answer.headers.get('content-range'), answer.headers.get('content-length')],
      [206, `bytes ${start}-${end}/${whole.length}`, String(end - start + 1)],
    );
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), whole.subarray(start, end + 1));
    assert.deepEqual(
      [answer.headers.get('content-type'), answer.headers.get('x-content-type-options')],
      ['image/png', 'nosniff'],
    );
  });
}

for (const range of ['bytes=0-1,5-6', 'bytes=9-5', 'bytes=-', 'bytes=a-b', 'lines=0-5', 'bytes', 'bytes=1-2-3', '']) {
  test(`J165 Range "${range}" is none that is served: the whole file, as 200`, async () => {
    const answer = await ask(await mockup(), { range });
    assert.deepEqual(
      [answer.status, answer.headers.get('content-range'), answer.headers.get('accept-ranges')],
      [200, null, 'bytes'],
    );
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), whole);
  });
}

for (const range of ['bytes=99999999-', 'bytes=99999999-100000000', 'bytes=-0']) {
  test(`J165 Range ${range} is beyond the file: 416 with its length, and not a byte of it`, async () => {
    const answer = await ask(await mockup(), { range });
    assert.deepEqual([answer.status, answer.headers.get('content-range')], [416, `bytes */${whole.length}`]);
    assert.equal(answer.headers.get('cache-control'), 'no-store', 'a refusal is not kept as the file would be');
    const body = (await answer.json()) as ErrorReply;
    assert.deepEqual([body.code, body.status, body.request_id.slice(0, 4)], ['range_not_satisfiable', 416, 'req_']);
  });
}

test('J165 a download that is resumed goes on only if the file is still the same; HEAD tells its length', async () => {
  const url = await mockup();
  const head = await ask(url, { range: 'bytes=0-9' }, 'HEAD');
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(whole.length)]);
  assert.equal((await head.arrayBuffer()).byteLength, 0);
  const etag = head.headers.get('etag') ?? '';
  assert.match(etag, /^"[0-9a-f]{64}"$/);
  const same = await ask(url, { range: 'bytes=10-19', 'if-range': etag });
  assert.deepEqual([same.status, (await same.arrayBuffer()).byteLength], [206, 10]);
  for (const condition of ['"another"', `W/${etag}`, 'Sat, 21 Nov 2026 09:00:00 GMT']) {
    const other = await ask(url, { range: 'bytes=10-19', 'if-range': condition });
    assert.deepEqual([other.status, (await other.arrayBuffer()).byteLength], [200, whole.length]);
  }
});

test('J165 whoever has the file already is told so without its bytes, and only for an address that is still good', async () => {
  const url = await mockup();
  const etag = (await ask(url, {}, 'HEAD')).headers.get('etag') ?? '';
  for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await ask(url, { 'if-none-match': condition, range: 'bytes=0-9' });
    assert.deepEqual([answer.status, (await answer.arrayBuffer()).byteLength], [304, 0], condition);
    assert.equal(answer.headers.get('etag'), etag);
  }
  assert.equal((await ask(url, { 'if-none-match': '"other"' })).status, 200);
  url.searchParams.set('signature', 'x');
  assert.equal((await ask(url, { 'if-none-match': '*' })).status, 404);
});
