import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Invoice } from '../../../../src/invoices/schema.ts';
import { sellerDay } from '../../../../src/lib/seller-day.ts';
import { addProduct, basket, HOME, teeItem } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';
import { closeMoney, openMoney, place, service } from '../../billing/money.ts';

const londonDay = (iso: string): string => sellerDay({ timeZone: 'Europe/London', from: new Date(0) }, new Date(iso));

before(openMoney);
after(closeMoney);

describe('the invoice of an order', () => {
  test('shows what was sold, to whom, and the VAT by rate; its amounts are those that were charged', async () => {
    const setup = { print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }] };
    const order = await place(
      basket(service, {
        items: [teeItem(service, { quantity: 2, name: 'Club tee' }), teeItem(service, setup)],
        external_reference: 'invoice-1',
        billing_address: { ...HOME, company_name: 'Not the customer', line2: 'Unit 4' },
      }),
    );
    const { body, status } = await service.customer.request<Invoice>('GET', `/orders/${order.reference}/invoice`);
    assert.equal(status, 200);
    const { charged } = order;
    assert.match(body.number, /^INV-\d{6}$/);
    assert.deepEqual(
      [body.order_id, body.order_reference, body.external_reference, body.tax_point, body.currency],
      [order.id, order.reference, 'invoice-1', londonDay(order.created_at), 'GBP'],
    );
    assert.deepEqual(body.paid_with, ['balance']);
    assert.deepEqual(body.seller, {
      name: 'Mill Lane Prints Ltd',
      lines: ['12 Mill Lane', 'Leeds', 'LS1 4DY'],
      vat_number: 'GB123456782',
    });
    assert.deepEqual(body.customer, { name: 'Demo Print Club', lines: [], vat_number: '' });
    assert.deepEqual(body.deliver_to, {
      name: HOME.contact_name,
      lines: [HOME.line1, HOME.city, HOME.postcode, 'United Kingdom'],
    });
    assert.deepEqual([body.delivery_country, body.issued_on], ['GB', londonDay(body.issued_at)]);
    assert.deepEqual(
      body.lines.map(({ description, variant_sku: sku, quantity }) => [description.split(',')[0], sku, quantity]),
      [
        ['Club tee', 'TEE-CLASSIC-WHT-M', 2],
        [order.items.lineItems[1]?.name, 'TEE-CLASSIC-WHT-M', 1],
        ['Setup', '', 1],
        ['Shipping', '', 1],
      ],
    );
    const cents = (amount: number): number => Math.round(amount * 100);
    const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + cents(amount), 0);
    assert.equal(sum(body.lines.map(({ net }) => net)), cents(body.net_total));
    assert.equal(sum(body.vat.map(({ net }) => net)), cents(body.net_total));
    assert.equal(sum(body.vat.map(({ vat }) => vat)), cents(charged.vat_amount));
    assert.deepEqual([body.vat_total, body.duty_total, body.total], [charged.vat_amount, 0, charged.total]);
    assert.equal(cents(body.net_total) + cents(body.vat_total) + cents(body.duty_total), cents(body.total));
  });

  test('is the same ever after, also when the order was cancelled', async () => {
    const order = await place(basket(service));
    const read = () => service.customer.request<Invoice>('GET', `/orders/${order.id}/invoice`);
    const first = await read();
    await service.customer.request('POST', `/orders/${order.id}/cancel`);
    assert.equal((await read()).text, first.text);
    await assert.rejects(service.ctx.database.script('delete from invoice'), /credit note/);
    await assert.rejects(service.ctx.database.script('update invoice set number = number + 100'), /credit note/);
  });

  test('has a number of a series without gaps, though many are issued at once, and asked for twice at once', async () => {
    const orders = await Promise.all(Array.from({ length: 12 }, () => place(basket(service))));
    const answers = await Promise.all(
      [...orders, ...orders].map(({ id }) => service.customer.request<Invoice>('GET', `/orders/${id}/invoice`)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body }) => body.number)).size, 12);
    const numbers = await rows<{ number: number }>(service, 'select number from invoice order by number');
    assert.deepEqual(
      numbers.map(({ number }) => number),
      numbers.map((_, index) => index + 1),
    );
  });

  test('does not exist before the order is paid: 409, and no number is taken', async () => {
    const poor = await service.openCustomer();
    const product = await addProduct(service, poor, 'TEE-CLASSIC');
    const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
    const order = await place({ items, shipping_address: HOME }, poor);
    const [before] = await rows<object>(service, 'select next_number from invoice_series');
    const refused = await poor.request('GET', `/orders/${order.id}/invoice`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    assert.deepEqual(await rows(service, 'select next_number from invoice_series'), [before]);
  });

  test('1.7 of another account is the same 404 as of no order', async () => {
    const other = await service.openCustomer();
    const order = await place(basket(service));
    for (const id of [order.id, order.reference, 'ord_01h455vb4pex5vsknk084sn02q']) {
      const refused = await other.request('GET', `/orders/${id}/invoice`);
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
    }
  });
});
