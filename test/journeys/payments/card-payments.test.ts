import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Task } from '../../../src/accounts/ops-schema.ts';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { newId, parseId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import { CHARGE_WITHIN_MS } from '../../../src/payments/attempt.ts';
import { setPaymentMethod } from '../../../src/payments/method.ts';
import { retryWaitingOrders } from '../../../src/payments/retry-payment.ts';
import { findWaitingOrder } from '../../../src/payments/settle-sql.ts';
import { payWaitingOrder, settleWaitingOrders } from '../../../src/payments/settle-waiting.ts';
import { sweepAttempts } from '../../../src/payments/sweep.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { readMetrics } from '../../harness/metrics.ts';
import { disputeOf } from '../../harness/provider.ts';
import { startTestService } from '../../harness/service.ts';
import { newReference, openShop, type Shop } from '../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import { closeCards, openCardShop, openCards, provider, SWEEP_AFTER_MS, service, sweep } from './cards.ts';

before(openCards);
after(closeCards);
beforeEach(() => {
  provider.decide('accept');
  provider.calls.length = 0;
});
afterEach(() => assertSound(service));

const pounds = (amount: number): number => amount / 100;

const read = async (shop: Shop, id: string): Promise<Order> =>
  (await shop.customer.request<Order>('GET', `/orders/${id}`)).body;

async function eventsOf(shop: Shop): Promise<{ event: string; data: Record<string, unknown> }[]> {
  return [
    ...(await rows<{ event: string; data: Record<string, unknown> }>(
      service,
      'select event, data from event where account_id = $1 order by id',
      [shop.customer.accountId],
    )),
  ];
}

async function postingsOf(shop: Shop): Promise<string[]> {
  const found = await rows<{ line: string }>(
    service,
    `select kind || ': ' || debit_account || ' > ' || credit_account || ' ' || sum(amount_pence) as line from posting
     where account_id = $1 and kind <> 'top_up' and kind <> 'sale'
     group by kind, debit_account, credit_account order by min(id::text)`,
    [shop.customer.accountId],
  );
  return found.map(({ line }) => line);
}

async function salesOf(shop: Shop): Promise<number> {
  const [row] = await rows<{ sum: number }>(
    service,
    "select coalesce(sum(amount_pence), 0)::bigint as sum from posting where account_id = $1 and kind = 'sale'",
    [shop.customer.accountId],
  );
  return row?.sum ?? Number.NaN;
}

const intentsOf = (shop: Shop, order: { id: string }, at = 0) => {
  const found = provider.intents.filter((intent) => intent.amount <= shop.totalPence).slice(-1 - at);
  assert.ok(order.id);
  return found;
};

async function callBack(type: string, object: object, options = {}): Promise<number> {
  const { body, headers } = provider.callback(type, object, { at: service.ctx.clock.now(), ...options });
  const response = await fetch(`${service.url}/hooks/stripe`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

test('the balance pays first and the card the rest: paid, announced once, each part in the books', async () => {
  const shop = await openCardShop(400);
  const order = await shop.order();
  assert.equal(order.status, 201, order.text);
  assert.equal(order.body.payment_status, 'paid');
  assert.deepEqual(
    order.body.warnings.filter(({ code }) => code.startsWith('payment')),
    [],
  );
  const rest = shop.totalPence - 400;
  const [intent] = intentsOf(shop, order.body);
  assert.deepEqual([intent?.amount, intent?.charges, intent?.customer], [rest, 1, 'cus_1']);
  assert.equal(await balancePence(service, shop.customer), 0);
  assert.deepEqual(await postingsOf(shop), [
    'charge: customer_balance > order_deposits 400',
    `charge: card_clearing > order_deposits ${rest}`,
  ]);
  assert.equal(await salesOf(shop), shop.totalPence);
  assert.deepEqual(
    (await eventsOf(shop)).map(({ event }) => event),
    ['order.created'],
  );
  const view = await read(shop, order.body.id);
  assert.deepEqual([view.payment_status, view.status], ['paid', 'pending']);
  assert.deepEqual(
    view.charges.map(({ method, amount }) => [method, amount]),
    [
      ['balance', 4],
      ['card', pounds(rest)],
    ],
  );
});

test('an order whose remainder changed after it was read is not charged what it was read with', async () => {
  const shop = await openShop(service, 0);
  const { accountId } = shop.customer;
  const credit = (amount: number) =>
    creditAccount(service.ctx, { accountId, amountPence: pence(amount), reference: newReference() });
  const { id } = (await shop.order()).body;
  const orderId = parseId('ord', id) ?? assert.fail(id);
  const order = (await findWaitingOrder(service.ctx.database, accountId, orderId)) ?? assert.fail('it does not wait');
  assert.equal(order.due_pence, shop.totalPence);
  // Meanwhile a charge takes the balance and ends, declined: the remainder is less, and nothing is under way.
  await credit(400);
  await setPaymentMethod(service.ctx, { accountId, kind: 'card', reference: 'pm_declined' });
  provider.decide('decline');
  assert.equal(await retryWaitingOrders(service.ctx, accountId), 0);
  assert.equal(await balancePence(service, shop.customer), 0);
  await credit(100_000);
  const before = await postingsOf(shop);
  const by = { accountId, order, attemptId: null, actor: 'system' };
  assert.equal(await payWaitingOrder(service.ctx, by), 'no_longer_waiting');
  assert.deepEqual([await balancePence(service, shop.customer), await postingsOf(shop)], [100_000, before]);
  assert.equal((await read(shop, id)).payment_status, 'failed');
  assert.equal(await settleWaitingOrders(service.ctx, accountId), 1, 'read again, it is paid');
  assert.equal(await balancePence(service, shop.customer), 100_400 - shop.totalPence);
});

test('an order that the balance covers never goes to the provider', async () => {
  const shop = await openCardShop(100_000);
  assert.equal((await shop.order()).body.payment_status, 'paid');
  assert.deepEqual(
    provider.calls.filter((call) => call !== 'method'),
    [],
  );
  assert.deepEqual(
    await rows(service, 'select id from payment_attempt where account_id = $1', [shop.customer.accountId]),
    [],
  );
});

for (const left of [1, 29, 30, 31]) {
  test(`${left} pence that the balance leaves: the card is charged 30 at least, and the balance pays that much less`, async () => {
    const { totalPence } = await openShop(service, 0);
    const shop = await openCardShop(totalPence - left);
    const order = await shop.order();
    assert.equal(order.body.payment_status, 'paid');
    const fromCard = Math.max(30, left);
    assert.equal(intentsOf(shop, order.body)[0]?.amount, fromCard);
    assert.equal(await balancePence(service, shop.customer), totalPence - left - (totalPence - fromCard));
  });
}

test('a card that is declined: the balance part stays on the order, the event says what is paid, what is left and why', async () => {
  const shop = await openCardShop(400);
  provider.decide('decline');
  const order = await shop.order({ external_reference: newReference() });
  assert.deepEqual([order.status, order.body.payment_status, order.body.status], [201, 'failed', 'pending']);
  assert.ok(order.body.warnings.some(({ code }) => code === 'payment_failed'));
  assert.equal(await balancePence(service, shop.customer), 0);
  const total = pounds(shop.totalPence);
  assert.deepEqual(await eventsOf(shop), [
    {
      event: 'order.payment_failed',
      data: {
        order_id: order.body.id,
        reference: order.body.reference,
        amount_gbp: total,
        paid_gbp: 4,
        remaining_gbp: pounds(shop.totalPence - 400),
        failed_method: 'card',
        reason: 'Your card was declined.',
      },
    },
  ]);
  assert.deepEqual(await postingsOf(shop), ['charge: customer_balance > order_deposits 400']);
  assert.equal(await salesOf(shop), 0, 'nothing is sold before all of it is paid');

  // A top-up that covers the remainder, and no more, settles it.
  const amountPence = pence(shop.totalPence - 400);
  await creditAccount(service.ctx, { accountId: shop.customer.accountId, amountPence, reference: '' });
  assert.equal(await settleWaitingOrders(service.ctx, shop.customer.accountId), 1);
  assert.equal((await read(shop, order.body.id)).payment_status, 'paid');
  assert.equal(await salesOf(shop), shop.totalPence);
  assert.equal(await balancePence(service, shop.customer), 0);
  assert.deepEqual(
    (await eventsOf(shop)).map(({ event }) => event),
    ['order.payment_failed', 'order.created'],
  );
});

test('E92 cancelling an order whose card was declined gives back the part that the balance paid', async () => {
  const shop = await openCardShop(400);
  provider.decide('decline');
  const order = await shop.order();
  const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.deepEqual([cancelled.body.refunded_gbp, cancelled.body.pending_manual_refund], [4, []]);
  assert.equal(await balancePence(service, shop.customer), 400);
});

test('D63 cancelling what a card paid a part of: the balance part is given back, the card part listed as owed', async () => {
  const shop = await openCardShop(400);
  const order = await shop.order();
  const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.equal(cancelled.body.refunded_gbp, 4);
  assert.deepEqual(
    cancelled.body.pending_manual_refund.map(({ method, amount_gbp: amount }) => [method, amount]),
    [['card', pounds(shop.totalPence - 400)]],
  );
});

test('a direct debit counts as paid when it is accepted', async () => {
  const shop = await openCardShop(0, 'direct_debit');
  provider.decide('process');
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'paid');
  assert.deepEqual(await postingsOf(shop), [`charge: direct_debit_clearing > order_deposits ${shop.totalPence}`]);
});

for (const call of ['create', 'confirm'] as const) {
  for (const fault of ['500', '500 after', '401'] as const) {
    test(`D64 ${call} answered with ${fault}: processing without an event, and the sweep finds the one charge`, async () => {
      const shop = await openCardShop(400);
      provider.fail(call, fault);
      const external_reference = newReference();
      const order = await shop.order({ external_reference });
      assert.deepEqual([order.status, order.body.payment_status], [201, 'processing'], order.text);
      assert.ok(order.body.warnings.some(({ code }) => code === 'payment_processing'));
      assert.deepEqual(await eventsOf(shop), []);
      const replay = await shop.order({ external_reference });
      assert.deepEqual([replay.status, replay.body.payment_status], [200, 'processing']);
      assert.equal((await read(shop, order.body.id)).payment_status, 'processing');
      // Nothing else pays it meanwhile.
      const amountPence = pence(shop.totalPence * 2);
      await creditAccount(service.ctx, { accountId: shop.customer.accountId, amountPence, reference: '' });
      assert.equal(await settleWaitingOrders(service.ctx, shop.customer.accountId), 0);
      assert.equal(await retryWaitingOrders(service.ctx, shop.customer.accountId), 0);

      assert.equal(await sweep(), 1);
      assert.equal((await read(shop, order.body.id)).payment_status, 'paid');
      const mine = provider.intents.filter(({ amount }) => amount === shop.totalPence - 400);
      assert.equal(mine.at(-1)?.charges, 1);
      assert.deepEqual(
        (await eventsOf(shop)).map(({ event }) => event),
        ['order.created'],
      );
      assert.equal(await balancePence(service, shop.customer), amountPence);
      assert.equal(await sweep(), 0, 'and it is done');
    });
  }
}

test('D64 a provider that takes the money and never answers: 201 within ten seconds, one charge, found by the sweep', async () => {
  const shop = await openCardShop(0);
  provider.fail('confirm', 'hang after');
  const startedAt = performance.now();
  const order = await shop.order();
  assert.ok(performance.now() - startedAt < CHARGE_WITHIN_MS + 3_000);
  assert.deepEqual([order.status, order.body.payment_status], [201, 'processing']);
  provider.letGo();
  assert.equal(await sweep(), 1);
  assert.equal((await read(shop, order.body.id)).payment_status, 'paid');
  assert.deepEqual(
    intentsOf(shop, order.body).map(({ charges }) => charges),
    [1],
  );
});

test('an attempt is carried on for twenty hours only: what was never confirmed until then has failed', async () => {
  const shop = await openCardShop(0);
  provider.fail('create', '500');
  const order = await shop.order();
  const made = provider.intents.length;
  service.shiftMs(20 * 3_600_000);
  assert.equal(await sweep(), 1);
  assert.equal(provider.intents.length, made, 'nothing is created');
  const [failed] = await eventsOf(shop);
  assert.deepEqual([failed?.event, failed?.data.reason], ['order.payment_failed', 'The payment was never made.']);
  assert.equal((await read(shop, order.body.id)).payment_status, 'failed');
});

test('a method that the provider refuses outright fails the charge; its own words stay with the operators', async () => {
  const shop = await openCardShop(0);
  provider.fail('create', 'refuse');
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'failed');
  const [failed] = await eventsOf(shop);
  assert.equal(failed?.data.reason, 'The payment method cannot be charged.');
});

test('a cancel while a charge is under way ends the charge first, and then nothing is owed', async () => {
  const shop = await openCardShop(400);
  provider.fail('confirm', '500');
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'processing');
  const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.deepEqual([cancelled.body.refunded_gbp, cancelled.body.pending_manual_refund], [4, []]);
  const [intent] = intentsOf(shop, order.body);
  assert.deepEqual([intent?.status, intent?.charges], ['canceled', 0]);
  assert.equal(await balancePence(service, shop.customer), 400);
});

test('a cancel while a charge went through unheard books the payment, and lists it as owed', async () => {
  const shop = await openCardShop(400);
  provider.fail('confirm', '500 after');
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'processing');
  const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.equal(cancelled.body.refunded_gbp, 4);
  assert.deepEqual(
    cancelled.body.pending_manual_refund.map(({ amount_gbp: amount }) => amount),
    [pounds(shop.totalPence - 400)],
  );
});

test('a cancel whose charge cannot be resolved is 502 refund_failed and changes nothing; the retry works', async () => {
  const shop = await openCardShop(400);
  provider.fail('confirm', '500');
  const order = await shop.order();
  provider.fail('read', '500');
  const refused = await shop.customer.request('POST', `/orders/${order.body.id}/cancel`);
  assert.deepEqual([refused.status, refused.body.code], [502, 'refund_failed']);
  assert.equal((await read(shop, order.body.id)).payment_status, 'processing');
  const retried = await shop.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`);
  assert.equal(retried.status, 200, retried.text);
});

test('D65 callbacks twice, late and out of order have one effect', async () => {
  const shop = await openCardShop(0);
  provider.fail('confirm', '500 after');
  const order = await shop.order();
  const [intent] = intentsOf(shop, order.body);
  const statuses = await Promise.all(
    [
      'payment_intent.succeeded',
      'payment_intent.processing',
      'payment_intent.succeeded',
      'payment_intent.payment_failed',
    ].map((type) => callBack(type, { id: intent?.id, object: 'payment_intent' })),
  );
  assert.deepEqual(statuses, [200, 200, 200, 200]);
  assert.equal(
    (await read(shop, order.body.id)).payment_status,
    'paid',
    'what the intent says counts, not the callback',
  );
  assert.deepEqual(
    (await eventsOf(shop)).map(({ event }) => event),
    ['order.created'],
  );
  assert.equal(await salesOf(shop), shop.totalPence);
});

test('D65 a callback that is not signed, signed with another secret, or a recording is 400; one of another intent 200', async () => {
  const intent = { id: 'pi_of_somebody_else', object: 'payment_intent' };
  assert.equal(await callBack('payment_intent.succeeded', intent), 200);
  assert.equal(await callBack('customer.created', { id: 'cus_9' }), 200);
  assert.equal(await callBack('payment_intent.succeeded', intent, { secret: 'whsec_wrong' }), 400);
  const old = new Date(service.ctx.clock.now().getTime() - 301_000);
  assert.equal(await callBack('payment_intent.succeeded', intent, { at: old }), 400);
  const unsigned = await fetch(`${service.url}/hooks/stripe`, { method: 'POST', body: '{}' });
  assert.equal(unsigned.status, 400);
  const large = await fetch(`${service.url}/hooks/stripe`, { method: 'POST', body: 'x'.repeat(262_145) });
  assert.equal(large.status, 413);
});

test('callbacks with a wrong signature open one task a day for the shop itself, and are counted', async () => {
  const refused = async (): Promise<number> =>
    (await readMetrics(service.url)).get('platen_payment_callbacks_total{result="refused"}') ?? 0;
  const viewer = await service.openOperator('viewer');
  const tasks = async () => {
    const { data } = (await viewer.request<{ data: Task[] }>('GET', '/tasks?limit=100')).body;
    return data.filter(({ kind }) => kind === 'callback_refused');
  };
  const before = await refused();
  const atFirst = (await tasks()).length;
  service.shiftMs(86_400_000);
  const intent = { id: 'pi_of_somebody_else', object: 'payment_intent' };
  const forge = () => callBack('payment_intent.succeeded', intent, { secret: 'whsec_wrong' });
  assert.deepEqual(await Promise.all([forge(), forge(), forge()]), [400, 400, 400]);
  await fetch(`${service.url}/hooks/stripe`, { method: 'POST', body: '{}' });
  assert.equal(await refused(), before + 3, 'what is not signed at all is no callback');
  const opened = await tasks();
  assert.equal(opened.length, atFirst + 1);
  assert.deepEqual([opened[0]?.account_id, opened[0]?.order_id], [null, null]);
  assert.match(opened[0]?.note ?? '', /STRIPE_WEBHOOK_SECRET/);
  service.shiftMs(86_400_000);
  await forge();
  assert.equal((await tasks()).length, atFirst + 2, 'another day, another task');
  const admin = await service.openOperator('admin');
  assert.equal((await admin.request('POST', `/tasks/${opened[0]?.id}/close`)).status, 200);
});

test('a direct debit that comes back: the customer owes it, the order is held, operators get a task; told twice it is once', async () => {
  const shop = await openCardShop(0, 'direct_debit');
  provider.decide('process');
  const order = await shop.order();
  const [intent] = intentsOf(shop, order.body);
  assert.ok(intent);
  provider.turn(intent, 'requires_payment_method');
  for (let told = 0; told < 2; told += 1) {
    assert.equal(await callBack('payment_intent.payment_failed', { id: intent.id }), 200);
  }
  assert.equal(await callBack('charge.dispute.funds_withdrawn', disputeOf(intent)), 200);
  assert.deepEqual(await postingsOf(shop), [
    `charge: direct_debit_clearing > order_deposits ${shop.totalPence}`,
    `charge_returned: receivables > direct_debit_clearing ${shop.totalPence}`,
  ]);
  const [row] = await rows<{ state: string; code: string; tasks: number }>(
    service,
    `select state, hold->>'code' as code, (select count(*) from ops_task t where t.order_id = o.id) as tasks
     from orders o where account_id = $1`,
    [shop.customer.accountId],
  );
  assert.deepEqual(row, { state: 'on_hold', code: 'payment_returned', tasks: 1 });
  assert.deepEqual(
    (await eventsOf(shop)).map(({ event }) => event),
    ['order.created', 'order.on_hold'],
  );
  assert.equal((await read(shop, order.body.id)).payment_status, 'paid', 'history is not rewritten');
});

test('money that comes after its attempt was given up, for an order that is cancelled: owed to the customer and listed', async () => {
  const shop = await openCardShop(0);
  provider.decide('decline');
  const order = await shop.order();
  await shop.customer.request('POST', `/orders/${order.body.id}/cancel`);
  const [intent] = intentsOf(shop, order.body);
  assert.ok(intent);
  provider.turn(intent, 'succeeded');
  for (let told = 0; told < 2; told += 1) {
    assert.equal(await callBack('payment_intent.succeeded', { id: intent.id }), 200);
  }
  assert.deepEqual(await postingsOf(shop), [
    `charge: card_clearing > order_deposits ${shop.totalPence}`,
    `refund_owed: order_deposits > manual_refunds_owed ${shop.totalPence}`,
  ]);
  const again = await shop.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`);
  assert.deepEqual(
    again.body.pending_manual_refund.map(({ method, amount_gbp: amount }) => [method, amount]),
    [['card', pounds(shop.totalPence)]],
  );
});

test('money that comes late for an order which a top-up has paid meanwhile is owed to the customer', async () => {
  const shop = await openCardShop(0);
  provider.decide('decline');
  const order = await shop.order();
  const [intent] = intentsOf(shop, order.body);
  assert.ok(intent);
  const amountPence = pence(shop.totalPence);
  await creditAccount(service.ctx, { accountId: shop.customer.accountId, amountPence, reference: '' });
  assert.equal(await settleWaitingOrders(service.ctx, shop.customer.accountId), 1);
  provider.turn(intent, 'succeeded');
  assert.equal(await callBack('payment_intent.succeeded', { id: intent.id }), 200);
  const view = await read(shop, order.body.id);
  assert.equal(view.payment_status, 'paid');
  const owed = await rows(service, "select amount_pence from refund where account_id = $1 and state = 'owed'", [
    shop.customer.accountId,
  ]);
  assert.deepEqual(owed, [{ amount_pence: shop.totalPence }]);
});

test('money that comes late for an order which still waits pays it', async () => {
  const shop = await openCardShop(400);
  provider.decide('decline');
  const order = await shop.order();
  const [intent] = intentsOf(shop, order.body);
  assert.ok(intent);
  provider.turn(intent, 'succeeded');
  assert.equal(await callBack('payment_intent.succeeded', { id: intent.id }), 200);
  assert.equal((await read(shop, order.body.id)).payment_status, 'paid');
});

test('a new method charges the orders that wait, oldest first, by new intents, and stops at the first decline', async () => {
  const shop = await openCardShop(0);
  provider.decide('decline');
  const [first, second] = [await shop.order(), await shop.order()];
  const declined = provider.intents.length;
  assert.equal(await retryWaitingOrders(service.ctx, shop.customer.accountId), 0);
  assert.equal(provider.intents.length, declined + 1, 'the second is not asked for once the first was declined');
  provider.decide('accept');
  assert.equal(await retryWaitingOrders(service.ctx, shop.customer.accountId), 2);
  for (const order of [first, second]) assert.equal((await read(shop, order.body.id)).payment_status, 'paid');
  const charged = provider.intents.filter(({ charges }) => charges > 1);
  assert.deepEqual(charged, []);
  const [events] = await rows<{ order_id: string; names: string[] }>(
    service,
    `select json_agg(event order by sequence) as names from event
     where account_id = $1 group by order_id order by order_id limit 1`,
    [shop.customer.accountId],
  );
  assert.deepEqual(events?.names, ['order.payment_failed', 'order.payment_failed', 'order.created']);
});

test('fifty orders at once on a balance for ten and a card: each is paid once, by one or the other', async () => {
  const poor = await openShop(service, 0);
  const shop = await openCardShop(poor.totalPence * 10);
  const before = provider.intents.length;
  const answers = await Promise.all(Array.from({ length: 50 }, () => shop.order()));
  assert.ok(answers.every(({ status, body }) => status === 201 && body.payment_status === 'paid'));
  assert.equal(await balancePence(service, shop.customer), 0);
  const charged = provider.intents.slice(before);
  assert.equal(charged.length, 40);
  assert.ok(charged.every(({ charges }) => charges === 1));
  assert.equal(await salesOf(shop), 50 * shop.totalPence);
});

test('a top-up, a retry and the sweep at one order at once: paid once', async () => {
  const shop = await openCardShop(0);
  provider.decide('decline');
  const order: { body: CreatedOrder } = await shop.order();
  provider.decide('accept');
  const { accountId } = shop.customer;
  await creditAccount(service.ctx, { accountId, amountPence: pence(shop.totalPence), reference: '' });
  service.shiftMs(SWEEP_AFTER_MS);
  await Promise.all([
    ...Array.from({ length: 4 }, () => settleWaitingOrders(service.ctx, accountId)),
    ...Array.from({ length: 4 }, () => retryWaitingOrders(service.ctx, accountId)),
    ...Array.from({ length: 4 }, () => sweepAttempts(service.ctx)),
  ]);
  assert.equal((await read(shop, order.body.id)).payment_status, 'paid');
  assert.equal(await salesOf(shop), shop.totalPence);
  const attempts = await rows(service, 'select id from payment_attempt where account_id = $1', [accountId]);
  assert.equal(attempts.length, 1, 'the balance covers it');
});

test('a cancel that comes between the making of an intent and its charge: never charged, and nothing is owed', async () => {
  const shop = await openCardShop(400);
  let cancelled: Cancellation | undefined;
  let isFirst = true;
  provider.before('confirm', async () => {
    if (!isFirst) return;
    isFirst = false;
    const [row] = await rows<{ reference: string }>(service, 'select reference from orders where account_id = $1', [
      shop.customer.accountId,
    ]);
    cancelled = (await shop.customer.request<Cancellation>('POST', `/orders/${row?.reference}/cancel`)).body;
  });
  const order = await shop.order();
  assert.equal(order.status, 201, order.text);
  assert.deepEqual(
    [order.body.status, cancelled?.refunded_gbp, cancelled?.pending_manual_refund],
    ['cancelled', 4, []],
  );
  const [intent] = intentsOf(shop, order.body);
  assert.deepEqual([intent?.status, intent?.charges], ['canceled', 0]);
  assert.deepEqual(
    (await eventsOf(shop)).map(({ event }) => event),
    ['order.payment_failed', 'order.cancelled'],
  );
});

test('cancel, sweep, callback and a repeat of the order at one charge whose answer was lost: one charge, one end', async () => {
  for (let round = 0; round < 8; round += 1) {
    const shop = await openCardShop(400);
    provider.fail('confirm', round % 2 === 0 ? '500 after' : '500');
    const external_reference = newReference();
    const order = await shop.order({ external_reference });
    const [intent] = intentsOf(shop, order.body);
    service.shiftMs(SWEEP_AFTER_MS);
    const [cancelled] = await Promise.all([
      shop.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`),
      sweepAttempts(service.ctx),
      callBack('payment_intent.succeeded', { id: intent?.id }),
      shop.order({ external_reference }),
    ]);
    assert.ok([200, 502].includes(cancelled.status), cancelled.text);
    await sweep();
    const last = await shop.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`);
    assert.equal(last.status, 200, last.text);
    const owed = intent?.charges === 1 ? [pounds(shop.totalPence - 400)] : [];
    assert.deepEqual(
      last.body.pending_manual_refund.map(({ amount_gbp: amount }) => amount),
      owed,
    );
    assert.equal(last.body.refunded_gbp, 4);
    assert.equal(await balancePence(service, shop.customer), 400);
  }
});

test('a method that the provider does not know, or knows as another kind, is not set; one that it cannot be asked about is', async () => {
  const { accountId } = await service.openCustomer();
  const set = (reference: string, kind: 'card' | 'direct_debit' = 'card') =>
    setPaymentMethod(service.ctx, { accountId, kind, reference });
  provider.methods.set('pm_unknown', 'unknown');
  await assert.rejects(set('pm_unknown'), { code: 'conflict' });
  await assert.rejects(set('pm_some_card', 'direct_debit'), { code: 'conflict' });
  await assert.rejects(set('pm with blanks'), { code: 'validation_failed' });
  await assert.rejects(setPaymentMethod(service.ctx, { accountId: newId(), kind: 'card', reference: 'pm_1' }), {
    code: 'not_found',
  });
  const stored = () =>
    rows(service, 'select provider_reference from payment_method where account_id = $1', [accountId]);
  assert.deepEqual(await stored(), []);
  provider.fail('method', '500');
  assert.equal(await set('pm_later'), 'unchecked');
  assert.deepEqual(await stored(), [{ provider_reference: 'pm_later' }]);
});

test('without a provider a method on file charges nothing: the balance pays or nobody does, and there is no path for callbacks', async () => {
  const without = await startTestService({ role: 'api' });
  try {
    const shop = await openShop(without, 0, 400);
    await setPaymentMethod(without.ctx, { accountId: shop.customer.accountId, kind: 'card', reference: 'pm_1' });
    const order = await shop.order();
    assert.deepEqual([order.status, order.body.payment_status], [201, 'failed']);
    assert.equal(await balancePence(without, shop.customer), 400, 'nothing is taken unless it covers all');
    assert.equal((await fetch(`${without.url}/hooks/stripe`, { method: 'POST', body: '{}' })).status, 404);
    await assertSound(without);
  } finally {
    await without.stop();
  }
});
