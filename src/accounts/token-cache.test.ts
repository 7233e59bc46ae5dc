import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenCache } from './token-cache.ts';

/** A cache over look-ups that are answered by hand, on a clock that stands still. */
function cacheOf() {
  const time = { ms: 0 };
  const lookUps: PromiseWithResolvers<string | undefined>[] = [];
  const find = (): Promise<string | undefined> => {
    const lookUp = Promise.withResolvers<string | undefined>();
    lookUps.push(lookUp);
    return lookUp.promise;
  };
  return { time, lookUps, callerOf: createTokenCache(find, () => time.ms) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('requests of one token that arrive together share a look-up', async () => {
  const { lookUps, callerOf } = cacheOf();
  const callers = ['one', 'one', 'one', 'other'].map((token) => callerOf(token));
  assert.equal(lookUps.length, 2);
  lookUps[0]?.resolve('account');
  lookUps[1]?.resolve(undefined);
  assert.deepEqual(await Promise.all(callers), ['account', 'account', 'account', undefined]);
});

test('a busy token is looked up again before its second ends, and no request waits for that', async () => {
  const { time, lookUps, callerOf } = cacheOf();
  const first = callerOf('token');
  lookUps[0]?.resolve('before');
  await first;
  time.ms = 600;
  assert.equal(await callerOf('token'), 'before');
  assert.equal(await callerOf('token'), 'before');
  assert.equal(lookUps.length, 2, 'once');
  lookUps[1]?.resolve('after');
  await settled();
  assert.equal(await callerOf('token'), 'after');
  time.ms = 1_599;
  assert.equal(await callerOf('token'), 'after', 'its own second began with its look-up');
});

test('B34 no answer is used for longer than a second from its look-up, also one that came late', async () => {
  const { time, lookUps, callerOf } = cacheOf();
  const first = callerOf('token');
  time.ms = 900;
  lookUps[0]?.resolve('account');
  await first;
  time.ms = 1_000;
  const next = callerOf('token');
  assert.equal(lookUps.length, 2);
  lookUps[1]?.resolve(undefined);
  assert.equal(await next, undefined);
});

test('a look-up that fails is thrown to those that wait for it, and the next request tries again', async () => {
  const { time, lookUps, callerOf } = cacheOf();
  const waiting = [callerOf('token'), callerOf('token')];
  lookUps[0]?.reject(new Error('the database is away'));
  for (const one of waiting) await assert.rejects(one, /away/);
  const again = callerOf('token');
  lookUps[1]?.resolve('account');
  assert.equal(await again, 'account');
  time.ms = 700;
  assert.equal(await callerOf('token'), 'account');
  lookUps[2]?.reject(new Error('the database is away'));
  await settled();
  assert.equal(await callerOf('token'), 'account', 'a renewal that fails changes nothing');
  time.ms = 1_000;
  const last = callerOf('token');
  lookUps[3]?.resolve('account');
  assert.equal(await last, 'account');
});
