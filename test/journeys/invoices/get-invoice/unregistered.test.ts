import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CreditNote, Invoice } from '../../../../src/invoices/schema.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { CreatedOrder, Estimate } from '../../../../src/orders/schema.ts';
import { readPdf } from '../../../harness/pdf.ts';
import { type OperatorClient, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, HOME, teeItem } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';

const DAY_MS = 86_400_000;

let service: TestService;
let finance: OperatorClient;
/** The seller is registered from the day after tomorrow on. */
before(async () => {
  const day = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
  service = await startTestService({
    env: {
      SELLER_NAME: 'Mill Lane Prints Ltd',
      SELLER_ADDRESS: '12 Mill Lane, Leeds, LS1 4DY',
      SELLER_VAT_REGISTERED: day,
      SELLER_VAT_NUMBER: 'GB999999973',
    },
  });
  finance = await service.openOperator('finance');
});
after(() => service.stop());
afterEach(() => assertSound(service));

const items = () => [
  teeItem(service, { quantity: 3, print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }] }),
  teeItem(service),
];

async function place(body: object = basket(service, { items: items() })): Promise<CreatedOrder> {
  const answer = await service.customer.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function read<Body>(path: string): Promise<Body> {
  const answer = await service.customer.request<Body>('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function paper(path: string): Promise<string> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${service.customer.token}`, accept: 'application/pdf' },
  });
  assert.equal(response.status, 200);
  return readPdf(Buffer.from(await response.arrayBuffer()))
    .flatMap(({ texts }) => [...texts])
    .join('\n');
}

const NOTE = /^No VAT: the seller was not registered for VAT/;

/** No word of VAT but the reason for its absence. */
function assertWithoutVat(text: string): void {
  const words = text.split('\n').filter((line) => line.includes('VAT'));
  assert.deepEqual([words.length, NOTE.test(words[0] ?? '')], [1, true], text);
  assert.equal(text.includes('999999973'), false);
}

describe('before the seller is registered for VAT', () => {
  test('the estimate is the charge and has no VAT; the invoice is no VAT invoice and says why; VAT is posted nowhere', async () => {
    const body = basket(service, { items: items() });
    const { body: estimate } = await service.customer.request<Estimate>('POST', '/orders/estimate', body);
    const order = await place(body);
    assert.deepEqual([estimate.vat_amount, order.charged.vat_amount], [0, 0]);
    assert.equal(order.charged.total, estimate.total);
    const invoice = await read<Invoice>(`/orders/${order.id}/invoice`);
    assert.deepEqual([invoice.seller.vat_number, invoice.vat_total, invoice.total], ['', 0, estimate.total]);
    assert.deepEqual(
      invoice.vat.map(({ rate, net, vat, note }) => [rate, net, vat, NOTE.test(note)]),
      [[0, invoice.net_total, 0, true]],
    );
    const text = await paper(`/orders/${order.id}/invoice`);
    assert.match(text, /^Invoice$/m);
    assertWithoutVat(text);
    assert.deepEqual(await rows(service, "select 1 from posting where credit_account like 'vat:%'"), []);
  });

  test('every refund is exact, and its credit note has no VAT either', async () => {
    const order = await place();
    const [line] = order.items.lineItems;
    const given = [
      { path: `/orders/${order.id}/refunds`, body: { amount_gbp: 1.01, reason: 'It was late.' } },
      { path: `/orders/${order.id}/cancel`, body: { reason: 'Out.', lines: [{ line_id: line?.id, quantity: 1 }] } },
      { path: `/orders/${order.id}/cancel`, body: { reason: 'Out.' } },
    ];
    for (const { path, body } of given) {
      const answer = await finance.request('POST', path, body);
      assert.equal(answer.status, 200, answer.text);
    }
    const { data: notes } = await read<Page<CreditNote>>(`/orders/${order.id}/credit-notes`);
    assert.equal(notes.length, 3);
    assert.equal(
      notes.reduce((sum, note) => sum + Math.round(note.total * 100), 0),
      Math.round(order.charged.total * 100),
    );
    for (const note of notes) {
      assert.deepEqual([note.vat_total, note.seller.vat_number], [0, '']);
      assertWithoutVat(await paper(`/orders/${order.id}/credit-notes/${note.id}`));
    }
  });
});

test('from its day on VAT is charged; an order that was placed before keeps what it was placed with, also if it is paid later', async () => {
  const poor = await service.openCustomer();
  const product = await addProduct(service, poor, 'TEE-CLASSIC');
  const waiting = await poor.request<CreatedOrder>('POST', '/orders', {
    items: [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }],
    shipping_address: HOME,
  });
  assert.deepEqual([waiting.status, waiting.body.payment_status], [201, 'failed']);
  const before = await place();
  service.shiftMs(2 * DAY_MS);

  const order = await place();
  assert.ok(order.charged.vat_amount > 0);
  const invoice = await read<Invoice>(`/orders/${order.id}/invoice`);
  assert.deepEqual([invoice.seller.vat_number, invoice.vat_total], ['GB999999973', order.charged.vat_amount]);
  assert.match(await paper(`/orders/${order.id}/invoice`), /^VAT invoice$/m);
  assertWithoutVat(await paper(`/orders/${before.id}/invoice`));

  const key = { 'idempotency-key': 'pays-later' };
  const settled = await finance.request('POST', `/orders/${waiting.body.id}/settle`, {}, key);
  assert.equal(settled.status, 200, settled.text);
  const late = await poor.request<Invoice>('GET', `/orders/${waiting.body.id}/invoice`);
  assert.deepEqual(
    [late.body.seller.vat_number, late.body.vat_total, late.body.total],
    ['', 0, waiting.body.charged.total],
  );
  assert.match(late.body.vat[0]?.note ?? '', NOTE);
});
