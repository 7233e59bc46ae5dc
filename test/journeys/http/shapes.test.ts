import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder, Estimate, Order, PlaceOrderBody } from '../../../src/orders/schema.ts';
import type { Product } from '../../../src/products/schema.ts';
import { eventually } from '../../harness/context.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, HOME, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { balancePence, rows } from '../../harness/written.ts';

let service: TestService;
let customer: Customer;
let order: CreatedOrder;
let poor: CreatedOrder;
let estimate: Estimate;
/** Every answer that shows money or times, by the call that gave it. */
const shown = new Map<string, unknown>();

before(async () => {
  service = await startTestService();
  ({ customer } = service);
  service.stranger.serve('/hook', { status: 204 });
  await ask('POST', '/webhooks', { url: service.stranger.url('/hook') });
  const body = basket(service, { items: [teeItem(service, { quantity: 7 })], external_reference: 'shape-1' });
  estimate = (await ask('POST', '/orders/estimate', body)) as Estimate;
  order = (await ask('POST', '/orders', body)) as CreatedOrder;
  poor = await placeUnpaid();
  for (const path of ['/orders', `/orders/${order.id}`, '/products', `/products/${service.demo.products.fixed}`]) {
    await ask('GET', path);
  }
  for (const path of ['/catalog/products', '/stock', '/webhooks']) await ask('GET', path);
  const { body: events } = await eventually('the deliveries', async () => {
    const hits = service.stranger.hits.filter((hit) => hit.path === '/hook');
    return hits.length >= 1 && { body: hits.map((hit): unknown => JSON.parse(hit.body.toString())) };
  });
  shown.set('webhook deliveries', events);
});
after(() => service.stop());

async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await customer.request<unknown>(method, path, body);
  assert.ok(answer.status < 300, answer.text);
  shown.set(`${method} ${path}`, answer.body);
  return answer.body;
}

async function placeUnpaid(): Promise<CreatedOrder> {
  const other = await service.openCustomer();
  const tote = await addProduct(service, other, 'TOTE-COTTON');
  const items = [{ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 3, print_jobs: [] }];
  const answer = await other.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  assert.equal(answer.status, 201);
  shown.set('POST /orders unpaid', answer.body);
  return answer.body;
}

/** Every member of a JSON value with its name, however deep. */
function members(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[name, inner] as const, ...members(inner)]);
}

const AMOUNT = /(^|_)(price|total|subtotal|cost|amount|gbp|fee|balance)$/;
const TIME = /(_at|_until|^as_of)$/;

test('2.1 money: every amount is a JSON number in pounds with two decimals at most (9.4 rounding)', () => {
  let amounts = 0;
  for (const [call, answer] of shown) {
    for (const [name, value] of members(answer).filter(([each]) => AMOUNT.test(each) && each !== 'retail_price')) {
      // A line that declares no price has null.
      if (name === 'declared_unit_price' && value === null) continue;
      amounts += 1;
      assert.equal(typeof value, 'number', `${call} ${name}`);
      assert.match(JSON.stringify(value), /^\d+(\.\d{1,2})?$/, `${call} ${name}`);
    }
  }
  assert.ok(amounts > 30, `${amounts} amounts`);
  assert.equal(order.charged.subtotal, 61.95, 'seven at 8.85 are pounds and not pence');
});

test('9.4 rounding: the event tells the amount that was charged, in the same two decimals', async () => {
  const [delivery] = (shown.get('webhook deliveries') as { event: string; data: { total: number } }[]).filter(
    ({ event }) => event === 'order.created',
  );
  assert.equal(delivery?.data.total, order.charged.total);
  const [charged] = await rows<{ pence: number }>(
    service,
    `select sum(amount_pence)::bigint as pence from posting p join orders o on o.id = p.order_id
     where o.reference = $1 and p.debit_account = 'customer_balance'`,
    [order.reference],
  );
  assert.equal(Math.round(order.charged.total * 100), charged?.pence);
});

test('2.1 currency: everything is in GBP, and another currency cannot be asked for', async () => {
  const currencies = [...shown.values()].flatMap(members).filter(([name]) => name === 'currency');
  assert.ok(currencies.length > 5);
  assert.deepEqual(new Set(currencies.map(([, value]) => value)), new Set(['GBP']));
  const inDollars = await customer.request<Estimate>('POST', '/orders/estimate', {
    ...basket(service),
    currency: 'USD',
  });
  assert.deepEqual([inDollars.status, inDollars.body.currency], [200, 'GBP']);
});

test('2.1 vat_amount: prices are net, and VAT is an amount of its own beside them', () => {
  const { charged } = order;
  const net = charged.subtotal + charged.setup_total + charged.shipping_cost;
  assert.equal(Math.round(charged.vat_amount * 100), Math.round(net * 20));
  assert.equal(Math.round(charged.total * 100), Math.round((net + charged.vat_amount + charged.duty_amount) * 100));
});

test('2.1 timestamps: every time is ISO 8601 in UTC with milliseconds and Z', () => {
  let times = 0;
  for (const [call, answer] of shown) {
    for (const [name, value] of members(answer).filter(([each]) => TIME.test(each))) {
      // Null until the personal data of an order is erased, or artwork is replaced.
      if (['erased_at', 'replaced_at'].includes(name) && value === null) continue;
      times += 1;
      assert.match(String(value), /^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/, `${call} ${name}`);
    }
  }
  assert.ok(times > 20, `${times} times`);
});

test('2.1 id: an order, its lines and its product keep their ids, and no two things share one', async () => {
  const again = await customer.request<Order>('GET', `/orders/${order.id}`);
  assert.deepEqual(
    again.body.items.map(({ id }) => id),
    order.items.lineItems.map(({ id }) => id),
  );
  const replayed = await customer.request<CreatedOrder>('POST', '/orders', {
    ...basket(service),
    external_reference: 'shape-1',
  });
  assert.deepEqual([replayed.body.id, replayed.body.reference], [order.id, order.reference]);
  const ids = [order, poor].flatMap((each) => [each.id, ...each.items.lineItems.map(({ id }) => id)]);
  assert.equal(new Set(ids).size, ids.length);
  assert.notEqual(order.reference, poor.reference);
});

test('2.1 variant_sku: a SKU stands for one colour and size of one base product', () => {
  type Base = { id: string; variants: { sku: string; colour: string; size: string }[] };
  const { data } = shown.get('GET /catalog/products') as Page<Base>;
  const variants = data.flatMap(({ id, variants: own }) => own.map((variant) => ({ id, ...variant })));
  assert.ok(variants.length > 100);
  assert.equal(new Set(variants.map(({ sku }) => sku)).size, variants.length);
  assert.equal(new Set(variants.map(({ id, colour, size }) => `${id} ${colour} ${size}`)).size, variants.length);
});

test('2.3 base_product: a product tells its base product, which the catalogue has, and its variants are of it', async () => {
  const product = shown.get(`GET /products/${service.demo.products.fixed}`) as Product;
  const base = await customer.request<{ id: string; master_sku: string; title: string; variants: { sku: string }[] }>(
    'GET',
    `/catalog/products/${product.base_product.id}`,
  );
  const { id, master_sku, title } = base.body;
  assert.deepEqual(product.base_product, { id, master_sku, title });
  const skus = new Set(base.body.variants.map(({ sku }) => sku));
  assert.ok(product.variants.every((variant) => skus.has(variant.blank_variant_sku)));
  assert.ok(product.variants.every((variant) => /^#[0-9a-f]{6}$/i.test(variant.colour_hex)));
});

test('2.3 mockup_url: null for a product without a mockup, and a new signature for an hour in each answer (9.4 fixes)', async () => {
  const plain = await addProduct(service, customer, 'MUG-11OZ');
  const { body } = await customer.request<Product>('GET', `/products/${plain}`);
  assert.equal(body.mockup_url, null);
  const read = async (): Promise<URL> => {
    const answer = await customer.request<Product>('GET', `/products/${service.demo.products.fixed}`);
    return new URL(answer.body.mockup_url ?? '');
  };
  const first = await read();
  const served = await fetch(`${service.url}${first.pathname}${first.search}`);
  assert.deepEqual([served.status, served.headers.get('content-type')?.startsWith('image/')], [200, true]);
  await served.arrayBuffer();
  const secondsLeft = Number(first.searchParams.get('expires')) - service.ctx.clock.now().getTime() / 1_000;
  assert.ok(secondsLeft > 3_590 && secondsLeft <= 3_600, `${secondsLeft} s`);
});

test('2.3 status: a draft is listed as draft beside the active ones', async () => {
  const draft = await addProduct(service, customer, 'MUG-11OZ', { status: 'draft' });
  const { body } = await customer.request<Page<Product>>('GET', '/products?limit=100');
  assert.equal(body.data.find(({ id }) => id === draft)?.status, 'draft');
  assert.deepEqual(new Set(body.data.map(({ status }) => status)), new Set(['active', 'draft']));
});

test('2.3 retail_price: whatever it says, the same is charged', async () => {
  const totals = new Set<number>();
  for (const retailPricePence of [null, 0, 1, 999_999]) {
    const product = await addProduct(service, customer, 'TOTE-COTTON', { retailPricePence });
    const items = [{ product_id: product, variant_sku: 'TOTE-COTTON-NAT', quantity: 2, print_jobs: [] }];
    const before = await balancePence(service, customer);
    const placed = await customer.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
    assert.equal(placed.status, 201);
    totals.add(before - (await balancePence(service, customer)));
  }
  assert.equal(totals.size, 1);
});

test('2.5 fields: an estimate has every field of the table with its type (2.5 lines, 2.5 estimate, 4.1 estimate result)', () => {
  const types = Object.fromEntries(Object.entries(estimate).map(([name, value]) => [name, typeOf(value)]));
  const { warnings: _ours, shipping_option: _alsoOurs, setups: _oursToo, ...specified } = types;
  assert.deepEqual(specified, {
    currency: 'string',
    lines: 'array',
    subtotal: 'number',
    setup_total: 'number',
    shipping_cost: 'number',
    shipping_service: 'string',
    vat_amount: 'number',
    duty_amount: 'number',
    total: 'number',
    estimate: 'boolean',
    notice: 'string',
    shipping_options: 'array',
  });
  assert.deepEqual([estimate.currency, estimate.estimate], ['GBP', true]);
  const lines = estimate.lines.map(({ artwork: _report, ...line }) => line);
  assert.deepEqual(lines, [
    {
      variant_sku: TEE_WHITE_M,
      quantity: 7,
      unit_price: 8.85,
      line_price: 61.95,
      print_jobs: [{ area: 'front', method: 'dtg' }],
    },
  ]);
});

test('2.5 notice: it warns that prices, stock and shipping can change and that nothing is reserved', () => {
  for (const word of [/price/i, /stock/i, /shipping/i, /change/i, /reserve/i]) assert.match(estimate.notice, word);
});

test('2.5 shipping_options: the services that were not chosen, for this destination', async () => {
  const services = estimate.shipping_options.map((option) => option.service);
  assert.ok(services.length > 0 && !services.includes(estimate.shipping_service));
  const body: PlaceOrderBody = basket(service, {
    shipping_address: { ...HOME, country_code: 'DE', postcode: '10115' },
  });
  const abroad = await customer.request<Estimate>('POST', '/orders/estimate', body);
  assert.notDeepEqual(
    abroad.body.shipping_options.map((option) => option.service),
    services,
  );
});

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
