import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Books } from '../../../src/billing/books-schema.ts';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { pence } from '../../../src/lib/money.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import { setPaymentMethod } from '../../../src/payments/method.ts';
import { settleWaitingOrders } from '../../../src/payments/settle-waiting.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { type FakeIntent, type FakeProvider, startProvider } from '../../harness/provider.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { newReference, openShop, type Shop } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';

// What is left to be seen to after a payment came back, came late, or never got an end.

let provider: FakeProvider;
let service: TestService;
let finance: OperatorClient;
before(async () => {
  provider = await startProvider();
  service = await startTestService({ role: 'api', env: provider.env });
  finance = await service.openOperator('finance');
});
beforeEach(() => provider.decide('accept'));
afterEach(() => assertSound(service));
after(async () => {
  await service.stop();
  await provider.close();
});

const pounds = (amount: number): number => amount / 100;
const cents = (amount: number): number => Math.round(amount * 100);

/** A shop whose balance has so many pence, and a direct debit beside it. */
async function openDebitShop(balance = 0): Promise<Shop> {
  const { totalPence } = await openShop(service, 0);
  const shop = { ...(await openShop(service, 0, balance)), totalPence };
  const reference = `pm_${newReference().replaceAll(/[^a-z0-9]/g, '')}`;
  provider.methods.set(reference, { type: 'bacs_debit', customer: 'cus_2' });
  await setPaymentMethod(service.ctx, { accountId: shop.customer.accountId, kind: 'direct_debit', reference });
  return shop;
}

const lastIntent = (): FakeIntent => {
  const intent = provider.intents.at(-1);
  assert.ok(intent);
  return intent;
};

async function callBack(type: string, object: object): Promise<void> {
  const { body, headers } = provider.callback(type, object, { at: service.ctx.clock.now() });
  const response = await fetch(`${service.url}/hooks/stripe`, { method: 'POST', headers, body });
  await response.text();
  assert.equal(response.status, 200);
}

/** The bank sends a debit back that had been accepted; it may say so again. */
async function sendBack(intent: FakeIntent): Promise<void> {
  provider.turn(intent, 'requires_payment_method');
  for (let told = 0; told < 2; told += 1) await callBack('payment_intent.payment_failed', { id: intent.id });
}

async function placed(shop: Shop): Promise<CreatedOrder> {
  const order = await shop.order();
  assert.equal(order.status, 201, order.text);
  return order.body;
}

async function cancel(shop: Shop, order: { id: string }): Promise<Cancellation> {
  const answer = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const read = async (shop: Shop, order: { id: string }): Promise<Order> =>
  (await shop.customer.request<Order>('GET', `/orders/${order.id}`)).body;

const seen = async (order: { id: string }): Promise<OpsOrder> =>
  (await finance.request<OpsOrder>('GET', `/orders/${order.id}`)).body;

/** What the books say is receivable, owed by hand, and with the provider of direct debits, in pence. */
async function books(): Promise<{ receivables: number; owed: number; clearing: number }> {
  const { accounts } = (await finance.request<Books>('GET', '/books')).body;
  const balance = (name: string): number => cents(accounts.find(({ account }) => account === name)?.balance ?? 0);
  return {
    receivables: balance('receivables'),
    owed: -balance('manual_refunds_owed'),
    clearing: balance('direct_debit_clearing'),
  };
}

describe('a direct debit that came back is not paid back a second time', () => {
  test('sent back and then cancelled: nothing is pending, only the balance part returns, and nobody owes anybody', async () => {
    const before = await books();
    const shop = await openDebitShop(400);
    provider.decide('process');
    const order = await placed(shop);
    await sendBack(lastIntent());
    const answer = await cancel(shop, order);
    assert.deepEqual([answer.refunded_gbp, answer.pending_manual_refund], [4, []]);
    assert.deepEqual((await cancel(shop, order)).pending_manual_refund, []);
    assert.equal((await seen(order)).refund_owed_gbp, 0);
    assert.deepEqual(await books(), before);
  });

  test('cancelled and then sent back: what was pending is pending no longer, and nobody owes anybody', async () => {
    const before = await books();
    const shop = await openDebitShop(400);
    provider.decide('process');
    const order = await placed(shop);
    const fromDebit = shop.totalPence - 400;
    assert.deepEqual(
      (await cancel(shop, order)).pending_manual_refund.map(({ amount_gbp: amount }) => amount),
      [pounds(fromDebit)],
    );
    assert.equal((await books()).owed - before.owed, fromDebit);
    await sendBack(lastIntent());
    const again = await cancel(shop, order);
    assert.deepEqual([again.refunded_gbp, again.pending_manual_refund], [4, []]);
    assert.equal((await seen(order)).refund_owed_gbp, 0);
    assert.deepEqual(await books(), before);
  });

  test('paid out by hand and then sent back: the customer has the money twice and owes it', async () => {
    const before = await books();
    const shop = await openDebitShop();
    provider.decide('process');
    const order = await placed(shop);
    const [owed] = (await cancel(shop, order)).pending_manual_refund;
    const paid = await finance.request('POST', `/orders/${order.id}/refunds/${owed?.payment_id}/paid`);
    assert.equal(paid.status, 200, paid.text);
    await sendBack(lastIntent());
    assert.deepEqual((await cancel(shop, order)).pending_manual_refund, []);
    assert.deepEqual(await books(), { ...before, receivables: before.receivables + shop.totalPence });
  });

  test('a goodwill that is still owed of it is set off as well, and the rest stays receivable', async () => {
    const before = await books();
    const shop = await openDebitShop();
    provider.decide('process');
    const order = await placed(shop);
    const given = await finance.request('POST', `/orders/${order.id}/refunds`, { amount_gbp: 1, reason: 'Late.' });
    assert.equal(given.status, 200, given.text);
    assert.equal((await seen(order)).refund_owed_gbp, 1);
    await sendBack(lastIntent());
    assert.equal((await seen(order)).refund_owed_gbp, 0);
    assert.deepEqual(await books(), { ...before, receivables: before.receivables + shop.totalPence - 100 });
    assert.deepEqual((await cancel(shop, order)).pending_manual_refund, []);
    assert.deepEqual(await books(), before);
  });
});

describe('money that came for an order that was paid otherwise', () => {
  async function paidTwice(): Promise<{ shop: Shop; order: CreatedOrder }> {
    const shop = await openDebitShop();
    provider.decide('decline');
    const order = await placed(shop);
    const intent = lastIntent();
    const amountPence = pence(shop.totalPence);
    await creditAccount(service.ctx, { accountId: shop.customer.accountId, amountPence, reference: '' });
    assert.equal(await settleWaitingOrders(service.ctx, shop.customer.accountId), 1);
    provider.turn(intent, 'succeeded');
    await callBack('payment_intent.succeeded', { id: intent.id });
    return { shop, order };
  }

  test('leaves the order paid, before and after it was paid back', async () => {
    const { shop, order } = await paidTwice();
    const before = await read(shop, order);
    assert.equal(before.payment_status, 'paid');
    const owed = before.refunds.find(({ status }) => status === 'pending');
    assert.equal(owed?.amount, pounds(shop.totalPence));
    const paid = await finance.request<OpsOrder>('POST', `/orders/${order.id}/refunds/${owed?.payment_id}/paid`);
    assert.equal(paid.body.payment_status, 'paid', paid.text);
    const after = await read(shop, order);
    assert.deepEqual([after.payment_status, after.refunds.map(({ status }) => status)], ['paid', ['refunded']]);
  });

  test('does not hide what is given back of the order itself', async () => {
    const { shop, order } = await paidTwice();
    const [owed] = (await read(shop, order)).refunds;
    await finance.request('POST', `/orders/${order.id}/refunds/${owed?.payment_id}/paid`);
    await finance.request('POST', `/orders/${order.id}/refunds`, { amount_gbp: 1, reason: 'Late.' });
    assert.equal((await read(shop, order)).payment_status, 'part_refunded');
    await cancel(shop, order);
    assert.equal((await read(shop, order)).payment_status, 'refunded');
  });

  test('is not owed any more once the bank sent it back', async () => {
    const before = await books();
    const { shop, order } = await paidTwice();
    await sendBack(lastIntent());
    const view = await read(shop, order);
    assert.deepEqual([view.payment_status, view.refunds.map(({ status }) => status)], ['paid', ['refunded']]);
    assert.deepEqual(await books(), before);
  });
});
