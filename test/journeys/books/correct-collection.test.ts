import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { BookEntry } from '../../../src/books/entry-schema.ts';
import { newId } from '../../../src/lib/ids.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { IS_WAITING } from '../../../src/privacy/retention/ended-sql.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { callBack, seenBy } from '../../harness/card-shop.ts';
import { assertSound, balancePence, eventNames, rows } from '../../harness/written.ts';
import {
  asked,
  attemptOf,
  CORRECTIONS,
  collect,
  collected,
  correct,
  correctionOf,
  disputed,
  giveBack,
  isOpen,
  paid,
  take,
  takeBack,
  tryCollect,
  win,
} from './collected.ts';
import {
  closeEntries,
  finance,
  ledgerOf,
  made,
  moved,
  openEntries,
  post,
  provider,
  refused,
  second,
  service,
  statementOf,
} from './entries.ts';

// A payment that came back was collected by bank, and that was a mistake: the order owes it again, as if it had never
// been collected.

before(() => openEntries());
after(closeEntries);
beforeEach(() => provider.decide('accept'));
afterEach(() => assertSound(service));

describe('a collection that was a mistake', () => {
  test('opens what it had closed: the order owes it, its payment is returned, and the task is there again', async () => {
    const of = await collected();
    const { order, total, shop } = of;
    assert.equal((await post(`/orders/${order.id}/resume`)).status, 200);
    let entry: BookEntry | undefined;
    const change = await moved(async () => {
      entry = await correct(of);
    });
    assert.deepEqual(change, { bank: -total, receivables: total });
    assert.deepEqual([entry?.order_id, entry?.account_id, entry?.status], [order.id, of.account, 'posted']);
    assert.equal(await isOpen(order), true);
    assert.deepEqual(await asked(order), [total]);
    const seen = await seenBy(finance, order);
    assert.deepEqual([seen.state, seen.hold?.code], ['on_hold', 'payment_returned'], 'it has not started, and waits');
    assert.deepEqual(
      seen.history.slice(-2).map(({ action, actor }) => [action, actor]),
      [
        ['correct_collection', `operator ${finance.email}`],
        ['hold', 'system'],
      ],
    );
    assert.equal(seen.history.at(-2)?.reason, 'It was for another customer.');
    assert.deepEqual(await eventNames(service, shop), ['order.created', 'order.on_hold', 'order.on_hold']);
    const refusedResume = await post(`/orders/${order.id}/resume`, undefined, await service.openOperator('production'));
    assert.equal(refusedResume.status, 403, 'until it is collected, only finance may let it go on');
    const { body: customerSees } = await shop.customer.request<Order>('GET', `/orders/${order.id}`);
    assert.deepEqual([customerSees.status, customerSees.payment_status], ['pending', 'paid']);
    const { body: audit } = await finance.request<{ data: { action: string; order_id: string | null }[] }>(
      'GET',
      `/audit?order=${order.id}`,
    );
    assert.ok(audit.data.some(({ action }) => action === 'correct_entry'));
  });

  test('keeps what the order has: its artwork and its address do not end while it is owed', async () => {
    const of = await collected();
    const keeps = async (): Promise<unknown> => {
      const [row] = await rows<{ waits: boolean }>(
        service,
        `select ${IS_WAITING} as waits from orders o where o.reference = $1`,
        [of.order.reference],
      );
      return row?.waits;
    };
    assert.equal(await keeps(), false);
    await correct(of);
    await Promise.all((await seenBy(finance, of.order)).tasks.map(({ id }) => post(`/tasks/${id}/close`)));
    assert.deepEqual([await asked(of.order), await keeps()], [[], true]);
  });

  test('an order that is still on hold for it is not held, and announced, a second time', async () => {
    const of = await collected();
    await correct(of);
    assert.deepEqual(await eventNames(service, of.shop), ['order.created', 'order.on_hold']);
    assert.equal((await seenBy(finance, of.order)).history.at(-1)?.action, 'correct_collection');
  });

  test('a dispute that is won then gives nobody anything twice, and the customer owes nothing', async () => {
    const of = await collected();
    await correct(of);
    assert.deepEqual(await moved(() => win(of)), { card_clearing: of.total, receivables: -of.total });
    assert.equal(await balancePence(service, of.shop.customer), 0);
    assert.deepEqual(await asked(of.order), []);
    assert.equal(await isOpen(of.order), false);
    assert.deepEqual(await moved(() => win(of)), {});
  });

  test('may be collected again, once, and then it is paid twice when the dispute is won', async () => {
    const of = await collected();
    await correct(of);
    assert.deepEqual(await moved(() => collect(of)), { bank: of.total, receivables: -of.total });
    assert.equal((await tryCollect(of)).status, 409);
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [false, []]);
    assert.deepEqual(await moved(() => win(of)), { card_clearing: of.total, customer_balance: -of.total });
    assert.equal(await balancePence(service, of.shop.customer), of.total);
  });

  test('in part: that part is owed again, a further part with it, and never more than is left', async () => {
    const of = await collected();
    await correct(of, { amount_gbp: 1 });
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [100]]);
    await correct(of, { amount_gbp: 0.5 });
    assert.deepEqual(await asked(of.order), [150], 'one task over all that is owed');
    const above = await correctionOf(of, { amount_gbp: (of.total - 149) / 100 });
    assert.deepEqual(await refused(CORRECTIONS, above), ['amount_gbp out_of_bounds']);
    assert.deepEqual(await moved(() => collect(of)), { bank: 150, receivables: -150 });
    assert.deepEqual(await moved(() => win(of)), { card_clearing: of.total, customer_balance: -of.total });
  });

  test('in part, and the dispute is won: what is owed comes first, and only what was collected is paid twice', async () => {
    const of = await collected();
    await correct(of, { amount_gbp: 1 });
    assert.deepEqual(await moved(() => win(of)), {
      card_clearing: of.total,
      receivables: -100,
      customer_balance: 100 - of.total,
    });
    assert.equal(await isOpen(of.order), false);
  });

  test('whole, by two at once and by a repeat under its key: it is done once', async () => {
    const of = await collected();
    const body = await correctionOf(of);
    const key = newId();
    const change = await moved(async () => {
      const answers = await Promise.all([
        post(CORRECTIONS, body, finance, key),
        post(CORRECTIONS, body, second),
        post(CORRECTIONS, body, finance, key),
      ]);
      const done = answers.filter(({ status }) => status === 201);
      assert.equal(new Set(done.map(({ body: entry }) => entry.id)).size, 1);
      assert.ok(answers.every(({ status }) => [201, 409].includes(status)));
    });
    assert.deepEqual(change, { bank: -of.total, receivables: of.total });
    assert.deepEqual(await asked(of.order), [of.total]);
  });

  test('of a direct debit that failed', async () => {
    const of = await paid('direct_debit');
    provider.turn(of.intent, 'requires_payment_method');
    await callBack({ service, provider }, 'payment_intent.payment_failed', { id: of.intent.id });
    await collect(of);
    assert.deepEqual(await moved(() => correct(of)), { bank: -of.total, receivables: of.total });
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [of.total]]);
    await collect(of);
    assert.equal(await isOpen(of.order), false);
  });

  test('of the first of two disputes, while the second is open, and after it was collected too', async () => {
    for (const isCollected of [false, true]) {
      const of = await paid();
      await take(of, 'dp_a', 100);
      await collect(of);
      await take(of, 'dp_b', 50);
      if (isCollected) await collect(of);
      await made(CORRECTIONS, await correctionOf(of, {}, isCollected ? -2 : -1));
      assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [isCollected ? 100 : 150]]);
      assert.deepEqual(await moved(() => giveBack(of, 'dp_a', 100, 100)), { card_clearing: 100, receivables: -100 });
      assert.equal(await isOpen(of.order), !isCollected);
      const rest = isCollected ? { customer_balance: -50 } : { receivables: -50 };
      assert.deepEqual(await moved(() => giveBack(of, 'dp_b', 50, 50)), { card_clearing: 50, ...rest });
    }
  });
});

describe('a correction of a collection that was a mistake itself', () => {
  test('closes again what it had opened, and may be corrected once more', async () => {
    const of = await collected();
    const first = await correct(of);
    let again: BookEntry | undefined;
    const change = await moved(async () => {
      again = await takeBack(first);
    });
    assert.deepEqual(change, { bank: of.total, receivables: -of.total });
    assert.equal(again?.order_id, of.order.id);
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [false, []]);
    assert.equal((await tryCollect(of)).status, 409);
    await takeBack(again ?? first);
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [of.total]]);
    assert.deepEqual(await moved(() => win(of)), { card_clearing: of.total, receivables: -of.total });
  });

  test('in part: the rest stays owed', async () => {
    const of = await collected();
    const [posting] = (await correct(of)).postings;
    await made(CORRECTIONS, {
      posting_id: posting?.id,
      account_id: of.account,
      amount_gbp: 1,
      reason: 'A pound of it did come.',
    });
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [of.total - 100]]);
    assert.deepEqual(await moved(() => win(of)), {
      card_clearing: of.total,
      receivables: 100 - of.total,
      customer_balance: -100,
    });
  });

  test('is refused once nothing is owed any more: the money is then a top-up', async () => {
    const of = await collected();
    const entry = await correct(of);
    await win(of);
    const answer = await post(CORRECTIONS, { entry_id: entry.id, reason: 'It came by bank after all.' });
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
    assert.match(answer.body.detail, /owes £0\.00 for the order .* is a top-up: POST \/accounts\/acct_\w+\/credits/);
  });
});

describe('a collection that is corrected after the dispute was won', () => {
  test('what the balance was credited is taken back: nobody owes anything, and nothing is to collect', async () => {
    const of = await collected();
    await win(of);
    assert.equal(await balancePence(service, of.shop.customer), of.total);
    assert.deepEqual(await moved(() => correct(of)), { bank: -of.total, customer_balance: of.total });
    assert.equal(await balancePence(service, of.shop.customer), 0);
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [false, []]);
    assert.equal((await statementOf({ customer: of.shop.customer }))[0]?.toString().split(',')[0], 'charge');
    assert.equal((await seenBy(finance, of.order)).history.at(-1)?.action, 'correct_collection');
    assert.deepEqual(await moved(() => win(of)), {});
  });

  test('and taken back again: the balance has it again, once', async () => {
    const of = await collected();
    await win(of);
    const entry = await correct(of);
    let again: BookEntry | undefined;
    assert.deepEqual(
      await moved(async () => {
        again = await takeBack(entry);
      }),
      { bank: of.total, customer_balance: -of.total },
    );
    assert.deepEqual(await moved(() => takeBack(again ?? entry)), { bank: -of.total, customer_balance: of.total });
  });

  test('a balance that was spent: 409 says what is there, or the rest is owed apart from the order', async () => {
    const of = await collected();
    await win(of);
    await made(`/accounts/${of.account}/withdrawals`, { amount_gbp: 1, reference: 'OUT', reason: 'asked for' });
    const answer = await post(CORRECTIONS, await correctionOf(of));
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
    assert.match(answer.body.detail, /would be taken from it.*shortfall: receivable/);
    assert.deepEqual(await moved(() => correct(of, { shortfall: 'receivable' })), {
      bank: -of.total,
      customer_balance: of.total - 100,
      receivables: 100,
    });
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [false, []], 'its order is paid by card');
    await made('/books/entries', {
      kind: 'receivable_paid',
      account_id: of.account,
      through: 'bank',
      amount_gbp: 1,
      reference: 'IN',
      reason: 'paid back',
    });
  });

  test('a part was given back: that part is taken from the balance, and the rest is owed for the order', async () => {
    const of = await paid();
    await take(of, 'dp_a', 100);
    await collect(of);
    await giveBack(of, 'dp_a', 100, 40);
    assert.equal(await balancePence(service, of.shop.customer), 40);
    assert.deepEqual(await moved(() => correct(of)), { bank: -100, customer_balance: 40, receivables: 60 });
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [60]]);
    assert.deepEqual(await moved(() => giveBack(of, 'dp_a', 100, 100)), { card_clearing: 60, receivables: -60 });
    assert.equal(await isOpen(of.order), false);
  });

  test('the credit of the balance is not corrected by itself: the refusal names the collection', async () => {
    const of = await collected();
    await win(of);
    const credit = (await ledgerOf('card_clearing')).data.findLast(({ kind }) => kind === 'top_up');
    const body = { posting_id: credit?.id, account_id: of.account, reason: 'wrong' };
    assert.deepEqual(await refused(CORRECTIONS, body), [409, 'conflict']);
    assert.match((await post(CORRECTIONS, body)).body.detail, /correct its posting \(charge_recovered\)/);
  });
});

describe('what was done with the order in between', () => {
  test('a refund that is still to be paid back is set off: the customer owes that much less', async () => {
    const of = await collected();
    assert.equal((await post(`/orders/${of.order.id}/refunds`, { amount_gbp: 1, reason: 'late' })).status, 200);
    assert.deepEqual(await moved(() => correct(of)), {
      bank: -of.total,
      receivables: of.total - 100,
      manual_refunds_owed: 100,
    });
    assert.deepEqual(await asked(of.order), [of.total - 100]);
    const [task] = (await seenBy(finance, of.order)).tasks;
    assert.match(task?.note ?? '', /£1\.00 was still to be paid back for it, but is now set off/);
    assert.deepEqual(await moved(() => win(of)), {
      card_clearing: of.total,
      receivables: 100 - of.total,
      manual_refunds_owed: -100,
    });
    assert.equal(await isOpen(of.order), false);
  });

  test('a cancelled order whose refund waited: nothing is to collect or to pay back', async () => {
    const of = await collected();
    assert.equal((await of.shop.customer.request<Cancellation>('POST', `/orders/${of.order.id}/cancel`)).status, 200);
    assert.deepEqual(await moved(() => correct(of)), { bank: -of.total, manual_refunds_owed: of.total });
    const { refund_owed_gbp: owed, tasks, state } = await seenBy(finance, of.order);
    assert.deepEqual([owed, state, tasks], [0, 'cancelled', []]);
    assert.equal((await tryCollect(of)).status, 409);
    assert.deepEqual(await moved(() => win(of)), { card_clearing: of.total, manual_refunds_owed: -of.total });
  });

  test('a refund that was paid out stays: all of it is owed', async () => {
    const of = await collected();
    await post(`/orders/${of.order.id}/refunds`, { amount_gbp: 1, reason: 'late' });
    assert.equal((await post(`/orders/${of.order.id}/refunds/${of.payment}/paid`)).status, 200);
    assert.deepEqual(await moved(() => correct(of)), { bank: -of.total, receivables: of.total });
    const cancelled = await of.shop.customer.request<Cancellation>('POST', `/orders/${of.order.id}/cancel`);
    assert.deepEqual(cancelled.body.pending_manual_refund, []);
    assert.deepEqual(await asked(of.order), [of.total], 'the task stays until a person has looked');
  });

  test('what was set off before the collection stays set off', async () => {
    const of = await disputed();
    await post(`/orders/${of.order.id}/refunds`, { amount_gbp: 1, reason: 'late' });
    await collect(of);
    assert.deepEqual(await moved(() => correct(of)), { bank: 100 - of.total, receivables: of.total - 100 });
    assert.deepEqual(await asked(of.order), [of.total - 100]);
    assert.deepEqual(await moved(() => win(of)), {
      card_clearing: of.total,
      receivables: 100 - of.total,
      manual_refunds_owed: -100,
    });
    assert.equal(await isOpen(of.order), false);
  });

  test('what was written off stays so, and what is owed again may be written off too', async () => {
    const of = await disputed();
    const off = { of: 'receivable', order: of.order.id, reason: 'given up' };
    await made(`/accounts/${of.account}/write-offs`, { ...off, amount_gbp: 1 });
    await collect(of);
    assert.deepEqual(await moved(() => correct(of)), { bank: 100 - of.total, receivables: of.total - 100 });
    await made(`/accounts/${of.account}/write-offs`, { ...off, amount_gbp: (of.total - 100) / 100 });
    assert.deepEqual(await asked(of.order), []);
    assert.deepEqual(await moved(() => win(of)), { card_clearing: of.total, written_off: -of.total });
    assert.equal(await isOpen(of.order), false);
  });

  test('an order that has begun is not held, and its task is there', async () => {
    const of = await collected();
    assert.equal((await post(`/orders/${of.order.id}/resume`)).status, 200);
    assert.equal((await post(`/orders/${of.order.id}/promote`, undefined, second)).status, 200);
    const [line] = (await seenBy(finance, of.order)).lines;
    const started = await post(`/orders/${of.order.id}/lines/${line?.id}/start`, undefined, second);
    assert.equal(started.status, 200, started.text);
    await correct(of);
    assert.deepEqual([(await seenBy(finance, of.order)).state, await asked(of.order)], ['in_production', [of.total]]);
    assert.equal((await attemptOf(of.order)).recovered_at, null);
  });
});
