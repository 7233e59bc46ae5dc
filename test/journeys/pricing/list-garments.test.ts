import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { PricesReply } from '../../../src/pricing/schema.ts';
import type { GarmentSummary } from '../../../src/products/designer/designer-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('every garment on offer is listed with its pictures and the price of its cheapest blank, page by page', async () => {
  const reader = await openRole(service, 'reader');
  const list = async (query: string) => (await reader.request<Page<GarmentSummary>>('GET', `/garments${query}`)).body;
  const { data, has_more: hasMore } = await list('?limit=100');
  assert.equal(hasMore, false);
  const tee = data.find(({ title }) => title === 'Classic tee');
  assert.ok(tee !== undefined);
  assert.match(tee.colours[0]?.front_url ?? '', /\/garments\/tee-front-[0-9a-f]{6}\.svg$/);
  const { body: prices } = await service.customer.request<PricesReply>('GET', `/catalog/products/${tee.id}/prices`);
  const ofOne = prices.blanks.map(({ breaks }) => breaks[0]?.unit_price ?? 0);
  assert.equal(tee.price_from, Math.min(...ofOne));
  const first = await list('?limit=2');
  const second = await list(`?limit=2&cursor=${first.next_cursor ?? ''}`);
  assert.deepEqual(
    [...first.data, ...second.data].map(({ id }) => id),
    data.slice(0, 4).map(({ id }) => id),
  );
  assert.equal((await reader.request('GET', '/garments?limit=0')).status, 422);
});
