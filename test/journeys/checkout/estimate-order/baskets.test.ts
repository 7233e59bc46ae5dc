import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { creditAccount } from '../../../../src/billing/credit-account.ts';
import { setStock } from '../../../../src/catalogue/set-stock.ts';
import { fromPounds, pence } from '../../../../src/lib/money.ts';
import type { CreatedOrder, Estimate, PlaceOrderBody, PlaceOrderItem } from '../../../../src/orders/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, HOME, servePicture } from '../../../harness/shop.ts';
import { balancePence } from '../../../harness/written.ts';

/** A night's run draws more: PLATEN_NIGHTLY=1. */
const BASKETS = process.env.PLATEN_NIGHTLY === '1' ? 1_000 : 40;

let service: TestService;
let customer: Customer;
/** What may be ordered: a product with its SKUs, stored areas and the areas of its blank, each with its methods. */
type Choice = { product: string; skus: string[]; stored: string[]; areas: Map<string, readonly string[]> };
const choices: Choice[] = [];
const pictures: string[] = [];

before(async () => {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
  const { accountId } = customer;
  await creditAccount(service.ctx, { accountId, amountPence: pence(10_000_000_000), reference: 'enough' });
  const { baseProducts } = await service.ctx.catalogue.latest();
  // Prices are what is tried here: stock never stands in the way.
  for (const { entry } of baseProducts.flatMap(({ variants }) => variants)) {
    await setStock(service.ctx, { sku: entry.sku, onHand: 1_000_000, reason: 'plenty', actor: 'test' });
  }
  for (const base of baseProducts) {
    const stored = base.entry.master_sku === 'TEE-CLASSIC';
    choices.push({
      product: stored ? service.demo.products.fixed : await addProduct(service, customer, base.entry.master_sku),
      skus: base.variants.map(({ entry }) => entry.sku).filter((sku) => !stored || /-(WHT|BLK)-(S|M|2XL)$/.test(sku)),
      stored: stored ? ['front', 'back', 'left_sleeve'] : [],
      areas: new Map([...base.areas].map(([name, area]) => [name, area.methods])),
    });
  }
  for (const colour of ['#aa0000', '#00aa00', '#0000aa']) {
    pictures.push(await servePicture(service, `/${colour.slice(1)}.png`, { widthPx: 500, heightPx: 400, colour }));
  }
});
after(() => service.stop());

const quantity = fc.oneof(
  fc.integer({ min: 1, max: 30 }),
  fc.constantFrom(9, 10, 11, 12, 24, 25, 49, 50, 99, 100, 249, 250, 999, 1_000, 10_000),
);

/** A line of one of the choices: blank, with stored designs, or decorated with pictures of its own. */
function item(choice: Choice): fc.Arbitrary<PlaceOrderItem> {
  const line = { product_id: fc.constant(choice.product), variant_sku: fc.constantFrom(...choice.skus), quantity };
  const areaNames = choice.stored.length > 0 ? choice.stored : [...choice.areas.keys()];
  const pairs = fc
    .subarray(areaNames)
    .chain((names) =>
      fc.tuple(
        ...names.map((name) =>
          fc.constantFrom(...(choice.areas.get(name) ?? [])).map((method) => ({ area: name, method })),
        ),
      ),
    );
  const blank: fc.Arbitrary<PlaceOrderItem> = fc.record({ ...line, print_jobs: fc.constant([]) });
  const firstOnly: fc.Arbitrary<PlaceOrderItem> = fc.record(line);
  const decorated = fc
    .record({ ...line, pairs, seed: fc.nat({ max: 1_000 }) })
    .map(({ pairs: chosen, seed, ...rest }): PlaceOrderItem => {
      if (chosen.length === 0) return { ...rest, print_jobs: [] };
      const areas = chosen.map(({ area, method }, index) => ({
        print_area: area,
        method,
        artwork_url: pictures[(seed + index) % pictures.length] ?? '',
      }));
      return { ...rest, decoration: { areas } };
    });
  const stored = fc
    .record({ ...line, pairs })
    .map(({ pairs: chosen, ...rest }): PlaceOrderItem => ({ ...rest, print_jobs: chosen }));
  return choice.stored.length > 0
    ? fc.oneof(blank, firstOnly, decorated, stored)
    : fc.oneof(blank, firstOnly, decorated);
}

const DESTINATIONS = [
  ['GB', 'LS1 4DY'],
  ['GB', 'BT1 1AA'],
  ['GB', 'JE2 3AB'],
  ['GB', 'IV1 1AA'],
  ['IM', 'IM1 1AA'],
  ['GG', 'GY1 1AA'],
  ['DE', '10115'],
  ['ES', '35001'],
  ['US', '02108'],
  ['AU', '3000'],
  ['JP', '100-0001'],
] as const;

const basketOf = (items: fc.Arbitrary<PlaceOrderItem>): fc.Arbitrary<PlaceOrderBody> =>
  fc
    .record({
      type: fc.constantFrom('bulk', 'bulk', 'sample'),
      items: fc.array(items, { minLength: 1, maxLength: 8 }),
      to: fc.constantFrom(...DESTINATIONS),
    })
    .map(({ type, items: lines, to: [country_code, postcode] }) => ({
      type: type === 'sample' ? ('sample' as const) : ('bulk' as const),
      items: lines,
      shipping_address: { ...HOME, country_code, postcode },
    }));

function exactPence(pounds: number): number {
  const amount = fromPounds(pounds);
  assert.ok(amount !== undefined, `${pounds} is not an amount of whole pence`);
  return amount;
}

test(`for ${BASKETS} random baskets the estimate is what is charged, and the parts sum to the total to the penny (4.1 estimate total, D55, D56)`, async () => {
  await fc.assert(
    fc.asyncProperty(basketOf(fc.oneof(...choices.map(item))), async (body) => {
      const estimated = await customer.request<Estimate>('POST', '/orders/estimate', body);
      assert.equal(estimated.status, 200, estimated.text);
      const before = await balancePence(service, customer);
      const placed = await customer.request<CreatedOrder>('POST', '/orders', body);
      assert.equal(placed.status, 201, placed.text);
      const { charged } = placed.body;
      const {
        estimate: _true,
        notice: _notice,
        shipping_options: _options,
        warnings: _warnings,
        ...amounts
      } = estimated.body;
      // What else an estimate says of a line is on the order that is read.
      const lines = amounts.lines.map(({ artwork: _artwork, ...line }) => line);
      assert.deepEqual(charged, { ...amounts, lines });

      const total = exactPence(charged.total);
      const parts = [
        charged.subtotal,
        charged.setup_total,
        charged.shipping_cost,
        charged.vat_amount,
        charged.duty_amount,
      ];
      assert.equal(total, sum(parts.map(exactPence)));
      assert.equal(exactPence(charged.subtotal), sum(charged.lines.map((line) => exactPence(line.line_price))));
      for (const line of charged.lines) {
        assert.equal(exactPence(line.line_price), exactPence(line.unit_price) * line.quantity);
      }
      assert.equal(placed.body.payment_status, 'paid');
      assert.equal(await balancePence(service, customer), before - total);
    }),
    { numRuns: BASKETS },
  );
});

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
