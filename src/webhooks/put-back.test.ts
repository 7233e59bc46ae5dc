import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, openAccount } from '../../test/harness/context.ts';
import { type NameServer, startNameServer } from '../../test/harness/name-server.ts';
import { openReceiverWorld, type ReceiverWorld } from '../../test/harness/receiver.ts';
import { hang } from '../../test/harness/stranger.ts';
import type { Caller } from '../lib/caller.ts';
import { statement } from '../lib/db.ts';
import type { Worker } from '../lib/every.ts';
import { newId, publicId, type Uuid } from '../lib/ids.ts';
import type { PostResult } from '../lib/outbound/outbound.ts';
import { startDeliveries } from './deliver.ts';
import { insertSubscription } from './subscription-sql.ts';

const DELIVERIES = statement<{ state: string; attempts: number; lease_token: Uuid | null; due_at: Date }>(
  'test_deliveries',
  'select state, attempts, lease_token, due_at from webhook_delivery where account_id = $1',
);
const CLEAR = statement<never>('test_clear_deliveries', 'delete from webhook_delivery');

let names: NameServer;
/** The look-up fails as the process that runs out of files would have it. */
let scarce: ReceiverWorld;
/** Names are asked for at a name server of the test. */
let named: ReceiverWorld;
let isScarce = false;
let lookUps = 0;
const workers: Worker[] = [];

before(async () => {
  names = await startNameServer();
  scarce = await openReceiverWorld({
    resolve: async () => {
      lookUps += 1;
      if (isScarce) throw Object.assign(new Error('no file left'), { code: 'EMFILE' });
      return [{ address: '127.0.0.1', family: 4 }];
    },
  });
  named = await openReceiverWorld({ nameServers: [names.address] });
});
after(async () => {
  await Promise.all([scarce.close(), named.close()]);
  await names.close();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(5_000)));
  for (const world of [scarce, named]) await world.ctx.database.all(CLEAR, []);
});

function work(world: ReceiverWorld, ctx = world.ctx): void {
  workers.push(startDeliveries(ctx, { pollMs: 20 }));
}

async function subscribeTo(world: ReceiverWorld, caller: Caller, url: string): Promise<{ id: string }> {
  const id = newId();
  const now = world.ctx.clock.now();
  const secretSealed = world.ctx.secrets.seal('whsec_c2VjcmV0');
  const common = { accountId: caller.accountId, events: [], description: '', secretSealed, now };
  await insertSubscription(world.ctx.database, { ...common, id, url });
  return { id: publicId('whk', id) };
}

const stored = (world: ReceiverWorld, caller: Caller) => world.ctx.database.all(DELIVERIES, [caller.accountId]);

/** Waits until no attempt is under way and the delivery waits for a later time. */
async function putBack(world: ReceiverWorld, caller: Caller): Promise<void> {
  await eventually('it is put back', async () => {
    const [delivery] = await stored(world, caller);
    return delivery?.lease_token === null && delivery.due_at > world.ctx.clock.now();
  });
}

test('a delivery that lacked something of ours is due again soon, and neither it nor its subscription has failed', async () => {
  const caller = await openAccount(scarce.ctx);
  scarce.receiver.serve('/good', { status: 200 });
  const subscription = await scarce.subscribe(caller, '/good');
  isScarce = true;
  lookUps = 0;
  work(scarce);
  await scarce.publish(caller);
  for (let round = 1; round <= 4; round += 1) {
    await eventually('it is tried', () => lookUps === round);
    await putBack(scarce, caller);
    const [delivery] = await stored(scarce, caller);
    assert.deepEqual([delivery?.state, delivery?.attempts], ['pending', 0]);
    const waitMs = (delivery?.due_at.getTime() ?? 0) - scarce.ctx.clock.now().getTime();
    assert.ok(waitMs <= 20_000, `${waitMs} ms`);
    scarce.ctx.clock.shift(20_000);
  }
  const seen = await scarce.look(caller, subscription);
  assert.deepEqual([seen.failure_count, seen.active, seen.recent_deliveries], [0, true, []]);
  isScarce = false;
  await eventually('it is delivered', () => {
    scarce.ctx.clock.shift(20_000);
    return scarce.hitsOn('/good').length === 1;
  });
  await eventually('its record', async () => {
    const [recorded] = (await scarce.look(caller, subscription)).recent_deliveries;
    return recorded?.status === 'succeeded' && recorded.attempts === 1;
  });
  const lines = scarce.ctx.logged.filter((line) => line.includes('put back'));
  assert.ok(lines.length >= 4 && lines.every((line) => line.includes('lacks resources')), lines.join('\n'));
});

test('name servers of ours that answer nothing count against nobody; one of the receiver’s domain alone does', async () => {
  const caller = await openAccount(named.ctx);
  const subscription = await subscribeTo(named, caller, 'https://hook.broken.example.test/');
  names.answer('hook.broken.example.test', { kind: 'failure', code: 'servfail' });
  names.answer('', { kind: 'failure', code: 'servfail' });
  work(named);
  await named.publish(caller);
  await eventually('the network is asked after', () => names.questions.some(({ name }) => name === ''));
  await putBack(named, caller);
  assert.equal((await named.look(caller, subscription)).failure_count, 0);
  names.answer('', { kind: 'addresses' });
  const failed = await eventually('a failed attempt', async () => {
    named.ctx.clock.shift(5_000);
    const seen = await named.look(caller, subscription);
    return seen.recent_deliveries.length > 0 && seen;
  });
  assert.equal(failed.failure_count, 1);
  assert.match(failed.recent_deliveries[0]?.error ?? '', /its name|the name of the server could not be looked up/);
});

for (const blame of ['busy', 'down'] as const) {
  test(`"${blame}" of our own outbound calls puts that delivery back, and the next of another account is sent`, async () => {
    const [unlucky, other] = [await openAccount(scarce.ctx), await openAccount(scarce.ctx)];
    scarce.receiver.serve('/other', { status: 200 });
    const subscription = await scarce.subscribe(unlucky, '/unlucky');
    await scarce.subscribe(other, '/other');
    const post = async (url: string, options: Parameters<typeof scarce.ctx.outbound.post>[1]): Promise<PostResult> =>
      url.endsWith('/unlucky')
        ? { kind: 'unavailable', blame, reason: 'a test' }
        : scarce.ctx.outbound.post(url, options);
    const before = scarce.hitsOn('/other').length;
    work(scarce, { ...scarce.ctx, outbound: { ...scarce.ctx.outbound, post } });
    await scarce.publish(unlucky);
    await putBack(scarce, unlucky);
    await scarce.publish(other);
    await eventually('the other one', () => scarce.hitsOn('/other').length > before);
    assert.equal((await scarce.look(unlucky, subscription)).failure_count, 0);
    const isLogged = scarce.ctx.logged.some((line) => line.includes('a test'));
    assert.equal(isLogged, blame === 'down');
  });
}

test('an attempt that the end of this process cuts off is no failure of the receiver', async () => {
  const caller = await openAccount(scarce.ctx);
  scarce.receiver.serve('/hangs', hang);
  const subscription = await scarce.subscribe(caller, '/hangs');
  work(scarce);
  await scarce.publish(caller);
  await eventually('it is under way', () => scarce.hitsOn('/hangs').length === 1);
  await scarce.ctx.outbound.close();
  await putBack(scarce, caller);
  const seen = await scarce.look(caller, subscription);
  assert.deepEqual([seen.failure_count, seen.recent_deliveries], [0, []]);
});
