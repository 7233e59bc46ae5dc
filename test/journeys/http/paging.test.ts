import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { addProduct, problemsOf, withoutRequestId } from '../../harness/shop.ts';
import { closeLists, customer, openLists, pageOf, place, service, tote, walk } from './lists.ts';

before(openLists);
after(closeLists);

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
  const [own, other] = [await service.openCustomer({ balancePence: 100_000 }), await service.openCustomer()];
  const product = await addProduct(service, own, 'TOTE-COTTON');
  const older = await place(own, product);
  const theirs = await place(other, await addProduct(service, other, 'TOTE-COTTON'));
  const newer = await place(own, product);
  const hook = await own.request<{ id: string }>('POST', '/webhooks', { url: service.stranger.url('/hook') });
  const idsAt = async (path: string, cursor: string): Promise<string[]> =>
    (await pageOf<{ id: string }>(`${path}?cursor=${cursor}`, own)).data.map(({ id }) => id);
  assert.deepEqual(await idsAt('/orders', theirs.id), [older.id]);
  assert.deepEqual(await idsAt('/orders', publicId('ord', newId())), [newer.id, older.id]);
  assert.deepEqual(await idsAt('/products', publicId('prod', newId())), [product]);
  assert.deepEqual(await idsAt('/webhooks', publicId('whk', newId())), [hook.body.id]);
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

test('an unknown query parameter is ignored, and the answer names it with the one that was probably meant', async () => {
  assert.deepEqual(await pageOf('/orders?limit=1&colour=red'), await pageOf('/orders?limit=1'));
  const named = async (path: string) =>
    (await service.customer.request('GET', path)).headers.get('x-ignored-parameters');
  assert.equal(await named('/orders?limit=1&statuss=pending'), '"statuss";nearest="status"');
  assert.equal(await named('/orders?limit=1&status=pending'), null);
  const {
    data: [order],
  } = await pageOf<Order>('/orders?limit=1');
  assert.equal(await named(`/orders/${order?.id}?expand=lines`), '"expand"');
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
