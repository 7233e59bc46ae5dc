import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import type { AccountBalance } from '../../../src/billing/schema.ts';
import { issueDueDocuments } from '../../../src/invoices/issue-due.ts';
import type { CreditNote, Invoice } from '../../../src/invoices/schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../../src/payments/settle-waiting.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, HOME, problemsOf, teeItem } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';

let service: TestService;
let admin: Awaited<ReturnType<TestService['openOperator']>>;
before(async () => {
  service = await startTestService({
    env: {
      SELLER_NAME: 'Mill Lane Prints Ltd',
      SELLER_ADDRESS: '12 Mill Lane, Leeds, LS1 4DY',
      SELLER_VAT_NUMBER: 'GB123456789',
    },
  });
  admin = await service.openOperator('admin');
});
afterEach(() => assertSound(service));
after(() => service.stop());

async function place(body: object = basket(service), by: Customer = service.customer): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const cancelSome = (order: CreatedOrder, body: object) =>
  admin.request('POST', `/orders/${order.id}/cancel`, { reason: 'Two too many.', ...body });

const notesOf = async (order: CreatedOrder, query = ''): Promise<Page<CreditNote>> => {
  const answer = await service.customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

/** The pages of a PDF, as far as they can be told without a reader of PDF. */
async function pdf(path: string, accept = 'application/pdf') {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${service.customer.token}`, accept },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    vary: response.headers.get('vary'),
    bytes,
  };
}

const pagesOf = (bytes: Buffer): number => [...bytes.toString('latin1').matchAll(/\/Type \/Page\b/g)].length;

describe('credit notes', () => {
  test('one for each credit, of the same series, frozen, of its invoice, with what it takes back and its VAT by rate', async () => {
    const order = await place(
      basket(service, { items: [teeItem(service, { quantity: 5 })], external_reference: 'note-1' }),
    );
    const line = order.items.lineItems[0];
    await cancelSome(order, { lines: [{ line_id: line?.id, quantity: 2 }] });
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

describe('the balance at a past time', () => {
  const at = async (by: Customer, time: Date) =>
    (await by.request<AccountBalance>('GET', `/account/balance?at=${time.toISOString()}`)).body;

  test('is what the statement says it was then, 0 before the first entry', async () => {
    const customer = await service.openCustomer();
    const start = service.ctx.clock.now();
    const times: Date[] = [];
    for (let index = 1; index <= 9; index += 1) {
      service.shiftMs(60_000);
      await creditAccount(service.ctx, {
        accountId: customer.accountId,
        amountPence: pence(index),
        reference: `${index}`,
      });
      service.shiftMs(1_000);
      times.push(service.ctx.clock.now());
    }
    assert.equal((await at(customer, start)).balance, 0);
    for (const [index, time] of times.entries()) {
      const expected = ((index + 1) * (index + 2)) / 2;
      const answer = await at(customer, time);
      assert.deepEqual([Math.round(answer.balance * 100), answer.as_of], [expected, time.toISOString()]);
    }
  });

  test('refuses a time that is still to come, and one that no calendar has', async () => {
    const future = new Date(service.ctx.clock.now().getTime() + 60_000).toISOString();
    for (const [time, code] of [
      [future, 'out_of_bounds'],
      ['2026-02-30T00:00:00.000Z', 'time'],
      ['yesterday', 'pattern'],
    ] as const) {
      const refused = await service.customer.request('GET', `/account/balance?at=${time}`);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [`at ${code}`]], time);
    }
  });
});
