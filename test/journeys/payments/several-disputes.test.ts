import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { callBack, openCardShop, placeCharged, seenBy } from '../../harness/card-shop.ts';
import { type FakeIntent, movedBy } from '../../harness/provider.ts';
import { assertSound, balancePence } from '../../harness/written.ts';
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

// Several disputes of one payment, and disputes that give a part back: each withdrawal and each reinstatement is booked
// once, in whatever order they are reported.

before(() => openTill());
beforeEach(() => till.provider.decide('accept'));
afterEach(() => assertSound(till.service));
after(() => closeTill());

const take = (intent: FakeIntent, id: string, amount: number) =>
  told('funds_withdrawn', intent, { id, amount, ...movedBy(-amount) });
const giveBack = (intent: FakeIntent, id: string, taken: number, back: number, status = 'won') =>
  told('funds_reinstated', intent, { id, amount: taken, status, ...movedBy(-taken, back) });

const disputesOf = async (order: CreatedOrder) => (await attemptOf(order)).disputes;

describe('two disputes of one payment at once', () => {
  test('each takes its part, once; what the first gives back is not taken for the second', async () => {
    const { order, intent } = await paid();
    const taking = async (): Promise<void> => {
      await take(intent, 'dp_a', 100);
      await take(intent, 'dp_b', 60);
      await take(intent, 'dp_a', 100);
    };
    assert.deepEqual(await moved(taking), { receivables: 160, card_clearing: -160 });
    assert.deepEqual((await seenBy(finance, order)).state, 'on_hold');
    const giving = async (): Promise<void> => {
      await giveBack(intent, 'dp_a', 100, 100);
      await giveBack(intent, 'dp_a', 100, 100);
      await take(intent, 'dp_b', 60);
      await take(intent, 'dp_a', 100);
    };
    assert.deepEqual(await moved(giving), { receivables: -100, card_clearing: 100 });
    assert.equal((await attemptOf(order)).recovered_at, null, 'the second is still open');
    assert.deepEqual(
      (await tasksOf(order))
        .filter(([kind]) => kind === 'payment_returned')
        .map(([, note]) => note.match(/Collect £[\d.]+/)?.[0]),
      ['Collect £0.60'],
      'one task, over what is left to collect',
    );
    assert.deepEqual(await moved(() => giveBack(intent, 'dp_b', 60, 60)), { receivables: -60, card_clearing: 60 });
    assert.notEqual((await attemptOf(order)).recovered_at, null);
    assert.deepEqual((await kindsOf(order)).includes('payment_returned'), false);
    assert.deepEqual(
      (await disputesOf(order)).map(({ id, state, withdrawn_gbp: out, reinstated_gbp: back }) => [
        id,
        state,
        out,
        back,
      ]),
      [
        ['dp_a', 'won', 1, 1],
        ['dp_b', 'won', 0.6, 0.6],
      ],
    );
  });

  test('after the first was collected by bank, the second is collected as well, and the first is won then', async () => {
    const { shop, order, intent } = await paid();
    const { id } = await attemptOf(order);
    await take(intent, 'dp_a', 100);
    assert.equal((await act(order, `payments/${id}/recovered`)).status, 200);
    assert.deepEqual(await moved(() => take(intent, 'dp_b', 50)), { receivables: 50, card_clearing: -50 });
    assert.deepEqual(await moved(() => act(order, `payments/${id}/recovered`)), { receivables: -50, bank: 50 });
    assert.deepEqual(await moved(() => giveBack(intent, 'dp_a', 100, 100)), {
      card_clearing: 100,
      customer_balance: -100,
    });
    assert.equal(await balancePence(till.service, shop.customer), 100);
    assert.deepEqual(await moved(() => giveBack(intent, 'dp_b', 50, 50)), {
      card_clearing: 50,
      customer_balance: -50,
    });
  });

  test('together they take no more than the payment: what would be more opens a task, and is booked once there is room', async () => {
    const { order, intent, total } = await paid();
    await take(intent, 'dp_a', total - 40);
    assert.deepEqual(
      await moved(async () => {
        await take(intent, 'dp_b', 100);
        await take(intent, 'dp_b', 100);
      }),
      { receivables: 40, card_clearing: -40 },
    );
    const tasks = (await tasksOf(order)).filter(([kind]) => kind === 'dispute_exceeds');
    assert.equal(tasks.length, 1);
    assert.match(tasks[0]?.[1] ?? '', /£0\.60 .* is not booked/);
    assert.deepEqual(await moved(() => giveBack(intent, 'dp_a', total - 40, total - 40)), {
      receivables: 40 + 60 - total,
      card_clearing: total - 100,
    });
    assert.deepEqual(
      (await kindsOf(order)).filter((kind) => kind === 'dispute_exceeds'),
      [],
      'the task is closed',
    );
  });

  test('of an order that is cancelled between them: each is set off, and what was set off is owed again part by part', async () => {
    const { shop, order, intent, total } = await paid();
    await take(intent, 'dp_a', 100);
    const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual(
      cancelled.body.pending_manual_refund.map(({ amount_gbp: amount }) => cents(amount)),
      [total - 100],
    );
    assert.deepEqual(await moved(() => take(intent, 'dp_b', 60)), { card_clearing: -60, manual_refunds_owed: 60 });
    assert.deepEqual(await moved(() => giveBack(intent, 'dp_a', 100, 30, 'lost')), {
      card_clearing: 30,
      manual_refunds_owed: -30,
    });
    assert.deepEqual(await moved(() => giveBack(intent, 'dp_b', 60, 60)), {
      card_clearing: 60,
      manual_refunds_owed: -60,
    });
    const seen = await seenBy(finance, order);
    assert.deepEqual([cents(seen.refunded_gbp), cents(seen.refund_owed_gbp)], [70, total - 70]);
  });
});

test('D65 all reports of three disputes at once, twice: each is booked once', async () => {
  const { order, intent } = await paid();
  const reports = [
    () => take(intent, 'dp_a', 100),
    () => giveBack(intent, 'dp_a', 100, 30, 'lost'),
    () => take(intent, 'dp_b', 60),
    () => giveBack(intent, 'dp_b', 60, 60),
    () => take(intent, 'dp_c', 50),
  ];
  assert.deepEqual(await moved(() => Promise.all([...reports, ...reports].map((report) => report()))), {
    receivables: 120,
    card_clearing: -120,
  });
  assert.deepEqual(
    (await disputesOf(order))
      .map(({ id, withdrawn_gbp: out, reinstated_gbp: back }) => [id, out, back])
      .toSorted(([one], [other]) => String(one).localeCompare(String(other))),
    [
      ['dp_a', 1, 0.3],
      ['dp_b', 0.6, 0.6],
      ['dp_c', 0.5, 0],
    ],
  );
  const due = (await tasksOf(order)).filter(([kind]) => kind === 'payment_returned');
  assert.ok(due.length > 0, 'there is a task to collect what is owed');
});

describe('a lost dispute that gives a part back', () => {
  test('books the part, once; the rest stays to be collected', async () => {
    const { order, intent, total } = await paid();
    await take(intent, 'dp_a', total);
    const giving = async (): Promise<void> => {
      await giveBack(intent, 'dp_a', total, 30, 'lost');
      await giveBack(intent, 'dp_a', total, 30, 'lost');
      await told('closed', intent, { id: 'dp_a', status: 'lost', ...movedBy(-total, 30) });
    };
    assert.deepEqual(await moved(giving), { receivables: -30, card_clearing: 30 });
    const seen = await seenBy(finance, order);
    assert.deepEqual(
      [seen.state, seen.payment_attempts[0]?.recovered_at, seen.payment_attempts[0]?.disputes[0]?.state],
      ['on_hold', null, 'lost'],
    );
    assert.deepEqual(await kindsOf(order), ['payment_returned']);
    const { id } = await attemptOf(order);
    assert.deepEqual(await moved(() => act(order, `payments/${id}/recovered`)), {
      receivables: 30 - total,
      bank: total - 30,
    });
  });

  test('reported before it was taken, and in one report with it: both are booked, and only the rest is owed', async () => {
    const { order, intent } = await paid();
    assert.deepEqual(
      await moved(async () => {
        await giveBack(intent, 'dp_a', 100, 30, 'lost');
        await take(intent, 'dp_a', 100);
      }),
      { receivables: 70, card_clearing: -70 },
    );
    assert.deepEqual(
      (await disputesOf(order)).map(({ withdrawn_gbp: out, reinstated_gbp: back }) => [out, back]),
      [[1, 0.3]],
    );
  });

  test('after the customer has paid by bank: that part goes to his balance', async () => {
    const { shop, order, intent } = await paid();
    await take(intent, 'dp_a', 100);
    await act(order, `payments/${(await attemptOf(order)).id}/recovered`);
    await giveBack(intent, 'dp_a', 100, 30, 'lost');
    assert.equal(await balancePence(till.service, shop.customer), 30);
    await giveBack(intent, 'dp_a', 100, 100);
    assert.equal(await balancePence(till.service, shop.customer), 100);
  });

  test('whose amount cannot be read opens a task, and books nothing', async () => {
    const { order, intent } = await paid();
    await take(intent, 'dp_a', 100);
    const unread = { id: 'dp_a', amount: 100, status: 'lost' };
    assert.deepEqual(await moved(() => told('funds_reinstated', intent, unread)), {});
    const [, note] = (await tasksOf(order)).find(([kind]) => kind === 'dispute_unbooked') ?? [];
    assert.match(note ?? '', /how much cannot be read/);
  });

  test('that gives back more than it took: as much is booked, and the rest opens a task', async () => {
    const { order, intent } = await paid();
    assert.deepEqual(
      await moved(async () => {
        await take(intent, 'dp_a', 100);
        await giveBack(intent, 'dp_a', 100, 102);
      }),
      {},
    );
    const [, note] = (await tasksOf(order)).find(([kind]) => kind === 'dispute_exceeds') ?? [];
    assert.match(note ?? '', /£0\.02 more back than it took/);
  });
});

test('a dispute that is withdrawn again after it was won is taken again, whatever its reports say first', async () => {
  const { intent } = await paid();
  await giveBack(intent, 'dp_a', 100, 100);
  const again = { id: 'dp_a', amount: 100, status: 'lost', ...movedBy(-100, 100, -100) };
  assert.deepEqual(
    await moved(async () => {
      await told('funds_withdrawn', intent, again);
      await giveBack(intent, 'dp_a', 100, 100);
    }),
    { receivables: 100, card_clearing: -100 },
  );
});

test('what the reports list is booked, although the one that says it was taken never came', async () => {
  const { order, intent } = await paid();
  const lost = { id: 'dp_a', amount: 100, status: 'lost', ...movedBy(-100) };
  assert.deepEqual(await moved(() => told('closed', intent, lost)), { receivables: 100, card_clearing: -100 });
  assert.equal((await disputesOf(order))[0]?.state, 'lost');
});

describe('a dispute of a payment that is not booked', () => {
  test('is held, and booked with the payment', async () => {
    const shop = await openCardShop(till);
    till.provider.fail('confirm', '500 after');
    const { order, intent } = await placeCharged(till, shop);
    // The provider says that it took another amount, which a person must look at.
    intent.amount += 5;
    assert.deepEqual(await moved(() => take(intent, 'dp_a', 100)), {});
    assert.deepEqual(await kindsOf(order), ['payment_mismatch']);
    intent.amount -= 5;
    const total = shop.totalPence;
    const difference = await moved(async () => {
      await callBack(till, 'payment_intent.succeeded', { id: intent.id });
      await take(intent, 'dp_a', 100);
    });
    assert.deepEqual([difference.receivables, difference.card_clearing], [100, total - 100]);
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.state, seen.hold?.code], ['on_hold', 'payment_returned']);
  });

  test('and is never booked moves nothing', async () => {
    const shop = await openCardShop(till);
    till.provider.fail('confirm', '500 after');
    const { order, intent } = await placeCharged(till, shop);
    intent.amount += 5;
    await take(intent, 'dp_a', 100);
    const body = { outcome: 'failed', reason: 'given back' };
    assert.deepEqual(await moved(() => act(order, `payment-attempts/pay_1/resolve`, body)), {});
    const { id } = await attemptOf(order);
    assert.deepEqual(await moved(() => act(order, `payment-attempts/${id}/resolve`, body)), {});
    assert.deepEqual(await moved(() => take(intent, 'dp_a', 100)), {});
  });
});

test('a direct debit that fails as a whole after a part of it had come back: the rest comes back, once', async () => {
  const shop = await openCardShop(till, 0, 'direct_debit');
  till.provider.decide('process');
  const { order, intent } = await placeCharged(till, shop);
  await take(intent, 'dp_a', 100);
  till.provider.turn(intent, 'requires_payment_method');
  const difference = await moved(async () => {
    await callBack(till, 'payment_intent.payment_failed', { id: intent.id });
    await callBack(till, 'payment_intent.payment_failed', { id: intent.id });
    await take(intent, 'dp_b', 60);
  });
  assert.deepEqual(difference, { receivables: shop.totalPence - 100, direct_debit_clearing: 100 - shop.totalPence });
  assert.equal((await kindsOf(order)).includes('dispute_unbooked'), false);
});
