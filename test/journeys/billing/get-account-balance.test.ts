import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { AccountBalance, Transaction } from '../../../src/billing/schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { cents, closeBooks, finance, get, openBooks, pause, service, topUp } from './books.ts';

before(openBooks);
after(closeBooks);
afterEach(() => assertSound(service));

describe('the money of a customer, as the shop sees it', () => {
  test('is what the customer is shown: the balance now and at a time, and the statement page by page', async () => {
    const id = publicId('acct', service.customer.accountId);
    for (const amountPence of [11, 12, 13]) await topUp(amountPence, `${amountPence} pence before`);
    const at = pause();
    await topUp(1_234, 'for the shop to see');
    const query = `?at=${at.toISOString()}`;
    assert.deepEqual(
      await get<AccountBalance>(`/accounts/${id}/balance${query}`),
      (await service.customer.request<AccountBalance>('GET', `/account/balance${query}`)).body,
    );
    const [now, then] = [
      await get<AccountBalance>(`/accounts/${id}/balance`),
      await get<AccountBalance>(`/accounts/${id}/balance${query}`),
    ];
    assert.equal(cents(now.balance) - cents(then.balance), 1_234);
    const first = await get<Page<Transaction>>(`/accounts/${id}/transactions?limit=2`);
    const rest = await get<Page<Transaction>>(`/accounts/${id}/transactions?limit=2&cursor=${first.next_cursor}`);
    const own = await service.customer.request<Page<Transaction>>('GET', '/account/transactions?limit=4');
    assert.deepEqual([...first.data, ...rest.data], own.body.data);
    assert.equal(first.data[0]?.reference, 'for the shop to see');
  });

  test('of an account that is not there: 404; a time to come: 422', async () => {
    for (const path of ['balance', 'transactions']) {
      for (const id of ['acct_01h455vb4pex5vsknk084sn02q', 'nonsense', service.demo.products.fixed]) {
        const refused = await finance.request('GET', `/accounts/${id}/${path}`);
        assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'], `${id} ${path}`);
      }
    }
    const future = new Date(service.ctx.clock.now().getTime() + 60_000).toISOString();
    const id = publicId('acct', service.customer.accountId);
    const refused = await finance.request('GET', `/accounts/${id}/balance?at=${future}`);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['at out_of_bounds']]);
  });
});
