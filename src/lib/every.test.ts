import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { AT_ONCE, every, type Round, together, type Worker } from './every.ts';
import { type Log, silentLog } from './log.ts';

const HOUR_MS = 3_600_000;

let warnings: [fields: object, message: string][] = [];
const log: Log = { ...silentLog, warn: (fields, message) => void warnings.push([fields, message]) };
const workers: Worker[] = [];

beforeEach(() => {
  warnings = [];
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(0)));
  mock.timers.reset();
});

type Options = Partial<Parameters<typeof every>[0]>;

/** A loop that polls each hour unless the options say otherwise. */
function start(run: (round: Round) => Promise<number | undefined>, options: Options = {}): Worker {
  const worker = every({ log, pollMs: HOUR_MS, failed: 'it could not be done', ...options, run });
  workers.push(worker);
  return worker;
}

/** Rounds that each end only when the test ends them. */
function heldRounds() {
  const ends: ((waitMs?: number) => void)[] = [];
  const run = (): Promise<number | undefined> => new Promise((resolve) => ends.push(resolve));
  return { run, begun: () => ends.length, endLast: (waitMs?: number) => ends.at(-1)?.(waitMs) };
}

/** Lets everything happen that waits for no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await settle();
}

test('loops that start together begin one after another, and a hint ends the wait of its own', async () => {
  const begun: string[] = [];
  const round = (name: string) => async (): Promise<undefined> => {
    begun.push(name);
  };
  start(round('first'));
  start(round('second'));
  start(round('third'));
  const hinted = start(round('hinted'));
  await settle();
  assert.deepEqual(begun, ['first']);
  hinted.wake();
  await settle();
  assert.deepEqual(begun, ['first', 'hinted']);
  await pass(5);
  assert.deepEqual(begun, ['first', 'hinted', 'second']);
  await pass(5);
  assert.deepEqual(begun, ['first', 'hinted', 'second', 'third']);
});

test('hints that come within the gap after a round share the next', async () => {
  let rounds = 0;
  const run = async (): Promise<undefined> => {
    rounds += 1;
  };
  const worker = start(run, { gapMs: 10 });
  await settle();
  for (let hint = 0; hint < 5; hint += 1) {
    worker.wake();
    await settle();
  }
  assert.equal(rounds, 1);
  await pass(10);
  assert.equal(rounds, 2);
  await pass(10);
  assert.equal(rounds, 2, 'no hint is left');
  worker.wake();
  await settle();
  assert.equal(rounds, 3, 'after the gap a hint is followed at once');
});

/** Whether a promise has resolved once all has settled. */
async function hasEnded(promise: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const watch = async (): Promise<void> => {
    await promise;
    isOver = true;
  };
  void watch();
  await settle();
  return isOver;
}

describe('when the next round begins', () => {
  test('the first at once, the next a poll after the end of the one before, never two at a time', async () => {
    const rounds = heldRounds();
    start(rounds.run, { pollMs: 500 });
    assert.equal(rounds.begun(), 1);
    await pass(5_000);
    assert.equal(rounds.begun(), 1, 'the first still runs');
    rounds.endLast();
    await settle();
    await pass(499);
    assert.equal(rounds.begun(), 1);
    await pass(1);
    assert.equal(rounds.begun(), 2);
  });

  test('after the wait that the round returned, once; at once when it says so', async () => {
    const rounds = heldRounds();
    start(rounds.run, { pollMs: 500 });
    rounds.endLast(3_000);
    await settle();
    await pass(2_999);
    assert.equal(rounds.begun(), 1);
    await pass(1);
    assert.equal(rounds.begun(), 2);
    rounds.endLast(AT_ONCE);
    await settle();
    assert.equal(rounds.begun(), 3);
    rounds.endLast();
    await settle();
    await pass(500);
    assert.equal(rounds.begun(), 4);
  });

  test('after a poll as long as it is at that moment', async () => {
    const rounds = heldRounds();
    let pollMs = 500;
    start(rounds.run, { pollMs: () => pollMs });
    pollMs = 2_000;
    rounds.endLast();
    await settle();
    await pass(1_999);
    assert.equal(rounds.begun(), 1);
    await pass(1);
    assert.equal(rounds.begun(), 2);
  });

  test('the first after a wait of its own', async () => {
    const rounds = heldRounds();
    start(rounds.run, { firstMs: 900_000 });
    await pass(899_999);
    assert.equal(rounds.begun(), 0);
    await pass(1);
    assert.equal(rounds.begun(), 1);
  });
});

describe('a wake', () => {
  test('between two rounds begins the next at once, and only that one', async () => {
    const rounds = heldRounds();
    const worker = start(rounds.run);
    rounds.endLast();
    await settle();
    worker.wake();
    await settle();
    assert.equal(rounds.begun(), 2);
    rounds.endLast();
    await settle();
    assert.equal(rounds.begun(), 2);
  });

  test('during a round is not lost, and several are one', async () => {
    const rounds = heldRounds();
    const worker = start(rounds.run);
    worker.wake();
    worker.wake();
    await settle();
    assert.equal(rounds.begun(), 1);
    rounds.endLast();
    await settle();
    assert.equal(rounds.begun(), 2);
    rounds.endLast();
    await settle();
    assert.equal(rounds.begun(), 2);
  });

  test('goes before the wait that the round returned', async () => {
    const rounds = heldRounds();
    const worker = start(rounds.run);
    worker.wake();
    rounds.endLast(HOUR_MS);
    await settle();
    assert.equal(rounds.begun(), 2);
  });

  test('may come from what a round has left behind', async () => {
    const rounds: Round[] = [];
    start(async (round) => void rounds.push(round));
    await settle();
    rounds[0]?.wake();
    await settle();
    assert.equal(rounds.length, 2);
  });
});

test('a round that throws is logged once, and the next comes after a poll, not before', async () => {
  let runs = 0;
  const worker = start(
    async () => {
      runs += 1;
      if (runs === 1) throw new Error('the database is away');
      throw 'no error at all';
    },
    { pollMs: 500, fields: { kind: 'print' } },
  );
  await settle();
  await pass(499);
  assert.equal(runs, 1);
  assert.deepEqual(warnings, [[{ kind: 'print', error: 'the database is away' }, 'it could not be done']]);
  await pass(1);
  assert.equal(runs, 2);
  assert.deepEqual(warnings.slice(1), [[{ kind: 'print', error: 'no error at all' }, 'it could not be done']]);
  worker.wake();
  await settle();
  assert.equal(runs, 3, 'a wake does not wait for the poll');
});

describe('a stop', () => {
  test('between two rounds ends the loop at once: no round follows, whatever wakes it', async () => {
    const rounds = heldRounds();
    const worker = start(rounds.run);
    rounds.endLast();
    await settle();
    assert.equal(await hasEnded(worker.stop(30_000)), true);
    worker.wake();
    await pass(HOUR_MS);
    assert.equal(rounds.begun(), 1);
  });

  test('before the first round lets none begin', async () => {
    const rounds = heldRounds();
    const worker = start(rounds.run, { firstMs: HOUR_MS });
    assert.equal(await hasEnded(worker.stop(30_000)), true);
    await pass(HOUR_MS);
    assert.equal(rounds.begun(), 0);
  });

  test('during a round tells it, waits for its end and begins no other, though it was woken', async () => {
    const rounds = heldRounds();
    let stopping: AbortSignal | undefined;
    const worker = start((round) => {
      ({ stopping } = round);
      return rounds.run();
    });
    worker.wake();
    assert.equal(stopping?.aborted, false);
    const stopped = worker.stop(30_000);
    assert.equal(stopping?.aborted, true);
    assert.equal(await hasEnded(stopped), false);
    rounds.endLast(AT_ONCE);
    assert.equal(await hasEnded(stopped), true);
    assert.equal(rounds.begun(), 1);
  });

  test('waits for the tasks of all rounds, also for one that the last round begins after the stop', async () => {
    const rounds = heldRounds();
    const ends: (() => void)[] = [];
    const worker = start(async (round) => {
      const waitMs = await rounds.run();
      round.background(new Promise((resolve) => ends.push(resolve)));
      return waitMs;
    });
    rounds.endLast(AT_ONCE);
    await settle();
    assert.deepEqual([rounds.begun(), ends.length], [2, 1]);
    const stopped = worker.stop(30_000);
    rounds.endLast();
    assert.equal(await hasEnded(stopped), false);
    assert.equal(ends.length, 2);
    ends[0]?.();
    assert.equal(await hasEnded(stopped), false);
    ends[1]?.();
    assert.equal(await hasEnded(stopped), true);
  });

  for (const what of ['round', 'task'] as const) {
    test(`waits for a ${what} that hangs no longer than its grace`, async () => {
      mock.timers.reset();
      const never = new Promise<undefined>(() => {});
      const worker = start((round) => {
        if (what === 'round') return never;
        round.background(never);
        return Promise.resolve(undefined);
      });
      await settle();
      // Its own timer does not keep a process alive; this one keeps the test's until the bound.
      const bound = setTimeout(() => {}, 10_000);
      const startedMs = performance.now();
      await worker.stop(60);
      const tookMs = performance.now() - startedMs;
      clearTimeout(bound);
      assert.ok(tookMs >= 50 && tookMs < 5_000, `${tookMs} ms`);
    });
  }
});

describe('several workers as one', () => {
  function recorded() {
    const calls: string[] = [];
    const part = (name: string, wokenBy: readonly string[]) => ({
      wokenBy,
      worker: {
        wake: (hint?: string) => void calls.push(`${name} woken by ${hint ?? 'all'}`),
        stop: async (graceMs: number) => void calls.push(`${name} stopped within ${graceMs}`),
      },
    });
    return { calls, worker: together([part('a', ['x', 'y']), part('b', ['y']), part('c', [])]) };
  }

  test('a hint wakes those that it is for, and none wakes all', () => {
    const { calls, worker } = recorded();
    worker.wake('x');
    worker.wake('y');
    worker.wake('z');
    assert.deepEqual(calls.splice(0), ['a woken by x', 'a woken by y', 'b woken by y']);
    worker.wake();
    assert.deepEqual(calls, ['a woken by all', 'b woken by all', 'c woken by all']);
  });

  test('a stop ends all of them, each within the same grace', async () => {
    const { calls, worker } = recorded();
    await worker.stop(30);
    assert.deepEqual(calls, ['a stopped within 30', 'b stopped within 30', 'c stopped within 30']);
  });
});
