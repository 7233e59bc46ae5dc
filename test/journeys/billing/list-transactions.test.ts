import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import type { Transaction } from '../../../src/billing/schema.ts';
import { pence } from '../../../src/lib/money.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { Customer } from '../../harness/service.ts';
import { addProduct, HOME } from '../../harness/shop.ts';
import { closeMoney, openMoney, place, service } from './money.ts';

before(openMoney);
after(closeMoney);

const transactions = async (by: Customer, query = ''): Promise<Page<Transaction>> => {
  const answer = await by.request<Page<Transaction>>('GET', `/account/transactions${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

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
