import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CreditNote, Invoice } from '../../../../src/invoices/schema.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import { addProduct, basket, HOME, TEE_WHITE_M } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';
import { admin, closeDocuments, openDocuments, place, service } from '../documents.ts';

before(openDocuments);
after(closeDocuments);
afterEach(() => assertSound(service));

async function pdfOf(path: string) {
  const headers = { authorization: `Bearer ${admin.token}`, accept: 'application/pdf' };
  const response = await fetch(`${service.url}/ops/v1${path}`, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    name: response.headers.get('content-disposition'),
    bytes,
  };
}

describe('operators read the documents of an order of any account', () => {
  test('the same invoice that its customer gets, by id and by reference, as JSON and as PDF', async () => {
    const order = await place();
    const own = await service.customer.request<Invoice>('GET', `/orders/${order.id}/invoice`);
    for (const name of [order.id, order.reference, order.reference.toLowerCase()]) {
      const read = await admin.request<Invoice>('GET', `/orders/${name}/invoice`);
      assert.deepEqual([read.status, read.body], [200, own.body]);
    }
    const paper = await pdfOf(`/orders/${order.id}/invoice`);
    assert.deepEqual([paper.status, paper.type], [200, 'application/pdf']);
    assert.ok(paper.name?.includes(`${own.body.number}.pdf`), paper.name ?? 'no name');
    assert.equal(paper.bytes.subarray(0, 5).toString(), '%PDF-');
  });

  test('its credit notes, the list and each one, as JSON and as PDF; a note of another order is 404', async () => {
    const order = await place();
    const other = await place();
    await service.customer.request('POST', `/orders/${order.id}/cancel`);
    const own = await service.customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes`);
    const read = await admin.request<Page<CreditNote>>('GET', `/orders/${order.reference}/credit-notes`);
    assert.deepEqual(read.body, own.body);
    const [note] = read.body.data;
    const one = await admin.request<CreditNote>('GET', `/orders/${order.id}/credit-notes/${note?.id}`);
    assert.deepEqual([one.status, one.body], [200, note]);
    const paper = await pdfOf(`/orders/${order.id}/credit-notes/${note?.id}`);
    assert.deepEqual([paper.status, paper.type], [200, 'application/pdf']);
    for (const path of [`${other.id}/credit-notes/${note?.id}`, `${order.id}/credit-notes/nonsense`]) {
      const refused = await admin.request('GET', `/orders/${path}`);
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
    }
  });

  test('an invoice that is due is issued once, however many ask at once', async () => {
    const order = await place();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => admin.request<Invoice>('GET', `/orders/${order.id}/invoice`)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body }) => body.number)).size, 1);
  });

  test('an order that is not paid is 409 and takes no number, and one that is not there is 404', async () => {
    const poor = await service.openCustomer();
    const product_id = await addProduct(service, poor, 'TEE-CLASSIC');
    const order = await place(
      basket(service, { items: [{ product_id, variant_sku: TEE_WHITE_M, quantity: 1 }], shipping_address: HOME }),
      poor,
    );
    const before = await rows(service, 'select next_number from invoice_series');
    const refused = await admin.request('GET', `/orders/${order.id}/invoice`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    assert.deepEqual(await rows(service, 'select next_number from invoice_series'), before);
    for (const name of ['PF-22222222', 'ord_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      for (const part of ['invoice', 'credit-notes']) {
        const none = await admin.request('GET', `/orders/${name}/${part}`);
        assert.deepEqual([none.status, none.body.code], [404, 'not_found'], `${name}/${part}`);
      }
    }
  });

  for (const role of ['viewer', 'production', 'finance'] as const) {
    test(`the role ${role} may`, async () => {
      const order = await place();
      const by = await service.openOperator(role);
      assert.equal((await by.request('GET', `/orders/${order.id}/invoice`)).status, 200);
      assert.equal((await by.request('GET', '/invoices')).status, 200);
    });
  }
});
