import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { sweepAttempts } from '../../../src/payments/sweep.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { callBack, openCardShop, placeCharged, seenBy } from '../../harness/card-shop.ts';
import { disputeOf, type FakeIntent } from '../../harness/provider.ts';
import { assertSound, rows } from '../../harness/written.ts';
import {
  act,
  attemptOf,
  cents,
  closeTill,
  finance,
  kindsOf,
  moved,
  openTill,
  paid,
  tasksOf,
  till,
  told,
} from './disputed.ts';

// What the provider says of disputes and of intents that are not what was asked for: what of it is booked, and what
// is not.

before(() => openTill());
beforeEach(() => {
  till.provider.decide('accept');
  till.provider.calls.length = 0;
});
afterEach(() => assertSound(till.service));
after(() => closeTill());

async function statusOf(type: string, object: object): Promise<number> {
  const { service, provider } = till;
  const { body, headers } = provider.callback(type, object, { at: service.ctx.clock.now() });
  const response = await fetch(`${service.url}/hooks/stripe`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

describe('an inquiry', () => {
  test('opens a task, once, and takes nothing: the order goes on, and when it is closed nothing is booked either', async () => {
    const { order, intent } = await paid();
    const inquiry = { status: 'warning_needs_response', amount: 100 };
    assert.deepEqual(
      await moved(async () => {
        await told('created', intent, inquiry);
        await told('created', intent, inquiry);
        await told('updated', intent, { ...inquiry, status: 'warning_under_review' });
        await told('closed', intent, { ...inquiry, status: 'warning_closed' });
      }),
      {},
    );
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.state, seen.hold, seen.payment_attempts[0]?.returned_at], ['placed', null, null]);
    const tasks = await tasksOf(order);
    assert.deepEqual(
      tasks.map(([kind]) => kind),
      ['dispute_inquiry'],
    );
    assert.match(
      tasks[0]?.[1] ?? '',
      /^£.* by card for order PF-.*: its bank asks about it \(dp_1\)\. Nothing was taken/,
    );
  });

  test('that becomes a dispute is booked when money is taken, even after the inquiry was closed', async () => {
    const { order, intent, total } = await paid();
    await told('created', intent, { status: 'warning_needs_response' });
    await told('closed', intent, { status: 'warning_closed' });
    assert.deepEqual(await moved(() => told('funds_withdrawn', intent)), { receivables: total, card_clearing: -total });
    assert.deepEqual((await kindsOf(order)).toSorted(), ['dispute_inquiry', 'payment_returned']);
  });
});

describe('a dispute of a part of a payment', () => {
  const part = { amount: 100 };

  test('books that much when it is taken and not before, once; it is collected like any other', async () => {
    const { order, intent } = await paid();
    assert.deepEqual(await moved(() => told('created', intent, part)), {});
    assert.equal((await seenBy(finance, order)).state, 'placed');
    assert.deepEqual(
      await moved(async () => {
        await told('funds_withdrawn', intent, part);
        await told('funds_withdrawn', intent, part);
        await told('created', intent, part);
      }),
      { receivables: 100, card_clearing: -100 },
    );
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.state, seen.hold?.code, seen.tasks.length], ['on_hold', 'payment_returned', 1]);
    assert.match(
      seen.tasks[0]?.note ?? '',
      /£1\.00 of it came back\. Collect £1\.00\. .* that much of this payment is not/,
    );
    const { id } = await attemptOf(order);
    assert.deepEqual(await moved(() => act(order, `payments/${id}/recovered`)), { receivables: -100, bank: 100 });
    assert.deepEqual(await kindsOf(order), []);
  });

  test('is reversed by as much when its money is given back', async () => {
    const { intent } = await paid();
    await told('funds_withdrawn', intent, part);
    assert.deepEqual(
      await moved(async () => {
        await told('funds_reinstated', intent, { ...part, status: 'won' });
        await told('closed', intent, { ...part, status: 'won' });
        await told('funds_withdrawn', intent, part);
      }),
      { receivables: -100, card_clearing: 100 },
    );
  });

  test('given back before it is told of as taken: nothing is booked', async () => {
    const { order, intent } = await paid();
    assert.deepEqual(
      await moved(async () => {
        await told('funds_reinstated', intent, { ...part, status: 'won' });
        await told('funds_withdrawn', intent, part);
      }),
      {},
    );
    assert.deepEqual([(await seenBy(finance, order)).state, await kindsOf(order)], ['placed', []]);
  });

  test('of an order that is cancelled then: that much is set off, and the rest is paid back by hand', async () => {
    const { shop, order, intent, total } = await paid();
    await told('funds_withdrawn', intent, part);
    const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual(
      cancelled.body.pending_manual_refund.map(({ amount_gbp: amount }) => cents(amount)),
      [total - 100],
    );
    const { id } = await attemptOf(order);
    assert.deepEqual(await moved(() => act(order, `refunds/${id}/paid`)), {
      manual_refunds_owed: total - 100,
      bank: -(total - 100),
    });
    assert.deepEqual(
      await moved(() => told('funds_reinstated', intent, { ...part, status: 'won' })),
      { card_clearing: 100, manual_refunds_owed: -100 },
      'what was set off is owed, what was paid out is not',
    );
    const seen = await seenBy(finance, order);
    assert.deepEqual([cents(seen.refunded_gbp), cents(seen.refund_owed_gbp)], [total - 100, 100]);
  });

  test('of what is to be paid back already, that much is set off and the rest is still listed', async () => {
    const { shop, order, intent, total } = await paid();
    await act(order, 'refunds', { amount_gbp: 0.4, reason: 'late' });
    await act(order, 'refunds', { amount_gbp: 1.5, reason: 'later' });
    assert.deepEqual(await moved(() => told('funds_withdrawn', intent, part)), {
      card_clearing: -100,
      manual_refunds_owed: 100,
    });
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.refunded_gbp, seen.refund_owed_gbp, seen.state], [1, 0.9, 'placed']);
    assert.match(
      seen.tasks[0]?.note ?? '',
      /£1\.00 of it was still to be paid back, .* pay no more than is still listed/,
    );
    const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual(
      cancelled.body.pending_manual_refund.map(({ amount_gbp: amount }) => cents(amount)),
      [total - 100],
    );
  });

  test('collected from a customer by bank, and won then: he has that much more on his balance, and no more', async () => {
    const { order, intent } = await paid();
    await told('funds_withdrawn', intent, part);
    await act(order, `payments/${(await attemptOf(order)).id}/recovered`);
    assert.deepEqual(await moved(() => told('closed', intent, { ...part, status: 'won' })), {
      card_clearing: 100,
      customer_balance: -100,
    });
  });
});

describe('a dispute that the bank takes back for another of the right amount', () => {
  test('each is booked once, whatever is told again of the one before', async () => {
    const { shop, order, intent, total } = await paid();
    const second = { id: 'dp_2', amount: 300 };
    const again = async (): Promise<void> => {
      await told('funds_withdrawn', intent);
      await told('closed', intent, { status: 'won' });
    };
    assert.deepEqual(await moved(again), {});
    assert.deepEqual(await moved(() => told('funds_withdrawn', intent, second)), {
      receivables: 300,
      card_clearing: -300,
    });
    const held = await seenBy(finance, order);
    assert.deepEqual([held.state, held.payment_attempts[0]?.recovered_at], ['on_hold', null]);
    assert.deepEqual(
      await moved(async () => {
        await again();
        await told('funds_withdrawn', intent, second);
      }),
      {},
    );
    assert.equal((await kindsOf(order)).includes('dispute_unbooked'), false);
    const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual(
      cancelled.body.pending_manual_refund.map(({ amount_gbp: amount }) => cents(amount)),
      [total - 300],
    );
    assert.deepEqual(await moved(() => told('funds_reinstated', intent, { ...second, status: 'won' })), {
      card_clearing: 300,
      manual_refunds_owed: -300,
    });
    await moved(again);
    assert.deepEqual([cents((await seenBy(finance, order)).refund_owed_gbp)], [total]);
  });
});

describe('what of a dispute cannot be read opens a task, once, and moves nothing', () => {
  const cases: readonly (readonly [what: string, event: string, changes: object])[] = [
    ['what it took, in another currency', 'funds_withdrawn', { currency: 'eur' }],
    [
      'what it took, listed in another currency',
      'funds_withdrawn',
      { balance_transactions: [{ amount: -9, currency: 'eur' }] },
    ],
    ['which part a lost one gives back', 'funds_reinstated', { status: 'lost' }],
  ];
  for (const [what, event, changes] of cases) {
    test(what, async () => {
      const { order, intent } = await paid();
      const telling = async (): Promise<void> => {
        await told(event, intent, changes);
        await told(event, intent, changes);
      };
      assert.deepEqual(await moved(telling), {});
      const tasks = await tasksOf(order);
      assert.deepEqual(
        tasks.map(([kind]) => kind),
        ['dispute_unbooked'],
      );
      assert.match(tasks[0]?.[1] ?? '', /how much cannot be read \(dp_1\)/);
    });
  }
});

describe('a dispute of a payment whose end is not known', () => {
  async function unheard(): Promise<{ order: CreatedOrder; intent: FakeIntent; total: number }> {
    const shop = await openCardShop(till);
    till.provider.fail('confirm', '500 after');
    const placed = await placeCharged(till, shop);
    assert.equal(placed.order.payment_status, 'processing');
    return { ...placed, total: shop.totalPence };
  }

  test('503 while the provider cannot be read, so that it comes again; then the payment is booked, and its return', async () => {
    const { order, intent, total } = await unheard();
    till.provider.fail('read', '500');
    assert.deepEqual(
      await moved(async () => {
        assert.equal(await statusOf('charge.dispute.funds_withdrawn', disputeOf(intent)), 503);
      }),
      {},
    );
    assert.equal((await seenBy(finance, order)).payment_status, 'processing');
    const difference = await moved(async () => {
      await told('funds_withdrawn', intent);
      await told('funds_withdrawn', intent);
    });
    assert.deepEqual([difference.receivables, difference.card_clearing], [total, undefined]);
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.payment_status, seen.state, seen.hold?.code], ['paid', 'on_hold', 'payment_returned']);
  });

  test('given up as failed before: the payment is booked after all, and what came back of it', async () => {
    const { order, intent, total } = await unheard();
    await till.service.ctx.database.script(
      `update payment_attempt set look_at = look_at + interval '1 day' where intent_id = '${intent.id}'`,
    );
    till.provider.fail('read', '500');
    const resolved = await act(order, `payment-attempts/${(await attemptOf(order)).id}/resolve`, {
      outcome: 'failed',
      reason: 'looked up',
    });
    assert.equal(resolved.status, 200, resolved.text);
    const difference = await moved(() => told('funds_withdrawn', intent, { amount: 100 }));
    assert.deepEqual([difference.receivables, difference.card_clearing], [100, total - 100]);
    assert.equal((await attemptOf(order)).state, 'succeeded');
  });

  test('an inquiry too: the payment is booked, and the task is opened', async () => {
    const { order, intent } = await unheard();
    await told('created', intent, { status: 'warning_needs_response' });
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.payment_status, seen.state, await kindsOf(order)], ['paid', 'placed', ['dispute_inquiry']]);
  });

  test('that the provider says was not made: nothing is booked', async () => {
    const shop = await openCardShop(till);
    till.provider.decide('decline');
    const { order, intent } = await placeCharged(till, shop);
    assert.deepEqual(await moved(() => told('funds_withdrawn', intent)), {});
    assert.deepEqual([(await seenBy(finance, order)).payment_status, await kindsOf(order)], ['failed', []]);
  });
});

describe('an intent that took something else than what was asked for', () => {
  const changes: readonly (readonly [what: string, change: (intent: FakeIntent) => void, took: RegExp])[] = [
    ['one penny', (intent) => Object.assign(intent, { amount: 1 }), /took 1 of the smallest unit of gbp \(pi_/],
    ['another currency', (intent) => Object.assign(intent, { currency: 'usd' }), /of the smallest unit of usd \(pi_/],
  ];
  for (const [what, change, took] of changes) {
    test(`${what}: nothing is booked, the order stays as it is, and operators are told once`, async () => {
      const shop = await openCardShop(till);
      till.provider.fail('confirm', '500 after');
      const { order, intent } = await placeCharged(till, shop);
      change(intent);
      assert.deepEqual(
        await moved(async () => {
          till.service.shiftMs(31_000);
          assert.equal(await sweepAttempts(till.service.ctx), 0);
          await callBack(till, 'payment_intent.succeeded', { id: intent.id });
          const refused = await shop.customer.request('POST', `/orders/${order.id}/cancel`);
          assert.deepEqual([refused.status, refused.body.code], [502, 'refund_failed']);
          await told('funds_withdrawn', intent);
        }),
        {},
      );
      const seen = await seenBy(finance, order);
      assert.deepEqual([seen.payment_status, seen.payment_attempts[0]?.state], ['processing', 'unknown']);
      const tasks = await tasksOf(order);
      assert.deepEqual(
        tasks.map(([kind]) => kind),
        ['payment_mismatch'],
        'the dispute is held with the payment',
      );
      assert.match(tasks[0]?.[1] ?? '', took);

      // A person has looked at it: what the provider says of it later is not booked either.
      const body = { outcome: 'failed', reason: 'given back' };
      const resolved = await act(order, `payment-attempts/${(await attemptOf(order)).id}/resolve`, body);
      assert.equal(resolved.status, 200, resolved.text);
      assert.deepEqual(await moved(() => callBack(till, 'payment_intent.succeeded', { id: intent.id })), {});
      assert.equal((await seenBy(finance, order)).payment_status, 'failed');
    });
  }

  test('one that differs before it is confirmed is never charged', async () => {
    const shop = await openCardShop(till);
    till.provider.fail('confirm', '500');
    const { order, intent } = await placeCharged(till, shop);
    intent.amount += 1;
    till.provider.calls.length = 0;
    till.service.shiftMs(31_000);
    assert.equal(await sweepAttempts(till.service.ctx), 1);
    assert.equal(till.provider.calls.includes('confirm'), false);
    assert.deepEqual([intent.charges, intent.status], [0, 'canceled']);
    assert.equal((await seenBy(finance, order)).payment_status, 'failed');
  });
});

test('a signed callback whose names hold U+0000 is answered with 200 and passed over', async () => {
  const { order, intent } = await paid();
  for (const [type, object] of [
    ['payment_intent.succeeded', { id: `${intent.id}\0` }],
    ['charge.dispute.funds_withdrawn', disputeOf(intent, { payment_intent: 'pi_\0' })],
    ['charge.dispute.funds_withdrawn', disputeOf(intent, { id: 'dp_\0' })],
  ] as const) {
    assert.equal(await statusOf(type, object), 200);
  }
  assert.equal((await seenBy(finance, order)).state, 'placed');
});

test('a decline whose reason holds U+0000 is booked as one', async () => {
  const shop = await openCardShop(till);
  till.provider.fail('confirm', '500');
  const { order, intent } = await placeCharged(till, shop);
  till.provider.turn(intent, 'requires_payment_method');
  intent.failure = 'No\0 money.';
  await callBack(till, 'payment_intent.payment_failed', { id: intent.id });
  const [attempt] = await rows<{ reason: string }>(
    till.service,
    `select reason from payment_attempt where intent_id = '${intent.id}'`,
    [],
  );
  assert.equal(attempt?.reason, 'No  money.');
  assert.equal((await seenBy(finance, order)).payment_status, 'failed');
});
