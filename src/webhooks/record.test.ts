import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openAccount } from '../../test/harness/context.ts';
import { openReceiverWorld, type ReceiverWorld, subscriptionId } from '../../test/harness/receiver.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { changeSubscription } from './change-subscription.ts';
import { type ClaimedDelivery, claimDue, FIRST_TURN_ID } from './claim-sql.ts';
import { type Outcome, recordOutcomes } from './delivery-sql.ts';
import { DISABLED_FROM, PACED_FROM } from './record.ts';

const RULES = { pacedFrom: PACED_FROM, disabledFrom: DISABLED_FROM, disabledReason: 'too many', paceSeconds: 60 };

let world: ReceiverWorld;
before(async () => {
  world = await openReceiverWorld();
});
after(() => world.close());

/** A subscription with so many deliveries under way, claimed by a worker that the test plays. */
async function claimed(count: number) {
  const caller = await openAccount(world.ctx);
  const subscription = await world.subscribe(caller, '/played');
  for (let made = 0; made < count; made += 1) await world.publish(caller);
  const leaseToken = newId();
  const now = world.ctx.clock.now();
  const { deliveries } = await claimDue(
    world.ctx.database,
    {
      now,
      leaseUntil: new Date(now.getTime() + 30_000),
      leaseToken,
      limit: 1_000,
      inFlight: new Map(),
      inFlightMax: 1_000,
      accountInFlight: new Map(),
      accountInFlightMax: 1_000,
      pacedFrom: PACED_FROM,
    },
    FIRST_TURN_ID,
  );
  const own = deliveries.filter((delivery) => delivery.subscription_id === subscriptionId(subscription));
  assert.equal(own.length, count);
  const outcomes = (succeeded: readonly boolean[]): Outcome[] =>
    own.slice(0, succeeded.length).map((delivery, index) => outcome(delivery, leaseToken, succeeded[index] === true));
  const look = () => world.look(caller, subscription);
  return { caller, subscription, outcomes, look };
}

function outcome(delivery: ClaimedDelivery, leaseToken: Uuid, succeeded: boolean): Outcome {
  const attemptedAt = world.ctx.clock.now();
  return {
    account: delivery.account_id,
    delivery: delivery.id,
    subscription: delivery.subscription_id,
    leaseToken,
    succeeded,
    attemptedAt,
    answer: null,
    responseCode: succeeded ? 200 : 500,
    error: succeeded ? null : 'The receiver answered 500.',
    retryAt: succeeded ? null : new Date(attemptedAt.getTime() + 60_000),
  };
}

const ok = true;
const bad = false;
const times = (count: number, one: boolean): boolean[] => Array.from({ length: count }, () => one);

test('6.6 disabling: failures count on across deliveries, a success begins again, and the fifteenth in a row disables (2.8 failure_count, 2.8 disabled_reason, 8 webhook disabling)', async () => {
  const cases = [
    { batches: [[bad, bad]], failures: 2, active: true },
    { batches: [[bad], [bad, bad]], failures: 3, active: true },
    { batches: [[bad, bad, ok]], failures: 0, active: true },
    { batches: [[bad, ok, bad, bad]], failures: 2, active: true },
    { batches: [[bad, bad, bad], [ok]], failures: 0, active: true },
    { batches: [times(14, bad)], failures: 14, active: true },
    { batches: [times(14, bad), [ok, bad]], failures: 1, active: true },
    { batches: [times(14, bad), [bad]], failures: 15, active: false },
    { batches: [times(14, bad), [bad, ok]], failures: 15, active: false },
    { batches: [[ok, ...times(15, bad)]], failures: 15, active: false },
  ];
  for (const { batches, failures, active } of cases) {
    const played = await claimed(batches.flat().length);
    const all = played.outcomes(batches.flat());
    let disabled: Uuid[] = [];
    for (const batch of batches) {
      const counted = await recordOutcomes(world.ctx.database, all.splice(0, batch.length), RULES);
      disabled = counted.flatMap(({ id, active }) => (active ? [] : [id]));
    }
    const seen = await played.look();
    assert.deepEqual([seen.failure_count, seen.active], [failures, active], JSON.stringify(batches));
    assert.equal(seen.disabled_reason, active ? null : 'too many');
    assert.deepEqual(disabled, active ? [] : [subscriptionId(played.subscription)]);
  }
});

test('failures that twelve workers record at the same moment are all counted', async () => {
  const played = await claimed(12);
  const outcomes = played.outcomes(times(12, bad));
  await Promise.all(outcomes.map((one) => recordOutcomes(world.ctx.database, [one], RULES)));
  assert.equal((await played.look()).failure_count, 12);
});

test('workers that record batches of the same subscriptions in opposite order do not block one another', async () => {
  const [first, second] = [await claimed(40), await claimed(40)];
  const a = first.outcomes(times(40, ok).map((_, index) => index % 2 === 0));
  const b = second.outcomes(times(40, ok).map((_, index) => index % 2 === 1));
  const batches = a.flatMap((one, index) => {
    const other = b[index];
    assert.ok(other);
    return [index % 2 === 0 ? [one, other] : [other, one]];
  });
  await Promise.all(batches.map((batch) => recordOutcomes(world.ctx.database, batch, RULES)));
  const attempts = [await first.look(), await second.look()].map((seen) => seen.recent_deliveries.length);
  assert.deepEqual(attempts, [20, 20]);
});

test('a worker that was away longer than its lease counts nothing: neither twice, nor over what another has recorded', async () => {
  const played = await claimed(1);
  const [late] = played.outcomes([bad]);
  assert.ok(late);
  assert.deepEqual(await recordOutcomes(world.ctx.database, [{ ...late, leaseToken: newId() }], RULES), []);
  assert.equal((await played.look()).failure_count, 0);
  await recordOutcomes(world.ctx.database, [late], RULES);
  await recordOutcomes(world.ctx.database, [late], RULES);
  const seen = await played.look();
  assert.equal(seen.failure_count, 1);
  assert.equal(seen.recent_deliveries[0]?.attempts, 1);
});

test('a failure of before a pause does not count after it, and its delivery is not tried again', async () => {
  const played = await claimed(1);
  await changeSubscription(world.ctx, played.caller, played.subscription.id, {
    body: { active: false },
    unknownFields: [],
  });
  await changeSubscription(world.ctx, played.caller, played.subscription.id, {
    body: { active: true },
    unknownFields: [],
  });
  await recordOutcomes(world.ctx.database, played.outcomes([bad]), RULES);
  const seen = await played.look();
  assert.equal(seen.failure_count, 0);
  assert.equal(seen.recent_deliveries[0]?.status, 'cancelled');
});

test('2.8 recent_deliveries: a subscription shows the twenty deliveries that were attempted last, newest first', async () => {
  const played = await claimed(25);
  const outcomes = played.outcomes(times(25, ok));
  const startedAt = world.ctx.clock.now().getTime();
  const spaced = outcomes.map((one, index) => ({ ...one, attemptedAt: new Date(startedAt + index) }));
  await recordOutcomes(world.ctx.database, spaced, RULES);
  const shown = (await played.look()).recent_deliveries.map(
    (delivery) => Date.parse(delivery.delivered_at) - startedAt,
  );
  assert.deepEqual(
    shown,
    Array.from({ length: 20 }, (_, index) => 24 - index),
  );
});
