import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Home } from '../../../src/problems/first-page/home-schema.ts';
import { placeOrder } from '../../harness/floor.ts';
import { openRole } from '../../harness/portal.ts';
import { rows } from '../../harness/written.ts';
import { openProblems, type ProblemShop } from './problems.ts';

const DAY_MS = 86_400_000;

let at: ProblemShop;
before(async () => {
  at = await openProblems();
});
after(() => at.service.stop());

test('the orders under way are counted up to 50, and answers of the last week are shown', async () => {
  const order = await at.shipped([5]);
  const [open, answered] = [await at.reported(order), await at.reported(order)];
  const reader = await openRole(at.service, 'reader', at.shop.accountId);
  const home = async (client = reader): Promise<Home> => {
    const { status, body, text } = await client.request<Home>('GET', '/home');
    assert.equal(status, 200, text);
    return body;
  };
  assert.deepEqual((await home()).answered_problems, []);
  await at.answer(answered, 'refuse', { message: 'It is as ordered.' });
  const [shown, ...more] = (await home()).answered_problems;
  assert.deepEqual([shown?.id, shown?.answer?.message, more], [answered.id, 'It is as ordered.', []]);
  assert.notEqual(open.id, answered.id);
  const none = { count: 0, is_more: false };
  assert.deepEqual((await home()).orders, { pending: none, confirmed: none, in_production: none });
  const placed = await placeOrder(at.service);
  const own = await openRole(at.service, 'owner', at.service.customer.accountId);
  assert.deepEqual((await home(own)).orders.pending, { count: 1, is_more: false });
  assert.deepEqual((await home(own)).answered_problems, [], 'of another account nothing is seen');
  await rows(
    at.service,
    `insert into orders select r.* from orders o, generate_series(1, 60) as n, lateral jsonb_populate_record(null::orders,
       to_jsonb(o) || jsonb_build_object('id', uuid_v7(o.created_at - make_interval(mins => n)), 'reference', 'PF-' || n,
         'state', case when n <= 50 then 'placed' else 'released' end)) as r where o.reference = $1`,
    [placed.reference],
  );
  const { orders } = await home(own);
  assert.deepEqual(
    [orders.pending, orders.confirmed],
    [
      { count: 50, is_more: true },
      { count: 10, is_more: false },
    ],
  );
  at.service.shiftMs(8 * DAY_MS);
  assert.deepEqual((await home(await openRole(at.service, 'reader', at.shop.accountId))).answered_problems, []);
});

const TROUBLE = { troubled_webhooks: [], money: { stopped_top_ups: null, low_balance: null } };

test('webhooks that are disabled or fail, a balance below its threshold and top-ups that have stopped need a person', async () => {
  const { accountId } = await at.service.openCustomer({ balancePence: 4_000 });
  const owner = await openRole(at.service, 'owner', accountId);
  const elsewhere = await openRole(at.service, 'owner', (await at.service.openCustomer()).accountId);
  const trouble = async (client = owner): Promise<Pick<Home, 'troubled_webhooks' | 'money'>> => {
    const { body } = await client.request<Home>('GET', '/home');
    return { troubled_webhooks: body.troubled_webhooks, money: body.money };
  };
  assert.deepEqual(await trouble(), TROUBLE);

  const insert = `insert into webhook_subscription (id, account_id, url, events, description, secret_sealed,
      secret_sealed_with, active, failure_count, disabled_reason, failing_since, created_at, updated_at)
    select uuid_v7(now()), $1, 'https://shop.example/' || name, '{}', name, '', '', active, failures, reason,
      case when failures > 0 then now() end, now(), now()
    from (values ('fine', true, 0, null), ('hiccup', true, 2, null), ('failing', true, 3, null),
      ('paused', false, 5, null), ('disabled', false, 15, 'It failed too often.')) as s(name, active, failures, reason)`;
  await rows(at.service, insert, [accountId]);
  const webhooks = (await trouble()).troubled_webhooks;
  assert.deepEqual(
    new Map(webhooks.map(({ description, active }) => [description, active])),
    new Map([
      ['disabled', false],
      ['failing', true],
    ]),
  );
  assert.ok(webhooks.every(({ failing_since: since }) => since !== null));
  const placing = await openRole(at.service, 'orders', accountId);
  assert.deepEqual((await trouble(placing)).troubled_webhooks, [], 'who places orders has no page of webhooks');

  const set = (pounds: number) => owner.request('POST', '/money/low-balance-mail', { body: { threshold_gbp: pounds } });
  assert.equal((await set(40)).status, 200);
  assert.equal((await trouble()).money.low_balance, null, 'at its threshold');
  assert.equal((await set(40.01)).status, 200);
  assert.deepEqual((await trouble()).money.low_balance, { threshold: 40.01 });

  const topUps = `insert into auto_top_up (account_id, threshold_pence, amount_pence, daily_cap_pence, state, reason, not_before, updated_at)
    values ($1, 2000, 5000, 10000, 'on', '', now(), now())`;
  await rows(at.service, topUps, [accountId]);
  assert.deepEqual((await trouble()).money, TROUBLE.money, 'it is topped up by itself');
  await rows(
    at.service,
    "update auto_top_up set state = 'stopped', failures = 2, reason = 'Expired.' where account_id = $1",
    [accountId],
  );
  assert.deepEqual((await trouble()).money, {
    stopped_top_ups: { reason: 'Expired.', threshold: 20 },
    low_balance: { threshold: 40.01 },
  });
  assert.deepEqual(await trouble(elsewhere), TROUBLE, 'of another account nothing is seen');
});
