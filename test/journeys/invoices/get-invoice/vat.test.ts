import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createAccount } from '../../../../src/accounts/create-account.ts';
import type { OpsAccount } from '../../../../src/accounts/ops-schema.ts';
import type { CreditNote, Invoice } from '../../../../src/invoices/schema.ts';
import { publicId } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { Address, CreatedOrder } from '../../../../src/orders/schema.ts';
import { readPdf } from '../../../harness/pdf.ts';
import { type Customer, type OperatorClient, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, HOME, problemsOf, servePicture } from '../../../harness/shop.ts';
import { assertSound } from '../../../harness/written.ts';

let service: TestService;
let finance: OperatorClient;
before(async () => {
  service = await startTestService({
    role: 'api',
    env: {
      SELLER_NAME: 'Mill Lane Prints Ltd',
      SELLER_ADDRESS: '12 Mill Lane, Leeds, LS1 4DY',
      SELLER_VAT_NUMBER: 'GB987654321',
    },
  });
  finance = await service.openOperator('finance');
});
afterEach(() => assertSound(service));
after(() => service.stop());

const cents = (amount: number): number => Math.round(amount * 100);
const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + cents(amount), 0);
const COMPANY: Address = { ...HOME, company_name: 'Byron & Co', line2: 'Unit 4', county: 'West Yorkshire' };
const DE: Address = {
  contact_name: 'Emmy Noether',
  line1: 'Hauptstraße 1',
  city: 'Erlangen',
  postcode: '91052',
  country_code: 'DE',
  phone: '+49 9131 1234',
};
const JERSEY: Address = { ...HOME, city: 'St Helier', postcode: 'JE2 3AB', country_code: 'JE', phone: '+44 1534 1234' };

const path = (customer: Customer): string => `/accounts/${publicId('acct', customer.accountId)}`;

async function change(customer: Customer, body: object): Promise<OpsAccount> {
  const answer = await finance.request<OpsAccount>('PATCH', path(customer), body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function openCustomer(vatNumber?: string): Promise<Customer> {
  const customer = await service.openCustomer({ balancePence: 1_000_000 });
  if (vatNumber !== undefined) await change(customer, { vat_number: vatNumber });
  return customer;
}

type Item = { readonly sku: string; readonly quantity: number; readonly decoration?: object; readonly name?: string };
const BASE_OF = { TEE: 'TEE-CLASSIC', BABY: 'BODYSUIT-BABY' } as const;

/** An order of plain or decorated garments of some base products. */
async function place(
  customer: Customer,
  items: readonly Item[],
  to: Address,
  billing?: Address,
): Promise<CreatedOrder> {
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
    ...(billing === undefined ? {} : { billing_address: billing }),
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

const day = (iso: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(iso),
  );
const money = (amount: number): string => amount.toFixed(2);

test('everything that VAT Notice 700, section 16.3, asks of an invoice stands on the paper', async () => {
  const customer = await openCustomer('GB 123 4567 89');
  const order = await place(
    customer,
    [
      { sku: 'TEE-CLASSIC-WHT-M', quantity: 3, name: 'Club tee' },
      { sku: 'TEE-CLASSIC-WHT-M', quantity: 1, name: 'Captain’s tee' },
    ],
    HOME,
    COMPANY,
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
    "the supplier's VAT number": 'VAT number GB987654321',
    "the customer's name": 'Byron & Co',
    "the customer's address": ['12 Mill Lane', 'Unit 4', 'Leeds', 'West Yorkshire', 'LS1 4DY', 'GB'],
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

async function babySku(): Promise<string> {
  const { baseProducts } = await service.ctx.catalogue.latest();
  const variant = baseProducts
    .flatMap(({ variants }) => variants)
    .find(({ entry }) => entry.vat_class === 'young_children_zero');
  assert.ok(variant);
  return variant.entry.sku;
}

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
  const order = await place(customer, [{ sku: 'TEE-CLASSIC-WHT-M', quantity: 2 }], HOME, COMPANY);
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
    'who gives it': ['Mill Lane Prints Ltd', 'VAT number GB987654321'],
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

describe('what an account is for VAT', () => {
  test('is changed by finance, kept in one form, and in the audit log; what is left out stays', async () => {
    const customer = await openCustomer();
    assert.deepEqual(pick(await change(customer, { vat_number: 'de 123.456-789' })), ['DE123456789', 'standard']);
    assert.deepEqual(pick(await change(customer, { vat_status: 'reverse_charge_eu' })), [
      'DE123456789',
      'reverse_charge_eu',
    ]);
    assert.deepEqual(pick(await change(customer, {})), ['DE123456789', 'reverse_charge_eu']);
    assert.deepEqual(pick(await change(customer, { vat_number: null, vat_status: 'standard' })), ['', 'standard']);
    const read = await finance.request<OpsAccount>('GET', path(customer));
    assert.deepEqual(pick(read.body), ['', 'standard']);
    const log = await finance.request<{ data: { action: string; operator: string; detail: object }[] }>(
      'GET',
      '/audit?limit=1',
    );
    assert.deepEqual(
      log.body.data.map(({ action, operator, detail }) => ({ action, operator, detail })),
      [
        {
          action: 'change_account',
          operator: finance.email,
          detail: {
            account_id: publicId('acct', customer.accountId),
            vat_number: null,
            vat_status: 'standard',
          },
        },
      ],
    );
  });

  test('what is no VAT number is refused, and so is reverse charge without one of the EU; nothing changes', async () => {
    const customer = await openCustomer('GB123456789');
    for (const [body, problem] of [
      [{ vat_number: '123456789' }, 'vat_number pattern'],
      [{ vat_number: '' }, 'vat_number pattern'],
      [{ vat_number: 'US123456789' }, 'vat_number pattern'],
      [{ vat_number: 'GB12' }, 'vat_number pattern'],
      [{ vat_status: 'reverse_charge_eu' }, 'vat_number required'],
      [{ vat_status: 'reverse_charge_eu', vat_number: null }, 'vat_number required'],
      [{ vat_status: 'exempt' }, 'vat_status unknown_value'],
    ] as const) {
      const refused = await finance.request('PATCH', path(customer), body);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], refused.text);
    }
    await change(customer, { vat_number: 'FR12345678901', vat_status: 'reverse_charge_eu' });
    const refused = await finance.request('PATCH', path(customer), { vat_number: 'GB123456789' });
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['vat_number required']]);
    const read = await finance.request<OpsAccount>('GET', path(customer));
    assert.deepEqual(pick(read.body), ['FR12345678901', 'reverse_charge_eu']);
  });

  test('is there from the first day of an account that is opened with a number', async () => {
    const accountId = await createAccount(service.ctx, { name: 'With a number', vatNumber: 'GB123456789' });
    const read = await finance.request<OpsAccount>('GET', `/accounts/${publicId('acct', accountId)}`);
    assert.deepEqual(pick(read.body), ['GB123456789', 'standard']);
  });

  test('an account that is not there is 404, and only finance may change one', async () => {
    const customer = await openCustomer();
    for (const id of ['acct_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      const refused = await finance.request('PATCH', `/accounts/${id}`, { vat_number: 'GB123456789' });
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
    }
    for (const role of ['viewer', 'production'] as const) {
      const by = await service.openOperator(role);
      assert.equal((await by.request('PATCH', path(customer), { vat_number: 'GB123456789' })).status, 403);
    }
  });
});

const pick = (account: OpsAccount): [string, string] => [account.vat_number, account.vat_status];
