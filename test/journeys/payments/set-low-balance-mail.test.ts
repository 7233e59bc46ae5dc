import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { newId, type Uuid } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { lookAtBalances } from '../../../src/payments/low-balance/look-at-balances.ts';
import type { LowBalanceMail } from '../../../src/payments/low-balance/low-balance-schema.ts';
import { dyingAt } from '../../harness/dying.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openShop, problemsOf, type Shop } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

const HOUR_MS = 3_600_000;

let service: TestService;
before(async () => {
  // Nothing is sent: mails stay in the queue, where they are counted.
  service = await startTestService({
    role: 'api',
    env: { SMTP_URL: 'smtp://u:p@127.0.0.1:9', MAIL_FROM: 'Print shop <orders@print.example>' },
  });
});
after(() => service.stop());

const look = (): Promise<void> => lookAtBalances(service.ctx);
const mails = async (accountId: Uuid): Promise<number> =>
  (await rows(service, "select 1 from mail where account_id = $1 and kind = 'low_balance'", [accountId])).length;
const topUp = (accountId: Uuid, amountPence: number) =>
  creditAccount(service.ctx, { accountId, amountPence: pence(amountPence), reference: newId() });
const set = (client: PortalClient, threshold: unknown) =>
  client.request<LowBalanceMail>('POST', '/money/low-balance-mail', { body: { threshold_gbp: threshold } });
const order = async (shop: Shop): Promise<void> => {
  assert.equal((await shop.order()).status, 201);
};

/** A shop whose balance covers so many orders, and whose owner is told below £2. */
async function openTold(orders: number): Promise<{ shop: Shop; accountId: Uuid; owner: PortalClient }> {
  // Those of the tests before would have their turns, too.
  await service.ctx.database.all({ name: 'test_no_thresholds', text: 'delete from low_balance_mail' }, []);
  const shop = await openShop(service, orders);
  const { accountId } = shop.customer;
  const owner = await openRole(service, 'owner', accountId);
  const answer = await set(owner, 2);
  assert.equal(answer.status, 200, answer.text);
  return { shop, accountId, owner };
}

test('a fall below the threshold is mailed once, whoever looks, and again after the balance has been above', async () => {
  const { shop, accountId, owner } = await openTold(2);
  await look();
  assert.equal(await mails(accountId), 0, 'above');
  await order(shop);
  await order(shop);
  await Promise.all([look(), look(), look()]);
  await look();
  assert.equal(await mails(accountId), 1);
  const { body } = await owner.request<LowBalanceMail>('GET', '/money/low-balance-mail');
  assert.deepEqual([body.threshold, body.is_low, body.is_mailed, body.is_topped_up], [2, true, true, false]);

  service.shiftMs(25 * HOUR_MS);
  await topUp(accountId, 100);
  await look();
  assert.equal(await mails(accountId), 1, 'it has not been above');
  await topUp(accountId, shop.totalPence);
  await order(shop);
  await look();
  assert.equal(await mails(accountId), 2, 'it was above between two looks');
});

test('at most one mail a day; one that had to wait leaves when its day has come, if the balance is still below', async () => {
  const { shop, accountId } = await openTold(1);
  await order(shop);
  await look();
  await topUp(accountId, shop.totalPence + 100);
  await order(shop);
  await look();
  assert.equal(await mails(accountId), 1);
  service.shiftMs(23 * HOUR_MS);
  await look();
  assert.equal(await mails(accountId), 1);
  service.shiftMs(2 * HOUR_MS);
  await look();
  await look();
  assert.equal(await mails(accountId), 2, 'it had to wait');

  await topUp(accountId, shop.totalPence);
  await look();
  await order(shop);
  await look();
  await topUp(accountId, shop.totalPence);
  service.shiftMs(25 * HOUR_MS);
  await look();
  assert.equal(await mails(accountId), 2, 'the balance is above again');
});

test('a look that dies before any of its statements has queued no mail and forgets nothing: the next sends it, once', async () => {
  const { shop, accountId } = await openTold(1);
  await order(shop);
  let statement = 1;
  for (; ; statement += 1) {
    const { database, hasDied } = dyingAt(service.ctx.database, statement);
    await lookAtBalances({ ...service.ctx, database });
    if (!hasDied()) break;
    assert.equal(await mails(accountId), 0, `it died before statement ${statement}`);
  }
  assert.ok(statement > 4, `it has only ${statement} statements`);
  await look();
  assert.equal(await mails(accountId), 1);
});

test('with automatic top-ups no mail is sent, until they have stopped', async () => {
  const { shop, accountId } = await openTold(1);
  const auto = (state: string) =>
    service.ctx.database.all(
      {
        name: 'test_auto',
        text: `insert into auto_top_up (account_id, threshold_pence, amount_pence, daily_cap_pence, state, not_before, updated_at)
          values ($1, 1000, 1000, 1000, $2, now(), now()) on conflict (account_id) do update set state = excluded.state`,
      },
      [accountId, state],
    );
  await auto('on');
  await order(shop);
  await look();
  await look();
  assert.equal(await mails(accountId), 0);
  await auto('stopped');
  await look();
  assert.equal(await mails(accountId), 1);
});

test('who sets it while the balance is below sees that, and gets no mail; taken away, none is sent', async () => {
  const { shop, accountId, owner } = await openTold(1);
  const answer = await set(owner, 500);
  assert.equal(answer.body.is_low, true);
  await order(shop);
  await look();
  assert.equal(await mails(accountId), 0);
  const manager = await openRole(service, 'manager', accountId);
  assert.equal((await set(manager, 1.5)).status, 200);
  assert.equal((await owner.request('DELETE', '/money/low-balance-mail')).status, 204);
  assert.equal((await owner.request('DELETE', '/money/low-balance-mail')).status, 204);
  await look();
  assert.equal(await mails(accountId), 0);
  const seen = await owner.request<LowBalanceMail>('GET', '/money/low-balance-mail');
  assert.deepEqual([seen.body.threshold, seen.body.is_low], [null, false]);
});

test('refused: amounts, and roles that do not hold the money', async () => {
  const { accountId } = await service.openCustomer({ balancePence: 0 });
  const owner = await openRole(service, 'owner', accountId);
  for (const [threshold, problem] of [
    [0.99, 'threshold_gbp out_of_bounds'],
    [1_000_000.01, 'threshold_gbp out_of_bounds'],
    [1e21, 'threshold_gbp out_of_bounds'],
    [2.005, 'threshold_gbp decimals'],
    [-1, 'threshold_gbp out_of_bounds'],
    ['5', 'threshold_gbp type'],
    [undefined, 'threshold_gbp required'],
  ]) {
    const answer = await owner.request('POST', '/money/low-balance-mail', { body: { threshold_gbp: threshold } });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], String(threshold));
  }
  for (const role of ['orders', 'reader'] as const) {
    const client = await openRole(service, role, accountId);
    assert.equal((await set(client, 5)).status, 403);
    assert.equal((await client.request('DELETE', '/money/low-balance-mail')).status, 403);
    assert.equal((await client.request('GET', '/money/low-balance-mail')).status, 200);
  }
  assert.deepEqual(await rows(service, 'select 1 from low_balance_mail where account_id = $1', [accountId]), []);
});
