import assert from 'node:assert/strict';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { timedTest as test } from '../../../test/harness/timed-test.ts';
import type { Uuid } from '../ids.ts';
import { createReceiving } from './receive-in-turn.ts';

const ONE = 'one' as Uuid;
const OTHER = 'other' as Uuid;
/** A chunk so large that its turn is waited for as long as a test may take. */
const LARGE = 1_000_000_000;

test('chunks of all downloads are taken in one at a time, and others are served in between', async () => {
  const receive = createReceiving();
  let running = 0;
  let loops = 0;
  const counted = setInterval(() => {
    loops += 1;
  }, 0);
  const loopsBefore: number[] = [];
  await Promise.all(
    [ONE, ONE, OTHER, OTHER].map((owner) =>
      receive(owner, LARGE, async () => {
        running += 1;
        assert.equal(running, 1);
        loopsBefore.push(loops);
        await nextLoop();
        running -= 1;
      }),
    ),
  );
  clearInterval(counted);
  assert.deepEqual(new Set(loopsBefore).size, 4, loopsBefore.join());
});

test('the chunk of an account that newly downloads does not wait behind all chunks of another', async () => {
  const receive = createReceiving();
  const order: string[] = [];
  const taken = (owner: Uuid): Promise<void> => receive(owner, LARGE, async () => void order.push(owner));
  await Promise.all([taken(ONE), taken(ONE), taken(ONE), taken(OTHER)]);
  assert.deepEqual(order, [ONE, OTHER, ONE, ONE]);
});

test('a chunk that gets no turn in its time is taken in without one, so that no file is late for want of turns', async () => {
  const receive = createReceiving();
  const first = Promise.withResolvers<void>();
  const slow = receive(ONE, LARGE, () => first.promise);
  let isTaken = false;
  await receive(OTHER, 1, async () => {
    isTaken = true;
  });
  assert.ok(isTaken);
  first.resolve();
  await slow;
});

test('a chunk that cannot be taken in fails its own download alone', async () => {
  const receive = createReceiving();
  await assert.rejects(
    receive(ONE, LARGE, () => Promise.reject(new Error('the disk is full'))),
    /the disk is full/,
  );
  await receive(ONE, LARGE, async () => {});
});
