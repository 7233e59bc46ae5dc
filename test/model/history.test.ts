import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live } from './history.ts';
import { SEEDS, STEPS } from './settings.ts';

for (const seed of SEEDS) {
  test(`whatever happens in a shop, money, stock, orders and events are as the rules have it: seed ${seed}, ${STEPS} steps`, async () => {
    const told = await live(seed, STEPS);
    assert.equal(told.length, STEPS);
  });
}

test('a history that failed can be lived again: the same seed does the same and is answered alike', async () => {
  const seed = 20_300_101;
  const first = await live(seed, 120);
  assert.deepEqual(await live(seed, 120), first);
});
