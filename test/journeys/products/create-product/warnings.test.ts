import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Product, WrittenProduct } from '../../../../src/products/schema.ts';
import { allProducts, create, refuseChange, teeBody } from '../../../harness/products.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { problemsOf, servePicture } from '../../../harness/shop.ts';

let service: TestService;
let customer: Customer;
let art: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer();
  art = await servePicture(service, '/art.png', { widthPx: 800, heightPx: 800, colour: '#204060' });
});
after(() => service.stop());

const decoration = () => ({ areas: [{ print_area: 'front', method: 'dtg', artwork_url: art }] });

async function warningsOf(method: 'POST' | 'PATCH', path: string, body: object): Promise<readonly string[]> {
  const answer = await customer.request<WrittenProduct>(method, path, body);
  assert.ok(answer.status === 200 || answer.status === 201, answer.text);
  return answer.body.warnings.map(({ code, path: at, message }) => `${code} ${at}: ${message}`);
}

const BLANK =
  'no_print_areas decoration.areas: The product is active and has no print areas. Its orders print nothing unless they send decoration.areas.';
const IGNORED = 'This field is not known here and was ignored.';

test('an active product without print areas is created with a warning; a draft, or one with areas, without', async () => {
  assert.deepEqual(await warningsOf('POST', '/products', await teeBody(service)), [BLANK]);
  const empty = await teeBody(service, { status: 'active', decoration: { areas: [] } });
  assert.deepEqual(await warningsOf('POST', '/products', empty), [BLANK]);
  assert.deepEqual(await warningsOf('POST', '/products', await teeBody(service, { status: 'draft' })), []);
  assert.deepEqual(await warningsOf('POST', '/products', await teeBody(service, { decoration: decoration() })), []);
});

test('a change that makes a product active, or leaves an active one without areas, warns; any other does not', async () => {
  const { id } = await create(customer, await teeBody(service, { status: 'draft' }));
  const path = `/products/${id}`;
  assert.deepEqual(await warningsOf('PATCH', path, { name: 'Renamed' }), []);
  assert.deepEqual(await warningsOf('PATCH', path, { status: 'active' }), [BLANK]);
  assert.deepEqual(await warningsOf('PATCH', path, { name: 'Blank on purpose' }), []);
  assert.deepEqual(await warningsOf('PATCH', path, { decoration: decoration() }), []);
  assert.deepEqual(await warningsOf('PATCH', path, { status: 'active' }), []);
  assert.deepEqual(await warningsOf('PATCH', path, { decoration: { areas: [] } }), [BLANK]);
});

test('9.2 an unknown member is ignored with a warning that has the nearest known name, also where nothing changes', async () => {
  const body = { ...(await teeBody(service, { status: 'draft' })), descripton: 'x', url: 'x', price: 3 };
  assert.deepEqual(await warningsOf('POST', '/products', body), [
    `unknown_field descripton: ${IGNORED} Did you mean \`description\`?`,
    `unknown_field url: ${IGNORED} Check its spelling.`,
    `unknown_field price: ${IGNORED} Did you mean \`retail_price\`?`,
  ]);
  const { id } = await create(customer, await teeBody(service, { status: 'draft' }));
  for (const change of [{ state: 'active' }, { state: 'active', name: 'Renamed' }]) {
    assert.deepEqual(await warningsOf('PATCH', `/products/${id}`, change), [
      `unknown_field state: ${IGNORED} Did you mean \`status\`?`,
    ]);
  }
  const found = await customer.request<Product>('GET', `/products/${id}`);
  assert.equal(found.body.status, 'draft');
  assert.ok(!('warnings' in found.body), 'what was warned of is not kept');
});

test('artwork and personalisation in another place are 422, at creation and change, and nothing is written', async () => {
  const { id } = await create(customer, await teeBody(service));
  const before = await allProducts(service);
  for (const name of ['artwork_url', 'artworkUrl', 'design', 'image_url', 'files', 'areas', 'print_file']) {
    const problems = [`${name} misplaced_field`];
    const body = { ...(await teeBody(service)), [name]: art };
    const created = await customer.request('POST', '/products', body);
    assert.deepEqual([created.status, problemsOf(created)], [422, problems], name);
    const changed = await refuseChange(customer, id, { status: 'active', [name]: art });
    assert.deepEqual([changed.status, problemsOf(changed)], [422, problems], name);
    assert.equal(
      changed.body.errors?.[0]?.message,
      `${name} is not taken here. Send artwork as \`decoration.areas[].artwork_url\`, and a picture of the product as \`mockup_url\`.`,
    );
  }
  const personalised = await refuseChange(customer, id, { personalisation: { layers: [] } });
  assert.deepEqual([personalised.status, problemsOf(personalised)], [422, ['personalisation misplaced_field']]);
  const both = await customer.request('POST', '/products', { artwork: art });
  assert.deepEqual(problemsOf(both).toSorted(), [
    'artwork misplaced_field',
    'base_product_id required',
    'name required',
    'variant_skus required',
  ]);
  assert.deepEqual(await allProducts(service), before);
});
