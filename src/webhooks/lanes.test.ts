import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openAccount } from '../../test/harness/context.ts';
import { openReceiverWorld, type ReceiverWorld } from '../../test/harness/receiver.ts';
import { statement } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { type ClaimTerms, claimDue, claimFromLanes, FIRST_TURN_ID } from './claim-sql.ts';
import { insertSubscription } from './subscription-sql.ts';

let world: ReceiverWorld;
before(async () => {
  world = await openReceiverWorld();
});
after(() => world.close());
beforeEach(async () => {
  await world.ctx.database.all(statement('test_clear_subscriptions', 'delete from webhook_subscription'), []);
  await world.ctx.database.all(statement('test_clear_deliveries', 'delete from webhook_delivery'), []);
});

const FAILED = statement<never>('test_failed', 'update webhook_subscription set failure_count = $1');
const LINED_UP = statement<{ count: number }>(
  'test_lined_up',
  'select count(*) as count from webhook_delivery where lined_up',
);

function terms(change: Partial<ClaimTerms> = {}): ClaimTerms {
  const now = world.ctx.clock.now();
  return {
    now,
    leaseUntil: new Date(now.getTime() + 30_000),
    leaseToken: newId(),
    limit: 1_000,
    inFlight: new Map(),
    inFlightMax: 4,
    accountInFlight: new Map(),
    accountInFlightMax: 1_000,
    pacedFrom: 3,
    ...change,
  };
}

/** So many subscriptions of one account, and so many events for all of them. */
async function backlog(subscriptions: number, events: number): Promise<Set<Uuid>> {
  const { accountId, ...rest } = await openAccount(world.ctx);
  const ids = new Set<Uuid>();
  for (let count = 0; count < subscriptions; count += 1) {
    const id = newId();
    const secretSealed = { bytes: Buffer.from('sealed'), keyId: 'of the test' };
    const now = world.ctx.clock.now();
    await insertSubscription(world.ctx.database, {
      id,
      accountId,
      url: '',
      events: [],
      description: '',
      secretSealed,
      now,
    });
    ids.add(id);
  }
  for (let count = 0; count < events; count += 1) await world.publish({ accountId, ...rest });
  return ids;
}

const linedUp = async () => (await world.ctx.database.one(LINED_UP, []))?.count;

test('what one subscription cannot send yet leaves the common queue once, and no later claim meets it there', async () => {
  await backlog(1, 50);
  const first = await claimDue(world.ctx.database, terms(), FIRST_TURN_ID);
  assert.equal(first.deliveries.length, 4);
  assert.equal(await linedUp(), 46);
  const second = await claimDue(world.ctx.database, terms(), FIRST_TURN_ID);
  assert.deepEqual([second.deliveries, second.lookAgain], [[], false]);
});

test('every line gets its turn, over as many passes as it takes, however few places are free', async () => {
  const ids = await backlog(105, 2);
  await claimDue(world.ctx.database, terms({ inFlightMax: 0 }), FIRST_TURN_ID);
  assert.equal(await linedUp(), 210);
  const served = new Map<Uuid, number>();
  let after = FIRST_TURN_ID;
  for (let passes = 0; passes < 40 && (await linedUp()) !== 0; passes += 1) {
    const pass = await claimFromLanes(world.ctx.database, terms({ limit: 10 }), after);
    assert.ok(pass.deliveries.length <= 10);
    for (const { subscription_id: id } of pass.deliveries) served.set(id, (served.get(id) ?? 0) + 1);
    after = pass.next;
  }
  assert.deepEqual(new Set(served.keys()), ids);
  assert.deepEqual(new Set(served.values()), new Set([2]));
});

test('a line that is full in this process is passed by, and the others are served', async () => {
  const [full] = [...(await backlog(3, 2))];
  assert.ok(full);
  await claimDue(world.ctx.database, terms({ inFlightMax: 0 }), FIRST_TURN_ID);
  const { deliveries } = await claimFromLanes(
    world.ctx.database,
    terms({ inFlight: new Map([[full, 4]]) }),
    FIRST_TURN_ID,
  );
  assert.equal(deliveries.length, 4);
  assert.ok(deliveries.every((delivery) => delivery.subscription_id !== full));
});

test('ten workers that ask at once get one attempt of a paced subscription between them', async () => {
  await backlog(1, 20);
  await world.ctx.database.all(FAILED, [3]);
  await claimDue(world.ctx.database, terms(), FIRST_TURN_ID);
  assert.equal(await linedUp(), 20);
  const claims = await Promise.all(
    Array.from({ length: 10 }, () => claimFromLanes(world.ctx.database, terms(), FIRST_TURN_ID)),
  );
  assert.equal(claims.flatMap((claim) => claim.deliveries).length, 1);
});

test('the line of a subscription that was removed or paused is emptied, and nothing of it is sent', async () => {
  await backlog(1, 250);
  await claimDue(world.ctx.database, terms({ inFlightMax: 0 }), FIRST_TURN_ID);
  await world.ctx.database.all(statement('test_remove', 'delete from webhook_subscription'), []);
  for (let passes = 0; passes < 3; passes += 1) {
    const pass = await claimFromLanes(world.ctx.database, terms(), FIRST_TURN_ID);
    assert.deepEqual([pass.deliveries, pass.lookAgain], [[], true]);
  }
  assert.equal(await linedUp(), 0);
});
