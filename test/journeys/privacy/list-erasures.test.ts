import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { ErasureReceipt } from '../../../src/privacy/ops-schema.ts';
import { openFloor, placeOrder } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('erasures are listed newest first, page by page', async () => {
  const admin = await openFloor(service, 'admin');
  const path = `/accounts/${publicId('acct', service.customer.accountId)}/erase`;
  const made: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    const order = await placeOrder(service);
    made.push((await admin.request<ErasureReceipt>('POST', path, { order: order.id })).body.id);
  }
  const first = await admin.request<Page<ErasureReceipt>>('GET', '/erasures?limit=2');
  assert.deepEqual(
    first.body.data.map(({ id }) => id),
    [made[2], made[1]],
  );
  assert.equal(first.body.has_more, true);
  const second = await admin.request<Page<ErasureReceipt>>('GET', `/erasures?limit=2&cursor=${first.body.next_cursor}`);
  assert.deepEqual(
    second.body.data.map(({ id }) => id),
    [made[0]],
  );
  assert.equal((await admin.request('GET', '/erasures?limit=0')).status, 422);
});
