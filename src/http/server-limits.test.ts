import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { exchange, parseAnswer, type Running, startDoors } from '../../test/harness/server-fixture.ts';
import { ApiError } from '../lib/errors.ts';
import type { Allowance, RateLimiter } from './rate-limit.ts';

type Settings = { trustProxy?: string; rateLimitTokenPerMinute?: number; rateLimitIpPerMinute?: number };

async function limited(context: TestContext, settings: Settings): Promise<Running> {
  const doors = await startDoors({
    settings: {
      baseUrl: 'http://127.0.0.1',
      trustProxy: undefined,
      rateLimitTokenPerMinute: 0,
      rateLimitIpPerMinute: 0,
      ...settings,
    },
  });
  context.after(() => doors.drain(0));
  return doors;
}

async function ask(doors: Running, path = '/orders', headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${doors.url}${path}`, { headers: { authorization: 'Bearer good', ...headers } });
}

function limitOf({ status, headers }: Response): (string | number | null)[] {
  return [
    status,
    headers.get('x-ratelimit-scope'),
    headers.get('x-ratelimit-limit'),
    headers.get('x-ratelimit-remaining'),
  ];
}

test('7 rate_limited: over the limit of a token the answer is 429 with the limit, its scope and when to come back (M190, 8 rate limits)', async (context) => {
  const doors = await limited(context, { rateLimitTokenPerMinute: 2, rateLimitIpPerMinute: 100 });
  assert.deepEqual(limitOf(await ask(doors)), [200, 'token', '2', '1']);
  assert.deepEqual(limitOf(await ask(doors)), [200, 'token', '2', '0']);
  const response = await ask(doors);
  assert.deepEqual(limitOf(response), [429, 'token', '2', '0']);
  const waitSeconds = Number(response.headers.get('retry-after'));
  assert.ok(waitSeconds >= 1 && waitSeconds <= 60);
  const resetSeconds = Number(response.headers.get('x-ratelimit-reset')) - Date.now() / 1000;
  assert.ok(resetSeconds > 0 && resetSeconds <= 61);
  assert.equal(parseAnswer(await response.text()).code, 'rate_limited');
  assert.deepEqual(limitOf(await ask(doors, '/orders', { authorization: 'Bearer second' })), [200, 'token', '2', '1']);
});

test('7 rate_limited: over the limit of an address the answer is 429 whatever the token, before it is looked at (M191, 8 rate limits)', async (context) => {
  const doors = await limited(context, { rateLimitTokenPerMinute: 100, rateLimitIpPerMinute: 3 });
  assert.deepEqual(limitOf(await ask(doors, '/orders', { authorization: 'Bearer bad1' })), [401, 'ip', '3', '2']);
  assert.deepEqual(limitOf(await ask(doors, '/nothing')), [404, 'ip', '3', '1']);
  assert.deepEqual(limitOf(await ask(doors)), [200, 'ip', '3', '0']);
  const before = doors.seen.authenticated.length;
  for (const path of ['/orders', '/nothing', '/orders/%', '/orders?limit=0']) {
    assert.deepEqual(limitOf(await ask(doors, path)), [429, 'ip', '3', '0']);
  }
  assert.equal(doors.seen.authenticated.length, before);
  assert.match((await exchange(doors.port, ['nonsense\r\n\r\n'])) ?? '', /^HTTP\/1\.1 429 [\s\S]*retry-after: /);
  assert.equal((await fetch(`http://127.0.0.1:${doors.port}/healthz`)).status, 200, 'a busy service is still alive');
});

test('7 rate_limited: what the socket refuses counts against the address, so garbage is no way around (M191)', async (context) => {
  const doors = await limited(context, { rateLimitIpPerMinute: 2 });
  assert.match((await exchange(doors.port, ['nonsense\r\n\r\n'])) ?? '', /x-ratelimit-remaining: 1/);
  assert.deepEqual(limitOf(await ask(doors)), [200, 'ip', '2', '0']);
});

test('7 rate_limited: with both limits off there are no headers of a limit', async (context) => {
  const response = await ask(await limited(context, {}));
  assert.deepEqual(limitOf(response), [200, null, null, null]);
});

test('7 rate_limited: limit + 1 requests at once: exactly the limit pass', async (context) => {
  const doors = await limited(context, { rateLimitTokenPerMinute: 20 });
  const statuses = await Promise.all(Array.from({ length: 21 }, async () => (await ask(doors)).status));
  assert.equal(statuses.filter((status) => status === 200).length, 20);
  assert.equal(statuses.filter((status) => status === 429).length, 1);
});

test('M192 a forwarded address counts only from a proxy that is trusted', async (context) => {
  const cases: [string | undefined, string[], number][] = [
    [undefined, ['192.0.2.1', '192.0.2.2'], 429],
    ['true', ['192.0.2.1', '192.0.2.2'], 200],
    ['true', ['2001:db8::1', '2001:db8::2'], 429],
    ['false', ['192.0.2.1', '192.0.2.2'], 429],
    ['1', ['9.9.9.9, 192.0.2.1', '8.8.8.8, 192.0.2.1'], 429],
    ['1', ['9.9.9.9, 192.0.2.1', '9.9.9.9, 192.0.2.2'], 200],
    ['2', ['9.9.9.9, 192.0.2.1, 10.0.0.1', '8.8.8.8, 192.0.2.1, 10.0.0.2'], 429],
    ['2', ['9.9.9.9, 192.0.2.1, 10.0.0.1', '9.9.9.9, 192.0.2.2, 10.0.0.1'], 200],
    ['127.0.0.1', ['192.0.2.1', '192.0.2.2'], 200],
    ['127.0.0.0/8, 10.0.0.0/8', ['9.9.9.9, 192.0.2.1, 10.0.0.1', '8.8.8.8, 192.0.2.1, 10.0.0.2'], 429],
    ['10.0.0.0/8', ['192.0.2.1', '192.0.2.2'], 429],
    ['true', ['192.0.2.1', '::ffff:192.0.2.1'], 429],
    ['true', ['unknown', '<script>'], 429],
  ];
  for (const [trustProxy, addresses, status] of cases) {
    const doors = await limited(context, {
      rateLimitIpPerMinute: 1,
      ...(trustProxy === undefined ? {} : { trustProxy }),
    });
    const statuses = [];
    for (const address of addresses) {
      statuses.push((await ask(doors, '/orders', { 'x-forwarded-for': address, forwarded: `for=${address}` })).status);
    }
    assert.deepEqual(statuses, [200, status], `${trustProxy} ${addresses.join()}`);
  }
});

test('while the tokens cannot be looked up the answer is 503 with Retry-After, not 401', async (context) => {
  const doors = await startDoors({
    authenticate: async () => {
      throw new ApiError('unavailable', 'The database is away.', { headers: { 'retry-after': '5' } });
    },
  });
  context.after(() => doors.drain(0));
  const response = await ask(doors);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get('retry-after'), '5');
});

/** A store as several processes would share one: it counts in one step, and answers after a while. */
function sharedStore(limit: number, answer: () => Promise<void> = async () => {}): RateLimiter {
  const counts = new Map<string, number>();
  return {
    take: async (key): Promise<Allowance> => {
      await answer();
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const resetUnixSeconds = Math.ceil(Date.now() / 1_000) + 60;
      return { limit, remaining: Math.max(0, limit - count), resetUnixSeconds, allowed: count <= limit };
    },
  };
}

test('M194 over two servers that share a store, of many requests at once exactly the limit pass', async (context) => {
  const ip = sharedStore(20, () => new Promise((resolve) => setImmediate(resolve)));
  const servers = await Promise.all([1, 2].map(() => startDoors({ limits: { ip, token: undefined } })));
  context.after(() => Promise.all(servers.map((doors) => doors.drain(0))));
  const asked = servers.flatMap((doors) => Array.from({ length: 21 }, async () => (await ask(doors)).status));
  const statuses = await Promise.all(asked);
  assert.equal(statuses.filter((status) => status === 200).length, 20);
  assert.equal(statuses.filter((status) => status === 429).length, 22);
});

test('M194 servers without a store count each for itself: two let through twice the limit, and no more', async (context) => {
  const servers = await Promise.all([1, 2].map(() => limited(context, { rateLimitTokenPerMinute: 20 })));
  const asked = servers.flatMap((doors) => Array.from({ length: 21 }, async () => (await ask(doors)).status));
  const statuses = await Promise.all(asked);
  assert.equal(statuses.filter((status) => status === 200).length, 40);
});

const AWAY: readonly (readonly [what: string, take: RateLimiter['take']])[] = [
  ['refuses connections', () => Promise.reject(new Error('ECONNREFUSED'))],
  ['never answers', () => new Promise(() => {})],
  ['does not know', async () => undefined],
];

for (const [what, take] of AWAY) {
  test(`M197 while the store of the limits ${what}, reads and writes pass, uncounted and without headers`, async (context) => {
    const doors = await startDoors({ limits: { ip: { take }, token: { take } } });
    context.after(() => doors.drain(0));
    assert.deepEqual(limitOf(await ask(doors)), [200, null, null, null]);
    const written = await fetch(`${doors.url}/orders`, {
      method: 'POST',
      headers: { authorization: 'Bearer good', 'content-type': 'application/json' },
      body: JSON.stringify({ items: [{ quantity: 1 }] }),
    });
    assert.deepEqual(limitOf(written), [201, null, null, null]);
    assert.match((await exchange(doors.port, ['nonsense\r\n\r\n'])) ?? '', /^HTTP\/1\.1 400 /);
    const warnings = doors.log.filter(({ message }) => message.includes('rate limits'));
    assert.equal(warnings.length, what === 'does not know' ? 0 : 2, 'once for each limit, not for each request');
  });
}

test('M197 one limit whose store is away leaves the other in force', async (context) => {
  const doors = await startDoors({
    limits: { ip: { take: () => Promise.reject(new Error('away')) }, token: sharedStore(1) },
  });
  context.after(() => doors.drain(0));
  assert.deepEqual(limitOf(await ask(doors)), [200, 'token', '1', '0']);
  assert.deepEqual(limitOf(await ask(doors)), [429, 'token', '1', '0']);
});
