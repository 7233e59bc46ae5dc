import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { newId, parseId, type Uuid } from '../../../src/lib/ids.ts';
import type { Order } from '../../../src/orders/schema.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import { cents, closeMoneyBack, customer, done, openMoneyBack, place, refused, service } from './money-back.ts';

before(openMoneyBack);
after(closeMoneyBack);
afterEach(() => assertSound(service));

/** Turns what the balance paid for an order into a payment by card, postings and all, as if a card had been charged. */
async function payByCard(id: string, pence: number): Promise<string> {
  const orderId = parseId('ord', id) ?? ('' as Uuid);
  const paymentId = newId();
  await service.ctx.database.script(`
    alter table posting disable trigger posting_is_final;
    update orders set balance_paid_pence = balance_paid_pence - ${pence}, method_paid_pence = ${pence} where id = '${orderId}';
    insert into payment_attempt (id, order_id, account_id, method, provider_reference, amount_pence, state, created_at, look_at, settled_at)
      select '${paymentId}', id, account_id, 'card', 'pm_1', ${pence}, 'succeeded', placed_at, placed_at, placed_at from orders where id = '${orderId}';
    insert into payment (order_id, id, account_id, method, amount_pence, provider_reference, paid_at)
      select id, '${paymentId}', account_id, 'card', ${pence}, 'pi_1', placed_at from orders where id = '${orderId}';
    update account_balance b set balance_pence = b.balance_pence + ${pence} from orders o where o.id = '${orderId}' and b.account_id = o.account_id;
    update posting set amount_pence = amount_pence - ${pence}, balance_after_pence = balance_after_pence + ${pence}
      where order_id = '${orderId}' and kind = 'charge';
    insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at)
      select account_id, '${newId()}', id, 'charge', 'card_clearing', 'order_deposits', ${pence}, placed_at from orders where id = '${orderId}';
    alter table posting enable trigger posting_is_final;`);
  const order = (await customer.request<Order>('GET', `/orders/${id}`)).body;
  return order.charges.find(({ method }) => method === 'card')?.payment_id ?? '';
}

describe('D63 money that a card paid', () => {
  test('is owed once the balance has its part back, and listed until it was paid out, once', async () => {
    const order = await place([3]);
    const total = cents(order.charged.total);
    const card = total - 200;
    const paymentId = await payByCard(order.id, card);
    const before = await balancePence(service, customer);
    const first = await done(`${order.id}/refunds`, { amount_gbp: 3, reason: 'x' });
    assert.deepEqual([first.refunded_gbp, first.refund_owed_gbp], [2, 1]);
    assert.equal(await balancePence(service, customer), before + 200);
    const cancelled = (await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    assert.equal(cancelled.refunded_gbp, 2);
    assert.deepEqual(
      cancelled.pending_manual_refund.map((owed) => [owed.payment_id, owed.method, cents(owed.amount_gbp)]),
      [[paymentId, 'card', card]],
    );
    const paid = await done(`${order.id}/refunds/${paymentId}/paid`);
    assert.deepEqual([cents(paid.refunded_gbp), paid.refund_owed_gbp], [total, 0]);
    const again = await done(`${order.id}/refunds/${paymentId}/paid`);
    assert.equal(cents(again.refunded_gbp), total);
    const repeat = (await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    assert.deepEqual([repeat.refunded_gbp, repeat.pending_manual_refund], [2, []]);
    const [posted] = await rows<{ sum: number }>(
      service,
      "select sum(amount_pence)::bigint as sum from posting where order_id = $1 and kind = 'refund_paid'",
      [parseId('ord', order.id) ?? ''],
    );
    assert.equal(posted?.sum, card);
    assert.equal(await balancePence(service, customer), before + 200);
  });

  test('of a payment that came back nothing is owed: it is set off against what the customer owes, and paid out to nobody', async () => {
    const order = await place([2]);
    const paymentId = await payByCard(order.id, 500);
    const id = parseId('pay', paymentId);
    await service.ctx.database.script(`
      update payment_attempt set returned_at = now(), returned_pence = amount_pence where id = '${id}';
      insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at)
        select account_id, '${newId()}', order_id, 'charge_returned', 'receivables', 'card_clearing', 500, now()
        from payment where id = '${id}';`);
    const before = await balancePence(service, customer);
    const cancelled = (await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    const fromBalance = cents(order.charged.total) - 500;
    assert.deepEqual([cents(cancelled.refunded_gbp), cancelled.pending_manual_refund], [fromBalance, []]);
    assert.equal(await balancePence(service, customer), before + fromBalance);
    const [left] = await rows<{ receivable: number; owed: number }>(
      service,
      `select sum(case when debit_account = 'receivables' then amount_pence when credit_account = 'receivables' then -amount_pence
                       else 0 end)::bigint as receivable,
              sum(case when 'manual_refunds_owed' in (debit_account, credit_account) then amount_pence else 0 end)::bigint as owed
       from posting where order_id = $1`,
      [parseId('ord', order.id) ?? ''],
    );
    assert.deepEqual(left, { receivable: 0, owed: 0 });
  });

  test('refuses to note a refund of no such payment, of another order, or of which nothing is owed', async () => {
    const order = await place([1]);
    const paymentId = await payByCard(order.id, 100);
    const other = await place([1]);
    for (const [placed, payment] of [
      [order, 'nonsense'],
      [order, 'pay_01h455vb4pex5vsknk084sn02q'],
      [other, paymentId],
    ] as const) {
      assert.equal((await refused(`${placed.id}/refunds/${payment}/paid`)).status, 404);
    }
    assert.equal((await refused(`${order.id}/refunds/${paymentId}/paid`)).body.code, 'conflict');
  });
});
