import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PlaceOrderItem } from '../../../src/orders/schema.ts';
import { startDoors } from '../../harness/server-fixture.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { basket, servePicture, teeItem } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  // No worker: what is counted stands still.
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('the limit by address comes first, then path and method, then the token, its limit and its scope', async (context) => {
  const settings = {
    baseUrl: 'http://127.0.0.1',
    trustProxy: 'true',
    rateLimitTokenPerMinute: 1,
    rateLimitIpPerMinute: 5,
  };
  const doors = await startDoors({ settings });
  context.after(() => doors.drain(0));
  let address = 0;
  const ask = async (method: string, path: string, token: string, from?: number): Promise<number> => {
    address += 1;
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `192.0.2.${from ?? address}` };
    return (await fetch(`${doors.url}${path}`, { method, headers })).status;
  };
  assert.equal(await ask('PUT', '/nothing', 'unknown'), 404, 'path before method and token');
  assert.equal(await ask('PUT', '/orders', 'unknown'), 405, 'method before token');
  assert.equal(await ask('POST', '/orders', 'unknown'), 401, 'token before scope and body');
  assert.equal(await ask('POST', '/orders', 'reader'), 403, 'scope before body');
  assert.equal(await ask('POST', '/orders', 'reader'), 429, 'the limit of the token before scope and body');
  const busy = 200;
  for (let count = 0; count < 5; count += 1) await ask('GET', '/nothing', 'unknown', busy);
  for (const [method, path, token] of [
    ['GET', '/nothing', 'unknown'],
    ['PUT', '/orders', 'unknown'],
    ['GET', '/orders', 'unknown'],
    ['GET', '/orders', 'writer'],
  ] as const) {
    assert.equal(await ask(method, path, token, busy), 429, `${method} ${path} ${token}`);
  }
});

test('an order with every fault at once is told them in the order of the contract, as one after another is mended', async () => {
  const reader = await service.openCustomer({ scopes: ['orders:read'] });
  const other = await service.openCustomer({ balancePence: 100_000 });
  const { customer } = service;
  const art = await servePicture(service, '/in-order.png', { widthPx: 600, heightPx: 600, colour: '#00aaff' });
  const first = await customer.request<{ id: string }>(
    'POST',
    '/orders',
    basket(service, { external_reference: 'mine' }),
  );
  assert.equal(first.status, 201);
  const before = await everythingWritten(service);

  const area = (artwork_url: string, method: string) => [{ print_area: 'front', method, artwork_url }];
  const item = (product_id: string, method: string, quantity: number, url: string): PlaceOrderItem =>
    teeItem(service, { product_id, quantity, decoration: { areas: area(url, method) } });
  const missing = service.stranger.url('/not-there.png');
  const known = service.demo.products.fixed;
  const body = (items: unknown, external_reference?: string) => ({ ...basket(service), items, external_reference });
  const everything = [item('prod_unknown', 'magic', 10_000, missing), item(known, 'magic', 10_000, missing)];
  const tooLong = JSON.stringify({ ...body({}), filler: 'x'.repeat(1_048_577) });
  const asText = { 'content-type': 'text/plain' } as const;

  const asked = service.stranger.hits.length;
  const steps: readonly (readonly [
    what: string,
    by: Customer,
    body: unknown,
    headers: Record<string, string>,
    answer: string,
  ])[] = [
    ['scope before size', reader, tooLong, asText, '403 insufficient_scope'],
    ['size before media type', customer, tooLong, asText, '413 payload_too_large'],
    ['media type before JSON', customer, '{', asText, '415 unsupported_media_type'],
    ['JSON before shape', customer, '{', {}, '400 invalid_request'],
    ['shape before the reference', other, body({}, 'mine'), {}, '422 validation_failed'],
    ['another’s reference before its items', other, body(everything, 'mine'), {}, '409 duplicate_external_reference'],
    ['the own reference before its items', customer, body(everything, 'mine'), {}, '200 '],
    ['what is named before what is meant', customer, body(everything), {}, '404 not_found'],
    ['what is meant before stock', customer, body(everything.slice(1)), {}, '422 validation_failed'],
    ['stock before artwork', customer, body([item(known, 'dtg', 10_000, missing)]), {}, '409 out_of_stock'],
  ];
  for (const [what, by, sent, headers, expected] of steps) {
    const { status, body: answer } = await by.request('POST', '/orders', sent, headers);
    assert.equal(`${status} ${answer.code ?? ''}`, expected, what);
  }
  assert.equal(service.stranger.hits.length, asked, 'no address was asked');
  const fetched = await customer.request('POST', '/orders', body([item(known, 'dtg', 1, missing)]));
  assert.deepEqual([fetched.status, fetched.body.errors?.[0]?.code], [422, 'fetch'], 'artwork last');
  assert.deepEqual(await everythingWritten(service), before);
  assert.equal((await customer.request('POST', '/orders', body([item(known, 'dtg', 1, art)]))).status, 201);
});
