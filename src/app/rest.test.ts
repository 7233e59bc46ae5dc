import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givingBack, ofProcess } from './rest.ts';

const MB = 1_000_000;

test('memory is given back by a process that rests and has grown, and by no other', () => {
  for (const [busy, bytes, gives] of [
    [0, 30 * MB, true],
    [0.05, 100 * MB, true],
    [0, 29 * MB, false],
    [0.06, 100 * MB, false],
    [1, 1_000 * MB, false],
  ] as const) {
    let collected = 0;
    const count = (): void => {
      collected += 1;
    };
    const giveBack = givingBack({ busy: () => busy, heapBytes: () => bytes, collect: count });
    assert.equal(giveBack(), gives, `${busy} ${bytes}`);
    assert.equal(collected, gives ? 1 : 0);
  }
});

test('it is given back once, and again when the heap has grown by as much', () => {
  let bytes = 100 * MB;
  const collect = (): void => {
    bytes = 50 * MB;
  };
  const giveBack = givingBack({ busy: () => 0, heapBytes: () => bytes, collect });
  assert.deepEqual([giveBack(), bytes], [true, 50 * MB]);
  bytes = 79 * MB;
  assert.equal(giveBack(), false);
  bytes = 80 * MB;
  assert.equal(giveBack(), true);
});

test('the heap of this process shrinks', () => {
  const real = ofProcess();
  let garbage: unknown[] = Array.from({ length: 3_000_000 }, (_, index) => ({ index }));
  assert.ok(garbage.length > 0);
  garbage = [];
  const before = process.memoryUsage().heapTotal;
  const giveBack = givingBack({ ...real, busy: () => 0 });
  assert.equal(giveBack(), true);
  const after = process.memoryUsage().heapTotal;
  assert.ok(before - after > 30 * MB, `${before} -> ${after}`);
  assert.equal(giveBack(), false);
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
