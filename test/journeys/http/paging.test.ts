import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { newId, parseId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import type { Product } from '../../../src/products/schema.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, HOME, problemsOf, withoutRequestId } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
let customer: Customer;
let tote: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer({ balancePence: 1_000_000 });
  tote = await addProduct(service, customer, 'TOTE-COTTON');
});
after(() => service.stop());

async function place(by = customer, product = tote): Promise<CreatedOrder> {
  const items = [{ product_id: product, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  const answer = await by.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function pageOf<Item>(path: string, by = customer): Promise<Page<Item>> {
  const answer = await by.request<Page<Item>>('GET', path);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body), ['data', 'has_more', 'next_cursor']);
  assert.equal(answer.body.has_more, answer.body.next_cursor !== null);
  return answer.body;
}

/** Every record of a collection by its cursors, with something done between two pages. */
async function walk<Item>(path: string, limit: number, between: () => Promise<void> = async () => {}): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor = ''; ; ) {
    const page = await pageOf<Item>(`${path}?limit=${limit}${cursor}`);
    assert.ok(page.data.length <= limit);
    found.push(...page.data);
    if (page.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    await between();
  }
}

const COLLECTIONS = [
  '/orders',
  '/products',
  '/catalog/products',
  '/stock',
  '/webhooks',
  '/events',
  '/account/transactions',
];
const BAD_LIMITS = [
  '0',
  '-1',
  '101',
  '1.5',
  'abc',
  '',
  '1e1',
  '0x10',
  '%2010',
  '10;--',
  '9223372036854775808',
  '+1',
  '01',
];
const BAD_CURSORS = ['garbage%20', '', 'x'.repeat(10_240), '%00', '%27%20or%201=1', publicId('acct', newId())];

for (const path of COLLECTIONS) {
  test(`8 limit: ${path} takes a limit from 1 to 100, and every other is a 422 at limit (4.1 limit, 4.4 list, C42, C43, A27)`, async () => {
    for (const limit of ['1', '100']) await pageOf(`${path}?limit=${limit}`);
    for (const limit of BAD_LIMITS) {
      const answer = await customer.request('GET', `${path}?limit=${limit}`);
      assert.deepEqual(
        [answer.status, answer.body.code, problemsOf(answer)],
        [422, 'validation_failed', ['limit pattern']],
      );
    }
    const twice = await customer.request('GET', `${path}?limit=1&limit=100`);
    assert.deepEqual([twice.status, problemsOf(twice)], [422, ['limit duplicate']]);
  });

  test(`${path} refuses a cursor that is no cursor of this collection: 422 at cursor (C45)`, async () => {
    // A cursor of /stock is a SKU, and an id of any kind looks like one: a position like any other.
    for (const cursor of path === '/stock' ? BAD_CURSORS.slice(0, -1) : BAD_CURSORS) {
      const answer = await customer.request('GET', `${path}?cursor=${cursor}`);
      assert.equal(answer.status, 422, `${path} ${cursor.slice(0, 40)}`);
      assert.deepEqual(new Set(answer.body.errors?.map((problem) => problem.path)), new Set(['cursor']));
    }
  });
}

test('a well-formed cursor is a position only, whoever has the record of that id or nobody (2.1 cursors, C45)', async () => {
  const other = await service.openCustomer();
  const theirs = await place(other, await addProduct(service, other, 'TOTE-COTTON'));
  for (const cursor of [theirs.id, publicId('ord', newId())]) {
    assert.ok((await pageOf<Order>(`/orders?cursor=${cursor}`)).data.every(({ id }) => id < cursor));
  }
  await pageOf(`/products?cursor=${publicId('prod', newId())}`);
  await pageOf(`/webhooks?cursor=${publicId('whk', newId())}`);
});

test('the default page has 25 records, newest first, and a last page of exactly the limit has no more (2.1 envelope, 4.1 list, 4.1 cursor, C49)', async () => {
  const placed: string[] = [];
  for (let count = 0; count < 26; count += 1) placed.push((await place()).id);
  const first = await pageOf<Order>('/orders');
  assert.equal(first.data.length, 25);
  assert.equal(first.next_cursor, first.data.at(-1)?.id);
  assert.deepEqual(
    first.data.map(({ id }) => id),
    placed.toReversed().slice(0, 25),
  );
  const all = await walk<Order>('/orders', 13);
  assert.equal(all.length % 13, 0, 'two pages, the second full');
  assert.deepEqual(
    all.map(({ id }) => id),
    placed.toReversed(),
  );
  const exact = await pageOf<Order>(`/orders?limit=${all.length}`);
  assert.deepEqual([exact.data.length, exact.has_more, exact.next_cursor], [all.length, false, null]);
});

test('orders placed while a list is read move nothing: each that was there is seen once (C47)', async () => {
  const there = (await walk<Order>('/orders', 100)).map(({ id }) => id);
  const seen = await walk<Order>('/orders', 5, async () => {
    await Promise.all([place(), place(), place()]);
  });
  assert.deepEqual(
    seen.map(({ id }) => id),
    there,
  );
});

test('a product that is archived while the list is read leaves neither a gap nor a repeat (2.3 status, 4.4 list, C46)', async () => {
  const products: string[] = [];
  for (let count = 0; count < 6; count += 1) products.push(await addProduct(service, customer, 'MUG-11OZ'));
  const first = await pageOf<Product>('/products?limit=2');
  const cursor = first.next_cursor ?? '';
  await rows(service, "update product set status = 'archived' where id = $1", [parseId('prod', cursor) ?? '']);
  const next = await pageOf<Product>(`/products?limit=2&cursor=${cursor}`);
  const newestFirst = products.toReversed();
  assert.deepEqual(
    [...first.data, ...next.data].map(({ id }) => id),
    newestFirst.slice(0, 4),
  );
  const list = await walk<Product>('/products', 100);
  assert.equal(
    list.some(({ id }) => id === cursor),
    false,
    'archived products are not listed',
  );
  const archived = await customer.request<Product>('GET', `/products/${cursor}`);
  assert.deepEqual([archived.status, archived.body.status], [200, 'archived']);
});

test('3.1 statuses: each internal state shows as its public status, and the filter finds it there and nowhere else (4.1 status)', async () => {
  const states = [
    ['awaiting_payment', 'pending'],
    ['placed', 'pending'],
    ['on_hold', 'pending'],
    ['released', 'confirmed'],
    ['in_production', 'in_production'],
    ['dispatched', 'dispatched'],
    ['cancelled', 'cancelled'],
  ] as const;
  const shown = new Map<string, string>();
  for (const [state, status] of states) {
    const { id } = await place();
    await rows(service, 'update orders set state = $1 where id = $2', [state, parseId('ord', id) ?? '']);
    shown.set(id, status);
  }
  for (const status of ['pending', 'confirmed', 'in_production', 'dispatched', 'cancelled']) {
    const { data } = await pageOf<Order>(`/orders?limit=100&status=${status}`);
    assert.ok(data.every((order) => order.status === status));
    const expected = [...shown].filter(([, wanted]) => wanted === status).map(([id]) => id);
    assert.deepEqual(
      data.map(({ id }) => id).filter((id) => shown.has(id)),
      expected.toReversed(),
    );
    const byOne = await pageOf<Order>(`/orders?limit=1&status=${status}`);
    assert.deepEqual(byOne.data, data.slice(0, 1));
    const beyond = await pageOf<Order>(`/orders?limit=100&status=${status}&cursor=${byOne.data[0]?.id}`);
    assert.deepEqual(beyond.data, data.slice(1));
  }
  assert.deepEqual(await pageOf('/orders?status=delivered'), { data: [], has_more: false, next_cursor: null });
});

for (const query of ['status=PENDING', 'status=placed', 'status=', 'status=pending&status=confirmed', 'status=%00']) {
  test(`/orders?${query} is refused: 422 at status (4.1 status, C44)`, async () => {
    const answer = await customer.request('GET', `/orders?${query}`);
    assert.equal(answer.status, 422);
    assert.deepEqual(new Set(answer.body.errors?.map(({ path }) => path)), new Set(['status']));
  });
}

test('an unknown query parameter is ignored', async () => {
  assert.deepEqual(await pageOf('/orders?limit=1&colour=red'), await pageOf('/orders?limit=1'));
});

test("1.7 another account's record and one that does not exist are the same 404, byte for byte (5.5, 7 not_found, 4.1 fetch, 4.4 fetch, B38, B39, C51)", async () => {
  const other = await service.openCustomer({ balancePence: 10_000 });
  const theirTote = await addProduct(service, other, 'TOTE-COTTON');
  const order = await place(other, theirTote);
  const hook = { url: `https://${service.stranger.hostPort}/hook` };
  const { body: subscription } = await other.request<{ id: string }>('POST', '/webhooks', hook);
  const mine = await place();
  const answers = await Promise.all(
    [
      `/orders/${order.id}`,
      `/orders/${order.reference}`,
      `/orders/${publicId('ord', newId())}`,
      '/orders/PF-22222222',
      '/orders/nothing',
      `/orders/${tote}`,
      `/orders/${mine.id.toUpperCase()}`,
      `/products/${theirTote}`,
      `/products/${publicId('prod', newId())}`,
      `/products/${mine.id}`,
      `/products/${tote.toUpperCase()}`,
      `/webhooks/${subscription.id}`,
      `/webhooks/${publicId('whk', newId())}`,
      `/catalog/products/${publicId('bprod', newId())}`,
      `/catalog/products/${publicId('bprod', newId())}/print-areas`,
      `/catalog/products/${publicId('bprod', newId())}/prices`,
    ].map((path) => customer.request('GET', path)),
  );
  for (const answer of answers) {
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], answer.text);
    assert.equal(withoutRequestId(answer), withoutRequestId(answers[0] ?? answer));
  }
  const lists = await Promise.all(['/orders', '/products', '/webhooks'].map((path) => walk<{ id: string }>(path, 100)));
  const ids = new Set(lists.flat().map(({ id }) => id));
  assert.equal(
    [order.id, theirTote, subscription.id].some((id) => ids.has(id)),
    false,
    'nor is it in a list',
  );
});

test('4.7 stock is read in pages, all of it or of the SKUs asked for, unknown ones left out', async () => {
  type Stock = { variant_sku: string; available: number };
  const all = await walk<Stock>('/stock', 100);
  const [count] = await rows<{ count: number }>(service, 'select count(*) as count from stock');
  assert.equal(new Set(all.map((entry) => entry.variant_sku)).size, count?.count);
  const skus = ['TEE-CLASSIC-WHT-XL', 'NOPE', 'TEE-CLASSIC-WHT-2XL', 'TEE-CLASSIC-WHT-L', 'TEE-CLASSIC-LIM-3XL'];
  const known = ['TEE-CLASSIC-LIM-3XL', 'TEE-CLASSIC-WHT-2XL', 'TEE-CLASSIC-WHT-L', 'TEE-CLASSIC-WHT-XL'];
  const asked = await pageOf<Stock>(`/stock?variant_sku=${skus.join(',')}`);
  assert.deepEqual(
    asked.data.map((entry) => entry.variant_sku),
    known,
  );
  assert.equal(asked.data[0]?.available, 0);
  const first = await pageOf<Stock>(`/stock?variant_sku=${skus.join(',')}&limit=2`);
  const rest = await pageOf<Stock>(`/stock?variant_sku=${skus.join(',')}&limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.data, ...rest.data], asked.data);
  for (const wrong of ['', 'A,', 'A B', Array.from({ length: 101 }, (_, index) => `S${index}`).join(',')]) {
    const answer = await customer.request('GET', `/stock?variant_sku=${encodeURIComponent(wrong)}`);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, ['variant_sku pattern']]);
  }
});

test('4.7 catalogue: a base product is listed with its areas, methods and variants, and its areas with their templates', async () => {
  type Base = { id: string; master_sku: string; print_areas: string[]; variants: { sku: string }[] };
  const list = await walk<Base>('/catalog/products', 4);
  const tee = list.find((base) => base.master_sku === 'TEE-CLASSIC');
  assert.equal(new Set(list.map(({ id }) => id)).size, list.length);
  const one = await customer.request<Base>('GET', `/catalog/products/${tee?.id}`);
  assert.deepEqual(one.body, tee);
  const areas = await pageOf<{ print_area: string }>(`/catalog/products/${tee?.id}/print-areas`);
  assert.deepEqual(
    areas.data.map((entry) => entry.print_area),
    tee?.print_areas,
  );
  assert.deepEqual(areas.data[2], {
    print_area: 'left_sleeve',
    title: 'Left sleeve',
    methods: ['dtf', 'embroidery'],
    width_mm: 90,
    height_mm: 90,
    dpi: 300,
    width_px: 1_063,
    height_px: 1_063,
    format: 'png',
  });
});

test('2.3 fields: the demo product shows every field of the specification (2.3 print_areas, 2.3 variants)', async () => {
  const { body } = await service.customer.request<Product>('GET', `/products/${service.demo.products.fixed}`);
  const fields =
    'id,name,description,status,tags,retail_price,base_product,mockup_url,personalised,print_areas,variants,created_at,updated_at';
  assert.deepEqual(Object.keys(body), fields.split(','));
  assert.deepEqual(
    [body.name, body.status, body.retail_price, body.personalised],
    ['Fern and Tide tee', 'active', 28, false],
  );
  assert.deepEqual(Object.keys(body.variants[0] ?? {}), ['id', 'blank_variant_sku', 'colour', 'colour_hex', 'active']);
  const file = new URL('../../../data/demo/products.json', import.meta.url);
  const demo = JSON.parse(await readFile(file, 'utf8')) as { products: { areas?: { design: string }[] }[] };
  const stored = demo.products.flatMap(({ areas = [] }) => areas).map(({ design: _design, ...area }) => area);
  assert.deepEqual(body.print_areas, stored);
});
