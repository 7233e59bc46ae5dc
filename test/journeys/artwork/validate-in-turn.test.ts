import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { fetchImage } from '../../../src/artwork/fetch-image.ts';
import type { UploadValidation } from '../../../src/artwork/schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { hangAnswers } from '../../harness/attackers.ts';
import { eventually } from '../../harness/context.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { basket, servePicture, teeItem } from '../../harness/shop.ts';

const GIB = 1_024 ** 3;

let service: TestService;
let greedy: Customer;
let good: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  greedy = await service.openCustomer();
  good = await servePicture(service, '/good.png', { widthPx: 60, heightPx: 60, colour: '#204060' });
});
after(() => service.stop());
afterEach(async () => {
  await eventually('nothing is left of it', () => {
    const { host, lookup } = service.ctx.outbound.counts();
    const staged = service.ctx.blobs.staged();
    return [host, lookup, staged].every(({ running, waiting }) => running === 0 && waiting === 0);
  });
});

/** Starts a request that its client can abandon. */
function begin(customer: Customer, body: object): { answer: Promise<number>; abandon: () => void } {
  const leaving = new AbortController();
  const answer = fetch(`${service.url}/api/v1/uploads/validate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).then(
    async (response) => {
      await response.text();
      return response.status;
    },
    () => 0,
  );
  return { answer, abandon: () => leaving.abort() };
}

const validate = (customer: Customer, url: string) =>
  customer.request<UploadValidation>('POST', '/uploads/validate', { url });

test('downloads of one account that hang keep no other account’s order from the same host, and leave with their clients (G122)', async () => {
  const { urls } = hangAnswers(service.stranger, 200);
  const calls = Array.from({ length: 20 }, (_, call) => begin(greedy, { urls: urls.slice(call * 10, call * 10 + 10) }));
  // Of each request eight are under way; four have a place at the host.
  await eventually('its downloads wait', () => service.ctx.outbound.counts().host.waiting === 156);
  assert.equal(service.ctx.outbound.counts().host.running, 4);
  for (let count = 0; count < 5; count += 1) {
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: `${good}?${count}` }];
    const body = basket(service, { items: [teeItem(service, { decoration: { areas } })] });
    const { status } = await service.customer.request<CreatedOrder>('POST', '/orders', body);
    assert.equal(status, 201);
  }
  for (const { abandon } of calls) abandon();
  assert.deepEqual([...new Set(await Promise.all(calls.map(({ answer }) => answer)))], [0]);
});

test('without room in staging a download waits for room of its own account; another account has its own', async () => {
  const held = await service.ctx.blobs.stage();
  await held.reserve(1.5 * GIB, { owner: greedy.accountId });
  const waiting = begin(greedy, { url: good });
  await eventually('it waits for room', () => service.ctx.blobs.staged().waiting === 1);
  const other = await validate(service.customer, good);
  assert.deepEqual([other.status, other.body.valid], [200, true]);
  await held.discard();
  assert.equal(await waiting.answer, 200);
});

test('with too much that waits already the answer is 503 at once, and no address is blamed', async () => {
  const held = await service.ctx.blobs.stage();
  await held.reserve(1.5 * GIB, { owner: greedy.accountId });
  const leaving = new AbortController();
  const queued = Array.from({ length: 8 }, async () => {
    const staged = await service.ctx.blobs.stage();
    await staged.reserve(GIB, { owner: greedy.accountId, signal: leaving.signal }).catch(() => undefined);
    await staged.discard();
  });
  await eventually('the queue is full', () => service.ctx.blobs.staged().waiting === 8);
  const refused = await greedy.request('POST', '/uploads/validate', { url: good });
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  leaving.abort();
  await Promise.all(queued);
  await held.discard();
});

test('the files of one request have at most 1 GiB together', async () => {
  const of = { url: good, accountId: service.customer.accountId, signal: new AbortController().signal };
  const small = await fetchImage(service.ctx, { ...of, taken: { bytes: 0 } });
  assert.ok(small.kind === 'ok');
  await small.staged.discard();
  for (const [taken, kind] of [
    [GIB - small.bytes, 'ok'],
    [GIB - small.bytes + 1, 'failed'],
  ] as const) {
    const image = await fetchImage(service.ctx, { ...of, taken: { bytes: taken } });
    assert.equal(image.kind, kind);
    if (image.kind === 'ok') await image.staged.discard();
    else assert.equal(image.code, 'size');
  }
});
