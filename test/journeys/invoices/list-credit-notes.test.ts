import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CreditNote, Invoice } from '../../../src/invoices/schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { basket, teeItem } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { admin, closeDocuments, notesOf, openDocuments, place, service } from './documents.ts';

before(openDocuments);
after(closeDocuments);
afterEach(() => assertSound(service));

const cancelSome = (order: CreatedOrder, body: object) =>
  admin.request('POST', `/orders/${order.id}/cancel`, { reason: 'Two too many.', ...body });

describe('credit notes', () => {
  test('one for each credit, of the same series, frozen, of its invoice, with what it takes back and its VAT by rate', async () => {
    const order = await place(
      basket(service, { items: [teeItem(service, { quantity: 5 })], external_reference: 'note-1' }),
    );
    const line = order.items.lineItems[0];
    await cancelSome(order, { items: [{ line_id: line?.id, quantity: 2 }] });
    await admin.request('POST', `/orders/${order.id}/refunds`, { amount_gbp: 1.2, reason: 'It was late.' });
    const { data } = await notesOf(order);
    const invoice = (await service.customer.request<Invoice>('GET', `/orders/${order.id}/invoice`)).body;
    assert.equal(data.length, 2);
    const [goodwill, pieces] = data;
    assert.deepEqual(
      [pieces?.invoice_number, pieces?.order_reference, pieces?.external_reference, pieces?.reason],
      [invoice.number, order.reference, 'note-1', 'Two too many.'],
    );
    assert.deepEqual(pieces?.lines, [
      {
        description: line?.name,
        variant_sku: line?.variant_sku,
        quantity: 2,
        unit_price: line?.unit_price,
        net: Math.round((line?.unit_price ?? 0) * 200) / 100,
        vat_rate: null,
      },
    ]);
    assert.deepEqual([goodwill?.net_total, goodwill?.vat_total, goodwill?.total], [1, 0.2, 1.2]);
    assert.deepEqual(goodwill?.vat, [{ rate: 20, net: 1, vat: 0.2, note: '' }]);
    assert.deepEqual(goodwill?.seller, invoice.seller);
    const numbers = [invoice.number, pieces?.number, goodwill?.number].map((number) => Number(number?.split('-')[1]));
    assert.deepEqual(numbers, [numbers[0], (numbers[0] ?? 0) + 1, (numbers[0] ?? 0) + 2], 'one series, in turn');
    const one = await service.customer.request<CreditNote>(
      'GET',
      `/orders/${order.reference}/credit-notes/${goodwill?.id}`,
    );
    assert.deepEqual(one.body, goodwill);
    await assert.rejects(service.ctx.database.script('update credit_note set number = number + 100'), /credit note/);
    await assert.rejects(service.ctx.database.script('delete from credit_note'), /credit note/);
  });

  test('a list is read in pages, the latest first', async () => {
    const order = await place(basket(service, { items: [teeItem(service, { quantity: 3 })] }));
    for (let index = 0; index < 3; index += 1) {
      await admin.request('POST', `/orders/${order.id}/refunds`, { amount_gbp: 0.5, reason: `${index}` });
    }
    const first = await notesOf(order, '?limit=2');
    assert.deepEqual([first.data.map(({ reason }) => reason), first.has_more], [['2', '1'], true]);
    const rest = await notesOf(order, `?limit=2&cursor=${first.next_cursor}`);
    assert.deepEqual([rest.data.map(({ reason }) => reason), rest.has_more], [['0'], false]);
  });

  test('an order without one has an empty list; another account, another order and no order are the same 404', async () => {
    const [order, other] = [await place(), await place()];
    await service.customer.request('POST', `/orders/${order.id}/cancel`);
    const [note] = (await notesOf(order)).data;
    assert.deepEqual((await notesOf(other)).data, []);
    const stranger = await service.openCustomer();
    for (const [by, path] of [
      [stranger, `${order.id}/credit-notes`],
      [stranger, `${order.id}/credit-notes/${note?.id}`],
      [service.customer, `${other.id}/credit-notes/${note?.id}`],
      [service.customer, `${order.id}/credit-notes/cn_01h455vb4pex5vsknk084sn02q`],
      [service.customer, `${order.id}/credit-notes/nonsense`],
    ] as const) {
      const refused = await by.request('GET', `/orders/${path}`);
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'], path);
    }
  });
});
