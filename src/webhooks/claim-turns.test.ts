import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openAccount } from '../../test/harness/context.ts';
import { openReceiverWorld, type ReceiverWorld } from '../../test/harness/receiver.ts';
import { statement } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { type ClaimedDelivery, type ClaimTerms, claimDue, claimFromLanes, FIRST_TURN_ID } from './claim-sql.ts';
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

const COPIES = statement<never>(
  'test_copies',
  `insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, created_at)
   select account_id, gen_random_uuid(), subscription_id, generation, event_id, event, 'pending', due_at, created_at
   from webhook_delivery, generate_series(2, $2::integer) where account_id = $1`,
);
const LINED_UP = statement<{ account_id: Uuid; count: number }>(
  'test_lined_up_by_account',
  'select account_id, count(*) as count from webhook_delivery where lined_up group by account_id',
);

function terms(change: Partial<ClaimTerms> = {}): ClaimTerms {
  const now = world.ctx.clock.now();
  return {
    now,
    leaseUntil: new Date(now.getTime() + 30_000),
    leaseToken: newId(),
    limit: 16,
    inFlight: new Map(),
    inFlightMax: 1_000,
    accountInFlight: new Map(),
    accountInFlightMax: 1_000,
    pacedFrom: 3,
    ...change,
  };
}

/** A new account with so many subscriptions, each with so many due deliveries. */
async function account(subscriptions: number, deliveries: number): Promise<Uuid> {
  const caller = await openAccount(world.ctx);
  const { accountId } = caller;
  const common = {
    accountId,
    url: '',
    events: [],
    description: '',
    secretSealed: { bytes: Buffer.from('sealed'), keyId: 'of the test' },
  };
  for (let count = 0; count < subscriptions; count += 1) {
    await insertSubscription(world.ctx.database, { ...common, id: newId(), now: world.ctx.clock.now() });
  }
  await world.publish(caller);
  await world.ctx.database.all(COPIES, [accountId, deliveries]);
  return accountId;
}

function byAccount(deliveries: readonly ClaimedDelivery[]): Map<Uuid, number> {
  const counts = new Map<Uuid, number>();
  for (const { account_id: id } of deliveries) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

const due = (change: Partial<ClaimTerms> = {}, from: Uuid = FIRST_TURN_ID) =>
  claimDue(world.ctx.database, terms(change), from);
const fromLanes = (change: Partial<ClaimTerms> = {}, from: Uuid = FIRST_TURN_ID) =>
  claimFromLanes(world.ctx.database, terms(change), from);

test('a claim shares its places among the accounts that have something due, not by how much they have', async () => {
  const [much, little] = [await account(1, 50), await account(1, 3)];
  const { deliveries, lookAgain } = await due();
  assert.deepEqual(
    byAccount(deliveries),
    new Map([
      [much, 8],
      [little, 3],
    ]),
  );
  assert.equal(lookAgain, true);
});

test('an account whose older deliveries fill the head of the queue does not go first', async () => {
  const flood = await account(1, 2_000);
  const others = [await account(1, 1), await account(1, 1), await account(1, 1)];
  const counts = byAccount((await due()).deliveries);
  assert.deepEqual(
    others.map((id) => counts.get(id)),
    [1, 1, 1],
  );
  assert.equal(counts.get(flood), 4, 'what one of four gets');
});

test('where more accounts have something due than there are places, each gets its turn before any gets a second', async () => {
  const flood = await account(1, 600);
  const others = new Set<Uuid>();
  for (let count = 0; count < 60; count += 1) others.add(await account(1, 2));
  const served = new Map<Uuid, number>();
  let from = FIRST_TURN_ID;
  for (let pass = 0; pass < 4; pass += 1) {
    const claimed = await due({}, from);
    assert.ok(claimed.deliveries.length <= 16);
    for (const [id, count] of byAccount(claimed.deliveries)) served.set(id, (served.get(id) ?? 0) + count);
    from = claimed.next;
  }
  assert.ok(
    [...others].every((id) => (served.get(id) ?? 0) >= 1),
    'all sixty in four passes of sixteen',
  );
  assert.ok((served.get(flood) ?? 0) <= 2);
});

test('accounts that only wait for a later time take no turn', async () => {
  await account(1, 600);
  for (let count = 0; count < 120; count += 1) await account(1, 1);
  const later = new Date(world.ctx.clock.now().getTime() + 3_600_000);
  const [newest] = [await account(1, 1)];
  await world.ctx.database.all(
    statement(
      'test_later',
      'update webhook_delivery set due_at = $1 where account_id <> $2 and account_id not in (select account_id from webhook_delivery group by 1 having count(*) > 1)',
    ),
    [later, newest],
  );
  let from = FIRST_TURN_ID;
  const served = new Set<Uuid>();
  for (let pass = 0; pass < 3 && !served.has(newest); pass += 1) {
    const claimed = await due({}, from);
    assert.equal(claimed.lookAgain, true);
    for (const id of byAccount(claimed.deliveries).keys()) served.add(id);
    from = claimed.next;
  }
  assert.ok(served.has(newest), 'found behind 120 accounts that wait');
  assert.equal(served.size, 2);
});

test('what is over the places of an account goes into lanes, so that it is seen among the due ones once', async () => {
  const full = await account(20, 1);
  const { deliveries } = await due({ accountInFlight: new Map([[full, 28]]), accountInFlightMax: 32, limit: 64 });
  assert.equal(deliveries.length, 4);
  assert.deepEqual(await world.ctx.database.all(LINED_UP, []), [{ account_id: full, count: 16 }]);
  assert.deepEqual((await due()).deliveries, []);
});

test('the places for lanes go round by account: twenty lanes of one do not come before the one of another', async () => {
  const many = await account(20, 4);
  const others = [await account(1, 4), await account(1, 4), await account(1, 4)];
  await due({ inFlightMax: 0, limit: 1_000 });
  const counts = byAccount((await fromLanes({ inFlightMax: 4, limit: 8 })).deliveries);
  assert.deepEqual(
    [...others, many].map((id) => counts.get(id)),
    [2, 2, 2, 2],
  );
});

test('lanes of one account get no more places than the account has free', async () => {
  const many = await account(20, 4);
  const other = await account(1, 4);
  await due({ inFlightMax: 0, limit: 1_000 });
  const bounds = { inFlightMax: 4, limit: 128, accountInFlight: new Map([[many, 30]]), accountInFlightMax: 32 };
  const claimed = await fromLanes(bounds);
  assert.deepEqual(
    byAccount(claimed.deliveries),
    new Map([
      [many, 2],
      [other, 4],
    ]),
  );
  assert.equal(claimed.lookAgain, false, 'a freed place asks for the next');
});

test('every lane of every account is served in time, however few places there are', async () => {
  const all = [await account(20, 2), await account(20, 2), await account(1, 2)];
  await due({ inFlightMax: 0, limit: 1_000 });
  const served = new Map<Uuid, number>();
  let from = FIRST_TURN_ID;
  for (let pass = 0; pass < 60 && served.size < 41; pass += 1) {
    const claimed = await fromLanes({ inFlightMax: 1, limit: 3 }, from);
    for (const { subscription_id: id } of claimed.deliveries) served.set(id, (served.get(id) ?? 0) + 1);
    from = claimed.next;
  }
  assert.equal(served.size, 41);
  assert.equal(all.length, 3);
});
