import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { createAuthority } from '../../test/harness/authority.ts';
import { eventually, openAccount } from '../../test/harness/context.ts';
import { openReceiverWorld, RECEIVER, type ReceiverWorld } from '../../test/harness/receiver.ts';
import { drip, endless, hang, raw, redirectTo, reset, startStranger } from '../../test/harness/stranger.ts';
import type { Worker } from '../lib/every.ts';
import { newId, publicId } from '../lib/ids.ts';
import { startDeliveries } from './deliver.ts';
import { insertSubscription } from './subscription-sql.ts';

const TIMEOUT_MS = 1_000;

let world: ReceiverWorld;
let worker: Worker;
/** What host names resolve to; everything is this machine until a test says otherwise. */
const addresses = new Map<string, string>();

before(async () => {
  world = await openReceiverWorld({
    config: { webhookTimeoutMs: TIMEOUT_MS },
    resolve: async (hostname) => [{ address: addresses.get(hostname) ?? '127.0.0.1', family: 4 }],
  });
  worker = startDeliveries(world.ctx, { pollMs: 20 });
});
after(async () => {
  await worker.stop(3_000);
  await world.close();
});

test('6.6 success: whatever a receiver does but answer 2xx in time is a failed attempt, and is over within the time-out (6.6 time-out, 6.4 redirects, K173)', async () => {
  const { receiver } = world;
  const flood = endless();
  const cases = [
    { name: 'moved', reply: redirectTo(receiver.url('/elsewhere')), code: 302 },
    { name: 'moved-for-good', reply: redirectTo(receiver.url('/elsewhere'), 308), code: 308 },
    { name: 'bad', reply: { status: 400 }, code: 400 },
    { name: 'gone', reply: { status: 410 }, code: 410 },
    { name: 'limited', reply: { status: 429 }, code: 429 },
    { name: 'broken', reply: { status: 500, body: 'stack trace' }, code: 500 },
    { name: 'hangs', reply: hang, code: null },
    { name: 'drips', reply: drip({ chunkBytes: 1, everyMs: 50 }), code: null },
    { name: 'resets', reply: reset, code: null },
    { name: 'closes-early', reply: { status: 200, body: 'ab', contentLength: 100 }, code: null },
    { name: 'huge', reply: { status: 200, body: Buffer.alloc(1_000_000) }, code: null },
    { name: 'endless', reply: flood.handler, code: null },
    { name: 'only-continues', reply: raw('HTTP/1.1 100 Continue\r\n\r\n', 'stay'), code: null },
    { name: 'garbage', reply: raw('SSH-2.0-OpenSSH_9.6\r\n'), code: null },
  ] as const;
  receiver.serve('/elsewhere', { status: 200 });
  const caller = await openAccount(world.ctx);
  const subscriptions = await Promise.all(
    cases.map(async ({ name, reply }) => {
      receiver.serve(`/${name}`, reply);
      return world.subscribe(caller, `/${name}`);
    }),
  );
  const startedAt = Date.now();
  await world.publish(caller);
  for (const [index, { name, code }] of cases.entries()) {
    const subscription = subscriptions[index];
    assert.ok(subscription);
    const seen = await eventually(`a record of ${name}`, async () => {
      const detail = await world.look(caller, subscription);
      return detail.recent_deliveries.length > 0 && detail;
    });
    const delivery = seen.recent_deliveries[0];
    assert.equal(seen.failure_count, 1, name);
    assert.equal(delivery?.status, 'retrying', name);
    assert.equal(delivery?.response_code, code, name);
    assert.match(delivery?.error ?? '', /^[A-Z].{5,250}\.?$/, name);
    assert.doesNotMatch(delivery?.error ?? '', /127\.0\.0\.1|stack trace|OpenSSH/, name);
  }
  assert.ok(Date.now() - startedAt < TIMEOUT_MS + 2_000, 'in time');
  assert.equal(world.hitsOn('/elsewhere').length, 0, 'no redirect is followed');
  assert.ok(flood.sentBytes() < 16_000_000, `${flood.sentBytes()} bytes were sent`);
});

test('every 2xx answer is a success (6.6 success)', async () => {
  const caller = await openAccount(world.ctx);
  for (const status of [200, 201, 202, 204, 299]) {
    world.receiver.serve(`/ok-${status}`, { status });
    const subscription = await world.subscribe(caller, `/ok-${status}`);
    await world.publish(caller);
    const [delivery] = await eventually(`the record of ${status}`, async () => {
      const { recent_deliveries: deliveries } = await world.look(caller, subscription);
      return deliveries.length > 0 && deliveries;
    });
    assert.deepEqual([delivery?.status, delivery?.response_code, delivery?.error], ['succeeded', status, null]);
  }
});

test('a receiver with a certificate that cannot be trusted is sent nothing (K173)', async () => {
  const certificate = createAuthority().issue({ hostnames: [RECEIVER], flaw: 'self-signed' });
  const impostor = await startStranger({ authority: createAuthority(), hostnames: [RECEIVER], certificate });
  try {
    const delivery = await attemptAt(impostor.url('/'));
    assert.deepEqual([delivery.status, delivery.response_code], ['retrying', null]);
    assert.equal(impostor.hits.length, 0);
  } finally {
    await impostor.close();
  }
});

test('a name that has become private since the subscription is not connected to, and the attempt fails', async () => {
  const probe = createServer();
  let connects = 0;
  probe.on('connection', (socket) => {
    connects += 1;
    socket.destroy();
  });
  // Where the port is taken, the refusal alone is shown.
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(8_443, '127.0.0.1', () => resolve(true));
  });
  try {
    for (const address of ['127.0.0.1', '169.254.169.254', '10.0.0.1']) {
      addresses.set('rebinds.example.test', address);
      const delivery = await attemptAt('https://rebinds.example.test:8443/');
      assert.deepEqual([delivery.status, delivery.response_code], ['retrying', null]);
      assert.match(delivery.error ?? '', /public/);
    }
    assert.equal(connects, 0);
  } finally {
    if (isListening) await new Promise((resolve) => probe.close(resolve));
  }
});

/** Makes one attempt at an address that stands in a subscription already, whatever would be said of it today. */
async function attemptAt(url: string) {
  const { ctx } = world;
  const caller = await openAccount(ctx);
  const id = newId();
  const secretSealed = ctx.secrets.seal('whsec_c2VjcmV0');
  const { accountId } = caller;
  await insertSubscription(ctx.database, {
    id,
    accountId,
    url,
    events: [],
    description: '',
    secretSealed,
    now: new Date(),
  });
  await world.publish(caller);
  return eventually(`an attempt at ${url}`, async () => {
    const detail = await world.look(caller, { id: publicId('whk', id) });
    return detail.recent_deliveries[0];
  });
}
