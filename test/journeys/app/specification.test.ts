import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { importToken } from '../../../src/accounts/import-token.ts';
import { API_ROUTES } from '../../../src/app/service.ts';
import { placeOrder } from '../../../src/checkout/place-order.ts';
import { SCOPES } from '../../../src/lib/caller.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder, Estimate, Order, PlaceOrderBody } from '../../../src/orders/schema.ts';
import { verify } from '../../../src/verify/verify.ts';
import { EVENT_NAMES } from '../../../src/webhooks/events.ts';
import { flat } from '../../harness/pictures.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { basket, problemsOf, servePicture, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { balancePence, everythingWritten, rows } from '../../harness/written.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  // No worker: what is counted stands still.
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
});
after(() => service.stop());

async function place(body: PlaceOrderBody): Promise<CreatedOrder> {
  const answer = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

function decorated(url: string): PlaceOrderBody {
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: url }];
  return basket(service, { items: [teeItem(service, { decoration: { areas } })] });
}

test('1.1 9.1 the API stands below /api/v1 and nowhere else', async () => {
  const headers = { authorization: `Bearer ${customer.token}` };
  for (const [path, status] of [
    ['/api/v1/orders', 200],
    ['/orders', 404],
    ['/v1/orders', 404],
    ['/api/orders', 404],
    ['/api/v2/orders', 404],
  ] as const) {
    assert.equal((await fetch(`${service.url}${path}`, { headers })).status, status, path);
  }
});

test('1.3 5.2 9.4 sandbox: a pat_test_ token of before orders for real: it charges the account like a pat_live_ one', async () => {
  const { accountId } = customer;
  await importToken(service.ctx, { accountId, token: 'pat_test_of_before', scopes: SCOPES });
  const before = await balancePence(service, customer);
  const response = await fetch(`${service.url}/api/v1/orders`, {
    method: 'POST',
    headers: { authorization: 'Bearer pat_test_of_before', 'content-type': 'application/json' },
    body: JSON.stringify(basket(service)),
  });
  const order = (await response.json()) as CreatedOrder;
  assert.deepEqual([response.status, order.payment_status], [201, 'paid']);
  assert.equal(await balancePence(service, customer), before - Math.round(order.charged.total * 100));
  const live = await customer.request<Order>('GET', `/orders/${order.id}`);
  assert.deepEqual([live.status, live.body.id], [200, order.id], 'nothing sets it apart');
  assert.match(customer.token, /^pat_live_/);
});

test('1.4 an order that the portal or a sales channel placed is listed among those of the API', async () => {
  const caller = { accountId: customer.accountId, limitedAs: newId(), scopes: new Set(SCOPES) };
  const ids: string[] = [];
  for (const source of ['portal', 'channel', 'api'] as const) {
    const { signal } = new AbortController();
    const { order } = await placeOrder(service.ctx, caller, {
      body: basket(service),
      unknownFields: [],
      source,
      signal,
    });
    ids.unshift(publicId('ord', order.id));
  }
  const { body } = await customer.request<Page<Order>>('GET', '/orders?limit=3');
  assert.deepEqual(
    body.data.map(({ id }) => id),
    ids,
  );
});

test('1.5 no GET, no estimate and no validation of an upload writes anything (4.1 estimate effects)', async () => {
  const picture = await servePicture(service, '/looked-at.png', { widthPx: 500, heightPx: 500, colour: '#345678' });
  const order = await place(basket(service));
  const before = await everythingWritten(service);
  const idOf: readonly (readonly [start: string, id: string])[] = [
    ['/orders/', order.id],
    ['/products/', service.demo.products.fixed],
  ];
  for (const { path } of API_ROUTES.filter(({ method }) => method === 'GET')) {
    const id = idOf.find(([start]) => path.startsWith(start))?.[1] ?? publicId('whk', newId());
    const { status } = await customer.request('GET', path.replace(/:\w+/, id));
    assert.ok([200, 404, 422].includes(status), `${path} ${status}`);
  }
  for (const [path, body] of [
    ['/orders/estimate', decorated(picture)],
    ['/orders/estimate', basket(service, { external_reference: 'only-estimated' })],
    ['/uploads/validate', { urls: [picture] }],
  ] as const) {
    assert.equal((await customer.request('POST', path, body)).status, 200);
  }
  assert.deepEqual(await everythingWritten(service), before);
});

test('1.8 placing waits for artwork that takes seconds: its 201 comes with price, charge and artwork', async () => {
  const body = await flat(800, 800, '#aa5500').png().toBuffer();
  service.stranger.serve('/slow-but-good.png', { body, delayMs: 2_500 });
  const before = await balancePence(service, customer);
  const order = await place(decorated(service.stranger.url('/slow-but-good.png')));
  assert.equal(order.payment_status, 'paid');
  assert.equal(await balancePence(service, customer), before - Math.round(order.charged.total * 100));
  const [kept] = await rows<{ designs: number }>(
    service,
    `select count(*) as designs from print_job j join orders o on o.id = j.order_id
     where o.reference = $1 and j.design_hash is not null`,
    [order.reference],
  );
  assert.equal(kept?.designs, 1);
});

test('1.9 artwork is taken by address alone: bytes in the body, in the address or as an upload are refused', async () => {
  const before = await everythingWritten(service);
  const bytes = (await flat(40, 40, '#000000').png().toBuffer()).toString('base64');
  const inAddress = await customer.request('POST', '/orders', decorated(`data:image/png;base64,${bytes}`));
  assert.deepEqual(
    [inAddress.status, problemsOf(inAddress)],
    [422, ['items[0].decoration.areas[0].artwork_url scheme']],
  );
  const areas = [{ print_area: 'front', method: 'dtg', artwork: bytes, artwork_bytes: bytes }];
  const inBody = await customer.request('POST', '/orders', {
    ...basket(service),
    items: [{ ...teeItem(service), decoration: { areas } }],
  });
  assert.deepEqual(problemsOf(inBody), ['items[0].decoration.areas[0].artwork_url required']);
  for (const path of ['/orders', '/uploads/validate']) {
    const form = new FormData();
    form.set('artwork', new Blob([bytes]), 'artwork.png');
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.token}` },
      body: form,
    });
    assert.equal(response.status, 415);
  }
  assert.deepEqual(await everythingWritten(service), before);
});

test('9.5 nothing of the roadmap is there: placing reserves no stock, an estimate holds no price, no event tells of artwork (4.1 estimate effects)', async () => {
  const stock = () => rows<{ on_hand: number; allocated: number }>(service, 'select * from stock order by sku');
  const before = await stock();
  const available = async (): Promise<number | undefined> => {
    const { body } = await customer.request<Page<{ available: number }>>('GET', `/stock?variant_sku=${TEE_WHITE_M}`);
    return body.data[0]?.available;
  };
  const shown = await available();
  assert.ok(shown !== undefined && shown > 1);
  const all = basket(service, { items: [teeItem(service, { quantity: shown })] });
  assert.equal((await customer.request<Estimate>('POST', '/orders/estimate', all)).status, 200);
  await place(basket(service, { items: [teeItem(service, { quantity: shown - 1 })] }));
  assert.equal(await available(), shown);
  assert.deepEqual(await stock(), before);
  assert.equal(
    (await customer.request<Estimate>('POST', '/orders/estimate', all)).status,
    200,
    'all of it is still there',
  );
  assert.deepEqual(
    EVENT_NAMES.filter((name) => /artwork|print_ready/.test(name)),
    [],
  );
});

test('6.1 no others: 9.4 webhooks: there are seven events, none of a delivery or a return, and none can be asked for', async () => {
  assert.deepEqual(EVENT_NAMES.toSorted(), [
    'order.cancelled',
    'order.created',
    'order.dispatched',
    'order.in_production',
    'order.on_hold',
    'order.payment_failed',
    'order.shipment_created',
  ]);
  const url = service.stranger.url('/hook');
  for (const name of ['order.delivered', 'order.returned', 'order.updated', 'artwork.ready', '*', '']) {
    const refused = await customer.request('POST', '/webhooks', { url, events: [name] });
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['events[0] unknown_value']], name);
  }
});

test('3.1 delivered: no order is delivered: the filter is valid and its page is empty', async () => {
  const empty = { data: [], has_more: false, next_cursor: null };
  assert.deepEqual((await customer.request('GET', '/orders?status=delivered')).body, empty);
  assert.ok(!EVENT_NAMES.some((name) => name.endsWith('.delivered')));
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
