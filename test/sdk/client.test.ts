import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, createClient, isPlatenError, type PlatenEvent, verifyWebhook } from '../../sdk/src/index.ts';
import { eventually } from '../harness/context.ts';
import { type Customer, startTestService, type TestService } from '../harness/service.ts';
import { basket, TEE_WHITE_M } from '../harness/shop.ts';
import { balancePence, rows } from '../harness/written.ts';
import { collect } from './scripted-fetch.ts';

let service: TestService;
let customer: Customer;
let client: Client;
before(async () => {
  service = await startTestService();
  customer = service.customer;
  client = createClient({ token: customer.token, baseUrl: service.url });
});
after(() => service.stop());

async function orderCount(): Promise<number> {
  const [row] = await rows<{ count: number }>(service, 'select count(*)::int as count from orders');
  return row?.count ?? Number.NaN;
}

/** The runtime's fetch, whose answers to the first POSTs never arrive although the service has acted. */
function losingFetch(losses: number): { fetch: typeof fetch; posts: () => number } {
  let posts = 0;
  return {
    posts: () => posts,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method !== 'POST') return response;
      posts += 1;
      if (posts > losses) return response;
      await response.arrayBuffer();
      throw new TypeError('the connection was reset');
    },
  };
}

describe('placing an order', () => {
  test('paid from the balance: what is charged is what the estimate said', async () => {
    const body = basket(service);
    const before = await balancePence(service, customer);
    const { total } = await client.orders.estimate(body);
    const placement = await client.orders.place(body);
    if (placement.kind !== 'paid') assert.fail(placement.kind);
    assert.equal(placement.order.charged.total, total);
    assert.equal(before - (await balancePence(service, customer)), Math.round(total * 100));
    const order = await client.orders.get(placement.reference);
    assert.deepEqual([order.id, order.external_reference], [placement.id, placement.externalReference]);
  });

  test('the balance does not cover it: the order exists and is not called paid', async () => {
    const poor = await service.openCustomer();
    const own = createClient({ token: poor.token, baseUrl: service.url });
    const page = await own.catalogue.list({ limit: 1 });
    const base = page.data[0];
    const sku = base?.variants[0]?.sku;
    if (base === undefined || sku === undefined) assert.fail('the demo catalogue is empty');
    const product = await own.products.create({ base_product_id: base.id, name: 'Plain', variant_skus: [sku] });
    const item = { product_id: product.id, variant_sku: sku, quantity: 1, print_jobs: [] };
    const placement = await own.orders.place({ ...basket(service), items: [item] });
    if (placement.kind !== 'awaiting_payment') assert.fail(placement.kind);
    assert.equal(placement.waitingOrder.status, 'pending');
    assert.equal((await own.account.balance()).balance, 0);
  });

  test('F103 answers that were lost make one order and one charge, with a reference of the caller or without', async () => {
    for (const reference of ['sdk-lost-1', undefined]) {
      const { fetch, posts } = losingFetch(2);
      const shaky = createClient({ token: customer.token, baseUrl: service.url, fetch });
      const [orders, balance] = [await orderCount(), await balancePence(service, customer)];
      const placement = await shaky.orders.place({ ...basket(service), external_reference: reference });
      if (placement.kind !== 'paid') assert.fail(placement.kind);
      assert.equal(posts(), 3);
      assert.equal((await orderCount()) - orders, 1);
      assert.equal(balance - (await balancePence(service, customer)), Math.round(placement.order.charged.total * 100));
    }
  });

  test('the same reference again is the same order, told as replayed', async () => {
    const body = { ...basket(service), external_reference: 'sdk-twice' };
    const first = await client.orders.place(body);
    const again = await client.orders.place(body);
    assert.deepEqual([first.replayed, again.replayed, again.id === first.id], [false, true, true]);
    const cancelled = await client.orders.cancel(first.id);
    assert.equal(cancelled.refunded_gbp, (await client.orders.estimate(basket(service))).total);
    assert.equal((await client.orders.place(body)).kind, 'cancelled');
  });

  test('what cannot be made is refused with what there is', async () => {
    const item = { ...basket(service).items[0], product_id: service.demo.products.fixed, variant_sku: TEE_WHITE_M };
    await assert.rejects(
      client.orders.place({ ...basket(service), items: [{ ...item, quantity: 10_000 }] }),
      (error) => {
        assert.ok(isPlatenError(error, 'out_of_stock'));
        assert.deepEqual(error.extras.oversold[0]?.lines, [0]);
        return true;
      },
    );
    await assert.rejects(client.orders.place({ ...basket(service), items: [] }), (error) => {
      assert.ok(isPlatenError(error, 'validation_failed'));
      assert.deepEqual(
        error.problems.map(({ path }) => path),
        ['items'],
      );
      assert.match(error.requestId, /^req_/);
      return true;
    });
  });
});

test('a walk finds every order once, newest first', async () => {
  const ids: string[] = [];
  for await (const order of client.orders.iterate({ limit: 1 })) ids.push(order.id);
  const one = await client.orders.list({ limit: 100 });
  assert.ok(ids.length >= 3);
  assert.deepEqual(
    ids,
    one.data.map(({ id }) => id),
  );
});

test('a subscription is made, read, paused and removed; what it is sent verifies', async () => {
  const received: Promise<PlatenEvent>[] = [];
  const created = await client.webhooks.create({ url: service.stranger.url('/hooks'), events: ['order.created'] });
  service.stranger.serve('/hooks', ({ headers, body }, response) => {
    received.push(verifyWebhook({ secret: created.secret, headers, rawBody: body }));
    response.writeHead(204).end();
  });
  const placement = await client.orders.place(basket(service));
  const event = await eventually('the delivery', () => received[0]);
  if (event.event !== 'order.created') assert.fail(event.event);
  assert.equal(event.data.order_id, placement.id);
  const logged = await eventually('the log shows it', async () => {
    const page = await client.events.list({ order: placement.reference });
    return page.data[0];
  });
  assert.deepEqual(logged, event);
  assert.equal((await client.webhooks.update(created.id, { active: false })).active, false);
  assert.equal((await client.webhooks.get(created.id)).active, false);
  await client.webhooks.remove(created.id);
  await assert.rejects(client.webhooks.remove(created.id), (error) => isPlatenError(error, 'not_found'));
});

test('a product is made, changed and archived', async () => {
  const [base] = (await client.catalogue.list()).data;
  if (base === undefined) assert.fail('the demo catalogue is empty');
  const skus = base.variants.slice(0, 1).map(({ sku }) => sku);
  const product = await client.products.create({ base_product_id: base.id, name: 'Plain', variant_skus: skus });
  assert.equal((await client.products.update(product.id, { name: 'Plainer' })).name, 'Plainer');
  assert.equal(await client.products.archive(product.id), undefined);
  assert.equal((await client.products.get(product.id)).status, 'archived');
  assert.ok((await client.catalogue.printAreas(base.id)).data.length > 0);
  assert.equal((await client.catalogue.prices(base.id)).currency, 'GBP');
  const stock = await collect(client.catalogue.iterateStock());
  assert.ok(stock.some(({ variant_sku: sku }) => sku === skus[0]));
});

test('artwork is judged as an order would', async () => {
  const answer = await client.uploads.validate({
    urls: ['http://art.example/a.png', service.stranger.url('/none.png')],
  });
  assert.deepEqual([answer.valid, answer.results.map(({ code }) => code)], [false, ['scheme', 'fetch']]);
});

test('live quotes are refused as not there yet', async () => {
  const body = { destination: { country: 'GB', postcode: 'LS1' }, items: [{ variant_id: 'var_1', qty: 0 }] };
  await assert.rejects(client.quotes.shipping(body), (error) => isPlatenError(error, 'validation_failed'));
});

test('a token of too few rights is told which it lacks', async () => {
  const reader = await service.openCustomer({ scopes: ['products:read'] });
  await assert.rejects(createClient({ token: reader.token, baseUrl: service.url }).orders.list(), (error) => {
    assert.ok(isPlatenError(error, 'insufficient_scope'));
    assert.equal(error.extras.required_scope, 'orders:read');
    return true;
  });
});
