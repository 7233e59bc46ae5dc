import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { watchDebits } from '../../../src/payments/late-debits.ts';
import { openCardShop, placeCharged, seenBy, type Till } from '../../harness/card-shop.ts';
import { type FakeIntent, startProvider } from '../../harness/provider.ts';
import { type OperatorClient, startTestService } from '../../harness/service.ts';
import { assertSound, rows } from '../../harness/written.ts';

// A direct debit that fails days after it was accepted, and whose callback never comes.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let till: Till;
let finance: OperatorClient;
before(async () => {
  const provider = await startProvider();
  const service = await startTestService({ role: 'api', env: provider.env });
  till = { service, provider };
  finance = await service.openOperator('finance');
});
afterEach(() => assertSound(till.service));
after(async () => {
  await till.service.stop();
  await till.provider.close();
});

/** A paid order whose debit the provider has accepted and not settled. */
async function accepted() {
  const shop = await openCardShop(till, 0, 'direct_debit');
  till.provider.decide('process');
  const { order, intent } = await placeCharged(till, shop);
  assert.equal(order.payment_status, 'paid');
  return { order, intent };
}

const watch = () => watchDebits(till.service.ctx);

/** How often an intent was read since. */
async function readsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = till.provider.calls.length;
  await work();
  return till.provider.calls.slice(before).filter((call) => call === 'read').length;
}

function fail(intent: FakeIntent): void {
  till.provider.turn(intent, 'requires_payment_method');
}

test('it is found without a callback: the order is held, operators get a task, and it is booked once', async () => {
  const { order, intent } = await accepted();
  till.service.shiftMs(3 * DAY_MS);
  await watch();
  assert.equal((await seenBy(finance, order)).hold, null);
  fail(intent);
  till.service.shiftMs(13 * HOUR_MS);
  await Promise.all([watch(), watch(), watch()]);
  const seen = await seenBy(finance, order);
  assert.equal(seen.hold?.code, 'payment_returned');
  assert.notEqual(seen.payment_attempts[0]?.returned_at, null);
  assert.deepEqual(
    seen.tasks.map(({ kind }) => kind),
    ['payment_returned'],
  );
  till.service.shiftMs(13 * HOUR_MS);
  assert.equal(await readsDuring(watch), 0, 'one that came back is read no more');
});

test('it is read for 14 days, at least twice a day, and then not again', async () => {
  await accepted();
  let reads = 0;
  for (let hour = 0; hour < 14 * 24; hour += 4) {
    till.service.shiftMs(4 * HOUR_MS);
    const now = await readsDuring(watch);
    assert.ok(now <= 1, `${now} reads at once`);
    reads += now;
  }
  assert.ok(reads >= 28 && reads <= 60, `${reads} reads`);
  till.service.shiftMs(DAY_MS);
  await watch();
  till.service.shiftMs(30 * DAY_MS);
  assert.equal(await readsDuring(watch), 0);
});

test('a provider that gives no answer, or fails, is asked again at the next turn', async () => {
  const { order, intent } = await accepted();
  till.service.shiftMs(DAY_MS);
  fail(intent);
  till.provider.fail('read', '500');
  await watch();
  assert.equal((await seenBy(finance, order)).hold, null);
  till.service.shiftMs(13 * HOUR_MS);
  await watch();
  assert.equal((await seenBy(finance, order)).hold?.code, 'payment_returned');
});

test('a debit of long ago, accepted before there was this watch, is put aside unread', async () => {
  const { order } = await accepted();
  till.service.shiftMs(60 * DAY_MS);
  assert.equal(await readsDuring(watch), 0);
  const [row] = await rows<{ aside: boolean }>(
    till.service,
    `select look_at = 'infinity' as aside from payment_attempt a join orders o on o.id = a.order_id and o.account_id = a.account_id
     where o.reference = $1`,
    [order.reference],
  );
  assert.equal(row?.aside, true);
});

test('more than one claim has are all read in the end', async () => {
  const debits = [];
  for (let count = 0; count < 3; count += 1) debits.push(await accepted());
  for (const { intent } of debits) fail(intent);
  till.service.shiftMs(2 * HOUR_MS);
  while ((await watch()) === 'more');
  for (const { order } of debits) assert.equal((await seenBy(finance, order)).hold?.code, 'payment_returned');
});

test('cards are not read again', async () => {
  const shop = await openCardShop(till, 0, 'card');
  till.provider.decide('accept');
  await placeCharged(till, shop);
  till.service.shiftMs(DAY_MS);
  assert.equal(await readsDuring(watch), 0);
});
