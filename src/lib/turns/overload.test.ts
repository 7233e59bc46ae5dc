import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Uuid } from '../ids.ts';
import { createTurns } from './turns.ts';

// Requests on a clock that the test moves: 20 places, and tasks of 20 to 60 ms, so 500 a second.

const PLACES = 20;
const WORK_MS = 40;
const CAPACITY_A_SECOND = (1_000 / WORK_MS) * PLACES;
const PROMISED_MS = 100;
const PROMISED_IN_OVERLOAD_MS = 25;

type Run = { readonly waitsMs: number[]; readonly refusedMs: number[]; served: number };

/** Runs tasks that arrive at a steady rate, a millisecond at a time; `isOpen` says whether any arrive in it. */
async function run(options: {
  readonly perSecond: number;
  readonly owners: number;
  readonly seconds: number;
  readonly isOpen?: (ms: number) => boolean;
}): Promise<Run> {
  const { perSecond, owners, seconds, isOpen = () => true } = options;
  let ms = 0;
  const turns = createTurns({
    capacity: PLACES,
    capOfEach: 15,
    waitingMax: 2_000,
    waitingMaxOfEach: 500,
    waitMs: 60_000,
    promisedMs: PROMISED_MS,
    promisedInOverloadMs: PROMISED_IN_OVERLOAD_MS,
    nowMs: () => ms,
  });
  const result: Run = { waitsMs: [], refusedMs: [], served: 0 };
  const ends = new Map<number, (() => void)[]>();
  const ask = async (owner: Uuid): Promise<void> => {
    const askedMs = ms;
    try {
      const release = await turns.take({ owner });
      result.waitsMs.push(ms - askedMs);
      const endsMs = ms + WORK_MS / 2 + ((result.waitsMs.length * 17) % (WORK_MS + 1));
      ends.set(endsMs, [...(ends.get(endsMs) ?? []), release]);
    } catch {
      result.refusedMs.push(askedMs);
    }
  };
  let due = 0;
  let number = 0;
  for (; ms < seconds * 1_000; ms += 1) {
    for (const release of ends.get(ms) ?? []) {
      result.served += 1;
      release();
    }
    if (isOpen(ms)) due += perSecond / 1_000;
    for (; due >= 1; due -= 1) {
      number += 1;
      void ask(`owner ${number % owners}` as Uuid);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  turns.close();
  return result;
}

/** The wait below which a share of the waits lies, of the tasks served from `from` on. */
function quantile(waits: readonly number[], share: number, from = 0): number {
  const sorted = waits.slice(from).toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

describe('at twice the capacity of many accounts', () => {
  test('what is served waits for little more than was promised, and nearly all of the capacity goes on', async () => {
    const { waitsMs, served, refusedMs } = await run({ perSecond: 2 * CAPACITY_A_SECOND, owners: 32, seconds: 6 });
    assert.ok(served >= 0.95 * 6 * CAPACITY_A_SECOND, `${served} served`);
    assert.ok(refusedMs.length > 0.3 * 6 * CAPACITY_A_SECOND, `${refusedMs.length} refused`);
    // The first second is a burst, and the queue of it takes another.
    const settled = quantile(waitsMs, 0.99, 2.5 * CAPACITY_A_SECOND);
    assert.ok(settled <= 2 * PROMISED_IN_OVERLOAD_MS, `${settled} ms`);
  });

  test('an overload is remembered when the queue is empty for a moment: no second burst is served', async () => {
    // Nothing arrives for 250 ms of each 1,500 ms, in which the queue of 100 ms ends.
    const { waitsMs, served } = await run({
      perSecond: 2 * CAPACITY_A_SECOND,
      owners: 32,
      seconds: 8,
      isOpen: (ms) => ms % 1_500 < 1_250,
    });
    const settled = quantile(waitsMs, 0.99, 2.5 * CAPACITY_A_SECOND);
    assert.ok(settled <= 2 * PROMISED_IN_OVERLOAD_MS, `${settled} ms`);
    assert.ok(served >= 0.85 * 8 * CAPACITY_A_SECOND, `${served} served`);
  });
});

test('clients that each wait for their answer are no overload, though they wait for longer than in one', async () => {
  let ms = 0;
  const turns = createTurns({
    capacity: 1,
    capOfEach: 1,
    waitingMax: 2_000,
    waitingMaxOfEach: 500,
    waitMs: 60_000,
    promisedMs: PROMISED_MS,
    promisedInOverloadMs: PROMISED_IN_OVERLOAD_MS,
    nowMs: () => ms,
  });
  const waitsMs: number[] = [];
  let refused = 0;
  let running: (() => void) | undefined;
  const isOver = (): boolean => ms >= 4_000;
  const client = async (owner: Uuid): Promise<void> => {
    while (!isOver()) {
      const askedMs = ms;
      try {
        const release = await turns.take({ owner });
        waitsMs.push(ms - askedMs);
        await new Promise<void>((resolve) => {
          running = resolve;
        });
        release();
      } catch {
        refused += 1;
        return;
      }
    }
  };
  for (let number = 0; number < 8; number += 1) void client(`owner ${number}` as Uuid);
  for (; !isOver(); ms += 1) {
    if (ms % 10 === 0) running?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  turns.close();
  assert.equal(refused, 0);
  assert.ok(quantile(waitsMs, 0.5) > PROMISED_IN_OVERLOAD_MS, `${quantile(waitsMs, 0.5)} ms`);
});

test('below the capacity nothing is refused', async () => {
  const { refusedMs } = await run({ perSecond: 0.8 * CAPACITY_A_SECOND, owners: 32, seconds: 4 });
  assert.deepEqual(refusedMs, []);
});

test('an overload ends when less comes than there is room for, and is not kept up by its own short promise', async () => {
  const { refusedMs } = await run({
    perSecond: 2 * CAPACITY_A_SECOND,
    owners: 32,
    seconds: 9,
    // Later two of five milliseconds: 0.8 of the capacity.
    isOpen: (ms) => ms < 3_000 || ms % 5 < 2,
  });
  assert.ok(refusedMs.some((ms) => ms < 3_000));
  assert.deepEqual(
    refusedMs.filter((ms) => ms >= 4_000),
    [],
  );
});

test('two seconds after an overload another burst is served whole', async () => {
  const { refusedMs } = await run({
    perSecond: 2 * CAPACITY_A_SECOND,
    owners: 32,
    seconds: 8,
    isOpen: (ms) => ms < 3_000 || (ms >= 5_300 && ms < 5_900),
  });
  assert.ok(refusedMs.some((ms) => ms < 3_000));
  assert.deepEqual(
    refusedMs.filter((ms) => ms >= 5_000),
    [],
  );
});

test('an account that sends little is served beside one that sends ten times what there is room for', async () => {
  let ms = 0;
  const turns = createTurns({
    capacity: 1,
    capOfEach: 1,
    waitingMax: 2_000,
    waitingMaxOfEach: 500,
    waitMs: 60_000,
    promisedMs: PROMISED_MS,
    nowMs: () => ms,
  });
  const flood = 'flood' as Uuid;
  const refused = { flood: 0, small: 0 };
  const served: string[] = [];
  let running: (() => void) | undefined;
  const ask = async (owner: Uuid): Promise<void> => {
    try {
      running = await turns.take({ owner });
      served.push(owner);
    } catch {
      refused[owner === flood ? 'flood' : 'small'] += 1;
    }
  };
  for (; ms < 5_000; ms += 1) {
    void ask(flood);
    if (ms % 100 === 50) void ask(`small ${ms % 300}` as Uuid);
    if (ms % 10 === 0) running?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  turns.close();
  assert.equal(refused.small, 0);
  assert.ok(refused.flood > 3_000, `${refused.flood} refused`);
  assert.ok(served.filter((owner) => owner !== flood).length >= 49);
});
