import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket, problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { createCap, LINE, onFront, publish, save } from './templates.ts';

let service: TestService;
let owner: PortalClient;
before(async () => {
  service = await startTestService({ role: 'api' });
  owner = await openRole(service, 'owner');
});
after(() => service.stop());

const countProducts = async (): Promise<number> =>
  (await rows<{ count: number }>(service, 'select count(*)::integer as count from product'))[0]?.count ?? 0;

test('a personalised product begins as a draft of the public API, with nothing to fill in', async () => {
  const cap = await createCap(owner);
  assert.deepEqual([cap.status, cap.published_version, cap.is_changed, cap.published], ['draft', 0, true, null]);
  assert.deepEqual(cap.template, { areas: [{ print_area: 'front', method: 'embroidery' }], layers: [] });
  assert.deepEqual(
    cap.problems.map(({ path, code }) => [path, code]),
    [['template.layers', 'out_of_bounds']],
  );
  const [front] = cap.areas;
  assert.deepEqual([front?.print_area, front?.width_mm, front?.height_mm], ['front', 110, 55]);
  assert.ok((front?.garment?.parts.length ?? 0) > 0, 'it lies on the picture of a cap');
  assert.ok(cap.fonts.some(({ family }) => family === 'Pacifico') && cap.scripts.includes('Thai'));
  assert.deepEqual(new Set(cap.variants.map(({ colour_hex: hex }) => hex)).size, cap.variants.length);

  const seen = await owner.api<{ status: string; personalised: boolean }>('GET', `/products/${cap.id}`);
  assert.deepEqual([seen.body.status, seen.body.personalised], ['draft', true]);
  const layers = await owner.api<{ layers: unknown[] }>('GET', `/products/${cap.id}/personalisation`);
  assert.deepEqual(layers.body, { layers: [] });
});

test('names that the catalogue lacks and people who may not are refused, and nothing is written', async () => {
  const before = await countProducts();
  const body = { base_product_id: 'bprod_00000000000000000000000000', name: ' ', variant_skus: [] };
  const shape = await owner.request('POST', '/templates', { body });
  assert.deepEqual(problemsOf(shape), ['name pattern', 'variant_skus out_of_bounds']);
  const named = { ...body, name: 'Cap', variant_skus: ['NONE'] };
  const unknown = await owner.request('POST', '/templates', { body: named });
  assert.deepEqual(problemsOf(unknown), ['base_product_id unknown_base_product']);
  const more = await owner.request('POST', '/templates', { body: { ...named, decoration: {} } });
  assert.deepEqual(problemsOf(more), ['decoration unknown_field']);
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role);
    const refused = await person.request('POST', '/templates', { body: named });
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
  }
  assert.equal(await countProducts(), before);
});

test('what was never published cannot be ordered, but as a blank garment that is asked for', async () => {
  const cap = await createCap(owner);
  const ask = (more: object) => {
    const items = [{ product_id: cap.id, variant_sku: 'CAP-TWILL-KHA', quantity: 1, ...more }];
    return service.customer.request('POST', '/orders', basket(service, { items }));
  };
  const countOrders = () => rows(service, 'select count(*)::integer as count from orders');
  const before = await countOrders();
  const inputs = { decoration: { personalisation: { inputs: {} } } };
  for (const more of [{}, inputs, { ...inputs, print_jobs: [] }]) {
    const refused = await ask(more);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['items[0].product_id product_unpublished']]);
    assert.match(refused.text, /never published.*print_jobs: \[\]/);
  }
  assert.deepEqual(await countOrders(), before);
  assert.equal((await ask({ print_jobs: [] })).status, 201);
  const saved = await save(owner, cap, onFront({ ...LINE, required: false }));
  assert.equal((await ask({})).status, 422, 'a draft is not published by being saved');
  assert.equal((await publish(owner, saved.body)).status, 200);
  assert.equal((await ask({})).status, 201, 'all its layers may stay empty');
});
