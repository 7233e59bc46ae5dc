import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Brand } from '../../../src/brands/schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { createBrand } from './brands.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('brands are listed page by page, the newest first, without archived ones and those of other accounts', async () => {
  const [one, other] = [await service.openCustomer(), await service.openCustomer()];
  for (const name of ['A', 'B', 'C', 'D']) await createBrand(one, { name, is_default: name === 'B' });
  await createBrand(other, { name: 'Foreign' });
  const list = async (query: string) => (await one.request<Page<Brand>>('GET', `/brands${query}`)).body;
  const first = await list('?limit=2');
  assert.deepEqual([first.data.map(({ name }) => name), first.has_more], [['D', 'C'], true]);
  await one.request('DELETE', `/brands/${first.data[1]?.id}`);
  const second = await list(`?limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual(
    second.data.map(({ name, is_default }) => [name, is_default]),
    [
      ['B', true],
      ['A', false],
    ],
  );
  assert.deepEqual([second.has_more, second.next_cursor], [false, null]);
  assert.deepEqual(
    (await list('')).data.map(({ name }) => name),
    ['D', 'B', 'A'],
  );
  const refused = await one.request('GET', '/brands?limit=0&cursor=prod_01h455vb4pex5vsknk084sn02q');
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['limit pattern', 'cursor pattern']]);
});
