import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Estimate } from '../../../src/orders/schema.ts';
import type { PricesReply } from '../../../src/pricing/schema.ts';
import { baseProductId } from '../../harness/products.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

type Breaks = PricesReply['blanks'][number]['breaks'];

/** What a piece costs of so many, in pence. */
function penceAt(breaks: Breaks | undefined, quantity: number): number {
  const reached = breaks?.findLast((step) => step.from_quantity <= quantity);
  assert.ok(reached, 'a break begins at one piece');
  return Math.round(reached.unit_price * 100);
}

test('a piece of a basket costs what the prices say at its quantity: its blank and its print', async () => {
  const prices = await service.customer.request<PricesReply>(
    'GET',
    `/catalog/products/${await baseProductId(service)}/prices`,
  );
  assert.equal(prices.status, 200, prices.text);
  const blank = prices.body.blanks.find(({ variant_sku: sku }) => sku === TEE_WHITE_M)?.breaks;
  const print = prices.body.prints.find(({ print_area: area, method }) => area === 'front' && method === 'dtg')?.breaks;
  const steps = new Set([...(blank ?? []), ...(print ?? [])].map(({ from_quantity: from }) => from));
  assert.ok(steps.size > 1);
  for (const quantity of [...steps].flatMap((from) => [from - 1, from]).filter((pieces) => pieces > 0)) {
    const order = basket(service, { items: [teeItem(service, { quantity })] });
    const { body, text } = await service.customer.request<Estimate>('POST', '/orders/estimate', order);
    const unitPence = Math.round((body.lines[0]?.unit_price ?? Number.NaN) * 100);
    assert.equal(unitPence, penceAt(blank, quantity) + penceAt(print, quantity), `${quantity} pieces: ${text}`);
  }
});

test('the prices of no base product are a 404', async () => {
  for (const id of [publicId('bprod', newId()), 'nonsense']) {
    const refused = await service.customer.request('GET', `/catalog/products/${id}/prices`);
    assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'], id);
  }
});
