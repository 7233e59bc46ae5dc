import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { basket, HOME, teeItem } from '../../../harness/shop.ts';
import { assertSound } from '../../../harness/written.ts';
import { closeDocuments, openDocuments, pagesOf, pdf, place, service } from '../documents.ts';

before(openDocuments);
after(closeDocuments);
afterEach(() => assertSound(service));

describe('on paper', () => {
  test('the invoice is a PDF by Accept, and the same bytes whenever it is asked for', async () => {
    const order = await place();
    const first = await pdf(`/orders/${order.id}/invoice`);
    assert.deepEqual([first.status, first.type, first.vary], [200, 'application/pdf', 'accept']);
    assert.equal(first.bytes.subarray(0, 5).toString(), '%PDF-');
    assert.equal(pagesOf(first.bytes), 1);
    assert.deepEqual((await pdf(`/orders/${order.id}/invoice`)).bytes, first.bytes);
    assert.equal((await pdf(`/orders/${order.id}/invoice`, '*/*')).type, 'application/json');
  });

  test('a long invoice goes on over pages, names in Japanese and Arabic included', async () => {
    const items = Array.from({ length: 60 }, (_, index) => teeItem(service, { name: `${index} クラブのシャツ نادي` }));
    const order = await place(
      basket(service, { items, billing_address: { ...HOME, company_name: '株式会社プリント', contact_name: 'ليلى' } }),
    );
    const paper = await pdf(`/orders/${order.id}/invoice`);
    assert.equal(paper.status, 200);
    assert.ok(pagesOf(paper.bytes) >= 2);
    const text = paper.bytes.toString('latin1');
    assert.match(text, /NotoSansJP/);
    assert.match(text, /NotoSansArabic/);
  });
});
