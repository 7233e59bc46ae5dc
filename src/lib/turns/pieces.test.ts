import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Uuid } from '../ids.ts';
import { createPieces } from './pieces.ts';

const ASKER = { owner: 'account' as Uuid };

/** A clock on which each item takes a millisecond. */
function clock() {
  const time = { ms: 0 };
  const work = (): void => {
    time.ms += 1;
  };
  return { nowMs: () => time.ms, work };
}

/** Counts how often the thread comes round to other work until a task has ended. */
async function roundsDuring(task: Promise<unknown>): Promise<number> {
  const state = { rounds: 0, isOver: false };
  const round = (): void => {
    state.rounds += 1;
    if (!state.isOver) setImmediate(round);
  };
  setImmediate(round);
  await task.finally(() => {
    state.isOver = true;
  });
  return state.rounds;
}

test('the thread serves others after two milliseconds of a long list', async () => {
  const { nowMs, work } = clock();
  const { mapInPieces } = createPieces({ nowMs });
  const items = Array.from({ length: 60 }, (_, index) => index);
  const results: number[] = [];
  const rounds = await roundsDuring(
    mapInPieces(ASKER, items, (item) => {
      work();
      results.push(item);
      return item;
    }).then((mapped) => assert.deepEqual(mapped, items)),
  );
  assert.ok(rounds >= 30, `${rounds} rounds for 60 ms in pieces of 2 ms`);
  assert.deepEqual(results, items);
});

test('a short list, and a step about one, are done at once', async () => {
  const { nowMs, work } = clock();
  const { mapInPieces, asPiece } = createPieces({ nowMs });
  let mapped = 0;
  const list = mapInPieces(ASKER, Array.from({ length: 50 }), () => {
    work();
    mapped += 1;
  });
  assert.equal(mapped, 50);
  let isDone = false;
  const step = asPiece(ASKER, 50, () => {
    isDone = true;
  });
  assert.ok(isDone);
  await Promise.all([list, step]);
});

test('long steps of two requests are never done in one round of the thread', async () => {
  const { asPiece } = createPieces();
  const done: string[] = [];
  const steps = ['a1', 'a2', 'b1'].map((name) =>
    asPiece({ owner: name.slice(0, 1) as Uuid }, 1_000, () => void done.push(name)),
  );
  const most: number[] = [];
  let before = 0;
  const watch = (): void => {
    most.push(done.length - before);
    before = done.length;
    if (done.length < 3) setImmediate(watch);
  };
  setImmediate(watch);
  await Promise.all(steps);
  assert.ok(
    most.every((count) => count <= 1),
    most.join(),
  );
  assert.deepEqual(done, ['a1', 'b1', 'a2'], 'in turn by owner');
});

test('a fault of a step is thrown, and the next step has its turn', async () => {
  const { asPiece } = createPieces();
  await assert.rejects(
    asPiece(ASKER, 1_000, () => {
      throw new Error('a fault');
    }),
    /a fault/,
  );
  assert.equal(await asPiece(ASKER, 1_000, () => 'next'), 'next');
});

test('what was admitted is not refused when too much waits: it goes on', async () => {
  const { asPiece } = createPieces();
  const steps = Array.from({ length: 1_200 }, (_, index) => asPiece(ASKER, 1_000, () => index));
  assert.equal((await Promise.all(steps)).length, 1_200);
});
