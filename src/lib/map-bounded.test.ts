import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { mapBounded } from './map-bounded.ts';

test('results stand in the order of the list, however the calls end', async () => {
  const results = await mapBounded([5, 1, 3], 3, async (turns, index) => {
    for (let count = 0; count < turns; count += 1) await turn();
    return `${index}:${turns}`;
  });
  assert.deepEqual(results, ['0:5', '1:1', '2:3']);
  assert.deepEqual(await mapBounded([], 3, async () => 1), []);
});

test('never more than the limit are under way, and as many as the limit are', async () => {
  let active = 0;
  let most = 0;
  await mapBounded([...Array.from({ length: 20 }).keys()], 4, async () => {
    active += 1;
    most = Math.max(most, active);
    await turn();
    active -= 1;
  });
  assert.equal(most, 4);
});

test('after a failure nothing new begins, what had begun ends first, and the first failure is told', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = mapBounded([0, 1, 2, 3, 4], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error('the first');
    for (let count = 0; count < 10; count += 1) await turn();
    ended.push(item);
    if (item === 0) throw new Error('the second');
  });
  await assert.rejects(work, /the first/);
  assert.deepEqual(begun, [0, 1]);
  assert.deepEqual(ended, [0]);
});
