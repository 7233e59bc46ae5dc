import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { pence } from '../../../src/lib/money.ts';
import { settleWaitingOrders } from '../../../src/payments/settle-waiting.ts';
import { openCardShop, placeCharged, type Till } from '../../harness/card-shop.ts';
import { eventually } from '../../harness/context.ts';
import { growthOf, readMetrics } from '../../harness/metrics.ts';
import { startProvider } from '../../harness/provider.ts';
import { startTestService } from '../../harness/service.ts';
import { basket, newReference, openShop } from '../../harness/shop.ts';

/** A busy machine takes its time to draw a print file. */
const WITHIN_MS = 60_000;

let till: Till;
before(async () => {
  const provider = await startProvider();
  till = { service: await startTestService({ env: provider.env }), provider };
});
after(async () => {
  await till.service.stop();
  await till.provider.close();
});

/** By how much counts have grown: what is sampled meanwhile depends on the moment. */
async function growth(prefix: string, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const grown = await growthOf(till.service.url, prefix, work);
  return Object.fromEntries(Object.entries(grown).filter(([series]) => /_total(\{|$)/.test(series)));
}

test('orders are counted as placed, replayed or refused with their code', async () => {
  const shop = await openShop(till.service, 1);
  const reference = newReference();
  const grown = await growth('platen_orders_total', async () => {
    assert.equal((await shop.order({ external_reference: reference })).status, 201);
    assert.equal((await shop.order({ external_reference: reference })).status, 200);
    const another = await openShop(till.service, 1);
    assert.equal((await another.order({ external_reference: reference })).status, 409);
    const missing = { items: [{ product_id: `prod_${'0'.repeat(26)}`, variant_sku: 'A', quantity: 1 }] };
    assert.equal((await shop.order(missing)).status, 404);
  });
  assert.deepEqual(grown, {
    'platen_orders_total{outcome="placed",code=""}': 1,
    'platen_orders_total{outcome="replayed",code=""}': 1,
    'platen_orders_total{outcome="refused",code="duplicate_external_reference"}': 1,
    'platen_orders_total{outcome="refused",code="not_found"}': 1,
  });
});

test('money is counted by kind once it is committed, and a replay or a repeated top-up counts nothing', async () => {
  const shop = await openShop(till.service, 1);
  const reference = newReference();
  const { totalPence: total } = shop;
  const order = () => growth('platen_posted_pence_total', () => shop.order({ external_reference: reference }));
  assert.deepEqual(await order(), { [kind('charge')]: total, [kind('sale')]: total });
  assert.deepEqual(await order(), {});
  const topUp = { accountId: shop.customer.accountId, amountPence: pence(500), reference: newReference() };
  const credit = () => growth('platen_posted_pence_total', () => creditAccount(till.service.ctx, topUp));
  assert.deepEqual(await credit(), { [kind('top_up')]: 500 });
  assert.deepEqual(await credit(), {});
});

test('money of an order that waits is counted when it is settled, and of a cancelled one as it goes back', async () => {
  const shop = await openShop(till.service, 0, 1);
  const { totalPence: total } = shop;
  let id = '';
  const placed = await growth('platen_posted_pence_total', async () => {
    id = (await shop.order()).body.id;
  });
  assert.deepEqual(placed, {});
  const { accountId } = shop.customer;
  const settled = await growth('platen_posted_pence_total', async () => {
    await creditAccount(till.service.ctx, { accountId, amountPence: pence(total), reference: '' });
    await settleWaitingOrders(till.service.ctx, accountId);
  });
  assert.deepEqual(settled, { [kind('top_up')]: total, [kind('charge')]: total, [kind('sale')]: total });
  const cancelled = await growth('platen_posted_pence_total', () =>
    shop.customer.request('POST', `/orders/${id}/cancel`),
  );
  assert.deepEqual(cancelled, { [kind('refund')]: total, [kind('sale_reversed')]: total });
});

test('charges of cards and direct debits are counted by how they end, and their money with them', async () => {
  const shop = await openCardShop(till);
  const { totalPence: total } = shop;
  till.provider.decide('accept');
  assert.deepEqual(await growth('platen_p', () => placeCharged(till, shop)), {
    [attempt('card', 'paid')]: 1,
    [kind('charge')]: total,
    [kind('sale')]: total,
  });
  till.provider.decide('decline');
  const declined = await growth('platen_payment_attempts_total', () => placeCharged(till, shop));
  assert.deepEqual(declined, { [attempt('card', 'failed')]: 1 });
  const debited = await openCardShop(till, 0, 'direct_debit');
  till.provider.decide('accept');
  const paid = await growth('platen_payment_attempts_total', () => placeCharged(till, debited));
  assert.deepEqual(paid, { [attempt('direct_debit', 'paid')]: 1 });
});

test('print files that were made are counted, and deliveries by result and by how late they began', async () => {
  const { service } = till;
  const { customer } = service;
  const answers = [500, 204];
  service.stranger.serve('/hook', (_hit, response) => {
    response.writeHead(answers.shift() ?? 204).end();
  });
  const url = service.stranger.url('/hook');
  const hook = await customer.request('POST', '/webhooks', { url, events: ['order.created'] });
  assert.equal(hook.status, 201, hook.text);
  const before = await readMetrics(service.url);
  const since = async (series: string) =>
    ((await readMetrics(service.url)).get(series) ?? 0) - (before.get(series) ?? 0);
  for (const _ of [1, 2]) assert.equal((await customer.request('POST', '/orders', basket(service))).status, 201);
  const results = async () => [
    await since('platen_webhook_attempts_total{result="succeeded"}'),
    await since('platen_webhook_attempts_total{result="failed"}'),
    // The second may have waited for the first: a receiver gets one attempt at a time until it has answered well.
    (await since('platen_webhook_lag_seconds_count{lane="open"}')) +
      (await since('platen_webhook_lag_seconds_count{lane="receiver"}')),
  ];
  await eventually('both attempts are counted', async () => (await results()).join() === '1,1,2', WITHIN_MS);
  const isMade = async () => (await since('platen_print_files_total{result="made"}')) > 0;
  await eventually('a print file is counted', isMade, WITHIN_MS);
});

test('nothing in the metrics names an account, an order, a token or an address', async () => {
  const { service } = till;
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const { token, accountId } = service.customer;
  for (const secret of [token, accountId, 'PF-', 'example.test', service.stranger.hostPort]) {
    assert.ok(!text.includes(secret), secret);
  }
  assert.doesNotMatch(text, /(acct|ord|line|prod|whk)_[0-9a-hjkmnp-tv-z]{26}/);
});

function kind(of: string): string {
  return `platen_posted_pence_total{kind="${of}"}`;
}

function attempt(method: string, outcome: string): string {
  return `platen_payment_attempts_total{method="${method}",outcome="${outcome}"}`;
}
