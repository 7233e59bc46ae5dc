import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertSound } from '../../harness/written.ts';
import { closeDocuments, notesOf, openDocuments, pagesOf, pdf, place, service } from './documents.ts';

before(openDocuments);
after(closeDocuments);
afterEach(() => assertSound(service));

describe('on paper', () => {
  test('a credit note is a PDF too; what is refused stays JSON', async () => {
    const order = await place();
    await service.customer.request('POST', `/orders/${order.id}/cancel`);
    const [note] = (await notesOf(order)).data;
    const paper = await pdf(`/orders/${order.id}/credit-notes/${note?.id}`);
    assert.deepEqual([paper.status, paper.type, pagesOf(paper.bytes)], [200, 'application/pdf', 1]);
    const refused = await pdf(`/orders/${order.id}/credit-notes/nonsense`);
    assert.deepEqual([refused.status, refused.type], [404, 'application/json']);
  });
});
