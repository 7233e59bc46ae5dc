import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CreditNote, Invoice } from '../../../../src/invoices/schema.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { Address, CreatedOrder } from '../../../../src/orders/schema.ts';
import { readPdf } from '../../../harness/pdf.ts';
import type { Customer } from '../../../harness/service.ts';
import { addProduct, HOME, servePicture } from '../../../harness/shop.ts';
import { assertSound } from '../../../harness/written.ts';
import { change, closeVat, day, finance, nameBuyer, openCustomer, openVat, service } from '../vat.ts';

before(openVat);
after(closeVat);
afterEach(() => assertSound(service));

const cents = (amount: number): number => Math.round(amount * 100);

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + cents(amount), 0);

const COMPANY = {
  legal_name: 'Byron & Co',
  address: {
    line1: '5 High Street',
    line2: 'Unit 4',
    city: 'York',
    county: 'North Yorkshire',
    postcode: 'YO1 7HH',
    country_code: 'GB',
  },
};

const DE: Address = {
  contact_name: 'Emmy Noether',
  line1: 'Hauptstraße 1',
  city: 'Erlangen',
  postcode: '91052',
  country_code: 'DE',
  phone: '+49 9131 1234',
};

const JERSEY: Address = { ...HOME, city: 'St Helier', postcode: 'JE2 3AB', country_code: 'JE', phone: '+44 1534 1234' };

type Item = { readonly sku: string; readonly quantity: number; readonly decoration?: object; readonly name?: string };

const BASE_OF = { TEE: 'TEE-CLASSIC', BABY: 'BODYSUIT-BABY' } as const;

/** An order of plain or decorated garments of some base products. */
async function place(customer: Customer, items: readonly Item[], to: Address): Promise<CreatedOrder> {
  const products = new Map<string, string>();
  for (const { sku } of items) {
    const base = sku.startsWith('TEE') ? BASE_OF.TEE : BASE_OF.BABY;
    if (!products.has(base)) products.set(base, await addProduct(service, customer, base));
  }
  const answer = await customer.request<CreatedOrder>('POST', '/orders', {
    items: items.map(({ sku, ...item }) => ({
      ...item,
      product_id: products.get(sku.startsWith('TEE') ? BASE_OF.TEE : BASE_OF.BABY),
      variant_sku: sku,
    })),
    shipping_address: to,
  });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.payment_status, 'paid');
  return answer.body;
}

async function invoiceOf(customer: Customer, order: CreatedOrder): Promise<Invoice> {
  const answer = await customer.request<Invoice>('GET', `/orders/${order.id}/invoice`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function onlyNote(customer: Customer, order: CreatedOrder): Promise<CreditNote> {
  const answer = await customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes`);
  const [note] = answer.body.data;
  assert.ok(note !== undefined && answer.body.data.length === 1, answer.text);
  return note;
}

/** What stands on a PDF, text by text. */
async function paper(customer: Customer, what: string): Promise<string[]> {
  const response = await fetch(`${service.url}/api/v1${what}`, {
    headers: { authorization: `Bearer ${customer.token}`, accept: 'application/pdf' },
  });
  assert.equal(response.status, 200);
  return readPdf(Buffer.from(await response.arrayBuffer())).flatMap(({ texts }) => [...texts]);
}

/** Texts that must stand on a paper, each by the item of the notice that wants it. */
function assertShows(texts: readonly string[], wanted: Readonly<Record<string, string | readonly string[]>>): void {
  const all = texts.join('\n');
  for (const [item, text] of Object.entries(wanted)) {
    for (const part of [text].flat()) assert.ok(all.includes(part), `${item}: "${part}" stands nowhere in\n${all}`);
  }
}

const money = (amount: number): string => amount.toFixed(2);

async function babySku(): Promise<string> {
  const { baseProducts } = await service.ctx.catalogue.latest();
  const variant = baseProducts
    .flatMap(({ variants }) => variants)
    .find(({ entry }) => entry.vat_class === 'young_children_zero');
  assert.ok(variant);
  return variant.entry.sku;
}

test('everything that regulation 14 of the VAT Regulations 1995 asks of an invoice stands on the paper', async () => {
  const customer = await openCustomer('GB 123 4567 89');
  await nameBuyer(customer, COMPANY);
  const order = await place(
    customer,
    [
      { sku: 'TEE-CLASSIC-WHT-M', quantity: 3, name: 'Club tee' },
      { sku: 'TEE-CLASSIC-WHT-M', quantity: 1, name: 'Captain’s tee' },
    ],
    HOME,
  );
  const invoice = await invoiceOf(customer, order);
  const { charged } = order;
  const texts = await paper(customer, `/orders/${order.id}/invoice`);
  assertShows(texts, {
    'what it is': 'VAT invoice',
    'a sequential number': `Invoice number: ${invoice.number}`,
    'the time of the supply': `Tax point: ${day(order.created_at)}`,
    'the date of issue': `Date of issue: ${day(invoice.issued_at)}`,
    "the supplier's name": 'Mill Lane Prints Ltd',
    "the supplier's address": ['12 Mill Lane', 'Leeds', 'LS1 4DY'],
    "the supplier's VAT number": 'VAT number GB987654353',
    "the customer's name": 'Byron & Co',
    "the customer's address": ['5 High Street', 'Unit 4', 'York', 'North Yorkshire', 'YO1 7HH', 'United Kingdom'],
    'where it goes': ['Deliver to', HOME.contact_name, HOME.line1, 'Country of delivery: United Kingdom'],
    "the customer's VAT number": 'VAT number GB123456789',
    'a description of each supply': ['Club tee', 'Captain’s tee', `Shipping, ${charged.shipping_service}`],
    'the quantity of each': ['3', '1'],
    'the unit price of each': order.items.lineItems.map((line) => money(line.unit_price)),
    'the rate of VAT of each': 'VAT',
    'the amount of each without VAT': order.items.lineItems.map((line) => money(line.line_price)),
    'the total without VAT': ['Net total', money(invoice.net_total)],
    'the VAT by rate': ['20 %', money(invoice.vat[0]?.net ?? 0), money(invoice.vat[0]?.vat ?? 0)],
    'the VAT in sterling': ['VAT total', money(charged.vat_amount)],
    'what is to pay': ['Total, GBP', money(charged.total)],
    'that it is paid': `Paid on ${day(order.created_at)} from the account balance`,
    'the order': `Order: ${order.reference}`,
  });
  // A row is read across: description, SKU, quantity, unit price, rate, amount.
  const at = texts.indexOf('Club tee');
  const [line] = order.items.lineItems;
  assert.deepEqual(texts.slice(at, at + 6), [
    'Club tee',
    'TEE-CLASSIC-WHT-M',
    '3',
    money(line?.unit_price ?? 0),
    '20 %',
    money(line?.line_price ?? 0),
  ]);
});

test('the rate of VAT stands on each line, shipping is parted by rate, and the lines of each rate sum to its net', async () => {
  const customer = await openCustomer();
  const areas = [
    {
      print_area: 'left_sleeve',
      method: 'embroidery',
      artwork_url: await servePicture(service, '/badge.png', { widthPx: 600, heightPx: 600, colour: '#123456' }),
    },
  ];
  const items = [
    { sku: 'TEE-CLASSIC-WHT-M', quantity: 2, decoration: { areas } },
    { sku: await babySku(), quantity: 3 },
  ];
  const order = await place(customer, items, HOME);
  const invoice = await invoiceOf(customer, order);
  assert.deepEqual(
    invoice.vat.map(({ rate, note }) => [rate, note]),
    [
      [20, ''],
      [0, 'Zero-rated: clothing for young children.'],
    ],
  );
  assert.deepEqual(
    invoice.lines.map(({ description, vat_rate: rate }) => [description.split(',')[0], rate]),
    [
      [order.items.lineItems[0]?.name, 20],
      [order.items.lineItems[1]?.name, 0],
      ['Setup', 20],
      ['Shipping', 20],
      ['Shipping', 0],
    ],
  );
  for (const { rate, net } of invoice.vat) {
    assert.equal(sum(invoice.lines.flatMap((line) => (line.vat_rate === rate ? [line.net] : []))), cents(net));
  }
  assert.equal(sum(invoice.lines.map(({ net }) => net)), cents(invoice.net_total));
  const shipping = invoice.lines.filter(({ description }) => description.startsWith('Shipping'));
  assert.equal(sum(shipping.map(({ net }) => net)), cents(order.charged.shipping_cost));
  assertShows(await paper(customer, `/orders/${order.id}/invoice`), {
    'why nothing is charged': '0 %: Zero-rated: clothing for young children.',
  });
});

describe('what an invoice says of VAT follows the account and where the goods go', () => {
  const EXPORT = 'Zero-rated: export of goods from the United Kingdom.';
  const REVERSE = `${EXPORT} Reverse charge: the customer accounts for the VAT.`;
  for (const [what, vat, to, note] of [
    ['an account at home, sent to Germany: an export', {}, DE, EXPORT],
    ['an account at home, sent to Jersey: an export', {}, JERSEY, EXPORT],
    [
      'a business in the EU, sent to Germany: reverse charge',
      { vat_number: 'DE123456789', vat_status: 'reverse_charge_eu' },
      DE,
      REVERSE,
    ],
    [
      'a business in the EU, sent to Jersey: an export',
      { vat_number: 'DE123456789', vat_status: 'reverse_charge_eu' },
      JERSEY,
      EXPORT,
    ],
  ] as const) {
    test(`${what}; the credit note says the same`, async () => {
      const customer = await openCustomer();
      if (Object.keys(vat).length > 0) await change(customer, vat);
      const order = await place(customer, [{ sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }], to);
      const invoice = await invoiceOf(customer, order);
      assert.deepEqual([invoice.vat_total, invoice.vat.map((rate) => [rate.rate, rate.note])], [0, [[0, note]]]);
      const texts = await paper(customer, `/orders/${order.id}/invoice`);
      assert.ok(texts.join(' ').includes(`0 %: ${note}`), texts.join('\n'));
      await customer.request('POST', `/orders/${order.id}/cancel`);
      const credited = await onlyNote(customer, order);
      assert.deepEqual(
        credited.vat.map((rate) => [rate.rate, rate.note]),
        [[0, note]],
      );
      const number = 'vat_number' in vat ? vat.vat_number : '';
      assert.deepEqual([invoice.customer.vat_number, credited.customer.vat_number], [number, number]);
    });
  }

  test('a business in the EU is charged VAT at home like anybody', async () => {
    const customer = await openCustomer();
    await change(customer, { vat_number: 'DE123456789', vat_status: 'reverse_charge_eu' });
    const order = await place(customer, [{ sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }], HOME);
    const invoice = await invoiceOf(customer, order);
    assert.deepEqual(
      invoice.vat.map(({ rate, note }) => [rate, note]),
      [[20, '']],
    );
  });
});

test('a credit note shows its number, its day, why, both VAT numbers, and the number and day of the invoice', async () => {
  const customer = await openCustomer('XI123456789');
  await nameBuyer(customer, COMPANY);
  const order = await place(customer, [{ sku: 'TEE-CLASSIC-WHT-M', quantity: 2 }], HOME);
  const invoice = await invoiceOf(customer, order);
  service.shiftMs(3 * 86_400_000);
  const given = await finance.request('POST', `/orders/${order.id}/refunds`, {
    amount_gbp: 1.2,
    reason: 'It was late.',
  });
  assert.equal(given.status, 200, given.text);
  const note = await onlyNote(customer, order);
  assert.deepEqual([note.invoice_number, note.invoice_issued_at], [invoice.number, invoice.issued_at]);
  assertShows(await paper(customer, `/orders/${order.id}/credit-notes/${note.id}`), {
    'what it is': 'Credit note',
    'its number': `Credit note number: ${note.number}`,
    'its day': `Tax point: ${day(note.issued_at)}`,
    'why it is given': 'Reason: It was late.',
    'the invoice, and when it was issued': `For invoice: ${invoice.number} of ${day(invoice.issued_at)}`,
    'who gives it': ['Mill Lane Prints Ltd', 'VAT number GB987654353'],
    'who gets it': ['Byron & Co', 'VAT number XI123456789'],
    'what is taken back': 'Goodwill: It was late.',
    'the rate and the VAT': ['20 %', '0.20'],
    'what it is worth': ['1.00', '1.20'],
  });
});

test('an invoice is frozen when it is issued: a number that is changed later stands on the next one only', async () => {
  const customer = await openCustomer('GB123456789');
  const [first, second] = [
    await place(customer, [{ sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }], HOME),
    await place(customer, [{ sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }], HOME),
  ];
  const issued = await invoiceOf(customer, first);
  await change(customer, { vat_number: 'GB999999999' });
  assert.deepEqual(await invoiceOf(customer, first), issued);
  await customer.request('POST', `/orders/${first.id}/cancel`);
  assert.equal(
    (await onlyNote(customer, first)).customer.vat_number,
    'GB123456789',
    'that of the invoice it belongs to',
  );
  assert.equal((await invoiceOf(customer, second)).customer.vat_number, 'GB999999999');
});
