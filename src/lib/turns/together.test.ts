import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { eventually } from '../../../test/harness/context.ts';
import { timedTest as test } from '../../../test/harness/timed-test.ts';
import { createTogether } from './together.ts';

type Task = {
  readonly name: string;
  readonly weight?: number;
  readonly key?: string;
  readonly owner?: string;
  readonly isGone?: () => boolean;
};

/** Runs that end when the test says so. */
function openRuns(options: { atOnceMax?: number; patienceMs?: number; isOwnerApart?: boolean } = {}) {
  const runs: { names: string[]; end: () => void; fail: (error: Error) => void }[] = [];
  const doTask = createTogether<Task, string>({
    atOnceMax: 1,
    patienceMs: 600_000,
    sizeMax: 3,
    weightMax: 10,
    ...options,
    weightOf: ({ weight = 1 }) => weight,
    ownerOf: ({ name, owner = name }) => owner,
    keyOf: ({ key = null }) => key,
    isGone: ({ isGone = () => false }) => isGone(),
    run: (tasks) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
      const names = tasks.map(({ name }) => name);
      runs.push({ names, end: () => resolve(names.map((name) => `${name} done`)), fail: reject });
      return promise;
    },
  });
  const start = (...tasks: readonly (string | Task)[]): Promise<string>[] =>
    tasks.map((task) => doTask(typeof task === 'string' ? { name: task } : task));
  const batches = (): string[] => runs.map(({ names }) => names.join(' '));
  /** Ends the next run, and returns once those that waited for it have heard. */
  const endNext = async (index: number): Promise<void> => {
    runs[index]?.end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { runs, start, batches, endNext };
}

describe('tasks of one moment', () => {
  test('the first begins at once, and those that come meanwhile go together, in their order', async () => {
    const { start, batches, endNext } = openRuns();
    const all = Promise.all(start('a', 'b', 'c', 'd', 'e'));
    assert.deepEqual(batches(), ['a']);
    await endNext(0);
    assert.deepEqual(batches(), ['a', 'b c d']);
    await endNext(1);
    await endNext(2);
    assert.deepEqual(batches(), ['a', 'b c d', 'e']);
    assert.deepEqual(await all, ['a done', 'b done', 'c done', 'd done', 'e done']);
  });

  test('another run begins beside the first once enough wait to fill one, up to so many runs', async () => {
    const { start, batches, endNext } = openRuns({ atOnceMax: 2 });
    const all = Promise.all(start('a', 'b', 'c', 'd', 'e', 'f', 'g'));
    assert.deepEqual(batches(), ['a', 'b c d']);
    await endNext(1);
    assert.deepEqual(batches(), ['a', 'b c d', 'e f g']);
    await endNext(0);
    await endNext(2);
    await all;
  });

  test('where owners are apart, no run begins for one that is in another, and others need not wait for it', async () => {
    const { start, batches, endNext } = openRuns({ atOnceMax: 3, patienceMs: 1, isOwnerApart: true });
    const of = (owner: string, ...names: string[]): Task[] => names.map((name) => ({ name, owner }));
    const all = Promise.all(start(...of('a', 'a1', 'a2', 'a3', 'a4'), ...of('b', 'b1')));
    await eventually('the other begins, after a while', () => batches().length === 2);
    assert.deepEqual(batches(), ['a1', 'b1']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(batches(), ['a1', 'b1']);
    await endNext(0);
    await endNext(1);
    assert.deepEqual(batches(), ['a1', 'b1', 'a2 a3 a4']);
    await endNext(2);
    await all;
  });

  test('another run begins when the first takes too long, and what waits is held up by one of them at most', async () => {
    const { start, batches, endNext } = openRuns({ atOnceMax: 3, patienceMs: 1 });
    const [slow, b] = start('slow', 'b');
    await eventually('the second begins', () => batches().length === 2);
    const [c] = start('c');
    await eventually('the third begins', () => batches().length === 3);
    const [d] = start('d');
    await endNext(1);
    await eventually('the fourth begins', () => batches().length === 4);
    await endNext(2);
    await endNext(3);
    assert.deepEqual(await Promise.all([b, c, d]), ['b done', 'c done', 'd done']);
    await endNext(0);
    assert.equal(await slow, 'slow done');
  });

  test('a run takes no more weight than it may, and what is too heavy for any goes by itself', async () => {
    const { start, batches, endNext } = openRuns();
    const all = Promise.all(
      start(
        'a',
        { name: 'b', weight: 6 },
        { name: 'c', weight: 6 },
        { name: 'd', weight: 4 },
        { name: 'e', weight: 50 },
      ),
    );
    for (let run = 0; run < 4; run += 1) await endNext(run);
    assert.deepEqual(batches(), ['a', 'b d', 'c', 'e']);
    await all;
  });

  test('the many of one owner stand before no other’s first, however heavy they are', async () => {
    const { start, batches, endNext } = openRuns();
    const heavy = (name: string): Task => ({ name, weight: 8, owner: 'many' });
    const light = (name: string, owner: string): Task => ({ name, weight: 4, owner });
    const all = [...start(heavy('m1'), heavy('m2'), heavy('m3'), heavy('m4'), light('a1', 'a'), light('b1', 'b'))];
    await endNext(0);
    assert.deepEqual(batches(), ['m1', 'a1 b1']);
    all.push(...start(light('a2', 'a')));
    await endNext(1);
    assert.deepEqual(batches(), ['m1', 'a1 b1', 'm2']);
    for (let run = 2; run < 6; run += 1) await endNext(run);
    assert.deepEqual(batches().slice(3), ['a2', 'm3', 'm4']);
    await Promise.all(all);
  });

  test('two of one key never go together', async () => {
    const { start, batches, endNext } = openRuns();
    const all = Promise.all(start('a', { name: 'b', key: 'k' }, { name: 'c', key: 'k' }, { name: 'd', key: 'l' }, 'e'));
    for (let run = 0; run < 3; run += 1) await endNext(run);
    assert.deepEqual(batches(), ['a', 'b d e', 'c']);
    await all;
  });

  test('what is not wanted any more is refused when its turn comes, and takes no place of others', async () => {
    const { start, batches, endNext } = openRuns();
    let hasGone = false;
    const [a, b, ...others] = start('a', { name: 'b', isGone: () => hasGone }, 'c', 'd', 'e');
    const all = Promise.all([a, ...others]);
    hasGone = true;
    const refusal = assert.rejects(b ?? assert.fail(), { code: 'unavailable' });
    await endNext(0);
    await refusal;
    await endNext(1);
    assert.deepEqual(batches(), ['a', 'c d e']);
    assert.deepEqual(await all, ['a done', 'c done', 'd done', 'e done']);
    const [gone] = start({ name: 'f', isGone: () => true });
    await assert.rejects(gone ?? assert.fail(), { code: 'unavailable' });
    const [last] = start('g');
    await endNext(2);
    assert.equal(await last, 'g done');
  });

  test('what fails fails for all of its run, and the next one goes on', async () => {
    const { runs, start, batches, endNext } = openRuns();
    const [a, ...others] = start('a', 'b', 'c');
    const settled = Promise.allSettled(others);
    await endNext(0);
    runs[1]?.fail(new Error('broken'));
    assert.deepEqual(
      (await settled).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    const [next] = start('d');
    await endNext(2);
    assert.deepEqual([await a, await next], ['a done', 'd done']);
    assert.deepEqual(batches(), ['a', 'b c', 'd']);
  });
});
