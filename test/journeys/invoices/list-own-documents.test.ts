import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { IssuedDocument } from '../../../src/invoices/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openShop } from '../../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('invoices and credit notes of the account, latest first, by kind and period; never those of others', async () => {
  const shop = await openShop(service, 2);
  const other = await openShop(service, 1);
  const [kept, cancelled, foreign] = [await shop.order(), await shop.order(), await other.order()];
  for (const { customer, id } of [
    { customer: shop.customer, id: kept.body.id },
    { customer: shop.customer, id: cancelled.body.id },
    { customer: other.customer, id: foreign.body.id },
  ]) {
    assert.equal((await customer.request('GET', `/orders/${id}/invoice`)).status, 200);
  }
  await shop.customer.request('POST', `/orders/${cancelled.body.id}/cancel`);
  await shop.customer.request('GET', `/orders/${cancelled.body.id}/credit-notes`);
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  const list = async (query: string): Promise<(string | null)[][]> => {
    const { body } = await reader.request<Page<IssuedDocument>>('GET', `/money/documents${query}`);
    return body.data.map(({ kind, order_id: order, credit_note_id: note }) => [
      kind,
      order,
      note === null ? null : 'cn',
    ]);
  };
  const all = [
    ['credit_note', cancelled.body.id, 'cn'],
    ['invoice', cancelled.body.id, null],
    ['invoice', kept.body.id, null],
  ];
  assert.deepEqual(await list(''), all);
  assert.deepEqual(await list('?kind=credit_note'), all.slice(0, 1));
  assert.deepEqual(await list('?to=2020-01-01'), []);
  const refused = await reader.request('GET', '/money/documents?account=acct_x');
  assert.equal(refused.status, 422, 'whose they are is not for the caller to say');
});
