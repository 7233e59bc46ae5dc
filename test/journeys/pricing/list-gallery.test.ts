import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { GalleryPage } from '../../../src/pricing/selling/selling-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, problemsOf } from '../../harness/shop.ts';
import { designTee, take } from '../products/designing.ts';

let service: TestService;
let owner: PortalClient;
let design: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  const { accountId } = await service.openCustomer();
  owner = await openRole(service, 'owner', accountId);
  ({ design } = await take(owner, '/plum.png', { widthPx: 900, heightPx: 1_200, colour: 'plum' }));
});
after(() => service.stop());

async function list(query: string, by = owner): Promise<GalleryPage> {
  const answer = await by.request<GalleryPage>('GET', `/products${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

test('the gallery is narrowed by status, kind and words, pages newest first, and shows what a piece costs', async () => {
  const made: string[] = [];
  for (const [name, changes] of [
    ['Plum one', { tags: ['Summer'] }],
    ['Plum two', { status: 'draft' }],
    ['Pear three', { tags: ['summer', 'fruit'], decoration: { areas: [] } }],
    ['Plum four', {}],
  ] as const) {
    made.push((await designTee(owner, design, { name, ...changes })).id);
  }
  await owner.api('DELETE', `/products/${made[3]}`);
  const names = async (query: string) => (await list(query)).data.map(({ name }) => name);
  assert.deepEqual(await names(''), ['Pear three', 'Plum two', 'Plum one']);
  assert.deepEqual(await names('?status=draft'), ['Plum two']);
  assert.deepEqual(await names('?status=archived'), ['Plum four']);
  assert.deepEqual(await names('?q=SUMMER'), ['Pear three', 'Plum one']);
  assert.deepEqual(await names('?q=summer%20pear'), ['Pear three']);
  assert.deepEqual(await names('?q=100%25'), [], 'a percent sign is no pattern');
  assert.deepEqual(await names('?q=classic%20pear'), ['Pear three'], 'the garment is a Classic tee');
  assert.deepEqual(await names('?q=tee-classic-wht'), ['Pear three', 'Plum two', 'Plum one'], 'by a part of a SKU');
  assert.deepEqual(await names('?q=hoodie'), []);
  assert.deepEqual(await names('?kind=personalised'), []);
  assert.deepEqual(await names('?kind=fixed&status=active'), ['Pear three', 'Plum one']);
  const first = await list('?limit=2');
  const second = await list(`?limit=2&cursor=${first.next_cursor ?? ''}`);
  assert.deepEqual([first.has_more, second.has_more, second.data[0]?.name], [true, false, 'Plum one']);
  const [blank, printed] = [first.data[0]?.price_from ?? 0, first.data[1]?.price_from ?? 0];
  assert.ok(printed > blank && blank > 0, `${printed} is more than ${blank}`);
});

test('a page looks at 500 products at most, and says where the next one goes on', async () => {
  const customer = await service.openCustomer();
  const many = await openRole(service, 'reader', customer.accountId);
  await addProduct(service, customer, 'TEE-CLASSIC', { name: 'One tee' });
  const text = `insert into product (account_id, id, base_product_id, name, status, created_at, updated_at)
    select account_id, gen_random_uuid(), base_product_id, name, status, created_at, updated_at
    from product, generate_series(1, 600) where account_id = $1`;
  await service.ctx.database.all({ name: 'test_many_products', text }, [customer.accountId]);
  const page = await list('?q=nothing', many);
  assert.deepEqual([page.data.length, page.has_more], [0, true]);
  const rest = await list(`?q=nothing&cursor=${page.next_cursor ?? ''}`, many);
  assert.deepEqual([rest.data.length, rest.has_more], [0, false]);
  assert.equal((await list('?q=tee&limit=100', many)).data.length, 100);
});

test('another account sees none of it, and what is not known is refused', async () => {
  const other = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  assert.deepEqual((await list('', other)).data, []);
  for (const [query, problem] of [
    ['?status=gone', 'status unknown_value'],
    ['?kind=both', 'kind unknown_value'],
    ['?cursor=prod_none', 'cursor pattern'],
    ['?limit=0', 'limit pattern'],
    ['?colour=red', 'colour unknown_field'],
  ] as const) {
    const refused = await owner.request('GET', `/products${query}`);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], query);
  }
});

test('a personalised product has no one price', async () => {
  const { data } = await list('?kind=personalised', await openRole(service, 'reader'));
  assert.ok(data.length > 0);
  assert.deepEqual([...new Set(data.map(({ price_from: price }) => price))], [null]);
});
