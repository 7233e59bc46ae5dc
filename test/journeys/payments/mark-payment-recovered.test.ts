import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Books } from '../../../src/billing/books-schema.ts';
import type { Transaction } from '../../../src/billing/schema.ts';
import { newId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { callBack, openCardShop, placeCharged, seenBy, type Till } from '../../harness/card-shop.ts';
import { disputeOf, type FakeIntent, startProvider } from '../../harness/provider.ts';
import { type ErrorReply, type OperatorClient, startTestService } from '../../harness/service.ts';
import type { Shop } from '../../harness/shop.ts';
import { assertSound, balancePence, eventNames, rows } from '../../harness/written.ts';

// A payment that had counted and came back: it is collected, or its dispute is won.

let till: Till;
let finance: OperatorClient;
let production: OperatorClient;
before(async () => {
  const provider = await startProvider();
  const service = await startTestService({ role: 'api', env: provider.env });
  till = { service, provider };
  [finance, production] = [await service.openOperator('finance'), await service.openOperator('production')];
});
beforeEach(() => till.provider.decide('accept'));
afterEach(() => assertSound(till.service));
after(async () => {
  await till.service.stop();
  await till.provider.close();
});

const cents = (amount: number): number => Math.round(amount * 100);

type Returned = {
  readonly shop: Shop;
  readonly order: CreatedOrder;
  readonly intent: FakeIntent;
  readonly payment: string;
};

const paymentOf = async (order: CreatedOrder): Promise<string> =>
  (await seenBy(finance, order)).payment_attempts[0]?.id ?? '';

/** An order paid by card, whose payment is disputed. */
async function disputed(balance = 0): Promise<Returned> {
  const shop = await openCardShop(till, balance);
  const { order, intent } = await placeCharged(till, shop);
  await dispute(intent);
  return { shop, order, intent, payment: await paymentOf(order) };
}

const dispute = (intent: FakeIntent) => callBack(till, 'charge.dispute.funds_withdrawn', disputeOf(intent));
const win = (intent: FakeIntent, status = 'won') =>
  callBack(till, 'charge.dispute.closed', disputeOf(intent, { status }));
const reinstate = (intent: FakeIntent) =>
  callBack(till, 'charge.dispute.funds_reinstated', disputeOf(intent, { status: 'won' }));

const recover = (order: CreatedOrder, payment: string, by = finance, key: string = newId()) =>
  by.request<OpsOrder & Pick<ErrorReply, 'code'>>(
    'POST',
    `/orders/${order.reference}/payments/${payment}/recovered`,
    undefined,
    {
      'idempotency-key': key,
    },
  );

const act = (order: CreatedOrder, action: string, body?: object, by = finance) =>
  by.request<OpsOrder & Pick<ErrorReply, 'code'>>('POST', `/orders/${order.id}/${action}`, body);

/** Balances of the books in pence, of those accounts that a payment that comes back touches. */
async function books(): Promise<Record<'receivables' | 'bank' | 'card' | 'owed', number>> {
  const { accounts } = (await finance.request<Books>('GET', '/books')).body;
  const balance = (name: string): number => cents(accounts.find(({ account }) => account === name)?.balance ?? 0);
  return {
    receivables: balance('receivables'),
    bank: balance('bank'),
    card: balance('card_clearing'),
    owed: -balance('manual_refunds_owed'),
  };
}

async function moved(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await books();
  await work();
  const now = await books();
  return Object.fromEntries(
    Object.entries(now).flatMap(([name, pence]) => {
      const difference = pence - before[name as keyof typeof before];
      return difference === 0 ? [] : [[name, difference]];
    }),
  );
}

describe('collecting a payment that came back', () => {
  test('the books have it from the bank, the task is closed, the history says so, and the order may go on', async () => {
    const { shop, order, payment } = await disputed(400);
    const before = await seenBy(finance, order);
    assert.deepEqual([before.state, before.hold?.code], ['on_hold', 'payment_returned']);
    assert.deepEqual(
      before.tasks.map(({ kind }) => kind),
      ['payment_returned'],
    );
    assert.ok(before.payment_attempts[0]?.returned_at);
    assert.equal(before.payment_attempts[0]?.recovered_at, null);
    const due = shop.totalPence - 400;
    assert.deepEqual(
      await moved(async () => {
        const answer = await recover(order, payment);
        assert.equal(answer.status, 200, answer.text);
      }),
      { receivables: -due, bank: due },
    );
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.state, seen.tasks, seen.payment_status], ['on_hold', [], 'paid']);
    assert.ok(seen.payment_attempts[0]?.recovered_at);
    const last = seen.history.at(-1);
    assert.deepEqual([last?.action, last?.actor], ['payment_recovered', `operator ${finance.email}`]);
    const resumed = await act(order, 'resume', undefined, production);
    assert.deepEqual([resumed.status, resumed.body.state], [200, 'placed'], resumed.text);
    assert.deepEqual(await eventNames(till.service, shop), ['order.created', 'order.on_hold']);
  });

  test('once: a repeat under its key changes nothing, another request and two at once are refused', async () => {
    const { shop, order, payment } = await disputed();
    const key = newId();
    const difference = await moved(async () => {
      const answers = await Promise.all([
        recover(order, payment, finance, key),
        recover(order, payment),
        recover(order, payment),
      ]);
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.ok(answers.every(({ status, body }) => status === 200 || body.code === 'conflict'));
      const again = await recover(order, payment);
      assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
    });
    assert.deepEqual(difference, { receivables: -shop.totalPence, bank: shop.totalPence });
    const other = await disputed();
    const mine = newId();
    assert.equal((await recover(other.order, other.payment, finance, mine)).status, 200);
    assert.deepEqual(await moved(() => recover(other.order, other.payment, finance, mine)), {});
    assert.equal((await recover(other.order, other.payment, finance, mine)).status, 200);
  });

  test('what was set off against a refund is not collected; a refund after it is owed again', async () => {
    const { shop, order, payment } = await disputed();
    await act(order, 'refunds', { amount_gbp: 1.5, reason: 'late' });
    const due = shop.totalPence - 150;
    assert.deepEqual(await moved(() => recover(order, payment)), { receivables: -due, bank: due });
    const refunded = await act(order, 'refunds', { amount_gbp: 1, reason: 'later' });
    assert.deepEqual([refunded.body.refunded_gbp, refunded.body.refund_owed_gbp], [1.5, 1], refunded.text);
    const cancelled = (await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    assert.deepEqual(
      cancelled.pending_manual_refund.map(({ amount_gbp: amount }) => cents(amount)),
      [due],
      'what was collected is owed, and what was set off is not',
    );
  });

  test('refused: nothing is owed of a payment that did not come back, nor of one that was set off whole; 404 and 403', async () => {
    const shop = await openCardShop(till);
    const { order } = await placeCharged(till, shop);
    const sound = await paymentOf(order);
    const gone = await disputed();
    await shop.customer.request('POST', `/orders/${order.id}/cancel`);
    await gone.shop.customer.request('POST', `/orders/${gone.order.id}/cancel`);
    const before = await books();
    for (const [at, payment, by, status] of [
      [order, sound, finance, 409],
      [gone.order, gone.payment, finance, 409],
      [gone.order, sound, finance, 404],
      [gone.order, 'pay_nothing', finance, 404],
      [gone.order, 'pay_01h455vb4pex5vsknk084sn02q', finance, 404],
      [gone.order, gone.payment, production, 403],
    ] as const) {
      const answer = await recover(at, payment, by);
      assert.equal(answer.status, status, answer.text);
    }
    assert.deepEqual(await books(), before);
    const actions = await rows(till.service, "select id from operator_action where detail->>'payment_id' = $1", [
      gone.payment,
    ]);
    assert.deepEqual(actions, []);
  });
});

describe('a dispute that is won', () => {
  test('the provider has the money again, and nobody owes any; told twice, and by both of its callbacks, it is once', async () => {
    const { shop, order, intent } = await disputed(400);
    const due = shop.totalPence - 400;
    assert.deepEqual(
      await moved(async () => {
        await win(intent);
        await reinstate(intent);
        await win(intent);
      }),
      { receivables: -due, card: due },
    );
    const seen = await seenBy(finance, order);
    assert.equal(seen.history.filter(({ action }) => action === 'payment_recovered').length, 1);
    assert.deepEqual(
      seen.tasks.map(({ kind }) => kind),
      ['payment_recovered'],
      'somebody is told that it may go on',
    );
    assert.equal((await act(order, 'resume', undefined, production)).status, 200);
    await dispute(intent);
    assert.equal((await seenBy(finance, order)).state, 'placed', 'its beginning, told late, is over');
  });

  test('one that is lost changes nothing', async () => {
    const { order, intent } = await disputed();
    assert.deepEqual(await moved(() => win(intent, 'lost')), {});
    assert.equal((await seenBy(finance, order)).payment_attempts[0]?.recovered_at, null);
  });

  test('an inquiry that is closed gives nothing back, not even of a direct debit that failed later', async () => {
    const shop = await openCardShop(till, 0, 'direct_debit');
    till.provider.decide('process');
    const { order, intent } = await placeCharged(till, shop);
    till.provider.turn(intent, 'requires_payment_method');
    await callBack(till, 'payment_intent.payment_failed', { id: intent.id });
    assert.ok((await seenBy(finance, order)).payment_attempts[0]?.returned_at);
    assert.deepEqual(await moved(() => win(intent, 'warning_closed')), {});
    const seen = await seenBy(finance, order);
    assert.deepEqual(
      [seen.payment_attempts[0]?.recovered_at, seen.tasks.map(({ kind }) => kind)],
      [null, ['payment_returned']],
    );
  });

  test('told of before its beginning: the payment never counts as returned', async () => {
    const shop = await openCardShop(till);
    const { order, intent } = await placeCharged(till, shop);
    assert.deepEqual(
      await moved(async () => {
        await win(intent);
        await dispute(intent);
      }),
      {},
    );
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.state, seen.payment_attempts[0]?.returned_at, seen.tasks], ['placed', null, []]);
  });

  test('of an order that was cancelled meanwhile: what was set off is owed to the customer after all, with a task', async () => {
    const { shop, order, intent } = await disputed(400);
    const due = shop.totalPence - 400;
    const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual(cancelled.body.pending_manual_refund, []);
    assert.deepEqual(await moved(() => win(intent)), { card: due, owed: due });
    const again = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual(
      again.body.pending_manual_refund.map(({ amount_gbp: amount }) => cents(amount)),
      [due],
    );
    const seen = await seenBy(finance, order);
    assert.ok(seen.tasks.some(({ kind, note }) => kind === 'payment_recovered' && note.includes('pay that back')));
    const paid = await act(order, `refunds/${await paymentOf(order)}/paid`);
    assert.deepEqual([cents(paid.body.refunded_gbp), paid.body.refund_owed_gbp], [shop.totalPence, 0], paid.text);
  });

  test('with a refund set off and the order on hold: one task names both the money that is owed and the hold', async () => {
    const { order, intent } = await disputed();
    await act(order, 'refunds', { amount_gbp: 1.5, reason: 'late' });
    await win(intent);
    const seen = await seenBy(finance, order);
    assert.equal(seen.state, 'on_hold');
    const [task, ...others] = seen.tasks.filter(({ kind }) => kind === 'payment_recovered');
    assert.deepEqual(others, []);
    assert.match(task?.note ?? '', /£1\.50 of it had been set off/);
    assert.match(task?.note ?? '', /The order is on hold/);
  });

  test('after the customer has paid by bank: what he has paid twice is on his balance, once', async () => {
    const { shop, order, intent, payment } = await disputed();
    await act(order, 'refunds', { amount_gbp: 1.5, reason: 'late' });
    await recover(order, payment);
    const paid = shop.totalPence - 150;
    assert.deepEqual(
      await moved(async () => {
        await win(intent);
        await win(intent);
      }),
      { card: shop.totalPence, owed: 150 },
    );
    assert.equal(await balancePence(till.service, shop.customer), paid);
    const [entry] = (await shop.customer.request<Page<Transaction>>('GET', '/account/transactions')).body.data;
    assert.deepEqual([entry?.type, cents(entry?.amount ?? 0), entry?.reference], ['top_up', paid, order.reference]);
  });
});

describe('an order that is on hold when its payment comes back', () => {
  test('is held for that from then on, with the old reason behind it, and returns to where it was', async () => {
    const shop = await openCardShop(till);
    const { order, intent } = await placeCharged(till, shop);
    const promoted = (await production.request<OpsOrder>('POST', `/orders/${order.id}/promote`)).body;
    assert.equal(promoted.state, 'released');
    await act(order, 'hold', { reason: 'The logo is blurred.', code: 'artwork' });
    await dispute(intent);
    const held = await seenBy(finance, order);
    assert.deepEqual([held.state, held.hold?.code], ['on_hold', 'payment_returned']);
    assert.match(held.hold?.reason ?? '', /disputed.*On hold before: The logo is blurred\./);
    assert.deepEqual(
      held.history.filter(({ action }) => action === 'hold').map(({ reason }) => reason),
      ['The logo is blurred.', held.hold?.reason],
    );
    assert.deepEqual((await eventNames(till.service, shop)).slice(-2), ['order.on_hold', 'order.on_hold']);
    const refused = await act(order, 'resume', undefined, production);
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
    assert.match(refused.text, /"required_roles":\["finance","admin"\]/);
    assert.equal((await seenBy(finance, order)).state, 'on_hold');
    const resumed = await act(order, 'resume');
    assert.deepEqual([resumed.status, resumed.body.state], [200, 'released'], resumed.text);
  });

  test('a hold that an operator calls so himself is resumed by production', async () => {
    const shop = await openCardShop(till);
    const { order } = await placeCharged(till, shop);
    await act(order, 'hold', { reason: 'We looked at it.', code: 'payment_returned' }, production);
    assert.equal((await act(order, 'resume', undefined, production)).status, 200);
  });
});
