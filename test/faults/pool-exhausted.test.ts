import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mintToken } from '../../src/accounts/mint-token.ts';
import { SCOPES } from '../../src/lib/caller.ts';
import type { Cancellation } from '../../src/refunds/schema.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { type Answer, type OperatorClient, startTestService, type TestService } from '../harness/service.ts';
import { body, newReference, type OrderAnswer, openShop, type Shop } from '../harness/shop.ts';
import { assertSound, balancePence, booksOf, holdBalance } from '../harness/written.ts';

/** The connections that all accounts share (runbook, "While it runs"); one account beside others has 13. */
const ORDINARY = 18;
/** The accounts that take them, as many each. */
const BUSY = 2;
const ANSWERED_WITHIN_MS = 5_000;

let service: TestService;
let second: SecondConnection;
let busy: Shop[];
let shop: Shop;
let operator: OperatorClient;
before(async () => {
  // Without workers, whose polls would take connections in between.
  service = await startTestService({ role: 'api' });
  second = await openSecondConnection(service.database);
  busy = await Promise.all(Array.from({ length: BUSY }, () => openShop(service, 3 * ORDINARY)));
  shop = await openShop(service, 10);
  operator = await service.openOperator('viewer');
});
after(async () => {
  await second.close();
  await service.stop();
});

/** Every ordinary connection waits for a lock, as when a customer's orders wait for one another, while `work` runs. */
async function whileExhausted(work: () => Promise<void>): Promise<OrderAnswer[]> {
  await holdBalance(second, ...busy);
  const waiting = busy.flatMap((each) => Array.from({ length: ORDINARY / BUSY }, () => each.order()));
  try {
    await second.untilWaiting(ORDINARY);
    await work();
  } finally {
    await second.query('rollback');
  }
  return Promise.all(waiting);
}

async function timed<Body>(ask: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  const startedMs = performance.now();
  const answer = await ask();
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs < ANSWERED_WITHIN_MS, `answered after ${Math.round(tookMs)} ms`);
  return answer;
}

test('N203 while every connection is taken, requests are told to come back within 5 s, and nothing of them is written', async () => {
  const before = await booksOf(service, shop.customer);
  const answers = await whileExhausted(async () => {
    const requests: readonly (() => Promise<Answer<unknown>>)[] = [
      () => shop.customer.request('GET', '/orders'),
      () => shop.customer.request('GET', '/products'),
      () => shop.order({ external_reference: newReference() }),
      () => shop.order(),
      () => shop.customer.request('POST', '/orders/estimate', body(shop)),
      () => shop.customer.request('DELETE', `/products/${shop.productId}`),
    ];
    const refused = await Promise.all(requests.map((request) => timed(request)));
    for (const { status, headers, text } of refused) {
      assert.equal(status, 503, text);
      assert.ok(headers.get('retry-after'));
    }
  });
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.deepEqual(await booksOf(service, shop.customer), before);
  assert.equal((await shop.order()).status, 201, 'and afterwards all is as before');
  await assertSound(service);
});

test('N203 while every connection is taken, an order can be cancelled and is refunded, also with a token not seen before', async () => {
  const placed = await shop.order();
  assert.equal(placed.status, 201, placed.text);
  const { accountId } = shop.customer;
  const { token } = await mintToken(service.ctx, { accountId, scopes: SCOPES });
  const before = await balancePence(service, shop.customer);
  const cancel = () =>
    shop.customer.request<Cancellation>('POST', `/orders/${placed.body.id}/cancel`, undefined, {
      authorization: `Bearer ${token}`,
    });
  await whileExhausted(async () => {
    const first = await timed(cancel);
    assert.deepEqual([first.status, first.body.cancelled], [200, true], first.text);
    assert.equal(Math.round(first.body.refunded_gbp * 100), shop.totalPence);
    const repeat = await timed(cancel);
    assert.deepEqual([repeat.status, repeat.body.already_cancelled], [200, true], repeat.text);
  });
  assert.equal(await balancePence(service, shop.customer), before + shop.totalPence);
  await assertSound(service);
});

test('N203 while every connection is taken, a dozen orders are cancelled at once', async () => {
  const theirs = await openShop(service, 12);
  const placed = await Promise.all(Array.from({ length: 12 }, () => theirs.order()));
  assert.deepEqual(new Set(placed.map(({ status }) => status)), new Set([201]));
  await whileExhausted(async () => {
    const answers = await Promise.all(
      placed.map((order) =>
        timed(() => theirs.customer.request<Cancellation>('POST', `/orders/${order.body.id}/cancel`)),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  });
  assert.equal(await balancePence(service, theirs.customer), 12 * theirs.totalPence);
  await assertSound(service);
});

test('N203 while every connection is taken, the repeat of an order that was placed is answered with that order, once charged', async () => {
  const external_reference = newReference();
  const placed = await shop.order({ external_reference });
  assert.equal(placed.status, 201, placed.text);
  const before = await booksOf(service, shop.customer);
  await whileExhausted(async () => {
    const repeat = await timed(() => shop.order({ external_reference }));
    assert.deepEqual([repeat.status, repeat.body.id], [200, placed.body.id], repeat.text);
  });
  assert.deepEqual(await booksOf(service, shop.customer), before);
});

test('N203 while every connection of the accounts is taken, an operator is answered', async () => {
  await whileExhausted(async () => {
    const answers = await Promise.all([1, 2, 3].map(() => timed(() => operator.request('GET', '/orders'))));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
  });
});
