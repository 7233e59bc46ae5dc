import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Estimate, Order } from '../../../../src/orders/schema.ts';
import { openFloor } from '../../../harness/floor.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { body, newReference, openShop, problemsOf, type Shop } from '../../../harness/shop.ts';
import { assertSound, everythingWritten } from '../../../harness/written.ts';
import { createBrand } from '../../brands/brands.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

async function place(shop: Shop, changes: object = {}) {
  const answer = await shop.order(changes);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const read = async (shop: Shop, id: string): Promise<Order> =>
  (await shop.customer.request<Order>('GET', `/orders/${id}`)).body;

test('an order has the brand that it names, else the default of its account, else none; null is none', async () => {
  const shop = await openShop(service, 5);
  assert.equal((await place(shop)).brand, null);
  const fern = await createBrand(shop.customer, { name: 'Fern', is_default: true });
  const fable = await createBrand(shop.customer, { name: 'Fable' });
  const cases: readonly (readonly [changes: object, expected: object | null])[] = [
    [{ brand: fable.id }, { id: fable.id, name: 'Fable' }],
    [{}, { id: fern.id, name: 'Fern' }],
    [{ brand: null }, null],
  ];
  const operator = await openFloor(service);
  for (const [changes, expected] of cases) {
    const order = await place(shop, changes);
    assert.deepEqual(order.brand, expected);
    assert.deepEqual((await read(shop, order.id)).brand, expected);
    const { body: listed } = await shop.customer.request<{ data: Order[] }>('GET', '/orders?limit=1');
    assert.deepEqual(listed.data[0]?.brand, expected);
    assert.deepEqual((await operator.request('GET', `/orders/${order.id}`)).body.brand, expected);
  }
});

test('later changes of a brand, and its end, change no placed order', async () => {
  const shop = await openShop(service, 2);
  const { id } = await createBrand(shop.customer, { name: 'Before', is_default: true });
  const order = await place(shop);
  await shop.customer.request('PATCH', `/brands/${id}`, { name: 'After' });
  assert.deepEqual((await read(shop, order.id)).brand, { id, name: 'Before' });
  assert.deepEqual((await place(shop)).brand, { id, name: 'After' });
  await shop.customer.request('DELETE', `/brands/${id}`);
  assert.deepEqual((await read(shop, order.id)).brand, { id, name: 'Before' });
});

describe('refusals', () => {
  test('an unknown brand, what is no id and that of another account are the same 404, of an order and of its estimate', async () => {
    const [shop, other] = [await openShop(service, 1), await openShop(service, 1)];
    const { id } = await createBrand(other.customer, { name: 'Foreign', is_default: true });
    const untouched = await everythingWritten(service);
    for (const path of ['/orders', '/orders/estimate']) {
      const texts = [];
      for (const brand of [id, 'brand_01h455vb4pex5vsknk084sn02q', 'Fern']) {
        const answer = await shop.customer.request('POST', path, { ...body(shop), brand });
        assert.deepEqual([answer.status, problemsOf(answer)], [404, ['brand unknown_brand']]);
        texts.push(answer.text.replace(/req_\w+/, ''));
      }
      assert.equal(new Set(texts).size, 1);
    }
    assert.deepEqual(await everythingWritten(service), untouched);
  });

  test('with an unknown product both are told; an archived brand is 422; another type, too', async () => {
    const shop = await openShop(service, 1);
    const { id } = await createBrand(shop.customer, { name: 'Gone' });
    await shop.customer.request('DELETE', `/brands/${id}`);
    const product_id = 'prod_01h455vb4pex5vsknk084sn02q';
    const both = await shop.customer.request('POST', '/orders', {
      ...body({ ...shop, productId: product_id }),
      brand: 'brand_01h455vb4pex5vsknk084sn02q',
    });
    assert.deepEqual(problemsOf(both), ['items[0].product_id unknown_product', 'brand unknown_brand']);
    for (const path of ['/orders', '/orders/estimate']) {
      const late = await shop.customer.request('POST', path, { ...body(shop), brand: id });
      assert.deepEqual([late.status, problemsOf(late)], [422, ['brand brand_archived']]);
      const typed = await shop.customer.request('POST', path, { ...body(shop), brand: 7 });
      assert.deepEqual([typed.status, problemsOf(typed)], [422, ['brand type']]);
    }
  });

  test('the estimate takes a brand, and costs the same with it', async () => {
    const shop = await openShop(service, 1);
    const { id } = await createBrand(shop.customer, { name: 'Fern' });
    const priced = await shop.customer.request<Estimate>('POST', '/orders/estimate', { ...body(shop), brand: id });
    assert.equal(Math.round(priced.body.total * 100), shop.totalPence);
  });
});

describe('a repeat of its external reference', () => {
  test('is answered with the brand of the order, whatever has become of the brand', async () => {
    const shop = await openShop(service, 1);
    const { id } = await createBrand(shop.customer, { name: 'Fern' });
    const request = { external_reference: newReference(), brand: id };
    const order = await place(shop, request);
    await shop.customer.request('PATCH', `/brands/${id}`, { name: 'Fable' });
    await shop.customer.request('DELETE', `/brands/${id}`);
    const again = await shop.order(request);
    assert.deepEqual([again.status, again.body], [200, order]);
  });

  test('warns when it names another brand or none; without the member it says nothing of brands', async () => {
    const shop = await openShop(service, 2);
    const [fern, fable] = [
      await createBrand(shop.customer, { name: 'Fern' }),
      await createBrand(shop.customer, { name: 'Fable' }),
    ];
    const external_reference = newReference();
    await place(shop, { external_reference, brand: fern.id });
    const warned = async (changes: object): Promise<string[]> =>
      (await shop.order({ external_reference, ...changes })).body.warnings
        .filter(({ code }) => code !== 'blank_garment')
        .map(({ code, path }) => `${code} ${path}`);
    assert.deepEqual(await warned({ brand: fern.id }), []);
    assert.deepEqual(await warned({}), []);
    assert.deepEqual(await warned({ brand: fable.id }), ['replayed_with_different_body brand']);
    assert.deepEqual(await warned({ brand: null }), ['replayed_with_different_body brand']);
    const plain = newReference();
    await place(shop, { external_reference: plain });
    const named = await shop.order({ external_reference: plain, brand: fern.id });
    assert.deepEqual(named.body.warnings.map(({ path }) => path).slice(0, 1), ['brand']);
  });
});
