import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, HOME, problemsOf, teeItem } from '../../../harness/shop.ts';
import { everythingWritten } from '../../../harness/written.ts';

type Warned = { id: string; payment_status: string; warnings: { code: string; path: string; message: string }[] };

let service: TestService;
before(async () => {
  // No worker: what is counted stands still.
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('what was warned of when an order was placed is told again by its replay, its fetch and the list', async () => {
  const poor = await service.openCustomer();
  const productId = await addProduct(service, poor, 'TOTE-COTTON');
  const items = [{ product_id: productId, variant_sku: 'TOTE-COTTON-NAT', quantity: 1 }];
  const long = { [`${'a'.repeat(99)}😀`]: 'its name is cut' };
  const body = { ...basket(service), items, external_reference: 'warned-1', gift_wrap: true, ...long };
  const placed = await poor.request<Warned>('POST', '/orders', body);
  const codes = placed.body.warnings.map(({ code }) => code).toSorted();
  assert.deepEqual([placed.status, placed.body.payment_status], [201, 'failed']);
  assert.ok(codes.includes('unknown_field') && codes.includes('payment_failed'), codes.join());
  const replayed = await poor.request<Warned>('POST', '/orders', body);
  const fetched = await poor.request<Warned>('GET', `/orders/${placed.body.id}`);
  const listed = await poor.request<{ data: Warned[] }>('GET', '/orders');
  for (const order of [replayed.body, fetched.body, listed.body.data[0]]) {
    assert.deepEqual(order?.warnings, placed.body.warnings);
  }
});

test('a postcode that its country does not write is a warning, by estimate and order alike, and the goods still go', async () => {
  const told = async (changes: object): Promise<string[][]> => {
    const body = { ...basket(service), ...changes };
    const estimated = await service.customer.request<Warned>('POST', '/orders/estimate', body);
    const placed = await service.customer.request<Warned>('POST', '/orders', body);
    assert.deepEqual([estimated.status, placed.status], [200, 201], placed.text);
    const fetched = await service.customer.request<Warned>('GET', `/orders/${placed.body.id}`);
    return [estimated, placed, fetched].map(({ body: { warnings } }) => {
      // It is kept with the order, and is no second place of the address.
      assert.doesNotMatch(JSON.stringify(warnings), /9021O/);
      return warnings.map(({ code, path, message }) => `${code} ${path} ${message}`);
    });
  };
  const message =
    'Postcodes in GB are written like EC1Y 8SY, and this one is not, so the rates of GB as a whole apply. Check it, or the parcel may be delayed or returned.';
  const warned = [`postcode_unrecognised shipping_address.postcode ${message}`];
  assert.deepEqual(await told({ shipping_address: { ...HOME, postcode: '9021O' } }), [warned, warned, warned]);
  for (const postcode of ['LS1 4DY', 'ls14dy', 'BFPO 61']) {
    assert.deepEqual(await told({ shipping_address: { ...HOME, postcode } }), [[], [], []], postcode);
  }
  const billing = { billing_address: { ...HOME, postcode: '9021O' } };
  assert.deepEqual(await told(billing), [[], [], []], 'no parcel goes to the billing address');
});

test('D66 letters of Jersey in front of a London postcode save no VAT: only a well-formed postcode or the country code does', async () => {
  type Amounts = { vat_amount: number; shipping_cost: number; total: number; warnings: { code: string }[] };
  const told = async (place: object): Promise<Amounts> => {
    const body = { ...basket(service), shipping_address: { ...HOME, phone: '+44 20 7946 0000', ...place } };
    const estimated = await service.customer.request<Amounts>('POST', '/orders/estimate', body);
    const placed = await service.customer.request<{ charged: Amounts; warnings: { code: string }[] }>(
      'POST',
      '/orders',
      body,
    );
    assert.deepEqual([estimated.status, placed.status], [200, 201], placed.text);
    const amounts = ({ vat_amount, shipping_cost, total }: Amounts) => ({ vat_amount, shipping_cost, total });
    assert.deepEqual(amounts(placed.body.charged), amounts(estimated.body));
    return { ...amounts(placed.body.charged), warnings: placed.body.warnings };
  };
  const london = await told({ postcode: 'SW1A 2AA' });
  assert.ok(london.vat_amount > 0);
  for (const postcode of ['JE SW1A 2AA', 'JE2', 'GY1 London', 'IM', 'IV2 Inverness']) {
    const { warnings, ...amounts } = await told({ postcode });
    assert.deepEqual({ ...amounts, warnings: [] }, london, postcode);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['postcode_unrecognised'],
      postcode,
    );
  }
  const jersey = await told({ postcode: 'JE2 3ZZ' });
  assert.equal(jersey.vat_amount, 0);
  assert.ok(!jersey.warnings.some(({ code }) => code === 'postcode_unrecognised'));
  // The country code says so by itself: the parcel is declared and sent there, whatever stands in the postcode.
  const byCode = await told({ country_code: 'JE', postcode: 'SW1A 2AA' });
  assert.equal(byCode.vat_amount, 0);
  assert.ok(byCode.warnings.some(({ code }) => code === 'postcode_unrecognised'));
});

test('decoration is checked as shape: before the reference of an order and before its products are looked up', async () => {
  const before = await everythingWritten(service);
  for (const decoration of [{}, { areas: [area()], personalisation: { inputs: {} } }]) {
    const items = [{ ...teeItem(service), product_id: 'prod_unknown', decoration }];
    const answer = await service.customer.request('POST', '/orders', { ...basket(service), items });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, ['items[0].decoration one_of']]);
  }
  assert.deepEqual(await everythingWritten(service), before);
});

test('a personalised product without decoration: refused for its required layer, blank when every layer may be empty', async () => {
  const item = { product_id: service.demo.products.personalised, variant_sku: 'TEE-ORGANIC-BLK-M', quantity: 1 };
  const order = (): Promise<Answer<Warned & ErrorReply>> =>
    service.customer.request('POST', '/orders', { ...basket(service), items: [item] });
  const refused = await order();
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['items[0].decoration required']]);
  assert.match(
    refused.body.errors?.[0]?.message ?? '',
    /decoration\.personalisation\b.* line\.$/,
    'it names the layer',
  );
  await service.ctx.database.script(`
    update product set personalisation = jsonb_set(personalisation, '{layers}', (
      select jsonb_agg(jsonb_set(layer, '{required}', 'false')) from jsonb_array_elements(personalisation->'layers') as layer))
    where personalisation is not null`);
  const placed = await order();
  assert.equal(placed.status, 201);
  assert.deepEqual(
    placed.body.warnings.map(({ code }) => code),
    ['blank_garment'],
  );
});

function area(): object {
  return { print_area: 'front', method: 'dtg', artwork_url: service.stranger.url('/a.png') };
}
