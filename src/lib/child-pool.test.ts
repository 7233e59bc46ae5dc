import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test as untimed } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TEST_TIMEOUT_MS, timedTest as test } from '../../test/harness/timed-test.ts';
import {
  type ChildPool,
  type ChildPoolOptions,
  ChildPoolUnavailable,
  type ChildTask,
  openChildPool,
} from './child-pool.ts';
import type { Uuid } from './ids.ts';
import { type Asker, SERVICE } from './turns/owner.ts';

const folder = mkdtempSync(join(tmpdir(), 'platen-child-pool-'));
const program = join(folder, 'child.mjs');
writeFileSync(
  program,
  `process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
   process.on('message', ({ act }) => {
     if (act === 'spin') for (;;) Math.random();
     if (act === 'exit') process.exit(1);
     if (act === 'abort') process.abort();
     if (act === 'environment') process.send(Object.keys(process.env));
     if (act === 'nap') setTimeout(() => process.send(process.pid), 100);
     if (act === 'ignore SIGTERM') process.on('SIGTERM', () => {});
     if (act === 'ignore SIGTERM' || act === 'echo') process.send(process.pid);
   });`,
);
const ACCOUNT = 'account' as Uuid;
const OTHER = 'other' as Uuid;
const pools: ChildPool[] = [];
after(() => {
  // A child that a failed test has left behind would keep this process waiting for it.
  for (const pid of pools.flatMap((pool) => pool.pids())) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const OPTIONS: ChildPoolOptions = {
  program,
  execArgv: [],
  env: { MARK: '1' },
  childrenMax: 2,
  bytesMax: 100,
  idleBytes: 10,
  idleMs: 60_000,
  waitingBytesMax: 500,
  waitingBytesMaxOfEach: 500,
  waitMs: 30_000,
};

const task = (act: string, rest: Partial<ChildTask> = {}): ChildTask => ({
  message: { act },
  bytes: 10,
  cpuMs: 5_000,
  fallbackMs: 20_000,
  wallMs: 20_000,
  ...rest,
});

async function withPool(options: Partial<ChildPoolOptions>, use: (pool: ChildPool) => Promise<void>): Promise<void> {
  const pool = openChildPool({ ...OPTIONS, ...options });
  pools.push(pool);
  try {
    await use(pool.of({ owner: ACCOUNT }));
  } finally {
    await pool.close();
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !condition(); tries += 1) await delay(10);
  assert.ok(condition());
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('no child runs before the first task, and one child serves task after task', () =>
  withPool({}, async (pool) => {
    assert.deepEqual(pool.pids(), []);
    const first = await pool.run(task('echo'));
    assert.equal(first.kind, 'answered');
    assert.deepEqual(await pool.run(task('echo')), first);
    assert.equal(pool.pids().length, 1);
  }));

untimed(
  'a child that uses more processor time than allowed is killed and replaced',
  { skip: process.platform !== 'linux', timeout: TEST_TIMEOUT_MS },
  () =>
    withPool({}, async (pool) => {
      assert.deepEqual(await pool.run(task('spin', { cpuMs: 300 })), { kind: 'overran', limit: 'cpu' });
      assert.equal((await pool.run(task('echo'))).kind, 'answered');
    }),
);

test('a child that never answers is killed after its time, however little it computes', () =>
  withPool({}, async (pool) => {
    assert.deepEqual(await pool.run(task('nothing', { wallMs: 300 })), { kind: 'overran', limit: 'wall' });
    assert.equal((await pool.run(task('echo'))).kind, 'answered');
  }));

/** A child that takes no notice of SIGTERM, as one that is stuck in native code would not. */
async function stubbornChild(pool: ChildPool): Promise<number> {
  const outcome = await pool.run(task('ignore SIGTERM'));
  assert.ok(outcome.kind === 'answered' && typeof outcome.answer === 'number');
  process.kill(outcome.answer, 'SIGTERM');
  await pool.run(task('nap'));
  assert.ok(isAlive(outcome.answer), 'it ignores SIGTERM');
  return outcome.answer;
}

test('a child that ignores SIGTERM is gone when it is overdue, idle for too long, or the pool is closed', async () => {
  await withPool({}, async (pool) => {
    const pid = await stubbornChild(pool);
    assert.deepEqual(await pool.run(task('nothing', { wallMs: 300 })), { kind: 'overran', limit: 'wall' });
    assert.ok(!isAlive(pid));
  });
  await withPool({ idleMs: 300 }, async (pool) => {
    const pid = await stubbornChild(pool);
    await until(() => !isAlive(pid));
  });
  let pid = 0;
  await withPool({}, async (pool) => {
    pid = await stubbornChild(pool);
  });
  assert.ok(!isAlive(pid));
});

test('a child that ends or crashes at its task is told apart and replaced', () =>
  withPool({}, async (pool) => {
    for (const act of ['exit', 'abort']) assert.deepEqual(await pool.run(task(act)), { kind: 'died' });
    assert.equal((await pool.run(task('echo'))).kind, 'answered');
  }));

test('a program that cannot be run gives died, and does not hang', () =>
  withPool({ program: join(folder, 'missing.mjs') }, async (pool) => {
    assert.deepEqual(await pool.run(task('echo')), { kind: 'died' });
  }));

test('children are given no environment of the service', () =>
  withPool({}, async (pool) => {
    const outcome = await pool.run(task('environment'));
    assert.ok(outcome.kind === 'answered' && Array.isArray(outcome.answer));
    assert.ok(outcome.answer.includes('MARK') && !outcome.answer.includes('PATH'));
  }));

test('tasks that together need more memory than allowed follow one another', () =>
  withPool({}, async (pool) => {
    const pids = new Set<unknown>();
    for (const outcome of await Promise.all(Array.from({ length: 4 }, () => pool.run(task('nap', { bytes: 60 }))))) {
      assert.ok(outcome.kind === 'answered');
      pids.add(outcome.answer);
    }
    assert.equal(pids.size, 1);
    const started = performance.now();
    await Promise.all([pool.run(task('nap', { bytes: 40 })), pool.run(task('nap', { bytes: 40 }))]);
    assert.equal(pool.pids().length, 2, `${performance.now() - started} ms`);
  }));

test('a task that needs the room of idle children ends them first, and one above all limits runs alone', () =>
  withPool({}, async (pool) => {
    await Promise.all([pool.run(task('nap')), pool.run(task('nap'))]);
    assert.equal(pool.pids().length, 2);
    assert.equal((await pool.run(task('nap', { bytes: 95 }))).kind, 'answered');
    assert.equal(pool.pids().length, 1);
    assert.equal((await pool.run(task('nap', { bytes: 1_000 }))).kind, 'answered');
  }));

test('an idle child is ended after a while', () =>
  withPool({ idleMs: 50 }, async (pool) => {
    const outcome = await pool.run(task('echo'));
    assert.ok(outcome.kind === 'answered' && typeof outcome.answer === 'number');
    const pid = outcome.answer;
    await until(() => pool.pids().length === 0 && !isAlive(pid));
  }));

test('a task that would wait too long, or behind too many, is refused as unavailable and not as its own fault', () =>
  withPool({ childrenMax: 1, waitingBytesMax: 10, waitMs: 200 }, async (pool) => {
    const running = pool.run(task('nothing', { wallMs: 600 }));
    const waiting = assert.rejects(pool.run(task('echo')), ChildPoolUnavailable);
    await assert.rejects(pool.run(task('echo')), ChildPoolUnavailable);
    await waiting;
    assert.equal((await running).kind, 'overran');
    assert.equal((await pool.run(task('echo'))).kind, 'answered');
  }));

test('closing ends every child; tasks under way are unavailable, not failed', async () => {
  const pool = openChildPool({ ...OPTIONS, childrenMax: 1 });
  const running = assert.rejects(pool.run(task('nothing')), ChildPoolUnavailable);
  const waiting = assert.rejects(pool.run(task('echo')), ChildPoolUnavailable);
  await until(() => pool.pids().length === 1);
  const [pid] = pool.pids();
  await pool.close();
  await Promise.all([running, waiting]);
  assert.ok(pid !== undefined && !isAlive(pid));
  await assert.rejects(pool.run(task('echo')), ChildPoolUnavailable);
});

/** A pool of one child with a task of one owner in it and more behind; what is served is noted by name. */
async function busyPool(pool: ChildPool) {
  const done: string[] = [];
  const ask = async (name: string, asker: Asker): Promise<void> => {
    const outcome = await pool.of(asker).run(task('nap'));
    assert.equal(outcome.kind, 'answered');
    done.push(name);
  };
  const first = ask('first', { owner: ACCOUNT });
  await until(() => pool.counts().running === 10);
  return { done, ask, first };
}

test('the image of an owner that newly arrives does not wait behind the whole queue of another', () =>
  withPool({ childrenMax: 1 }, async (pool) => {
    const { done, ask, first } = await busyPool(pool);
    const many = ['second', 'third', 'fourth'].map((name) => ask(name, { owner: ACCOUNT }));
    await ask('newcomer', { owner: OTHER });
    assert.deepEqual(done, ['first', 'newcomer']);
    await Promise.all([first, ...many]);
  }));

test('a task whose caller has gone is not begun', () =>
  withPool({ childrenMax: 1 }, async (pool) => {
    const { done, ask, first } = await busyPool(pool);
    const caller = new AbortController();
    const abandoned = assert.rejects(ask('abandoned', { owner: OTHER, signal: caller.signal }), ChildPoolUnavailable);
    caller.abort();
    await abandoned;
    assert.equal(pool.counts().waiting, 0);
    await first;
    await ask('next', { owner: OTHER });
    assert.deepEqual(done, ['first', 'next']);
  }));

test('background work leaves the last child to requests that wait for an answer', () =>
  withPool({}, async (pool) => {
    const background = Array.from({ length: 3 }, () => pool.of({ owner: SERVICE }).run(task('nap')));
    await until(() => pool.counts().running === 10);
    assert.equal(pool.counts().waiting, 2, 'one of two children is left');
    assert.equal((await pool.run(task('echo'))).kind, 'answered');
    await Promise.all(background);
  }));

test('an account beside others has one child at a time', () =>
  withPool({}, async (pool) => {
    await pool.of({ owner: OTHER }).run(task('echo'));
    const both = [pool.run(task('nap')), pool.run(task('nap'))];
    await until(() => pool.counts().running === 10);
    assert.deepEqual(pool.counts(), { running: 10, waiting: 1, owners: 1, refused: 0 });
    await Promise.all(both);
  }));
