import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Transaction } from '../../../src/billing/schema.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import { seenBy } from '../../harness/card-shop.ts';
import type { ErrorReply } from '../../harness/service.ts';
import { openShop, type Shop } from '../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import { accountOf, closeCredits, credit, creditByCommand, finance, openCredits, service } from './credits.ts';

before(openCredits);
after(closeCredits);
afterEach(() => assertSound(service));

const settle = (order: { id: string }) =>
  finance.request<Pick<OpsOrder, 'state'> & Pick<ErrorReply, 'code'>>('POST', `/orders/${order.id}/settle`);

const statementOf = async (shop: Shop): Promise<[type: string, amount: number, reference: string][]> =>
  (await shop.customer.request<Page<Transaction>>('GET', '/account/transactions')).body.data.map(
    ({ type, amount, reference }) => [type, Math.round(amount * 100), reference],
  );

describe("a top-up that carries an order's reference", () => {
  test('before the order is settled by hand: both are booked', async () => {
    const shop = await openShop(service, 0);
    const order = (await shop.order()).body;
    assert.deepEqual(await creditByCommand(shop, 5, order.reference), { posted: true });
    const settled = await settle(order);
    assert.deepEqual([settled.status, settled.body.state], [200, 'placed'], settled.text);
    assert.equal(await balancePence(service, shop.customer), 5);
    assert.deepEqual(await statementOf(shop), [
      ['charge', -shop.totalPence, order.reference],
      ['top_up', shop.totalPence, order.reference],
      ['top_up', 5, order.reference],
    ]);
  });

  test('after it: it is posted, and once; another amount under the same reference is refused', async () => {
    const shop = await openShop(service, 0);
    const order = (await shop.order()).body;
    assert.equal((await settle(order)).status, 200);
    assert.deepEqual(await creditByCommand(shop, shop.totalPence, order.reference), { posted: true });
    assert.deepEqual(await creditByCommand(shop, shop.totalPence, order.reference), { posted: false });
    await assert.rejects(creditByCommand(shop, 5, order.reference), { code: 'conflict' });
    assert.equal(await balancePence(service, shop.customer), shop.totalPence);
  });
});

describe('money that an operator adds to an account', () => {
  test('pays the orders that wait for it, oldest first, and answers with the account; the audit log names who did it', async () => {
    const shop = await openShop(service, 0);
    const orders = [(await shop.order()).body, (await shop.order()).body, (await shop.order()).body];
    const body = { amount_gbp: (2 * shop.totalPence + 7) / 100, reference: 'BACS 4711' };
    const key = newId();
    const answer = await credit(accountOf(shop), body, { key });
    assert.equal(answer.status, 200, answer.text);
    const { id, balance_gbp, posted, settled_orders } = answer.body;
    assert.deepEqual([id, balance_gbp, posted, settled_orders], [accountOf(shop), 0.07, true, 2]);
    const seen = await Promise.all(orders.map((order) => seenBy(finance, order)));
    assert.deepEqual(
      seen.map(({ payment_status: status }) => status),
      ['paid', 'paid', 'failed'],
    );
    assert.deepEqual((await statementOf(shop)).at(-1), ['top_up', 2 * shop.totalPence + 7, 'BACS 4711']);
    const actions = await rows(
      service,
      'select action, detail, operator_id from operator_action where idempotency_key = $1',
      [key],
    );
    assert.deepEqual(actions, [
      { action: 'credit_account', detail: { account_id: accountOf(shop), ...body }, operator_id: finance.id },
    ]);
  });

  test('once for each key and for each reference, however often and at once; with another amount it is refused', async () => {
    const shop = await openShop(service, 0);
    const body = { amount_gbp: 12.34, reference: 'BACS 1' };
    const key = newId();
    const repeats = await Promise.all(Array.from({ length: 4 }, () => credit(accountOf(shop), body, { key })));
    assert.deepEqual(
      repeats.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(repeats.filter(({ body: { posted } }) => posted).length, 1);
    const others = await Promise.all(Array.from({ length: 4 }, () => credit(accountOf(shop), body)));
    assert.ok(others.every(({ status, body: { posted } }) => status === 200 && !posted));
    assert.deepEqual(await creditByCommand(shop, 1_234, 'BACS 1'), { posted: false }, 'the command knows it too');
    const more = await credit(accountOf(shop), { ...body, amount_gbp: 12.35 });
    assert.deepEqual([more.status, more.body.code], [409, 'conflict']);
    assert.equal(await balancePence(service, shop.customer), 1_234);
  });

  test('a repeat settles what the first was kept from settling', async () => {
    const shop = await openShop(service, 0);
    const order = (await shop.order()).body;
    const key = newId();
    const body = { amount_gbp: shop.totalPence / 100, reference: 'BACS 2' };
    // The process ended once the money was booked, before an order was settled.
    await creditByCommand(shop, shop.totalPence, 'BACS 2');
    const answer = await credit(accountOf(shop), body, { key });
    assert.deepEqual([answer.body.posted, answer.body.settled_orders], [false, 1], answer.text);
    assert.equal((await seenBy(finance, order)).payment_status, 'paid');
    const again = await credit(accountOf(shop), body, { key });
    assert.deepEqual([again.status, again.body.settled_orders, again.body.balance_gbp], [200, 0, 0]);
  });

  test('above the most for one top-up it is refused with what to do, and a repeat of what was posted is not', async () => {
    const shop = await openShop(service, 0);
    const body = { amount_gbp: 50_000, reference: 'BACS 5' };
    const refused = await credit(accountOf(shop), body);
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, 'amount_gbp'], refused.text);
    const { code, message } = refused.body.errors?.[0] ?? {};
    assert.equal(code, 'out_of_bounds');
    assert.match(message ?? '', /£10,000\.00.*TOP_UP_MAX_GBP.*platen account credit/);
    assert.equal(await balancePence(service, shop.customer), 0);
    assert.equal((await credit(accountOf(shop), { ...body, amount_gbp: 10_000 })).body.posted, true);
    const unknown = await credit(publicId('acct', newId()), body);
    assert.equal(unknown.status, 404, 'the account comes first');
    await creditByCommand(shop, 5_000_000, 'BACS 6');
    const repeat = await credit(accountOf(shop), { ...body, reference: 'BACS 6' });
    assert.deepEqual([repeat.status, repeat.body.posted], [200, false]);
  });

  test('refused, and nothing is booked: what is no amount, no reference, an unknown account, another role', async () => {
    const shop = await openShop(service, 0);
    const good = { amount_gbp: 1, reference: 'BACS 3' };
    for (const amount of [0, -1, 1.005, '1', null, 1e12]) {
      const answer = await credit(accountOf(shop), { ...good, amount_gbp: amount });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [422, 'amount_gbp'], answer.text);
    }
    for (const reference of ['', '  ', 'x'.repeat(201), undefined, 7]) {
      const answer = await credit(accountOf(shop), { ...good, reference });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [422, 'reference'], answer.text);
    }
    for (const account of [publicId('acct', newId()), 'acct_nobody', 'nobody']) {
      assert.equal((await credit(account, good)).status, 404);
    }
    for (const role of ['viewer', 'production'] as const) {
      const answer = await credit(accountOf(shop), good, { by: await service.openOperator(role) });
      assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_scope']);
    }
    assert.deepEqual(await statementOf(shop), []);
  });
});
