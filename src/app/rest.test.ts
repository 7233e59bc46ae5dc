import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveBack, ofProcess, type Resting } from './rest.ts';

const MB = 1_000_000;

function resting(busy: number, unusedBytes: number): Resting & { readonly collected: () => number } {
  let collected = 0;
  return {
    busy: () => busy,
    unusedBytes: () => unusedBytes,
    collect: () => {
      collected += 1;
    },
    collected: () => collected,
  };
}

test('memory is given back by a process that rests and has much to give, and by no other', () => {
  for (const [busy, bytes, gives] of [
    [0, 30 * MB, true],
    [0.05, 100 * MB, true],
    [0, 29 * MB, false],
    [0.06, 100 * MB, false],
    [1, 1_000 * MB, false],
  ] as const) {
    const process = resting(busy, bytes);
    assert.equal(giveBack(process), gives, `${busy} ${bytes}`);
    assert.equal(process.collected(), gives ? 1 : 0);
  }
});

test('the heap of this process shrinks, and a second time there is nothing to give', () => {
  const real = ofProcess();
  let garbage: unknown[] = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  assert.ok(garbage.length > 0);
  garbage = [];
  const before = process.memoryUsage().heapTotal;
  assert.equal(giveBack({ ...real, busy: () => 0 }), true);
  const after = process.memoryUsage().heapTotal;
  assert.ok(before - after > 30 * MB, `${before} -> ${after}`);
  assert.equal(giveBack({ ...real, busy: () => 0 }), false);
  assert.equal('gc' in globalThis, false);
});

test('a thread that computes is busy, and one that waits is not', async () => {
  // The loop counts its time from its first round on.
  await new Promise((resolve) => setTimeout(resolve, 10));
  const { busy } = ofProcess();
  const endsAt = performance.now() + 50;
  while (performance.now() < endsAt);
  assert.ok(busy() > 0.5);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(busy() < 0.5);
});
