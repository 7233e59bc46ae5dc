import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { UploadValidation } from '../../src/artwork/schema.ts';
import { eventually } from '../harness/context.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket, problemsOf, servePicture, teeItem } from '../harness/shop.ts';
import { everythingWritten } from '../harness/written.ts';

/** How the resolver of the machine is: it answers, it says that it cannot, or it says nothing at all. */
let resolver: 'up' | 'down' | 'silent' = 'up';

async function resolve(): Promise<{ address: string; family: number }[]> {
  if (resolver === 'silent') return new Promise(() => {});
  if (resolver === 'up') return [{ address: '127.0.0.1', family: 4 }];
  throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
}

let service: TestService;
let url: string;
before(async () => {
  service = await startTestService({ resolve });
  url = await servePicture(service, '/badge.png', { widthPx: 600, heightPx: 600, colour: '#884422' });
  service.stranger.serve('/hook', { status: 204 });
});
after(() => service.stop());

/** The address of a picture at each place that takes one, and the path at which its problem is told. */
function entries(): readonly (readonly [what: string, method: string, path: string, body: object, at: string])[] {
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: url }];
  const order = basket(service, { items: [teeItem(service, { decoration: { areas } })] });
  const at = 'items[0].decoration.areas[0].artwork_url';
  const product = service.demo.products.fixed;
  return [
    ['an order', 'POST', '/orders', order, at],
    ['an estimate', 'POST', '/orders/estimate', order, at],
    [
      'artwork of a product',
      'PATCH',
      `/products/${product}`,
      { decoration: { areas } },
      'decoration.areas[0].artwork_url',
    ],
    ['a mockup', 'PATCH', `/products/${product}`, { mockup_url: url }, 'mockup_url'],
  ];
}

async function assertRefused(): Promise<void> {
  await Promise.all([
    ...entries().map(async ([what, method, path, body, at]) => {
      const answer = await service.customer.request(method, path, body);
      assert.equal(answer.status, 422, `${what}: ${answer.text}`);
      assert.deepEqual(problemsOf(answer), [`${at} fetch`], what);
      assert.doesNotMatch(answer.text, /EAI|getaddrinfo|127\.0/);
    }),
    service.customer.request<UploadValidation>('POST', '/uploads/validate', { url }).then((answer) => {
      assert.equal(answer.status, 200, answer.text);
      return assert.deepEqual(
        [answer.body.valid, answer.body.results[0]?.valid, codeOf(answer.body)],
        [false, false, 'fetch'],
      );
    }),
  ]);
}

function codeOf(validation: UploadValidation): string | undefined {
  const [result] = validation.results;
  return result !== undefined && 'code' in result ? result.code : undefined;
}

/**
 * Whatever needs no name is served as ever: an order with stored designs, a blank one, a cancel, reading, the probes.
 */
async function assertHealthy(): Promise<void> {
  const { customer } = service;
  const placed = await customer.request<{ id: string }>('POST', '/orders', basket(service));
  assert.equal(placed.status, 201, placed.text);
  assert.equal((await customer.request('GET', `/orders/${placed.body.id}`)).status, 200);
  assert.equal((await customer.request('POST', `/orders/${placed.body.id}/cancel`)).status, 200);
  assert.equal((await customer.request('GET', '/products')).status, 200);
  for (const probe of ['/healthz', '/readyz']) assert.equal((await fetch(service.url + probe)).status, 200, probe);
}

test('N217 the resolver is down: artwork is 422 fetch at each of its places, nothing is written, and all else is served', async () => {
  const before = await everythingWritten(service);
  resolver = 'down';
  await assertRefused();
  assert.deepEqual(await everythingWritten(service), before);
  await assertHealthy();
});

test('N217 the resolver says nothing: artwork is 422 fetch within its time, and whoever needs no name does not wait', async () => {
  const before = await everythingWritten(service);
  resolver = 'silent';
  const startedMs = performance.now();
  let isOver = false;
  const refused = assertRefused().finally(() => {
    isOver = true;
  });
  await assertHealthy();
  assert.equal(isOver, false, 'all of this was served while the others waited for a name');
  await refused;
  assert.ok(performance.now() - startedMs < 60_000);
  const after = await everythingWritten(service);
  assert.equal(after.orders, Number(before.orders) + 1, 'the one order that needed no artwork');
  assert.equal(after.design, before.design);
  await eventually('nothing is left in staging', async () => (await everythingWritten(service)).staged === 0);
});

test('N217 a delivery that finds no name is a failed attempt and is made again; once names are found, all is as before', async () => {
  resolver = 'up';
  const subscribed = await service.customer.request<{ id: string }>('POST', '/webhooks', {
    url: service.stranger.url('/hook'),
  });
  assert.equal(subscribed.status, 201, subscribed.text);
  resolver = 'down';
  await assertHealthy();
  const attempts = async () => {
    const seen = await service.customer.request<{ failure_count: number; active: boolean }>(
      'GET',
      `/webhooks/${subscribed.body.id}`,
    );
    return seen.body;
  };
  await eventually('it has failed', async () => (await attempts()).failure_count > 0);
  resolver = 'up';
  service.shiftMs(120_000);
  await eventually('it has arrived', () => service.stranger.hits.some(({ path }) => path === '/hook'));
  await eventually('the failures are forgotten', async () => (await attempts()).failure_count === 0);
  const [entry] = entries();
  assert.ok(entry);
  const [, method, path, body] = entry;
  assert.equal((await service.customer.request(method, path, body)).status, 201);
});
