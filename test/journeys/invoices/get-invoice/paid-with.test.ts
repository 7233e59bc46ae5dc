import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Invoice } from '../../../../src/invoices/schema.ts';
import { readPdf } from '../../../harness/pdf.ts';
import { assertSound } from '../../../harness/written.ts';
import { closeCards, openCardShop, openCards, service } from '../../payments/cards.ts';
import { day } from '../vat.ts';

before(openCards);
after(closeCards);
afterEach(() => assertSound(service));

for (const [what, balance, kind, paidWith, said] of [
  ['a card', 0, 'card', ['card'], 'by card'],
  ['the balance and a card', 100, 'card', ['balance', 'card'], 'from the account balance and by card'],
  ['a direct debit', 0, 'direct_debit', ['direct_debit'], 'by direct debit'],
] as const) {
  test(`an invoice that was paid with ${what} says so, with the day; its credit note does not`, async () => {
    const shop = await openCardShop(balance, kind);
    const placed = await shop.order();
    assert.equal(placed.body.payment_status, 'paid', placed.text);
    const path = `/orders/${placed.body.id}`;
    const invoice = await shop.customer.request<Invoice>('GET', `${path}/invoice`);
    assert.deepEqual(invoice.body.paid_with, paidWith);
    assert.ok((await paper(`${path}/invoice`)).includes(`Paid on ${day(placed.body.created_at)} ${said}`));
    assert.equal((await shop.customer.request('POST', `${path}/cancel`)).status, 200);
    const notes = await shop.customer.request<{ data: { id: string }[] }>('GET', `${path}/credit-notes`);
    assert.equal(notes.body.data.length, 1);
    assert.doesNotMatch(await paper(`${path}/credit-notes/${notes.body.data[0]?.id}`), /Paid on/);

    async function paper(of: string): Promise<string> {
      const response = await fetch(`${service.url}/api/v1${of}`, {
        headers: { authorization: `Bearer ${shop.customer.token}`, accept: 'application/pdf' },
      });
      assert.equal(response.status, 200);
      return readPdf(Buffer.from(await response.arrayBuffer()))
        .flatMap(({ texts }) => [...texts])
        .join('\n');
    }
  });
}
