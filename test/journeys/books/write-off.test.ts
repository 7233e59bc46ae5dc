import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import { pence, poundsText } from '../../../src/lib/money.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import { callBack, openCardShop, placeCharged, seenBy } from '../../harness/card-shop.ts';
import { disputeOf } from '../../harness/provider.ts';
import { assertSound, balancePence } from '../../harness/written.ts';
import {
  closeEntries,
  credited,
  finance,
  made,
  moved,
  openEntries,
  post,
  provider,
  refused,
  service,
  statementOf,
} from './entries.ts';

before(() => openEntries());
after(closeEntries);
beforeEach(() => provider.decide('accept'));
afterEach(() => assertSound(service));

test('an unclaimed balance becomes an income, and the customer reads why', async () => {
  const to = await credited(37);
  const body = { of: 'balance', amount_gbp: 0.37, reason: 'Not claimed for six years.' };
  assert.deepEqual(await moved(() => made(`/accounts/${to.id}/write-offs`, body)), {
    customer_balance: 37,
    unclaimed_balances: -37,
  });
  assert.equal(await balancePence(service, to.customer), 0);
  assert.deepEqual((await statementOf(to))[0], ['charge', -0.37, 0, 'Balance written off: Not claimed for six years.']);
  assert.deepEqual(await refused(`/accounts/${to.id}/write-offs`, body), [409, 'conflict']);
});

/** An order whose payment by card is disputed. */
async function disputed() {
  const till = { service, provider };
  const shop = await openCardShop(till);
  const { order, intent } = await placeCharged(till, shop);
  await callBack(till, 'charge.dispute.funds_withdrawn', disputeOf(intent));
  const id = publicId('acct', shop.customer.accountId);
  const win = () => callBack(till, 'charge.dispute.closed', disputeOf(intent, { status: 'won' }));
  return { shop, order, id, win, pounds: shop.totalPence / 100 };
}

test('a debt for a payment that came back is given up: nothing is left to collect, and its task is closed', async () => {
  const { shop, order, id, pounds } = await disputed();
  const body = { of: 'receivable', order: order.reference, amount_gbp: pounds, reason: 'The customer is bankrupt.' };
  assert.deepEqual(await refused(`/accounts/${id}/write-offs`, { ...body, amount_gbp: (shop.totalPence + 1) / 100 }), [
    409,
    'conflict',
  ]);
  assert.deepEqual(await refused(`/accounts/${id}/write-offs`, { ...body, order: undefined }), [409, 'conflict']);
  const change = await moved(async () => {
    assert.equal((await made(`/accounts/${id}/write-offs`, body)).order_id, order.id);
  });
  assert.deepEqual(change, { receivables: -shop.totalPence, written_off: shop.totalPence });
  const seen = await seenBy(finance, order);
  assert.deepEqual([seen.tasks, seen.history.at(-1)?.action], [[], 'write_off']);
  const attempt = seen.payment_attempts[0]?.id;
  const late = await post(`/orders/${order.id}/payments/${attempt}/recovered`);
  assert.equal(late.status, 409);
});

test('an order of another customer is no debt of this one', async () => {
  const { order, pounds } = await disputed();
  const other = await credited(0);
  const body = { of: 'receivable', order: order.reference, amount_gbp: pounds, reason: 'x' };
  assert.deepEqual(await refused(`/accounts/${other.id}/write-offs`, body), [409, 'conflict']);
  assert.deepEqual(await refused(`/accounts/${other.id}/write-offs`, { ...body, order: 'PF-NOBODYS1' }), [
    404,
    'not_found',
  ]);
});

test('a dispute that is won after its debt was written off gives the write-off back, to the penny', async () => {
  for (const part of [1, 0.5]) {
    const { shop, order, id, win, pounds } = await disputed();
    const amount_gbp = Math.round(pounds * 100 * part) / 100;
    const body = { of: 'receivable', order: order.id, amount_gbp, reason: 'given up' };
    await made(`/accounts/${id}/write-offs`, body);
    const rest = shop.totalPence - Math.round(amount_gbp * 100);
    assert.deepEqual(await moved(win), {
      card_clearing: shop.totalPence,
      written_off: -Math.round(amount_gbp * 100),
      ...(rest === 0 ? {} : { receivables: -rest }),
    });
    assert.equal(await balancePence(service, shop.customer), 0, 'nothing is credited that nobody paid');
  }
});

test('what was collected after a part was written off, and then won, goes back without the part', async () => {
  const { shop, order, id, win } = await disputed();
  const body = { of: 'receivable', order: order.id, amount_gbp: 1, reason: 'a round sum' };
  await made(`/accounts/${id}/write-offs`, body);
  const { body: seen } = await finance.request<OpsOrder>('GET', `/orders/${order.id}`);
  const path = `/orders/${order.id}/payments/${seen.payment_attempts[0]?.id}/recovered`;
  assert.deepEqual(await moved(() => post(path)), { bank: shop.totalPence - 100, receivables: 100 - shop.totalPence });
  assert.deepEqual(await moved(win), {
    card_clearing: shop.totalPence,
    written_off: -100,
    customer_balance: 100 - shop.totalPence,
  });
});

test('a write-off that was a mistake is corrected, and the order owes again', async () => {
  const { shop, order, id, pounds } = await disputed();
  const body = { of: 'receivable', order: order.id, amount_gbp: pounds, reason: 'given up' };
  const entry = await made(`/accounts/${id}/write-offs`, body);
  const change = await moved(() => made('/books/corrections', { entry_id: entry.id, reason: 'The wrong customer.' }));
  assert.deepEqual(change, { receivables: shop.totalPence, written_off: -shop.totalPence });
  const seen = await seenBy(finance, order);
  const path = `/orders/${order.id}/payments/${seen.payment_attempts[0]?.id}/recovered`;
  assert.equal((await post(path)).status, 200);
});

/** What the tasks of an order ask to collect. */
async function toCollect(order: { readonly id: string }): Promise<string[]> {
  const { tasks } = await seenBy(finance, order);
  return tasks.flatMap(({ kind, note }) =>
    kind === 'payment_returned' ? [/Collect £([\d.,]+\d)/.exec(note)?.[1] ?? note] : [],
  );
}

test('the task to collect names what is still owed after a part was given up, and after that was corrected', async () => {
  const { shop, order, id, pounds } = await disputed();
  const whole = poundsText(pence(shop.totalPence));
  assert.deepEqual(await toCollect(order), [whole]);
  const body = { of: 'receivable', order: order.id, amount_gbp: 1, reason: 'a round sum' };
  const entry = await made(`/accounts/${id}/write-offs`, body);
  assert.deepEqual(await toCollect(order), [poundsText(pence(shop.totalPence - 100))]);
  await made('/books/corrections', { entry_id: entry.id, reason: 'The wrong customer.' });
  assert.deepEqual(await toCollect(order), [whole]);
  const all = await made(`/accounts/${id}/write-offs`, { ...body, amount_gbp: pounds });
  assert.deepEqual(await toCollect(order), []);
  await made('/books/corrections', { entry_id: all.id, reason: 'They can pay.' });
  assert.deepEqual(await toCollect(order), [whole], 'what is owed again is to be collected again');
});

test('the task to collect names what is still owed after a part was refunded, and goes when the order is cancelled', async () => {
  const { shop, order } = await disputed();
  const refund = await post(`/orders/${order.id}/refunds`, { amount_gbp: 1, reason: 'It was late.' });
  assert.equal(refund.status, 200, refund.text);
  assert.deepEqual(await toCollect(order), [poundsText(pence(shop.totalPence - 100))]);
  assert.equal((await finance.request('POST', `/orders/${order.id}/cancel`, { reason: 'never sent' })).status, 200);
  assert.deepEqual(await toCollect(order), []);
});

test('an order that is cancelled after its debt was given up owes nothing more, and a dispute that is won then is owed back', async () => {
  for (const part of [1, 0.5]) {
    const { shop, order, id, win, pounds } = await disputed();
    const givenUp = Math.round(pounds * 100 * part);
    await made(`/accounts/${id}/write-offs`, {
      of: 'receivable',
      order: order.id,
      amount_gbp: givenUp / 100,
      reason: 'x',
    });
    const cancelled = await moved(async () => {
      const answer = await finance.request('POST', `/orders/${order.id}/cancel`, { reason: 'never sent' });
      assert.equal(answer.status, 200, answer.text);
    });
    const rest = shop.totalPence - givenUp;
    assert.deepEqual(
      { receivables: cancelled.receivables ?? 0, written_off: cancelled.written_off ?? 0 },
      { receivables: rest === 0 ? 0 : -rest, written_off: -givenUp },
      'what the order does not owe any more is no loss either',
    );
    assert.deepEqual(await moved(win), {
      card_clearing: shop.totalPence,
      manual_refunds_owed: -shop.totalPence,
    });
    assert.equal(await balancePence(service, shop.customer), 0);
  }
});

test('an order that is cancelled after a part was collected and the rest given up gives back what was collected', async () => {
  const { shop, order, id, win } = await disputed();
  await made(`/accounts/${id}/write-offs`, { of: 'receivable', order: order.id, amount_gbp: 1, reason: 'a round sum' });
  const attempt = (await seenBy(finance, order)).payment_attempts[0]?.id;
  assert.equal((await post(`/orders/${order.id}/payments/${attempt}/recovered`)).status, 200);
  const cancelled = await moved(async () => {
    assert.equal((await finance.request('POST', `/orders/${order.id}/cancel`, { reason: 'never sent' })).status, 200);
  });
  const { manual_refunds_owed: owed, written_off: givenUp } = cancelled;
  assert.deepEqual([owed, givenUp], [100 - shop.totalPence, -100], 'nobody ever paid what was given up');
  const paid = await moved(() => post(`/orders/${order.id}/refunds/${attempt}/paid`));
  assert.deepEqual(paid, { manual_refunds_owed: shop.totalPence - 100, bank: 100 - shop.totalPence });
  assert.deepEqual(await moved(win), {
    card_clearing: shop.totalPence,
    manual_refunds_owed: -100,
    customer_balance: 100 - shop.totalPence,
  });
});

test('a write-off that a won dispute or a cancel has undone is not corrected again', async () => {
  for (const undo of ['win', 'cancel'] as const) {
    const { order, id, win, pounds } = await disputed();
    const body = { of: 'receivable', order: order.id, amount_gbp: pounds, reason: 'given up' };
    const entry = await made(`/accounts/${id}/write-offs`, body);
    if (undo === 'win') await win();
    else assert.equal((await finance.request('POST', `/orders/${order.id}/cancel`, { reason: 'x' })).status, 200);
    const correction = { entry_id: entry.id, reason: 'The wrong customer.' };
    assert.deepEqual(await refused('/books/corrections', correction), [409, 'conflict'], undo);
  }
});
