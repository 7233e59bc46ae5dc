import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRateLimiter, ipKey, tighter } from './rate-limit.ts';

function limiterAt(limit: number, keysMax = 1_000) {
  const time = { nowMs: 5_000, wallMs: 1_700_000_000_000 };
  const limiter = createRateLimiter({
    limit,
    keysMax,
    clock: { now: () => new Date(time.wallMs) },
    monotonicMs: () => time.nowMs,
  });
  if (limiter === undefined) throw new Error('the limit is on');
  return { limiter, time };
}

test('7 rate_limited: a key has its limit in each minute, and no more, even when all ask at once', async () => {
  const { limiter, time } = limiterAt(3);
  const first = await Promise.all(Array.from({ length: 5 }, () => limiter.take('a')));
  assert.deepEqual(
    first.map((allowance) => allowance.allowed),
    [true, true, true, false, false],
  );
  assert.deepEqual(
    first.map((allowance) => allowance.remaining),
    [2, 1, 0, 0, 0],
  );
  assert.equal((await limiter.take('b')).remaining, 2, 'another key is not touched');
  time.nowMs += 59_999;
  assert.equal((await limiter.take('a')).allowed, false);
  time.nowMs += 1;
  assert.equal((await limiter.take('a')).remaining, 2);
});

test('7 rate_limited: the window ends at the second that the client is told', async () => {
  const { limiter, time } = limiterAt(3);
  assert.equal((await limiter.take('a')).resetUnixSeconds, 1_700_000_060);
  time.nowMs += 20_500;
  time.wallMs += 20_500;
  assert.equal((await limiter.take('a')).resetUnixSeconds, 1_700_000_060);
});

test('M196 a jump of the wall clock neither gives a fresh minute nor prolongs one', async () => {
  for (const jumpMs of [7_200_000, -7_200_000]) {
    const { limiter, time } = limiterAt(1);
    await limiter.take('a');
    time.wallMs += jumpMs;
    assert.equal((await limiter.take('a')).allowed, false);
    time.nowMs += 60_000;
    assert.equal((await limiter.take('a')).allowed, true);
  }
});

test('a flood of addresses takes no more than a fixed room, and forgets the oldest first', async () => {
  const { limiter } = limiterAt(1, 100);
  for (let address = 0; address < 100; address += 1) await limiter.take(`k${address}`);
  await limiter.take('new');
  assert.equal((await limiter.take('k99')).allowed, false, 'a recent one is still counted');
  assert.equal((await limiter.take('k0')).allowed, true, 'the oldest was forgotten');
});

test('a limit of 0 is off', () => {
  assert.equal(createRateLimiter({ limit: 0, clock: { now: () => new Date() } }), undefined);
});

test('M193 one subscriber is one key, however its address is written', () => {
  const cases = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:C000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', undefined],
    ['', undefined],
    ['192.0.2.7:80', undefined],
  ] as const;
  for (const [address, key] of cases) assert.equal(ipKey(address), key, address);
});

test('7 rate_limited: the headers tell of the limit with the smaller share left, of the token when both are even', () => {
  const allowance = (limit: number, remaining: number) => ({ limit, remaining, resetUnixSeconds: 60, allowed: true });
  const cases = [
    { ip: undefined, token: undefined, scope: undefined },
    { ip: allowance(100, 50), token: undefined, scope: 'ip' },
    { ip: undefined, token: allowance(10, 9), scope: 'token' },
    { ip: allowance(100, 50), token: allowance(10, 9), scope: 'ip' },
    { ip: allowance(100, 50), token: allowance(10, 4), scope: 'token' },
    { ip: allowance(100, 50), token: allowance(10, 5), scope: 'token' },
    { ip: allowance(100, 0), token: allowance(10, 0), scope: 'token' },
  ];
  for (const { ip, token, scope } of cases) assert.equal(tighter(ip, token)['x-ratelimit-scope'], scope);
});
