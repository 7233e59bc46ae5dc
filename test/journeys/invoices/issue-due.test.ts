import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { issueDueDocuments } from '../../../src/invoices/issue-due.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { settleWaitingOrders } from '../../../src/payments/settle-waiting.ts';
import { addProduct, HOME } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeDocuments, openDocuments, place, service } from './documents.ts';

before(openDocuments);
after(closeDocuments);
afterEach(() => assertSound(service));

describe('the sweep', () => {
  const invoiced = async (id: string): Promise<boolean> =>
    (await rows(service, 'select 1 from invoice where order_id = $1', [parseId('ord', id) ?? ''])).length === 1;

  test('issues the invoice of every paid order that is a minute old, asked for or not, and each once by several at once', async () => {
    service.shiftMs(120_000);
    await issueDueDocuments(service.ctx);
    const orders = await Promise.all(Array.from({ length: 12 }, () => place()));
    assert.equal(await issueDueDocuments(service.ctx), 0);
    service.shiftMs(61_000);
    await Promise.all([1, 2, 3].map(() => issueDueDocuments(service.ctx)));
    for (const { id } of orders) assert.ok(await invoiced(id));
    assert.equal(await issueDueDocuments(service.ctx), 0, 'and what is done is not looked at again');
  });

  test('finds an order that was paid long after others that were placed later, and leaves one that is not paid', async () => {
    const poor = await service.openCustomer();
    const product = await addProduct(service, poor, 'TEE-CLASSIC');
    const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
    const unpaid = await place({ items, shipping_address: HOME }, poor);
    service.shiftMs(7_200_000);
    await place();
    service.shiftMs(120_000);
    await issueDueDocuments(service.ctx);
    assert.equal(await invoiced(unpaid.id), false);
    const amountPence = pence(Math.round(unpaid.charged.total * 100));
    await creditAccount(service.ctx, { accountId: poor.accountId, amountPence, reference: 'late' });
    await settleWaitingOrders(service.ctx, poor.accountId);
    await issueDueDocuments(service.ctx);
    assert.ok(await invoiced(unpaid.id));
  });

  test('issues the note of every credit, after the invoice that it belongs to', async () => {
    const order = await place();
    await service.customer.request('POST', `/orders/${order.id}/cancel`);
    await issueDueDocuments(service.ctx);
    const [found] = await rows<{ invoice: number; note: number }>(
      service,
      'select i.number as invoice, n.number as note from invoice i join credit_note n using (order_id) where order_id = $1',
      [parseId('ord', order.id) ?? ''],
    );
    assert.ok(found !== undefined && found.note > found.invoice);
  });
});
