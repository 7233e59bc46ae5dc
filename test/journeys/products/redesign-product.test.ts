import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DesignedProduct, TakenDesign } from '../../../src/products/designer/designer-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { allProducts } from '../../harness/products.ts';
import { type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { designTee, take } from './designing.ts';

let service: TestService;
let owner: PortalClient;
let plum: TakenDesign;
before(async () => {
  service = await startTestService({ role: 'api' });
  owner = await openRole(service, 'manager');
  plum = await take(owner, '/plum.png', { widthPx: 900, heightPx: 1_200, colour: 'plum' });
});
after(() => service.stop());

const change = (id: string, body: object, by = owner) =>
  by.request<DesignedProduct & Pick<ErrorReply, 'code' | 'detail'>>('PATCH', `/products/${id}`, { body });

test('what is sent changes: the place of a design, prices by variant, the variants; the rest stays', async () => {
  const made = await designTee(owner, plum.design, {
    retail_prices: { 'TEE-CLASSIC-WHT-S': 20 },
    description: 'Plum.',
  });
  const areas = [{ print_area: 'front', method: 'dtf', design: plum.design, position: { scale: 0.25 } }];
  const { body: moved } = await change(made.id, { decoration: { areas }, seen_at: made.updated_at });
  assert.deepEqual(
    moved.designs.map(({ method, position }) => [method, position]),
    [['dtf', { x: 0.5, y: 0.5, scale: 0.25, rotation: 0 }]],
  );
  assert.deepEqual([moved.description, moved.retail_prices], ['Plum.', { 'TEE-CLASSIC-WHT-S': 20 }]);
  const { body: priced } = await change(made.id, { retail_prices: { 'TEE-CLASSIC-NVY-M': 22 } });
  assert.deepEqual(priced.retail_prices, { 'TEE-CLASSIC-NVY-M': 22 }, 'all prices by variant are replaced');
  const { body: fewer } = await change(made.id, { variant_skus: ['TEE-CLASSIC-WHT-S'] });
  assert.deepEqual(fewer.retail_prices, {}, 'a variant that is not offered shows no price');
  const { body: back } = await change(made.id, { variant_skus: ['TEE-CLASSIC-NVY-M'] });
  assert.deepEqual(back.retail_prices, { 'TEE-CLASSIC-NVY-M': 22 }, 'and has it again with the variant');
});

test('of two people who change one product the second is told, and overwrites nothing', async () => {
  const made = await designTee(owner, plum.design);
  const seen = { seen_at: made.updated_at };
  const answers = await Promise.all([
    change(made.id, { name: 'One', ...seen }),
    change(made.id, { name: 'Two', ...seen }),
  ]);
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [200, 409]);
  const refused = answers.find(({ status }) => status === 409)?.body;
  assert.equal(refused?.code, 'conflict');
  assert.match(refused?.detail ?? '', /changed meanwhile/);
  const kept = answers.find(({ status }) => status === 200)?.body.name;
  const { body } = await owner.request<DesignedProduct>('GET', `/products/${made.id}`);
  assert.equal(body.name, kept);
});

test('archived and personalised products, those of others, and other roles are refused, and nothing is written', async () => {
  const archived = await designTee(owner, plum.design);
  const made = await designTee(owner, plum.design);
  await owner.api('DELETE', `/products/${archived.id}`);
  const other = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  const theirs = await take(other, '/theirs.png', { colour: '#010203' });
  const { blobs: _dated, ...untouched } = await allProducts(service);
  for (const [answer, status, code] of [
    [await change(archived.id, { name: 'New' }), 409, 'conflict'],
    [await change(service.demo.products.personalised, { name: 'New' }), 409, 'conflict'],
    [await change(made.id, { name: 'New' }, other), 404, 'not_found'],
    [await change('prod_none', { name: 'New' }), 404, 'not_found'],
    [await change(made.id, { name: 'New' }, await openRole(service, 'orders')), 403, 'insufficient_scope'],
  ] as const) {
    assert.deepEqual([answer.status, answer.body.code], [status, code]);
  }
  for (const [body, problem] of [
    [
      { decoration: { areas: [{ print_area: 'front', method: 'dtg', design: theirs.design }] } },
      'decoration.areas[0].design unknown_design',
    ],
    [{ retail_prices: { 'TEE-CLASSIC-BLK-M': 3 } }, 'retail_prices.TEE-CLASSIC-BLK-M unknown_variant'],
    [{ base_product_id: 'bprod_none' }, 'base_product_id unknown_field'],
  ] as const) {
    const refused = await owner.request('PATCH', `/products/${made.id}`, { body });
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]]);
  }
  const { blobs: _now, ...left } = await allProducts(service);
  assert.deepEqual(left, untouched);
});
