import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AutoTopUp } from '../../../src/payments/auto-top-ups/auto-top-up-schema.ts';
import { runAutoTopUps } from '../../../src/payments/auto-top-ups/run-auto-top-ups.ts';
import { sweepTopUps } from '../../../src/payments/top-ups/sweep-top-ups.ts';
import type { CardTopUp } from '../../../src/payments/top-ups/top-up-schema.ts';
import { callBack } from '../../harness/card-shop.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { disputeOf } from '../../harness/provider.ts';
import { openShop, problemsOf } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { balanceOf, openTill, postingsOf, type Till } from './card-top-ups.ts';
import { closeCards, openCards, provider, service } from './cards.ts';
import { lookAt, saveCard, savingOf } from './savings.ts';

before(openCards);
after(closeCards);

const HOUR_MS = 3_600_000;

const set = (client: PortalClient, [threshold, amount, cap]: readonly unknown[]) =>
  client.request<AutoTopUp>('POST', '/auto-top-up', {
    body: { threshold_gbp: threshold, amount_gbp: amount, daily_cap_gbp: cap },
  });
const see = async ({ owner }: Till): Promise<AutoTopUp> => (await owner.request<AutoTopUp>('GET', '/auto-top-up')).body;
const run = (): Promise<void> => runAutoTopUps(service.ctx);
const topUpsOf = async ({ owner }: Till): Promise<(readonly [string, number])[]> =>
  (await owner.request<{ data: CardTopUp[] }>('GET', '/top-ups')).body.data.map(
    ({ state, amount }) => [state, amount] as const,
  );

/** An account whose saved card tops up 20 below 10, at most 50 in 24 hours. */
async function openAuto(): Promise<Till> {
  // Those of the tests before would have their turns, too.
  await service.ctx.database.all({ name: 'test_off', text: 'delete from auto_top_up' }, []);
  const till = await openTill();
  await saveCard(till.owner);
  const answer = await set(till.owner, [10, 20, 50]);
  assert.equal(answer.status, 200, answer.text);
  return till;
}

/** Raises the threshold above any balance of these tests. */
const wantMore = ({ accountId }: Till) =>
  service.ctx.database.all(
    { name: 'test_threshold', text: 'update auto_top_up set threshold_pence = 1000000 where account_id = $1' },
    [accountId],
  );

test('a balance below the threshold is topped up by the saved card, once, whoever looks', async () => {
  const till = await openAuto();
  await Promise.all([run(), run(), run()]);
  await run();
  assert.deepEqual(
    [await balanceOf(till), await postingsOf(till)],
    [2_000, ['top_up: card_clearing > customer_balance 2000']],
  );
  const { state, topped_up: toppedUp, failures } = await see(till);
  assert.deepEqual([state, toppedUp, failures], ['on', 20, 0]);
  assert.deepEqual(await topUpsOf(till), [['paid', 20]]);
});

test('no more than the cap is topped up within 24 hours, and then it goes on', async () => {
  const till = await openAuto();
  await wantMore(till);
  for (let round = 0; round < 5; round += 1) {
    await run();
    service.shiftMs(61_000);
  }
  assert.equal(await balanceOf(till), 4_000, 'a third one would be above the cap of 50');
  const { topped_up: toppedUp, next_at: nextAt } = await see(till);
  assert.equal(toppedUp, 40);
  assert.ok(nextAt !== null && Date.parse(nextAt) > service.ctx.clock.now().getTime() + 23 * HOUR_MS);
  service.shiftMs(24 * HOUR_MS);
  await run();
  assert.equal(await balanceOf(till), 6_000);
});

test('two failures in a row stop it, with the reason; setting it anew starts it', async () => {
  const till = await openAuto();
  provider.decide('decline');
  await run();
  await run();
  const once = await see(till);
  assert.deepEqual([once.state, once.failures, once.reason], ['on', 1, 'Your card was declined.']);
  assert.equal((await topUpsOf(till)).length, 1, 'the second try waits');
  service.shiftMs(HOUR_MS + 1_000);
  await run();
  service.shiftMs(HOUR_MS + 1_000);
  await run();
  const { state, failures } = await see(till);
  assert.deepEqual(
    [state, failures, await topUpsOf(till)],
    [
      'stopped',
      2,
      [
        ['failed', 20],
        ['failed', 20],
      ],
    ],
  );
  provider.decide('accept');
  await run();
  assert.equal(await balanceOf(till), 0);
  const owner = await openRole(service, 'owner', till.accountId);
  assert.equal((await set(owner, [10, 20, 50])).body.state, 'on', 'a proof of hours ago would not do');
  await run();
  assert.equal(await balanceOf(till), 2_000);
});

test('a success between two failures begins the count anew; a card that asks for its person is a failure', async () => {
  const till = await openAuto();
  await wantMore(till);
  for (const verdict of ['require action', 'accept', 'decline'] as const) {
    provider.decide(verdict);
    await run();
    service.shiftMs(HOUR_MS + 1_000);
  }
  provider.decide('accept');
  const { state, failures } = await see(till);
  assert.deepEqual([state, failures, await balanceOf(till)], ['on', 1, 2_000]);
});

for (const [call, fault] of [
  ['create', '500'],
  ['create', '500 after'],
  ['confirm', '500'],
  ['confirm', '500 after'],
] as const) {
  test(`a provider that gives no answer (${call}: ${fault}) is no failure: the sweep carries on, and charges once`, async () => {
    const till = await openAuto();
    provider.fail(call, fault);
    await run();
    assert.equal(await balanceOf(till), 0);
    service.shiftMs(61_000);
    await Promise.all([sweepTopUps(service.ctx), run(), sweepTopUps(service.ctx)]);
    assert.deepEqual([await balanceOf(till), (await see(till)).failures], [2_000, 0]);
    assert.equal(provider.intents.at(-1)?.charges, 1);
  });
}

test('a charge whose end is not known for an hour is stopped, and takes no money later', async () => {
  const till = await openAuto();
  provider.fail('confirm', '500');
  await run();
  const intent = provider.intents.at(-1);
  service.shiftMs(HOUR_MS + 1_000);
  await sweepTopUps(service.ctx);
  assert.deepEqual([intent?.status, await topUpsOf(till), await balanceOf(till)], ['canceled', [['expired', 20]], 0]);
  await run();
  assert.equal(await balanceOf(till), 2_000, 'the next one is another');
});

test('a dispute that is reported before the charge is booked books it first', async () => {
  const till = await openAuto();
  provider.fail('confirm', '500 after');
  await run();
  const intent = provider.intents.at(-1) ?? assert.fail();
  await callBack({ service, provider }, 'charge.dispute.funds_withdrawn', disputeOf(intent));
  assert.deepEqual(await postingsOf(till), [
    'top_up: card_clearing > customer_balance 2000',
    'charge_returned: customer_balance > card_clearing 2000',
  ]);
});

test('orders that wait are paid by it', async () => {
  const shop = await openShop(service, 0, 0);
  const till = { accountId: shop.customer.accountId, owner: await openRole(service, 'owner', shop.customer.accountId) };
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'failed');
  const { saving, page } = await savingOf(till.owner);
  provider.save(page);
  // The card is refused for the order, and taken later.
  provider.decide('decline');
  await lookAt(till.owner, saving);
  provider.decide('accept');
  assert.equal((await set(till.owner, [10, 500, 500])).status, 200);
  await run();
  const seen = await shop.customer.request<{ payment_status: string }>('GET', `/orders/${order.body.id}`);
  assert.equal(seen.body.payment_status, 'paid');
});

test('without a card any more it stops and says so; a suspended account is not charged', async () => {
  const till = await openAuto();
  await service.ctx.database.all({ name: 'test_no_card', text: 'delete from payment_method where account_id = $1' }, [
    till.accountId,
  ]);
  await run();
  assert.deepEqual([(await see(till)).state, await topUpsOf(till)], ['stopped', []]);
  const other = await openAuto();
  await service.ctx.database.all(
    { name: 'test_suspend', text: 'update account set suspended_at = now() where id = $1' },
    [other.accountId],
  );
  await run();
  assert.equal(await balanceOf(other), 0);
});

test('an amount above what the operator has lowered TOP_UP_MAX_GBP to stops it, and nothing is charged', async () => {
  const till = await openAuto();
  await runAutoTopUps({ ...service.ctx, config: { ...service.ctx.config, topUpMaxGbp: 19 } });
  const { state, reason } = await see(till);
  assert.deepEqual([state, reason, await topUpsOf(till)], ['stopped', 'the print shop takes less at once now.', []]);
});

test('amounts, roles, old proofs and accounts without a card are refused, and nothing is written', async () => {
  const till = await openTill();
  const without = await till.owner.request('POST', '/auto-top-up', {
    body: { threshold_gbp: 10, amount_gbp: 20, daily_cap_gbp: 50 },
  });
  assert.deepEqual([without.status, without.body.code], [409, 'conflict']);
  await saveCard(till.owner);
  for (const [amounts, problems] of [
    [[0.5, 20, 50], ['threshold_gbp out_of_bounds']],
    [[10, 4.99, 50], ['amount_gbp out_of_bounds']],
    [[10, 20, 19.99], ['daily_cap_gbp out_of_bounds']],
    [
      [1.001, 20, 2_000_000],
      ['threshold_gbp decimals', 'daily_cap_gbp out_of_bounds'],
    ],
    [['10', 20, 50], ['threshold_gbp type']],
    [[10, 20, undefined], ['daily_cap_gbp required']],
  ] as const) {
    const [threshold, amount, cap] = amounts;
    const answer = await till.owner.request('POST', '/auto-top-up', {
      body: { threshold_gbp: threshold, amount_gbp: amount, daily_cap_gbp: cap },
    });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, problems], JSON.stringify(amounts));
  }
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, till.accountId);
    assert.equal((await person.request('GET', '/auto-top-up')).status, 200);
    assert.equal((await set(person, [10, 20, 50])).status, 403);
    assert.equal((await person.request('DELETE', '/auto-top-up')).status, 403);
  }
  service.shiftMs(16 * 60_000);
  const old = await till.owner.request('POST', '/auto-top-up', {
    body: { threshold_gbp: 10, amount_gbp: 20, daily_cap_gbp: 50 },
  });
  assert.deepEqual([old.status, old.body.code], [403, 'proof_required']);
  assert.deepEqual(await rows(service, 'select 1 from auto_top_up where account_id = $1', [till.accountId]), []);
  assert.equal((await till.owner.request('DELETE', '/auto-top-up')).status, 204, 'off is off');
});

test('after all of this the books are in order', async () => {
  await assertSound(service);
});
