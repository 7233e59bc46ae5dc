import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, parseId, type Uuid } from '../../../src/lib/ids.ts';
import { endCardTopUp } from '../../../src/payments/top-ups/end-top-up.ts';
import { sweepTopUps } from '../../../src/payments/top-ups/sweep-top-ups.ts';
import type { CardTopUp } from '../../../src/payments/top-ups/top-up-schema.ts';
import { findOwnCardTopUp } from '../../../src/payments/top-ups/top-up-sql.ts';
import { callBack } from '../../harness/card-shop.ts';
import { openRole } from '../../harness/portal.ts';
import { disputeOf, movedBy } from '../../harness/provider.ts';
import { openShop } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { balanceOf, begun, CREDITED, completed, look, openTill, postingsOf, tasksOf } from './card-top-ups.ts';
import { closeCards, openCards, provider, service } from './cards.ts';

before(openCards);
after(closeCards);

/** What a callback is answered with. */
async function statusOf(type: string, object: object): Promise<number> {
  const { body, headers } = provider.callback(type, object, { at: service.ctx.clock.now() });
  const response = await fetch(`${service.url}/hooks/stripe`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

/** Every way in which the answers of a payment can come. */
const ORDERS: readonly (readonly [title: string, steps: readonly ('return' | 'callback' | 'sweep')[]])[] = [
  ['the return, then the callback twice', ['return', 'callback', 'callback']],
  ['the callback twice, then the return twice', ['callback', 'callback', 'return', 'return']],
  ['the return alone: the callback is lost', ['return']],
  ['neither: the tab was closed, and the sweep finds it', ['sweep', 'sweep', 'callback']],
];

for (const [title, steps] of ORDERS) {
  test(`a top-up whose answers come as ${title} is credited once`, async () => {
    const till = await openTill();
    const { topUp, page } = await begun(till);
    assert.deepEqual([topUp.state, topUp.amount, topUp.pay_url, page.amount], ['open', 50, page.url, 5_000]);
    assert.equal(await balanceOf(till), 0, 'nothing is credited before it is paid');
    provider.pay(page);
    for (const step of steps) {
      if (step === 'return') assert.equal((await look(till.owner, topUp)).body.state, 'paid');
      if (step === 'callback') await completed(page);
      if (step === 'sweep') {
        service.shiftMs(31_000);
        await sweepTopUps(service.ctx);
      }
    }
    assert.deepEqual([await balanceOf(till), await postingsOf(till)], [5_000, CREDITED]);
    const listed = await till.owner.request<{ data: CardTopUp[] }>('GET', '/top-ups');
    assert.deepEqual(
      listed.body.data.map(({ id, state, pay_url: url }) => [id, state, url]),
      [[topUp.id, 'paid', null]],
    );
  });
}

test('a top-up whose answers come twice and all at once is credited once', async () => {
  const till = await openTill();
  const { topUp, page } = await begun(till);
  provider.pay(page);
  service.shiftMs(31_000);
  await Promise.all([
    ...[1, 2, 3].map(() => look(till.owner, topUp)),
    ...[1, 2, 3].map(() => completed(page)),
    sweepTopUps(service.ctx),
  ]);
  assert.deepEqual([await balanceOf(till), await postingsOf(till)], [5_000, CREDITED]);
});

test('callbacks in the wrong order count for nothing: what the page says counts', async () => {
  const till = await openTill();
  const { topUp, page } = await begun(till);
  await callBack({ service, provider }, 'checkout.session.completed', { id: page.id, payment_status: 'paid' });
  assert.equal(
    (await look(till.owner, topUp)).body.state,
    'open',
    'a callback that says more than the page is no money',
  );
  provider.pay(page);
  await callBack({ service, provider }, 'checkout.session.expired', { id: page.id });
  assert.deepEqual([(await look(till.owner, topUp)).body.state, await balanceOf(till)], ['paid', 5_000]);
  await callBack({ service, provider }, 'checkout.session.completed', { id: 'cs_of_others' });
});

test('the orders that wait for the money are paid by it', async () => {
  const shop = await openShop(service, 0);
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'failed');
  const { accountId } = shop.customer;
  const till = { accountId, owner: await openRole(service, 'owner', accountId) };
  const { topUp, page } = await begun(till, 500);
  provider.pay(page);
  await look(till.owner, topUp);
  const read = await shop.customer.request<{ payment_status: string }>('GET', `/orders/${order.body.id}`);
  assert.equal(read.body.payment_status, 'paid');
  assert.equal(await balanceOf(till), 50_000 - shop.totalPence);
  assert.deepEqual(
    await rows(service, 'select look_at from card_top_up where account_id = $1', [accountId]),
    [{ look_at: null }],
    'nothing is left to do',
  );
});

test('a process that died before it settled the orders leaves that to the sweep', async () => {
  const shop = await openShop(service, 0);
  const { accountId } = shop.customer;
  const till = { accountId, owner: await openRole(service, 'owner', accountId) };
  const { topUp, page } = await begun(till, 500);
  const order = await shop.order();
  provider.pay(page);
  // The settling fails as that of a process which is gone: it never comes to it.
  const ctx = {
    ...service.ctx,
    get config(): never {
      throw new Error('this process is gone');
    },
  };
  const row = await findOwnCardTopUp(ctx.database, accountId, (parseId('top', topUp.id) ?? '') as Uuid);
  assert.ok(row);
  await endCardTopUp(ctx, row, { kind: 'paid', intentId: page.intentId });
  const read = () => shop.customer.request<{ payment_status: string }>('GET', `/orders/${order.body.id}`);
  assert.deepEqual([await balanceOf(till), (await read()).body.payment_status], [50_000, 'failed']);
  service.shiftMs(31_000);
  await sweepTopUps(service.ctx);
  assert.equal((await read()).body.payment_status, 'paid');
});

test('a page that nobody pays is ended there, then here; one that is paid at that moment is credited', async () => {
  const till = await openTill();
  const left = await begun(till);
  const late = await begun(till);
  service.shiftMs(3_600_001);
  provider.before('end page', async () => void provider.pay(late.page));
  await sweepTopUps(service.ctx);
  provider.before('end page', async () => undefined);
  service.shiftMs(3_600_001);
  await sweepTopUps(service.ctx);
  const states = await rows(service, 'select state from card_top_up where account_id = $1 order by id', [
    till.accountId,
  ]);
  assert.deepEqual([states, left.page.status], [[{ state: 'expired' }, { state: 'paid' }], 'expired']);
  assert.equal(await balanceOf(till), 5_000);
});

test('a page whose money comes later is credited when it has come, and never when it fails', async () => {
  const till = await openTill();
  const { topUp, page } = await begun(till);
  provider.pay(page, 'process');
  assert.equal((await look(till.owner, topUp)).body.state, 'open');
  page.paymentStatus = 'paid';
  await callBack({ service, provider }, 'checkout.session.async_payment_succeeded', { id: page.id });
  assert.equal(await balanceOf(till), 5_000);
  const other = await begun(till);
  provider.turn(provider.pay(other.page, 'process'), 'requires_payment_method');
  assert.equal((await look(till.owner, other.topUp)).body.state, 'failed');
  assert.equal(await balanceOf(till), 5_000);
});

for (const [what, changes] of [
  ['amount', { amount: 4_999 }],
  ['currency', { currency: 'usd' }],
] as const) {
  test(`a page that took another ${what} is not credited, and operators get a task, once`, async () => {
    const till = await openTill();
    const { topUp, page } = await begun(till);
    Object.assign(page, changes);
    provider.pay(page);
    assert.equal((await look(till.owner, topUp)).body.state, 'failed');
    await completed(page);
    assert.deepEqual([await balanceOf(till), await postingsOf(till)], [0, []]);
    assert.deepEqual(
      (await tasksOf(till)).map(({ kind }) => kind),
      ['payment_mismatch'],
    );
  });
}

test('a dispute takes the balance as far as it goes, the rest is owed; what is won comes back in the same order', async () => {
  const shop = await openShop(service, 0);
  const { accountId } = shop.customer;
  const till = { accountId, owner: await openRole(service, 'owner', accountId) };
  const { topUp, page } = await begun(till);
  const intent = provider.pay(page);
  await look(till.owner, topUp);
  assert.equal((await shop.order()).body.payment_status, 'paid');
  const left = 5_000 - shop.totalPence;
  assert.ok(left > 0);
  const report = (type: string, changes: object): Promise<void> =>
    callBack({ service, provider }, `charge.dispute.${type}`, disputeOf(intent, changes));
  await report('created', { status: 'warning_needs_response', amount: 5_000 });
  await report('created', { status: 'warning_needs_response', amount: 5_000 });
  await report('funds_withdrawn', movedBy(-5_000));
  await report('created', movedBy(-5_000));
  assert.equal(await balanceOf(till), 0);
  await report('funds_reinstated', { status: 'won', ...movedBy(-5_000, 5_000) });
  await report('closed', { status: 'won', ...movedBy(-5_000, 5_000) });
  await report('funds_withdrawn', movedBy(-5_000));
  assert.deepEqual((await postingsOf(till)).slice(-4), [
    `charge_returned: customer_balance > card_clearing ${left}`,
    `charge_returned: receivables > card_clearing ${shop.totalPence}`,
    `charge_recovered: card_clearing > receivables ${shop.totalPence}`,
    `charge_recovered: card_clearing > customer_balance ${left}`,
  ]);
  assert.deepEqual(
    (await tasksOf(till)).map(({ kind }) => kind),
    ['dispute_inquiry', 'top_up_returned'],
  );
});

test('refunds made at the provider come off the balance, each part once; what cannot be read is a task', async () => {
  const till = await openTill();
  const { topUp, page } = await begun(till);
  const intent = provider.pay(page);
  await look(till.owner, topUp);
  const refunded = (amount: unknown, currency = 'gbp'): Promise<void> =>
    callBack({ service, provider }, 'charge.refunded', {
      payment_intent: intent.id,
      amount_refunded: amount,
      currency,
    });
  for (const amount of [1_000, 3_000, 1_000, 3_000]) await refunded(amount);
  assert.equal(await balanceOf(till), 2_000);
  await refunded(3_000, 'usd');
  await refunded(9_000);
  assert.equal(await balanceOf(till), 0, 'never more than the top-up');
  assert.deepEqual(
    (await tasksOf(till)).map(({ kind }) => kind),
    ['top_up_returned', 'top_up_returned', 'dispute_unbooked', 'top_up_returned'],
  );
  const statement = await till.owner.api<{ data: { type: string; amount: number; description: string }[] }>(
    'GET',
    '/account/transactions',
  );
  assert.deepEqual(statement.body.data.map(({ type, amount, description }) => [type, amount, description]).slice(2), [
    ['charge', -10, 'Top-up taken back by the bank of the card'],
    ['top_up', 50, 'Top-up'],
  ]);
});

test('a refund that is reported before its top-up is booked comes off the balance once the money is on it', async () => {
  const till = await openTill();
  const { topUp, page } = await begun(till);
  const intent = provider.pay(page);
  const charge = {
    payment_intent: intent.id,
    amount_refunded: 2_000,
    currency: 'gbp',
    metadata: { platen_top_up: page.key },
  };
  provider.fail('read page', '500');
  assert.equal(await statusOf('charge.refunded', charge), 503, 'the provider has to call again');
  assert.deepEqual([await balanceOf(till), await postingsOf(till)], [0, []]);
  await callBack({ service, provider }, 'charge.refunded', charge);
  const booked = [...CREDITED, 'charge_returned: customer_balance > card_clearing 2000'];
  assert.deepEqual([await balanceOf(till), await postingsOf(till)], [3_000, booked]);
  await completed(page);
  await look(till.owner, topUp);
  await callBack({ service, provider }, 'charge.refunded', charge);
  assert.deepEqual([await balanceOf(till), await postingsOf(till)], [3_000, booked]);
});

test('a dispute that is reported before its top-up is booked comes off the balance once the money is on it', async () => {
  const till = await openTill();
  const { page } = await begun(till);
  const dispute = disputeOf(provider.pay(page), movedBy(-2_000));
  provider.fail('read page', '500');
  assert.equal(await statusOf('charge.dispute.funds_withdrawn', dispute), 503, 'the provider has to call again');
  provider.fail('read', '500');
  assert.equal(await statusOf('charge.dispute.funds_withdrawn', dispute), 503, 'whose payment it is has to be read');
  assert.deepEqual([await balanceOf(till), await postingsOf(till)], [0, []]);
  await callBack({ service, provider }, 'charge.dispute.funds_withdrawn', dispute);
  const booked = [...CREDITED, 'charge_returned: customer_balance > card_clearing 2000'];
  assert.deepEqual([await balanceOf(till), await postingsOf(till)], [3_000, booked]);
  await completed(page);
  await callBack({ service, provider }, 'charge.dispute.funds_withdrawn', dispute);
  assert.deepEqual([await balanceOf(till), await postingsOf(till)], [3_000, booked]);
});

test('a refund of what is no top-up of this service, or of another payment than its own, books nothing', async () => {
  const till = await openTill();
  const { page } = await begun(till);
  const refunded = (metadata: unknown, payment_intent = 'pi_of_others'): Promise<void> =>
    callBack({ service, provider }, 'charge.refunded', {
      payment_intent,
      amount_refunded: 2_000,
      currency: 'gbp',
      metadata,
    });
  for (const metadata of [{}, null, { platen_top_up: 7 }, { platen_top_up: 'another' }, { platen_top_up: newId() }]) {
    await refunded(metadata);
  }
  const dispute = disputeOf({ id: 'pi_of_others', amount: 5_000 }, movedBy(-5_000));
  assert.equal(await statusOf('charge.dispute.funds_withdrawn', dispute), 200);
  provider.pay(page);
  await refunded({ platen_top_up: page.key });
  assert.deepEqual([await balanceOf(till), await postingsOf(till)], [5_000, CREDITED]);
});

test('after all of this the books are in order', async () => {
  await assertSound(service);
});
