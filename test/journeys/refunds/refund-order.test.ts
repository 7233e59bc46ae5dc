import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound, balancePence } from '../../harness/written.ts';
import {
  admin,
  cents,
  closeMoneyBack,
  customer,
  done,
  eventsOf,
  openMoneyBack,
  place,
  placeUnpaid,
  refused,
  service,
} from './money-back.ts';

before(openMoneyBack);
after(closeMoneyBack);
afterEach(() => assertSound(service));

describe('goodwill', () => {
  test('gives a part back with its VAT, again and again, never above what is left; then a cancel gives the rest', async () => {
    const before = await balancePence(service, customer);
    const order = await place([2]);
    const total = cents(order.charged.total);
    await done(`${order.id}/refunds`, { amount_gbp: 6, reason: 'A late parcel.' });
    const second = await done(`${order.id}/refunds`, { amount_gbp: 0.01, reason: 'And a penny.' });
    assert.equal(second.refunded_gbp, 6.01);
    const above = await refused(`${order.id}/refunds`, { amount_gbp: (total - 600) / 100, reason: 'x' });
    assert.deepEqual(problemsOf(above), ['amount_gbp out_of_bounds']);
    assert.match(above.body.errors?.[0]?.message ?? '', new RegExp(`£${(total - 601) / 100}`));
    const cancelled = await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.equal(cancelled.body.refunded_gbp, order.charged.total);
    assert.equal(await balancePence(service, customer), before);
    const told = (await eventsOf(order.id)).at(-1);
    assert.equal(told?.data.refunded_gbp, order.charged.total);
  });

  test('refuses what is no amount, and an order that has not been paid for', async () => {
    const order = await place([1]);
    for (const amount of [0, -1, 1.005, '1', null]) {
      const answer = await refused(`${order.id}/refunds`, { amount_gbp: amount, reason: 'x' });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [422, 'amount_gbp'], String(amount));
    }
    const { order: unpaid } = await placeUnpaid();
    assert.equal((await refused(`${unpaid.id}/refunds`, { amount_gbp: 1, reason: 'x' })).status, 409);
    const production = await service.openOperator('production');
    assert.equal((await refused(`${order.id}/refunds`, { amount_gbp: 1, reason: 'x' }, production)).status, 403);
  });

  test('N the same Idempotency-Key gives it once; another request under it is 409', async () => {
    const order = await place([1]);
    const key = { 'idempotency-key': newId() };
    const give = (amount: number) =>
      admin.request<{ refunded_gbp: number; code: string }>(
        'POST',
        `/orders/${order.id}/refunds`,
        { amount_gbp: amount, reason: 'x' },
        key,
      );
    const answers = await Promise.all([give(1), give(1), give(1)]);
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.refunded_gbp]),
      [
        [200, 1],
        [200, 1],
        [200, 1],
      ],
    );
    assert.equal((await give(2)).body.code, 'conflict');
  });
});
