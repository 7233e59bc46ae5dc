import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { newId, parseId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { endAttempt } from '../../../src/payments/attempt-end.ts';
import { findAttempt } from '../../../src/payments/attempt-sql.ts';
import { settleWaitingOrders } from '../../../src/payments/settle-waiting.ts';
import { startPaymentSweep, sweepAttempts, sweepFailed } from '../../../src/payments/sweep.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { callBack, openCardShop, placeCharged, seenBy, type Till } from '../../harness/card-shop.ts';
import { eventually } from '../../harness/context.ts';
import { startProvider } from '../../harness/provider.ts';
import { type OperatorClient, startTestService } from '../../harness/service.ts';
import type { Shop } from '../../harness/shop.ts';
import { assertSound, balancePence, eventNames, rows } from '../../harness/written.ts';

// What may be done to an order while a charge of it is under way, and what came for it meanwhile.

let till: Till;
let finance: OperatorClient;
before(async () => {
  const provider = await startProvider();
  // Without workers: the tests run the sweeps themselves.
  const service = await startTestService({ role: 'api', env: provider.env });
  till = { service, provider };
  finance = await service.openOperator('finance');
});
beforeEach(async () => {
  till.provider.decide('accept');
  till.provider.before('confirm', async () => {});
  // What the test before has left under way comes to its end.
  await sweep();
});
afterEach(() => assertSound(till.service));
after(async () => {
  await till.service.stop();
  await till.provider.close();
});

const HOUR_MS = 3_600_000;
const SWEEP_AFTER_MS = 31_000;

type Pending = { readonly shop: Shop; readonly order: CreatedOrder; readonly attempt: string };

/** An order whose card was to be charged, and nobody knows yet how that went. */
async function pending(balance = 0): Promise<Pending> {
  const shop = await openCardShop(till, balance);
  till.provider.fail('confirm', '500');
  const { order } = await placeCharged(till, shop);
  assert.equal(order.payment_status, 'processing');
  const attempt = (await seenBy(finance, order)).payment_attempts[0]?.id ?? '';
  till.provider.calls.length = 0;
  return { shop, order, attempt };
}

/**
 * Money comes while the charge is under way: as much as the order costs and so many pence more, which no order is
 * paid from yet.
 */
async function topUp(shop: Shop, more = 0): Promise<void> {
  const amountPence = pence(shop.totalPence + more);
  await creditAccount(till.service.ctx, { accountId: shop.customer.accountId, amountPence, reference: newId() });
  assert.equal(await settleWaitingOrders(till.service.ctx, shop.customer.accountId), 0);
}

async function sweep(): Promise<number> {
  till.service.shiftMs(SWEEP_AFTER_MS);
  return sweepAttempts(till.service.ctx);
}

/** The charge is where it was: the provider was not asked, nobody was told, and the attempt is under way. */
async function assertUntouched({ shop, order }: Pending): Promise<void> {
  assert.deepEqual(till.provider.calls, []);
  assert.deepEqual(await eventNames(till.service, shop), []);
  const seen = await seenBy(finance, order);
  assert.deepEqual([seen.payment_status, seen.payment_attempts[0]?.state], ['processing', 'unknown']);
}

describe('a cancel that is refused leaves a charge that is under way alone', () => {
  for (const provider of ['there', 'away'] as const) {
    test(`past the window: 409, and not 502, with the provider ${provider}`, async () => {
      const open = await pending();
      till.service.shiftMs(HOUR_MS + 1);
      if (provider === 'away') till.provider.fail('read', '500', '500');
      const answer = await open.shop.customer.request('POST', `/orders/${open.order.id}/cancel`);
      assert.deepEqual([answer.status, answer.body.code], [409, 'cancellation_window_closed'], answer.text);
      till.provider.fail('read');
      await assertUntouched(open);
      till.provider.decide('accept');
      assert.equal(await sweep(), 1);
      assert.equal((await seenBy(finance, open.order)).payment_status, 'paid', 'the charge went on');
    });
  }

  test('the window counts from when the cancel came, not from when the provider answered', async () => {
    const { shop, order } = await pending();
    till.service.shiftMs(HOUR_MS - 60_000);
    till.provider.before('read', async () => till.service.shiftMs(120_000));
    const answer = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    till.provider.before('read', async () => {});
    assert.equal(answer.status, 200, answer.text);
  });

  test('pieces of an order that is not paid for, by operators: 409', async () => {
    const open = await pending();
    const [line] = (await seenBy(finance, open.order)).lines;
    for (const pieces of [{ line_ids: [line?.id] }, { items: [{ line_id: line?.id, quantity: 1 }] }]) {
      const body = { reason: 'Asked by phone.', ...pieces };
      const answer = await finance.request('POST', `/orders/${open.order.id}/cancel`, body);
      assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], answer.text);
    }
    await assertUntouched(open);
  });

  test('a whole order by operators under a key that was used for another request: 409', async () => {
    const open = await pending();
    const headers = { 'idempotency-key': newId() };
    const other = await pending();
    const path = (order: CreatedOrder): string => `/orders/${order.id}/cancel`;
    const body = { reason: 'Asked by phone.' };
    assert.equal((await finance.request('POST', path(other.order), body, headers)).status, 200);
    till.provider.calls.length = 0;
    const answer = await finance.request('POST', path(open.order), body, headers);
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], answer.text);
    await assertUntouched(open);
  });
});

describe('a top-up that came while a charge was under way pays the order once that has failed', () => {
  test('found out by the sweep: paid from the balance, told as failed and then as created', async () => {
    const { shop, order } = await pending(400);
    await topUp(shop, 50);
    till.provider.decide('decline');
    assert.equal(await sweep(), 1);
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.payment_status, seen.state], ['paid', 'placed']);
    assert.deepEqual(
      seen.history.map(({ action }) => action),
      ['place', 'payment_failed', 'settle'],
    );
    assert.deepEqual(await eventNames(till.service, shop), ['order.payment_failed', 'order.created']);
    assert.equal(await balancePence(till.service, shop.customer), 450);
    till.service.shiftMs(SWEEP_AFTER_MS);
    assert.equal(await sweepFailed(till.service.ctx), 0, 'and it is done');
  });

  test('in the request itself: the 201 says paid', async () => {
    const shop = await openCardShop(till);
    till.provider.decide('decline');
    till.provider.before('confirm', () => topUp(shop));
    const { order } = await placeCharged(till, shop);
    assert.equal(order.payment_status, 'paid');
    assert.equal(await balancePence(till.service, shop.customer), 0);
  });

  test('ended by hand as failed', async () => {
    const { shop, order, attempt } = await pending();
    await topUp(shop);
    till.provider.fail('read', '500');
    const body = { outcome: 'failed', reason: 'The provider shows none.' };
    const answer = await finance.request('POST', `/orders/${order.id}/payment-attempts/${attempt}/resolve`, body);
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await seenBy(finance, order)).payment_status, 'paid');
  });

  test('when the process dies in between, any worker does it, with or without a provider', async () => {
    const { shop, order, attempt: id } = await pending();
    await topUp(shop);
    const attempt = await findAttempt(till.service.ctx.database, parseId('pay', id) ?? newId());
    assert.ok(attempt);
    // The end of the attempt is all that the process has come to.
    assert.equal(await endAttempt(till.service.ctx, attempt, { kind: 'failed', reason: 'Declined.' }), 'failed');
    assert.equal(await sweepFailed(till.service.ctx), 0, 'who learned of it has it to himself at first');
    assert.equal((await seenBy(finance, order)).payment_status, 'failed');
    till.service.shiftMs(SWEEP_AFTER_MS);
    const worker = startPaymentSweep({ ...till.service.ctx, payments: undefined }, { pollMs: 20 });
    try {
      await eventually('the balance has paid', async () => (await seenBy(finance, order)).payment_status === 'paid');
    } finally {
      await worker.stop(1_000);
    }
    assert.equal(await balancePence(till.service, shop.customer), 0);
  });

  test('two workers at once pay it once', async () => {
    const { shop, order, attempt: id } = await pending();
    await topUp(shop, shop.totalPence);
    const attempt = await findAttempt(till.service.ctx.database, parseId('pay', id) ?? newId());
    assert.ok(attempt);
    await endAttempt(till.service.ctx, attempt, { kind: 'failed', reason: 'Declined.' });
    till.service.shiftMs(SWEEP_AFTER_MS);
    const { ctx } = till.service;
    const paid = await Promise.all([
      ...Array.from({ length: 4 }, () => sweepFailed(ctx)),
      settleWaitingOrders(ctx, shop.customer.accountId),
    ]);
    assert.equal(
      paid.reduce((sum, count) => sum + count, 0),
      1,
    );
    assert.equal(await balancePence(till.service, shop.customer), shop.totalPence);
    assert.equal((await seenBy(finance, order)).payment_status, 'paid');
  });

  test('not if the balance does not cover it, nor if the order is older than top-ups settle', async () => {
    const short = await pending();
    await creditAccount(till.service.ctx, {
      accountId: short.shop.customer.accountId,
      amountPence: pence(short.shop.totalPence - 1),
      reference: '',
    });
    const old = await pending();
    await topUp(old.shop);
    till.provider.decide('decline');
    till.service.shiftMs(73 * HOUR_MS);
    assert.equal(await sweep(), 2);
    for (const { order, shop } of [short, old]) {
      assert.equal((await seenBy(finance, order)).payment_status, 'failed');
      assert.deepEqual(await eventNames(till.service, shop), ['order.payment_failed']);
    }
    const left = await rows(till.service, 'select id from payment_attempt where try_balance_at is not null');
    assert.deepEqual(left, [], 'nothing is left to try');
  });

  test('not an order that is cancelled by what ended the charge: it is never announced, and all of the money stays', async () => {
    const { shop, order } = await pending();
    await topUp(shop);
    const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual([cancelled.status, cancelled.body.refunded_gbp], [200, 0], cancelled.text);
    till.service.shiftMs(SWEEP_AFTER_MS);
    assert.equal(await sweepFailed(till.service.ctx), 0);
    assert.deepEqual(await eventNames(till.service, shop), ['order.payment_failed', 'order.cancelled']);
    assert.equal(await balancePence(till.service, shop.customer), shop.totalPence);
  });
});

test('D65 a debit that fails in the moment in which its acceptance is booked counts as returned: the callback that tells of it is not lost', async () => {
  const shop = await openCardShop(till, 0, 'direct_debit');
  till.provider.decide('process');
  till.provider.fail('confirm', '500 after');
  const { order, intent } = await placeCharged(till, shop);
  const { ctx } = till.service;
  const attempt = await findAttempt(
    ctx.database,
    parseId('pay', (await seenBy(finance, order)).payment_attempts[0]?.id ?? '') ?? newId(),
  );
  assert.ok(attempt);
  till.provider.turn(intent, 'requires_payment_method');
  // The request that confirmed it books what it was answered, between the callback's look at the attempt and its own
  // end of it.
  till.provider.before('read', async () => {
    till.provider.before('read', async () => {});
    assert.equal(await endAttempt(ctx, attempt, { kind: 'paid', intentId: intent.id }), 'paid');
  });
  await callBack(till, 'payment_intent.payment_failed', { id: intent.id });
  const [seen] = (await seenBy(finance, order)).payment_attempts;
  assert.equal(seen?.state, 'succeeded');
  assert.notEqual(seen?.returned_at, null, 'the books know that it came back');
});
