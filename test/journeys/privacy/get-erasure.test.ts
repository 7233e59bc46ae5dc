import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import type { ErasureReceipt } from '../../../src/privacy/ops-schema.ts';
import { openFloor, placeOrder } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('a receipt is read by its id, also by a viewer, and an unknown one is 404', async () => {
  const admin = await openFloor(service, 'admin');
  const viewer = await openFloor(service, 'viewer');
  const order = await placeOrder(service);
  const path = `/accounts/${publicId('acct', service.customer.accountId)}/erase`;
  const { body } = await admin.request<ErasureReceipt>('POST', path, { order: order.reference });
  assert.deepEqual([body.scope, body.state, body.waiting_for], ['order', 'in_progress', [order.reference]]);
  const read = await viewer.request<ErasureReceipt>('GET', `/erasures/${body.id}`);
  assert.deepEqual([read.status, read.body], [200, body]);
  for (const id of ['ers_00000000000000000000000000', 'ers_x', order.id]) {
    assert.equal((await viewer.request('GET', `/erasures/${id}`)).status, 404, id);
  }
});
