import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { IssuedDocument } from '../../../src/invoices/ops-schema.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { Customer } from '../../harness/service.ts';
import { addProduct, HOME, problemsOf, TEE_WHITE_M } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { closeVat, finance, nameBuyer, openCustomer, openVat, service } from './vat.ts';

before(openVat);
after(closeVat);
afterEach(() => assertSound(service));

async function invoiced(customer: Customer): Promise<CreatedOrder> {
  const product_id = await addProduct(service, customer, 'TEE-CLASSIC');
  const items = [{ product_id, variant_sku: TEE_WHITE_M, quantity: 1 }];
  const { body } = await customer.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  assert.equal((await customer.request('GET', `/orders/${body.id}/invoice`)).status, 200);
  return body;
}

async function list(query: string): Promise<Page<IssuedDocument>> {
  const answer = await finance.request<Page<IssuedDocument>>('GET', `/invoices${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const of = (customer: Customer): string => `account=${publicId('acct', customer.accountId)}`;

describe('the invoices and credit notes of a period', () => {
  test('are listed with what they come to, latest first, of all accounts, of one, and of a kind', async () => {
    const customer = await openCustomer('GB123456789');
    const address = { line1: '5 High Street', city: 'York', postcode: 'YO1 7HH', country_code: 'GB' };
    await nameBuyer(customer, { legal_name: 'Byron Ltd', address });
    const order = await invoiced(customer);
    const other = await invoiced(await openCustomer());
    await customer.request('POST', `/orders/${order.id}/cancel`);
    const notes = await finance.request<Page<{ id: string; number: string }>>(
      'GET',
      `/orders/${order.id}/credit-notes`,
    );
    const [note] = notes.body.data;

    const { data } = await list(`?${of(customer)}`);
    assert.deepEqual(
      data.map(({ kind, number, order_reference, credit_note_id }) => [kind, number, order_reference, credit_note_id]),
      [
        ['credit_note', note?.number, order.reference, note?.id],
        ['invoice', data[1]?.number, order.reference, null],
      ],
    );
    const { charged } = order;
    for (const one of data) {
      assert.deepEqual([one.customer_name, one.customer_vat_number], ['Byron Ltd', 'GB123456789']);
      assert.deepEqual([one.vat_total, one.duty_total, one.total], [charged.vat_amount, 0, charged.total]);
      assert.deepEqual([one.order_id, one.account_id], [order.id, publicId('acct', customer.accountId)]);
    }
    const all = (await list('?limit=3')).data.map(({ order_reference: reference }) => reference);
    assert.deepEqual(all, [order.reference, other.reference, order.reference]);
    assert.deepEqual((await list(`?${of(customer)}&kind=invoice`)).data, data.slice(1));
    assert.deepEqual((await list(`?${of(customer)}&kind=credit_note`)).data, data.slice(0, 1));
    assert.deepEqual((await list('?account=nonsense')).data, []);
    assert.deepEqual((await list(`?account=${publicId('acct', newId())}`)).data, []);
  });

  test('are found by their number, in any case, with and without what it begins with', async () => {
    const customer = await openCustomer();
    const order = await invoiced(customer);
    await customer.request('POST', `/orders/${order.id}/cancel`);
    await finance.request('GET', `/orders/${order.id}/credit-notes`);
    const { data } = await list(`?${of(customer)}`);
    const [note, invoice] = data;
    assert.ok(note && invoice);
    for (const one of [invoice, note]) {
      const digits = one.number.slice(one.number.indexOf('-') + 1);
      for (const number of [one.number, one.number.toLowerCase(), digits, String(Number(digits))]) {
        assert.deepEqual((await list(`?number=${number}`)).data, [one], number);
      }
    }
    const [, digits] = invoice.number.split('-');
    for (const nothing of [
      `number=CN-${digits}`,
      'number=999999999999999',
      `number=${invoice.number}&kind=credit_note`,
      `number=${invoice.number}&account=${publicId('acct', newId())}`,
      `number=${invoice.number}&to=2020-01-01`,
      `number=${invoice.number}&from=9000-01-01`,
    ]) {
      assert.deepEqual((await list(`?${nothing}`)).data, [], nothing);
    }
  });

  test('are read in pages without a gap and without one twice, also where several were issued in one millisecond', async () => {
    const customer = await openCustomer();
    for (let count = 0; count < 5; count += 1) await invoiced(customer);
    await service.ctx.database.script(`
      alter table invoice disable trigger user;
      update invoice set issued_at = (select max(issued_at) from invoice) where account_id = '${customer.accountId}';
      alter table invoice enable trigger user;`);
    const whole = (await list(`?${of(customer)}`)).data.map(({ number }) => number);
    assert.equal(whole.length, 5);
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(`?${of(customer)}&limit=2${cursor}`);
      paged.push(...page.data.map(({ number }) => number));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    assert.deepEqual(paged, whole);
    assert.deepEqual((await list(`?${of(customer)}&cursor=1.1`)).data, [], 'a position before all of them');
    assert.equal((await list(`?${of(customer)}&cursor=999999999999999.999999999999999`)).data.length, 5);
  });

  test('are a CSV file for a spreadsheet', async () => {
    const customer = await openCustomer();
    const order = await invoiced(customer);
    const headers = { authorization: `Bearer ${finance.token}`, accept: 'text/csv' };
    const answer = await fetch(`${service.url}/ops/v1/invoices?${of(customer)}`, { headers });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-disposition') ?? '', /filename="invoices\.csv"/);
    const [head = '', row = ''] = (await answer.text()).split('\r\n');
    assert.match(head, /^number,kind,account_id,order_id,order_reference,/);
    assert.ok(row.includes(order.reference) && row.includes(',invoice,'), row);
  });

  for (const [query, problem] of [
    ['from=2026-02-30', 'from time'],
    ['to=2026-13-01', 'to time'],
    ['from=yesterday', 'from pattern'],
    ['from=2026-11-02T00:00:00.000Z', 'from pattern'],
    ['from=2026-11-02&to=2026-11-01', 'from out_of_bounds'],
    ['number=PF-7KQ2M9XA', 'number pattern'],
    ['number=1234567890123456', 'number pattern'],
    ['kind=receipt', 'kind unknown_value'],
    ['limit=0', 'limit pattern'],
    ['cursor=INV-000001', 'cursor pattern'],
    ['day=2026-11-01', 'day unknown_field'],
  ] as const) {
    test(`${query} is refused`, async () => {
      const refused = await finance.request('GET', `/invoices?${query}`);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], refused.text);
    });
  }

  // Last: it moves the clock.
  test('are those of the days of London: one of half past midnight on 1 July is not of June', async () => {
    const customer = await openCustomer();
    const moveTo = (iso: string): void => service.shiftMs(Date.parse(iso) - service.ctx.clock.now().getTime());
    moveTo('2027-06-30T22:30:00.000Z');
    const inJune = await invoiced(customer);
    moveTo('2027-06-30T23:30:00.000Z');
    const inJuly = await invoiced(customer);
    const references = async (query: string): Promise<string[]> =>
      (await list(`?${of(customer)}&${query}`)).data.map(({ order_reference: reference }) => reference);
    assert.deepEqual(await references('from=2027-06-01&to=2027-06-30'), [inJune.reference]);
    assert.deepEqual(await references('from=2027-07-01'), [inJuly.reference]);
    assert.deepEqual(await references('to=2027-07-01'), [inJuly.reference, inJune.reference]);
    assert.deepEqual(await references('from=2027-07-02'), []);
    const [july] = (await list(`?${of(customer)}&from=2027-07-01`)).data;
    assert.deepEqual([july?.issued_on, july?.tax_point], ['2027-07-01', '2027-07-01']);
  });
});
