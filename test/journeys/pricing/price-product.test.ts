import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PERSON_ROLES } from '../../../src/lib/caller.ts';
import type { Estimate } from '../../../src/orders/schema.ts';
import type { ProductPrices } from '../../../src/pricing/selling/selling-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { baseProductId } from '../../harness/products.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket, problemsOf } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';

let service: TestService;
let owner: PortalClient;
before(async () => {
  service = await startTestService({ role: 'api' });
  owner = await openRole(service, 'owner');
});
after(() => service.stop());

const FRONT = { print_area: 'front', method: 'dtg' };
const SKUS = ['TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-WHT-3XL'];

async function price(changes: object, by = owner) {
  const body = { base_product_id: await baseProductId(service), variant_skus: SKUS, areas: [FRONT], ...changes };
  return by.request<ProductPrices>('POST', '/product-prices', { body });
}

test('a unit price at each quantity is that of an order of so many pieces, with all of its prints', async () => {
  for (const quantity of [1, 9, 25, 300]) {
    const { body } = await price({ quantity });
    const item = {
      product_id: service.demo.products.fixed,
      variant_sku: SKUS[0],
      print_jobs: [{ area: 'front', method: 'dtg' }],
    };
    const estimate = await service.customer.request<Estimate>(
      'POST',
      '/orders/estimate',
      basket(service, { type: 'bulk', items: [{ ...item, variant_sku: 'TEE-CLASSIC-WHT-M', quantity }] }),
    );
    assert.equal(estimate.status, 200, estimate.text);
    assert.equal(body.variants[0]?.unit_price, estimate.body.lines[0]?.unit_price, `${quantity} pieces`);
  }
  const { body } = await price({});
  const [first, ...others] = body.breaks;
  assert.deepEqual([first?.from_quantity, body.quantity, others.length > 0], [1, 1, true]);
  assert.equal(first?.unit_price_min, body.variants[0]?.unit_price);
  assert.equal(first?.unit_price_max, body.variants[1]?.unit_price, 'a larger size costs more');
  const { body: stitched } = await price({ areas: [{ print_area: 'left_sleeve', method: 'embroidery' }] });
  assert.deepEqual(stitched.setups, [{ method: 'embroidery', price: 18 }]);
});

test('a personalised piece costs what its order says: its prints count with those of the same values, and have no setup', async () => {
  const product_id = service.demo.products.personalised;
  const sku = 'TEE-ORGANIC-ECR-M';
  const areas = [{ print_area: 'front', method: 'dtg' }];
  const base_product_id = await baseProductId(service, 'TEE-ORGANIC');
  const ask = async (personalised: string, quantity: number) =>
    (await price({ base_product_id, variant_skus: [sku], areas, personalised, quantity })).body;
  const ordered = async (...pieces: readonly (readonly [line: string, quantity: number])[]) => {
    const items = pieces.map(([line, quantity]) => ({
      ...{ product_id, variant_sku: sku, quantity },
      decoration: { personalisation: { inputs: { line } } },
    }));
    const answer = await service.customer.request<Estimate>('POST', '/orders/estimate', basket(service, { items }));
    assert.equal(answer.status, 200, answer.text);
    return answer.body.lines[0]?.unit_price;
  };
  const ten = Array.from({ length: 12 }, (_, index) => [`Piece ${index}`, 1] as const);
  assert.equal((await ask('each_its_own', 12)).variants[0]?.unit_price, await ordered(...ten));
  assert.equal((await ask('each_its_own', 1)).variants[0]?.unit_price, await ordered(['Alone', 1]));
  assert.equal((await ask('alike', 12)).variants[0]?.unit_price, await ordered(['The same', 12]));
  const [own, alike] = [await ask('each_its_own', 50), await ask('alike', 50)];
  assert.ok((own.variants[0]?.unit_price ?? 0) > (alike.variants[0]?.unit_price ?? 0), 'a print of its own costs more');
  const fromOf = ({ breaks }: ProductPrices) => breaks.map(({ from_quantity: from }) => from);
  assert.ok(fromOf(alike).length > fromOf(own).length, 'the breaks of prints are none for pieces of their own');
  for (const { from_quantity: from, unit_price_min: low } of own.breaks) {
    assert.equal(low, (await ask('each_its_own', from)).variants[0]?.unit_price, `from ${from}`);
  }
  const stitched = { areas: [{ print_area: 'left_sleeve', method: 'embroidery' }] };
  assert.deepEqual((await price({ ...stitched, personalised: 'alike' })).body.setups, []);
});

test('the margin is what a retail price leaves of the unit price: of the variant, or else of the product', async () => {
  const { body } = await price({ retail_price: 20, retail_prices: { 'TEE-CLASSIC-WHT-3XL': 5 } });
  const [medium, large] = body.variants;
  assert.ok(medium !== undefined && large !== undefined);
  assert.equal(medium.retail_price, 20);
  assert.equal(Math.round(100 * (medium.margin ?? 0)), Math.round(100 * (20 - medium.unit_price)));
  assert.equal(medium.margin_percent, Math.round((1_000 * (20 - medium.unit_price)) / 20) / 10);
  assert.ok((large.margin ?? 0) < 0, 'a loss is said as one');
  const { body: unpriced } = await price({});
  assert.deepEqual([unpriced.variants[0]?.margin, unpriced.variants[0]?.margin_percent], [null, null]);
  const { body: free } = await price({ retail_price: 0 });
  assert.equal(free.variants[0]?.margin_percent, null, 'no part of nothing');
});

test('what is out of stock has nothing available', async () => {
  const text = "update stock set allocated = on_hand where sku = 'TEE-CLASSIC-WHT-3XL'";
  await service.ctx.database.all({ name: 'test_sold_out', text }, []);
  const { body } = await price({});
  assert.deepEqual([(body.variants[0]?.available ?? 0) > 0, body.variants[1]?.available], [true, 0]);
});

test('everyone of the account prices; each refusal names its member, and nothing is written', async () => {
  const untouched = await everythingWritten(service);
  for (const role of PERSON_ROLES) assert.equal((await price({}, await openRole(service, role))).status, 200, role);
  const cases: readonly (readonly [changes: object, problems: readonly string[]])[] = [
    [{ base_product_id: 'bprod_none' }, ['base_product_id unknown_base_product']],
    [{ variant_skus: ['MUG-11OZ-WHT'] }, ['variant_skus[0] unknown_variant']],
    [{ variant_skus: [] }, ['variant_skus out_of_bounds']],
    [{ areas: [{ print_area: 'hem', method: 'dtg' }] }, ['areas[0].print_area unknown_print_area']],
    [{ areas: [{ print_area: 'front', method: 'giclee' }] }, ['areas[0].method unknown_method']],
    [{ areas: [FRONT, FRONT] }, ['areas[1].print_area duplicate']],
    [{ quantity: 0 }, ['quantity out_of_bounds']],
    [{ quantity: 10_001 }, ['quantity out_of_bounds']],
    [{ retail_price: 1.234 }, ['retail_price decimals']],
    [{ retail_price: -1 }, ['retail_price out_of_bounds']],
    [{ retail_prices: { 'TEE-CLASSIC-WHT-M': 1.234 } }, ['retail_prices.TEE-CLASSIC-WHT-M decimals']],
    [{ personalised: 'maybe' }, ['personalised unknown_value']],
    [{ colour: 'red' }, ['colour unknown_field']],
  ];
  for (const [changes, problems] of cases) {
    const refused = await price(changes);
    assert.deepEqual([refused.status, problemsOf(refused as never)], [422, problems], JSON.stringify(changes));
  }
  assert.deepEqual(await everythingWritten(service), untouched);
});
