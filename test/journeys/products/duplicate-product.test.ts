import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DesignedProduct } from '../../../src/products/designer/designer-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { allProducts } from '../../harness/products.ts';
import { type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { designTee, take } from './designing.ts';
import { createCap, LINE, onFront, publish, save, type TemplateReply } from './templates.ts';

let service: TestService;
let owner: PortalClient;
let made: DesignedProduct;
before(async () => {
  service = await startTestService({ role: 'api' });
  owner = await openRole(service, 'owner');
  const { design } = await take(owner, '/plum.png', { widthPx: 900, heightPx: 1_200, colour: 'plum' });
  const position = { x: 0.4, y: 0.3, scale: 0.5, rotation: 15 };
  made = await designTee(owner, design, {
    name: 'Ä'.repeat(200),
    decoration: { areas: [{ print_area: 'front', method: 'dtg', design, position }] },
    retail_price: 20,
    retail_prices: { 'TEE-CLASSIC-WHT-S': 21 },
    tags: ['plum'],
  });
});
after(() => service.stop());

const duplicate = (id: string, by = owner) =>
  by.request<DesignedProduct & Pick<ErrorReply, 'code' | 'detail'>>('POST', `/products/${id}/duplicate`, { body: {} });

test('a copy is a draft with the same designs, places, variants and prices, and changing it leaves the product alone', async () => {
  const copy = await duplicate(made.id);
  assert.equal(copy.status, 201, copy.text);
  assert.deepEqual([copy.body.status, copy.body.name], ['draft', `${'Ä'.repeat(193)} (copy)`]);
  assert.notEqual(copy.body.id, made.id);
  const like = ({ designs, retail_price, retail_prices, tags, variants, base_product }: DesignedProduct) => ({
    designs: designs.map(({ picture_url: _url, ...design }) => design),
    ...{ retail_price, retail_prices, tags, base_product },
    variants: variants.map(({ blank_variant_sku: sku, active }) => ({ sku, active })),
  });
  assert.deepEqual(like(copy.body), like(made));
  await owner.request('PATCH', `/products/${copy.body.id}`, { body: { decoration: { areas: [] } } });
  const { body: before } = await owner.request<DesignedProduct>('GET', `/products/${made.id}`);
  assert.deepEqual([before.updated_at, like(before)], [made.updated_at, like(made)]);
});

test('an archived product can be copied, without the variants that it no longer offers', async () => {
  const { body: first } = await duplicate(made.id);
  await owner.request('PATCH', `/products/${first.id}`, { body: { variant_skus: ['TEE-CLASSIC-NVY-M'] } });
  await owner.api('DELETE', `/products/${first.id}`);
  const copy = await duplicate(first.id);
  assert.deepEqual([copy.status, copy.body.status], [201, 'draft']);
  assert.deepEqual(
    copy.body.variants.map(({ blank_variant_sku: sku, active }) => [sku, active]),
    [['TEE-CLASSIC-NVY-M', true]],
  );
});

test('a copy of a personalised product has the draft of its template, and is published by itself', async () => {
  const cap = await createCap(owner);
  const template = async (id: string): Promise<TemplateReply> =>
    (await owner.request<TemplateReply>('GET', `/templates/${id}`)).body;
  const drafted = await save(owner, cap, onFront(LINE));
  const early = await template((await duplicate(cap.id)).body.id);
  assert.deepEqual(early.template, drafted.body.template, 'what was never published is copied, too');
  assert.deepEqual([early.status, early.published, early.published_version], ['draft', null, 0]);
  const published = await publish(owner, drafted.body);
  const changed = await save(owner, published.body, onFront({ ...LINE, length_max: 12 }));
  const late = await template((await duplicate(cap.id)).body.id);
  assert.deepEqual(late.template, changed.body.template);
  assert.deepEqual([late.status, late.published, late.published_version], ['draft', null, 0]);
  for (const copy of [early, late]) {
    const answer = await publish(owner, copy);
    assert.deepEqual([answer.status, answer.body.status, answer.body.published_version], [200, 'active', 1]);
    assert.deepEqual(answer.body.published, copy.template);
  }
  assert.deepEqual((await template(cap.id)).published, published.body.published, 'the first one is left alone');
});

test('what cannot be ordered any more is not copied, nor what is another’s, nor by other roles', async () => {
  const other = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  const untouched = await allProducts(service);
  for (const [answer, status, code] of [
    [await duplicate(made.id, other), 404, 'not_found'],
    [await duplicate('prod_none'), 404, 'not_found'],
    [await duplicate(made.id, await openRole(service, 'reader')), 403, 'insufficient_scope'],
  ] as const) {
    assert.deepEqual([answer.status, answer.body.code], [status, code]);
  }
  const text = `update product_variant set active = false where product_id = (
    select product_id from product_variant where id in (select id from product_variant where sku = 'TEE-CLASSIC-WHT-3XL') limit 1)`;
  await service.ctx.database.all({ name: 'test_nothing_offered', text }, []);
  const refused = await duplicate(made.id);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  const { products, ...others } = await allProducts(service);
  assert.equal(products, untouched.products);
  assert.equal(others.designs, untouched.designs);
});
