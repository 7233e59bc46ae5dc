import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CreditNote, Invoice } from '../../../../src/invoices/schema.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { Address, CreatedOrder } from '../../../../src/orders/schema.ts';
import { readPdf } from '../../../harness/pdf.ts';
import type { Customer } from '../../../harness/service.ts';
import { addProduct, HOME, TEE_WHITE_M } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';
import { closeVat, finance, nameBuyer, openCustomer, openVat, service } from '../vat.ts';

before(openVat);
after(closeVat);
afterEach(() => assertSound(service));

const RECIPIENT: Address = {
  contact_name: 'Grace Recipient',
  company_name: 'Recipient & Sons',
  line1: '77 Secret Street',
  line2: 'Flat 9',
  city: 'Bath',
  county: 'Somerset',
  postcode: 'BA1 1AA',
  country_code: 'GB',
};

const BYRON = {
  legal_name: 'Byron Ltd',
  address: { line1: '5 High Street', city: 'York', postcode: 'YO1 7HH', country_code: 'GB' },
  contact: { name: 'Ada Accounts', email: 'ada@byron.example' },
};

async function place(customer: Customer, quantity = 1, to: Address = RECIPIENT): Promise<CreatedOrder> {
  const product_id = await addProduct(service, customer, 'TEE-CLASSIC');
  const items = [{ product_id, variant_sku: TEE_WHITE_M, quantity }];
  const answer = await customer.request<CreatedOrder>('POST', '/orders', { items, shipping_address: to });
  assert.deepEqual([answer.status, answer.body.payment_status], [201, 'paid'], answer.text);
  return answer.body;
}

async function invoiceOf(customer: Customer, order: CreatedOrder): Promise<Invoice> {
  const answer = await customer.request<Invoice>('GET', `/orders/${order.id}/invoice`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function paper(customer: Customer, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${customer.token}`, accept: 'application/pdf' };
  const response = await fetch(`${service.url}/api/v1${path}`, { headers });
  assert.equal(response.status, 200);
  return readPdf(Buffer.from(await response.arrayBuffer()))
    .flatMap(({ texts }) => [...texts])
    .join('\n');
}

const stored = async (table: 'invoice' | 'credit_note', order: CreatedOrder): Promise<string> => {
  const found = await rows<{ document: string }>(
    service,
    `select document::text as document from ${table} where document->>'order_reference' = $1`,
    [order.reference],
  );
  assert.equal(found.length, 1);
  return found[0]?.document ?? '';
};

/** Every part of the recipient's name and street. */
const RECIPIENT_PARTS = ['Grace', 'Recipient', 'Secret', 'Flat 9', 'Bath', 'Somerset', 'BA1'];

describe('an invoice is addressed to the account', () => {
  test('by its legal name and address, and goes to the recipient, who is no part of the stored document', async () => {
    const customer = await openCustomer('GB123456789');
    await nameBuyer(customer, BYRON);
    const order = await place(customer);
    const invoice = await invoiceOf(customer, order);
    assert.deepEqual(invoice.customer, {
      name: 'Byron Ltd',
      lines: ['5 High Street', 'York', 'YO1 7HH', 'United Kingdom'],
      vat_number: 'GB123456789',
    });
    assert.deepEqual(invoice.deliver_to, {
      name: 'Grace Recipient',
      lines: ['Recipient & Sons', '77 Secret Street', 'Flat 9', 'Bath', 'Somerset', 'BA1 1AA', 'United Kingdom'],
    });
    assert.deepEqual([invoice.form, invoice.delivery_country], ['vat_invoice', 'GB']);
    const document = await stored('invoice', order);
    for (const part of [...RECIPIENT_PARTS, 'Ada Accounts', 'ada@byron']) assert.ok(!document.includes(part), part);
    const text = await paper(customer, `/orders/${order.id}/invoice`);
    for (const part of [
      'VAT invoice',
      'Byron Ltd',
      '5 High Street',
      'Deliver to',
      'Grace Recipient',
      '77 Secret Street',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
  });

  test('the recipient leaves the document with the order, and nothing else of it changes', async () => {
    const customer = await openCustomer();
    await nameBuyer(customer, BYRON);
    const order = await place(customer);
    const before = await invoiceOf(customer, order);
    await customer.request('POST', `/orders/${order.id}/cancel`);
    await service.ctx.database.script(`
      update orders set shipping_address = shipping_address || '{"contact_name":"","company_name":"","line1":"","line2":"",
        "city":"","county":"","postcode":"","phone":""}' where reference = '${order.reference}'`);
    assert.deepEqual(await invoiceOf(customer, order), { ...before, deliver_to: null });
    const text = await paper(customer, `/orders/${order.id}/invoice`);
    for (const part of RECIPIENT_PARTS) assert.ok(!text.includes(part), part);
    assert.ok(text.includes('Country of delivery: United Kingdom') && text.includes('Byron Ltd'), text);
    const notes = await customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes`);
    assert.deepEqual(
      notes.body.data.map(({ deliver_to }) => deliver_to),
      [null],
    );
  });

  test('as it was when the invoice was issued; its credit note names the same customer', async () => {
    const customer = await openCustomer();
    await nameBuyer(customer, BYRON);
    const order = await place(customer);
    const invoice = await invoiceOf(customer, order);
    await nameBuyer(customer, { legal_name: 'Lovelace Ltd' });
    assert.deepEqual((await invoiceOf(customer, order)).customer, invoice.customer);
    await customer.request('POST', `/orders/${order.id}/cancel`);
    const notes = await customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes`);
    assert.deepEqual(
      notes.body.data.map((note) => note.customer),
      [invoice.customer],
    );
    const document = await stored('credit_note', order);
    for (const part of RECIPIENT_PARTS) assert.ok(!document.includes(part), part);
    assert.equal((await invoiceOf(customer, await place(customer))).customer.name, 'Lovelace Ltd');
  });

  test('Northern Ireland is named as the place of delivery', async () => {
    const customer = await openCustomer();
    await nameBuyer(customer, BYRON);
    const order = await place(customer, 1, { ...HOME, city: 'Belfast', postcode: 'BT1 5GS' });
    assert.equal((await invoiceOf(customer, order)).delivery_country, 'GB');
    assert.match(
      await paper(customer, `/orders/${order.id}/invoice`),
      /Country of delivery: United Kingdom \(Northern\n?\s?Ireland\)/,
    );
  });
});

describe('an account whose legal name and address are not known', () => {
  test('gets a simplified invoice up to £250 at home, with its name and what is to be paid at each rate', async () => {
    const customer = await openCustomer();
    const order = await place(customer);
    const invoice = await invoiceOf(customer, order);
    assert.ok(invoice.total <= 250);
    assert.deepEqual([invoice.form, invoice.customer.lines], ['simplified_vat_invoice', []]);
    assert.notEqual(invoice.customer.name, '');
    const text = await paper(customer, `/orders/${order.id}/invoice`);
    assert.ok(
      text.includes('VAT invoice') && text.includes('With VAT, £') && text.includes(invoice.total.toFixed(2)),
      text,
    );
    const document = await stored('invoice', order);
    for (const part of RECIPIENT_PARTS) assert.ok(!document.includes(part), part);
  });

  for (const [what, quantity, to] of [
    ['over £250', 100, RECIPIENT],
    ['abroad', 1, { ...HOME, city: 'Berlin', postcode: '10115', country_code: 'DE', phone: '+49 30 1234' }],
  ] as const) {
    test(`gets an invoice ${what} that says what it lacks for a VAT invoice`, async () => {
      const customer = await openCustomer();
      const order = await place(customer, quantity, to);
      const invoice = await invoiceOf(customer, order);
      assert.equal(invoice.form, 'invoice');
      const text = await paper(customer, `/orders/${order.id}/invoice`);
      assert.match(text, /This is not a VAT invoice: the address of the customer/);
      assert.ok(!text.startsWith('VAT invoice'), text);
    });
  }
});

describe('documents that were issued before invoices named the account', () => {
  test('stay as they are, dated by UTC; a credit note from now on does not write the recipient down once more', async () => {
    const customer = await openCustomer();
    await nameBuyer(customer, BYRON);
    const order = await place(customer);
    const invoice = await invoiceOf(customer, order);
    // As the version before has issued it, at half past eleven UTC on the last of June.
    await service.ctx.database.script(`
      alter table invoice disable trigger user;
      update invoice set issued_at = '2026-06-30T23:30:00.000Z', document = (document::jsonb - 'issued_on' - 'delivery' || jsonb_build_object(
        'tax_point', '2026-06-30T23:29:00.000Z',
        'customer', '{"name":"Recipient & Sons","lines":["77 Secret Street","Bath"],"vat_number":""}'::jsonb))::json
      where document->>'order_reference' = '${order.reference}';
      alter table invoice enable trigger user;`);
    const old = await invoiceOf(customer, order);
    assert.deepEqual(old.customer, { name: 'Recipient & Sons', lines: ['77 Secret Street', 'Bath'], vat_number: '' });
    assert.deepEqual([old.tax_point, old.issued_on, old.delivery_country], ['2026-06-30', '2026-06-30', null]);
    assert.equal(old.number, invoice.number);
    const text = await paper(customer, `/orders/${order.id}/invoice`);
    assert.ok(text.includes('Date of issue: 30 June 2026') && text.includes('Tax point: 30 June 2026'), text);
    assert.ok(!text.includes('Deliver to') && !text.includes('Country of delivery'), text);
    await customer.request('POST', `/orders/${order.id}/cancel`);
    const [note] = (await customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes`)).body.data;
    assert.equal(note?.customer.name, 'Byron Ltd');
    const document = await stored('credit_note', order);
    for (const part of RECIPIENT_PARTS) assert.ok(!document.includes(part), part);
    assert.match(await paper(customer, `/orders/${order.id}/credit-notes/${note?.id}`), /of 30 June 2026/);
  });
});

// Last: it moves the clock.
test('tax point and date of issue are days of London: half past midnight on 1 July is July, although it is June by UTC', async () => {
  const customer = await openCustomer();
  await nameBuyer(customer, BYRON);
  service.shiftMs(Date.parse('2027-06-30T23:30:00.000Z') - service.ctx.clock.now().getTime());
  const order = await place(customer);
  assert.match(order.created_at, /^2027-06-30T23:3/);
  const invoice = await invoiceOf(customer, order);
  assert.deepEqual([invoice.tax_point, invoice.issued_on], ['2027-07-01', '2027-07-01']);
  assert.match(invoice.issued_at, /^2027-06-30T23:3/);
  const given = await finance.request('POST', `/orders/${order.id}/refunds`, { amount_gbp: 1.2, reason: 'Late.' });
  assert.equal(given.status, 200, given.text);
  const [note] = (await customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes`)).body.data;
  assert.deepEqual([note?.tax_point, note?.issued_on], ['2027-07-01', '2027-07-01']);
  const text = await paper(customer, `/orders/${order.id}/invoice`);
  for (const part of ['Tax point: 1 July 2027', 'Date of issue: 1 July 2027', 'Paid on 1 July 2027']) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  assert.match(await paper(customer, `/orders/${order.id}/credit-notes/${note?.id}`), /of 1 July 2027/);
});
