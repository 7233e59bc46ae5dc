import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseId, publicId, type Uuid } from '../../../../src/lib/ids.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { HOME, problemsOf } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

const SKU = 'TEE-ORGANIC-ECR-M';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

/** Copies of the personalised product, each with a template that has so many bytes more. */
async function copies(count: number, bytes: number): Promise<Uuid[]> {
  const id = parseId('prod', service.demo.products.personalised);
  assert.ok(id);
  const text = `with copy as (
      insert into product (account_id, id, base_product_id, name, status, personalisation, created_at, updated_at)
      select account_id, gen_random_uuid(), base_product_id, name || n, status,
        personalisation || jsonb_build_object('more', repeat('m', $3)), created_at, updated_at
      from product, generate_series(1, $2) as n where id = $1
      returning account_id, id
    )
    insert into product_variant (account_id, id, product_id, ordinal, sku)
    select c.account_id, gen_random_uuid(), c.id, v.ordinal, v.sku
    from copy c join product_variant v on v.product_id = $1 returning product_id`;
  const made = await rows<{ product_id: Uuid }>(service, text, [id, count, bytes]);
  return [...new Set(made.map(({ product_id: product }) => product))];
}

test('the templates of one order may have 10 MiB in all: what is beyond is refused by its line, and a smaller order passes', async () => {
  const products = await copies(170, 65_000);
  assert.equal(products.length, 170);
  const estimate = (ids: readonly Uuid[]) => {
    const decoration = { personalisation: { inputs: { line: 'Ada' } } };
    const items = ids.map((id) => ({ product_id: publicId('prod', id), variant_sku: SKU, quantity: 1, decoration }));
    return service.customer.request('POST', '/orders/estimate', { items, shipping_address: HOME });
  };
  const refused = await estimate(products);
  const beyond = problemsOf(refused);
  assert.equal(refused.status, 422);
  assert.ok(beyond.length > 5 && beyond.length < 30, `${beyond.length} lines are beyond the bound`);
  for (const problem of beyond) assert.match(problem, /^items\[\d+\]\.product_id templates_too_large$/);
  assert.equal((await estimate(products.slice(0, 128))).status, 200);
});
