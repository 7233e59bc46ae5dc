import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { StockOverview } from '../../../src/production/schema.ts';
import { rows } from '../../harness/written.ts';
import { closeStock, floor, movementsOf, openStock, service } from './stock.ts';

before(openStock);
after(closeStock);

test('the stock list is paged by SKU, and the movements newest first, without a gap or a repeat', async () => {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await floor.request<Page<StockOverview>>('GET', `/stock?limit=7${cursor}`);
    seen.push(...body.data.map(({ sku }) => sku));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  const all = await rows<{ sku: string }>(service, 'select sku from stock order by sku');
  assert.deepEqual(
    seen,
    all.map(({ sku }) => sku),
  );
  const first = await movementsOf('limit=3');
  const second = await movementsOf(`limit=3&cursor=${first.next_cursor}`);
  const ids = [...first.data, ...second.data].map(({ id }) => Number(id));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => b - a),
  );
  assert.equal(new Set(ids).size, 6);
  for (const query of ['cursor=0', 'cursor=x', 'limit=0', 'sku=%20']) {
    assert.equal((await floor.request('GET', `/stock/movements?${query}`)).status, 422, query);
  }
});

test('a movement is never changed or deleted', async () => {
  for (const sql of [
    'update stock_movement set quantity = 0',
    'delete from stock_movement',
    'truncate stock_movement',
  ]) {
    await assert.rejects(rows(service, sql), /never changed or deleted/);
  }
});
