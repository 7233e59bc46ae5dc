import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Invoice } from '../../../src/invoices/schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { assertSound, balancePence } from '../../harness/written.ts';
import {
  closeMoneyBack,
  done,
  eventsOf,
  openMoneyBack,
  place,
  placeUnpaid,
  refused,
  service,
  stateOf,
} from '../refunds/money-back.ts';

before(openMoneyBack);
after(closeMoneyBack);
afterEach(() => assertSound(service));

describe('settling by hand', () => {
  test('records the remainder as received and charged: placed and announced, however old; the balance stays as it was', async () => {
    const { by, order } = await placeUnpaid();
    const settled = await done(`${order.id}/settle`);
    assert.deepEqual(
      [settled.state, settled.payment_status, settled.paid_gbp, settled.due_gbp],
      ['placed', 'paid', order.charged.total, 0],
    );
    assert.equal(await balancePence(service, by), 0);
    assert.deepEqual(
      (await eventsOf(order.id)).map(({ event }) => event),
      ['order.payment_failed', 'order.created'],
    );
    const statement = await by.request<Page<{ type: string; amount: number }>>('GET', '/account/transactions');
    assert.deepEqual(
      statement.body.data.map(({ type, amount }) => [type, amount]),
      [
        ['charge', -order.charged.total],
        ['top_up', order.charged.total],
      ],
    );
    const again = await refused(`${order.id}/settle`);
    assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
    const invoice = await by.request<Invoice>('GET', `/orders/${order.id}/invoice`);
    assert.equal(invoice.body.total, order.charged.total);
    const cancelled = await by.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.equal(cancelled.body.refunded_gbp, order.charged.total);
  });

  test('does nothing to an order that is paid, and takes finance', async () => {
    const order = await place([1]);
    const before = await stateOf(order.id);
    assert.equal((await refused(`${order.id}/settle`)).body.code, 'conflict');
    for (const role of ['viewer', 'production'] as const) {
      const other = await service.openOperator(role);
      assert.equal((await refused(`${order.id}/settle`, undefined, other)).status, 403, role);
    }
    assert.deepEqual(await stateOf(order.id), before);
  });
});
