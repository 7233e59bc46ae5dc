import assert from 'node:assert/strict';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { timedTest as test } from '../../../../test/harness/timed-test.ts';
import type { Uuid } from '../../ids.ts';
import { createReceiving } from './receive-in-turn.ts';

const ONE = 'one' as Uuid;
const OTHER = 'other' as Uuid;
/** A chunk so large that its turn is waited for as long as a test may take. */
const LARGE = 1_000_000_000;

test('one chunk is taken in a round of the event loop, so that those that arrive meanwhile get their turn', async () => {
  const receive = createReceiving();
  let taken = 0;
  const take = (): void => {
    taken += 1;
  };
  const all = Promise.all(Array.from({ length: 4 }, () => receive(ONE, LARGE, take)));
  const seen: number[] = [];
  while (seen.at(-1) !== 4) {
    await nextLoop();
    seen.push(taken);
  }
  await all;
  for (const [index, count] of seen.entries()) assert.ok(count - (seen[index - 1] ?? 0) <= 1, seen.join());
});

test('the chunk of an account that newly downloads does not wait behind all chunks of another', async () => {
  const receive = createReceiving();
  const order: string[] = [];
  const taken = (owner: Uuid): Promise<void> => receive(owner, LARGE, () => void order.push(owner));
  await Promise.all([taken(ONE), taken(ONE), taken(ONE), taken(OTHER)]);
  assert.deepEqual(order, [ONE, OTHER, ONE, ONE]);
});

test('a chunk that has no place among those that wait is taken in without a turn', async () => {
  const receive = createReceiving();
  const waiting = Array.from({ length: 4_001 }, () => receive(ONE, LARGE, () => {}));
  let isTaken = false;
  await receive(OTHER, LARGE, () => {
    isTaken = true;
  });
  assert.ok(isTaken);
  await Promise.all(waiting);
});

test('a chunk that cannot be taken in fails its own download alone', async () => {
  const receive = createReceiving();
  const full = (): never => {
    throw new Error('the disk is full');
  };
  await assert.rejects(receive(ONE, LARGE, full), /the disk is full/);
  await receive(ONE, LARGE, () => {});
});
