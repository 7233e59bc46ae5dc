import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, openAccount } from '../../test/harness/context.ts';
import { openReceiverWorld, type ReceiverWorld } from '../../test/harness/receiver.ts';
import { statement } from '../lib/db.ts';
import type { Worker } from '../lib/every.ts';
import { newId, publicId } from '../lib/ids.ts';
import { UNREADABLE } from '../lib/sealing/sealed-store.ts';
import { createSecrets } from '../lib/secrets.ts';
import { startDeliveries } from './deliver.ts';
import { insertSubscription } from './subscription-sql.ts';

const NOTE = statement<never>(
  'test_note_key',
  'update webhook_subscription set secret_sealed_with = $2 where account_id = $1',
);
const DELIVERIES = statement<{ state: string; attempts: number }>(
  'test_deliveries_of_account',
  'select state, attempts from webhook_delivery where account_id = $1',
);

let world: ReceiverWorld;
let worker: Worker | undefined;
before(async () => {
  world = await openReceiverWorld();
});
afterEach(() => worker?.stop(5_000));
after(() => world.close());

/** A subscription whose secret a key sealed that is not set. */
async function subscribe(path: string) {
  const caller = await openAccount(world.ctx);
  world.receiver.serve(path, { status: 200 });
  const id = newId();
  await insertSubscription(world.ctx.database, {
    accountId: caller.accountId,
    id,
    url: world.receiver.url(path),
    events: [],
    description: '',
    secretSealed: createSecrets('of another key, which nobody has any more').seal('whsec_c2VjcmV0'),
    now: world.ctx.clock.now(),
  });
  return { caller, subscription: { id: publicId('whk', id) } };
}

test('a subscription whose secret was given up fails like a dead receiver, says why, and ends', async () => {
  const { caller, subscription } = await subscribe('/lost');
  await world.ctx.database.all(NOTE, [caller.accountId, UNREADABLE]);
  for (let event = 0; event < 15; event += 1) await world.publish(caller);
  worker = startDeliveries(world.ctx, { pollMs: 20 });
  const seen = await eventually('it is disabled', async () => {
    // From the third failure on there is one attempt a minute.
    world.ctx.clock.shift(20_000);
    const now = await world.look(caller, subscription);
    return !now.active && now;
  });
  assert.ok(seen.disabled_reason);
  assert.match(seen.recent_deliveries[0]?.error ?? '', /secret .* cannot be read any more.*[Cc]reate it anew/);
  assert.equal(world.hitsOn('/lost').length, 0, 'nothing was sent without a signature');
  await eventually('nothing waits for ever, which would keep the log of events', async () => {
    const left = await world.ctx.database.all(DELIVERIES, [caller.accountId]);
    return left.every(({ state }) => state !== 'pending');
  });
});

test('a secret of a key that is missing for now counts against nobody', async () => {
  const { caller, subscription } = await subscribe('/later');
  await world.publish(caller);
  worker = startDeliveries(world.ctx, { pollMs: 20 });
  await eventually('it is tried', () => world.ctx.logged.some((line) => line.includes('could not be attempted')));
  assert.equal((await world.look(caller, subscription)).failure_count, 0);
});
