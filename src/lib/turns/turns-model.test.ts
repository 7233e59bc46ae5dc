import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Uuid } from '../ids.ts';
import { OPERATORS, type Owner, serviceFor } from './owner.ts';
import { createTurns, type Release, type Turns } from './turns.ts';

const OWNERS: readonly Owner[] = [
  'a' as Uuid,
  'b' as Uuid,
  'c' as Uuid,
  OPERATORS,
  serviceFor('a' as Uuid),
  serviceFor('b' as Uuid),
];

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

type Step =
  | { readonly kind: 'take'; readonly owner: Owner; readonly cost: number }
  | { readonly kind: 'release' | 'abort'; readonly which: number };

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('take' as const),
      owner: fc.constantFrom(...OWNERS),
      cost: fc.integer({ min: 1, max: 7 }),
    }),
    fc.record({ kind: fc.constantFrom('release' as const, 'abort' as const), which: fc.nat(50) }),
  ),
  { maxLength: 120 },
);

type Task = { readonly owner: Owner; readonly cost: number; state: 'waits' | 'runs' | 'ended' };

describe('whatever comes in whatever order', () => {
  const limits = { capacity: 6, capOfEach: 4, reserve: 2, serviceAtOnceMax: 2, atOnceMax: 4, waitingMax: 1_000 };

  test('no bound is passed, the sums are right, and none waits for ever', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const turns = createTurns({ ...limits, waitingMaxOfEach: 1_000, waitMs: 60_000, nowMs: () => 0 });
        // Another owner has just come, so that the caps apply.
        for (const owner of ['x', 'y'] as Uuid[]) turns.takeNow({ owner })?.();
        const tasks: Task[] = [];
        const callers: AbortController[] = [];
        const releases: (Release | undefined)[] = [];
        for (const step of given) {
          apply(step, turns, tasks, callers, releases);
          await settled();
          holds(turns, tasks);
        }
        for (let index = releases.findIndex(Boolean); index >= 0; index = releases.findIndex(Boolean)) {
          end(index, tasks, releases);
          await settled();
          holds(turns, tasks);
        }
        assert.deepEqual(
          tasks.filter(({ state }) => state === 'waits'),
          [],
          'all were served or dropped',
        );
        const { running, waiting, owners } = turns.counts();
        assert.deepEqual({ running, waiting, owners }, { running: 0, waiting: 0, owners: 0 });
      }),
      { numRuns: 300 },
    );
  });

  function apply(
    step: Step,
    turns: Turns,
    tasks: Task[],
    callers: AbortController[],
    releases: (Release | undefined)[],
  ): void {
    if (step.kind === 'take') {
      const index = tasks.length;
      const task: Task = { owner: step.owner, cost: step.cost, state: 'waits' };
      const caller = new AbortController();
      tasks.push(task);
      callers.push(caller);
      void begin(index, turns.take({ owner: step.owner, cost: step.cost, signal: caller.signal }), tasks, releases);
      return;
    }
    if (step.kind === 'abort') {
      callers[step.which % Math.max(1, callers.length)]?.abort();
      return;
    }
    const runs = [...releases.keys()].filter((index) => releases[index] !== undefined);
    const index = runs[step.which % Math.max(1, runs.length)];
    if (index !== undefined) end(index, tasks, releases);
  }

  async function begin(index: number, turn: Promise<Release>, tasks: Task[], releases: (Release | undefined)[]) {
    const task = tasks[index];
    assert.ok(task);
    try {
      releases[index] = await turn;
      task.state = 'runs';
    } catch {
      task.state = 'ended';
    }
  }

  function end(index: number, tasks: Task[], releases: (Release | undefined)[]): void {
    releases[index]?.();
    // A second release must not count.
    releases[index]?.();
    releases[index] = undefined;
    const task = tasks[index];
    if (task !== undefined) task.state = 'ended';
  }

  function holds(turns: Turns, tasks: readonly Task[]): void {
    const runs = tasks.filter(({ state }) => state === 'runs');
    const waits = tasks.filter(({ state }) => state === 'waits');
    const counts = turns.counts();
    assert.equal(counts.running, sum(runs));
    assert.equal(counts.waiting, waits.length);
    assert.equal(counts.owners, new Set([...runs, ...waits].map(({ owner }) => owner)).size);
    for (const task of runs) {
      const earlier = tasks.slice(0, tasks.indexOf(task)).filter(({ owner }) => owner === task.owner);
      assert.ok(
        earlier.every(({ state }) => state !== 'waits'),
        'first come, first served within an owner',
      );
    }
    const others = runs.filter(({ owner }) => owner !== OPERATORS);
    assert.ok(others.length <= 1 || sum(others) <= limits.capacity, 'customers stay within the capacity');
    for (const owner of OWNERS) {
      const own = runs.filter((task) => task.owner === owner);
      const cap = owner === OPERATORS ? limits.capOfEach + limits.reserve : limits.capOfEach;
      // One task may be more than a bound; the operators' may be so in both of their parts.
      const single = owner === OPERATORS ? 2 : 1;
      assert.ok(own.length <= single || sum(own) <= cap, `${owner} has ${sum(own)}`);
    }
    assert.ok(runs.filter(({ owner }) => owner.startsWith('service')).length <= limits.serviceAtOnceMax);
    if (runs.length === 0) assert.deepEqual(waits, [], 'nothing waits for an idle resource');
  }
});

function sum(tasks: readonly Task[]): number {
  return tasks.reduce((total, { cost }) => total + cost, 0);
}
