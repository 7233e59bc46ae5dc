import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import type { AccountBalance, Transaction } from '../../../src/billing/schema.ts';
import type { Invoice } from '../../../src/invoices/schema.ts';
import { pence } from '../../../src/lib/money.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { verify } from '../../../src/verify/verify.ts';
import type { Customer, TestService } from '../../harness/service.ts';
import { startTestService } from '../../harness/service.ts';
import { addProduct, basket, HOME, teeItem } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({
    env: {
      SELLER_NAME: 'Mill Lane Prints Ltd',
      SELLER_ADDRESS: '12 Mill Lane, Leeds, LS1 4DY',
      SELLER_VAT_NUMBER: 'GB123456789',
    },
  });
});
after(async () => {
  const { checks } = await verify(service.ctx);
  await service.stop();
  assert.deepEqual(
    checks.flatMap(({ violations }) => violations),
    [],
  );
});

async function place(body: object, by: Customer = service.customer): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const transactions = async (by: Customer, query = ''): Promise<Page<Transaction>> => {
  const answer = await by.request<Page<Transaction>>('GET', `/account/transactions${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

test('the balance is that of the calling account, in pounds, at a time', async () => {
  const customer = await service.openCustomer({ balancePence: 12_345 });
  const before = service.ctx.clock.now().toISOString();
  const { body } = await customer.request<AccountBalance>('GET', '/account/balance');
  assert.equal(body.account_id.startsWith('acct_'), true);
  assert.deepEqual([body.balance, body.currency, body.as_of >= before], [123.45, 'GBP', true]);
  const poor = await service.openCustomer();
  assert.equal((await poor.request<AccountBalance>('GET', '/account/balance')).body.balance, 0);
});

describe('the statement', () => {
  test('has one entry for a top-up, a charge and a refund, the latest first, each with the balance it left', async () => {
    const customer = await service.openCustomer({ balancePence: 50_000 });
    const product = await addProduct(service, customer, 'TEE-CLASSIC');
    const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 3 }];
    const order = await place({ items, shipping_address: HOME }, customer);
    await customer.request('POST', `/orders/${order.id}/cancel`);
    const { data } = await transactions(customer);
    assert.deepEqual(
      data.map(({ type, amount, balance_after: left, reference }) => ({ type, amount, left, reference })),
      [
        { type: 'refund', amount: order.charged.total, left: 500, reference: order.reference },
        {
          type: 'charge',
          amount: -order.charged.total,
          left: Math.round(50_000 - order.charged.total * 100) / 100,
          reference: order.reference,
        },
        { type: 'top_up', amount: 500, left: 500, reference: '' },
      ],
    );
    assert.equal(new Set(data.map(({ id }) => id)).size, 3);
  });

  test('is read in pages without a gap or a repeat, while entries come in', async () => {
    const customer = await service.openCustomer();
    const credit = (index: number) =>
      creditAccount(service.ctx, {
        accountId: customer.accountId,
        amountPence: pence(index + 1),
        reference: `t${index}`,
      });
    await Promise.all(Array.from({ length: 45 }, (_, index) => credit(index)));
    const seen: Transaction[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<Transaction> = await transactions(
        customer,
        `?limit=10${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...page.data);
      cursor = page.next_cursor;
      await credit(100 + seen.length);
    } while (cursor !== null);
    const ofFirst = seen.filter(({ reference }) => Number(reference.slice(1)) < 100);
    assert.equal(new Set(seen.map(({ id }) => id)).size, 45);
    assert.equal(ofFirst.length, 45);
    for (const [index, entry] of seen.entries()) {
      const next = seen[index + 1];
      assert.equal(
        Math.round((entry.balance_after - entry.amount) * 100),
        Math.round((next?.balance_after ?? 0) * 100),
      );
    }
  });

  test('2.1 a cursor of another account is a position only', async () => {
    const [one, other] = [
      await service.openCustomer({ balancePence: 100 }),
      await service.openCustomer({ balancePence: 200 }),
    ];
    const id = (await transactions(one)).data[0]?.id ?? '';
    assert.deepEqual((await transactions(other, `?cursor=${id}`)).data, []);
    const refused = await one.request('GET', '/account/transactions?cursor=ord_01h455vb4pex5vsknk084sn02q');
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, 'cursor']);
  });
});

describe('the invoice of an order', () => {
  test('shows what was sold, to whom, and the VAT by rate; its amounts are those that were charged', async () => {
    const setup = { print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }] };
    const order = await place(
      basket(service, {
        items: [teeItem(service, { quantity: 2, name: 'Club tee' }), teeItem(service, setup)],
        external_reference: 'invoice-1',
        billing_address: { ...HOME, company_name: 'Byron & Co', line2: 'Unit 4' },
      }),
    );
    const { body, status } = await service.customer.request<Invoice>('GET', `/orders/${order.reference}/invoice`);
    assert.equal(status, 200);
    const { charged } = order;
    assert.match(body.number, /^INV-\d{6}$/);
    assert.deepEqual(
      [body.order_id, body.order_reference, body.external_reference, body.tax_point, body.currency],
      [order.id, order.reference, 'invoice-1', order.created_at.slice(0, 10), 'GBP'],
    );
    assert.deepEqual(body.seller, {
      name: 'Mill Lane Prints Ltd',
      lines: ['12 Mill Lane', 'Leeds', 'LS1 4DY'],
      vat_number: 'GB123456789',
    });
    assert.deepEqual(body.customer, {
      name: 'Byron & Co',
      lines: ['12 Mill Lane', 'Unit 4', 'Leeds', 'LS1 4DY', 'GB'],
      vat_number: '',
    });
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
