import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, openTestContext, type TestContext } from '../../test/harness/context.ts';
import { statement } from './db.ts';
import type { Worker } from './every.ts';
import type { Job } from './queue/job.ts';
import { enqueue, JobFault, type JobHandler, startWorker } from './queue.ts';

let ctx: TestContext;
const workers: Worker[] = [];
before(async () => {
  ctx = await openTestContext({});
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(0)));
  await ctx.database.script('delete from job');
});
after(() => ctx.close());

type JobState = {
  key: string;
  attempts: number;
  setbacks: number;
  run_at: Date;
  lease_token: string | null;
  last_error: string | null;
  failed_at: Date | null;
};
const JOBS = statement<JobState>(
  'test_jobs',
  'select key, attempts, setbacks, run_at, lease_token, last_error, failed_at from job order by key',
);
const jobs = (): Promise<JobState[]> => ctx.database.all(JOBS, []);

async function onlyJob(): Promise<JobState> {
  const [job, ...others] = await jobs();
  assert.ok(job !== undefined && others.length === 0);
  return job;
}

function add(key: string, payload: Record<string, unknown> = {}): Promise<void> {
  return enqueue(ctx.database, { kind: 'test', key, payload, runAt: ctx.clock.now() });
}

type Work = Partial<JobHandler> & { run: JobHandler['run'] };

function work(handler: Work, database = ctx.database): Worker {
  const handlers = [
    { kind: 'test', concurrency: 2, leaseSeconds: 30, attemptsMax: 3, giveUp: async () => {}, ...handler },
  ];
  const worker = startWorker({ database, clock: ctx.clock, log: ctx.log, handlers, pollMs: 20 });
  workers.push(worker);
  return worker;
}

/** A gate that a test opens. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('a job is done once, with what it was given, and is gone', async () => {
  const done: Job[] = [];
  const run: JobHandler['run'] = async (job) => {
    done.push(job);
  };
  work({ run });
  work({ run });
  await Promise.all(Array.from({ length: 40 }, (_, at) => add(`job ${at}`, { at })));
  await eventually('the queue is empty', async () => (await jobs()).length === 0);
  assert.deepEqual(
    done.map(({ key }) => key).toSorted(),
    Array.from({ length: 40 }, (_, at) => `job ${at}`).toSorted(),
  );
  for (const { key, payload, attempts } of done) {
    assert.deepEqual(payload, { at: Number(key.slice(4)) });
    assert.equal(attempts, 0, 'none has failed');
  }
});

test('a job of the same kind and key that still waits is enough', async () => {
  await Promise.all([add('same', { first: true }), add('same'), add('same')]);
  assert.equal((await jobs()).length, 1);
});

test('a job whose transaction is rolled back was never there', async () => {
  const rolledBack = ctx.database.transaction(async (tx) => {
    await enqueue(tx, { kind: 'test', key: 'undone', payload: {}, runAt: ctx.clock.now() });
    throw new Error('undone');
  });
  await assert.rejects(rolledBack);
  assert.deepEqual(await jobs(), []);
});

test("a dead worker's job is taken over when its lease has run out, and not before", async () => {
  await add('orphan');
  const never = gate();
  let first = 0;
  // It claims and never finishes; stopped without grace, it extends nothing either: what a killed process leaves.
  const dead = work({
    run: () => {
      first += 1;
      return never.opened;
    },
  });
  await eventually('the first worker has it', () => first === 1);
  await dead.stop(0);
  const second: number[] = [];
  const heir = work({
    run: async (job) => {
      second.push(job.attempts);
    },
  });
  heir.wake('test');
  ctx.clock.shift(25_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(second, []);
  ctx.clock.shift(6_000);
  await eventually('the job is done', async () => (await jobs()).length === 0);
  assert.deepEqual(second, [0], 'the death of a worker is no fault of the job');
  never.open();
});

test('N213 a worker that was paused past its lease is fenced off: its late end changes nothing', async () => {
  await add('paused');
  const [late, current] = [gate(), gate()];
  let runs = 0;
  const run: JobHandler['run'] = async () => {
    runs += 1;
    await (runs === 1 ? late : current).opened;
  };
  work({ run });
  await eventually('it runs', () => runs === 1);
  ctx.clock.shift(31_000);
  await eventually('it was taken over', () => runs === 2);
  late.open();
  const taken = await onlyJob();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(await onlyJob(), taken, 'the job is still the second holder’s');
  current.open();
  await eventually('the second has ended it', async () => (await jobs()).length === 0);
});

test('N213 a late failure after the lease gives nothing up and sets nothing back', async () => {
  await add('paused');
  const [late, current] = [gate(), gate()];
  const givenUp: string[] = [];
  let runs = 0;
  work({
    attemptsMax: 1,
    giveUp: async (_job, reason) => {
      givenUp.push(reason);
    },
    run: async () => {
      runs += 1;
      const isFirst = runs === 1;
      await (isFirst ? late : current).opened;
      if (isFirst) throw new JobFault('too late');
    },
  });
  await eventually('it runs', () => runs === 1);
  ctx.clock.shift(31_000);
  await eventually('it was taken over', () => runs === 2);
  late.open();
  await eventually('the failure was seen', () => ctx.logged.some((line) => line.includes('too late')));
  current.open();
  await eventually('the second has ended it', async () => (await jobs()).length === 0);
  assert.deepEqual(givenUp, []);
});

test('N213 a late failure with attempts left changes nothing: the job stays with its second holder and is run no third time', async () => {
  await add('paused');
  const [late, current] = [gate(), gate()];
  let runs = 0;
  let setBack = 0;
  const all: typeof ctx.database.all = async (of, values) => {
    const found = await ctx.database.all(of, values);
    if (of.name === 'queue_postpone') setBack += 1;
    return found;
  };
  work(
    {
      run: async () => {
        runs += 1;
        const isFirst = runs === 1;
        await (isFirst ? late : current).opened;
        if (isFirst) throw new JobFault('too late');
      },
    },
    { ...ctx.database, all },
  );
  await eventually('it runs', () => runs === 1);
  ctx.clock.shift(31_000);
  await eventually('it was taken over', () => runs === 2);
  const taken = await onlyJob();
  late.open();
  await eventually('the failure was recorded, or not', () => setBack === 1);
  assert.deepEqual(await onlyJob(), taken, 'its lease, its attempts and no error');
  current.open();
  await eventually('the second has ended it', async () => (await jobs()).length === 0);
  assert.equal(runs, 2);
});

test('a job that takes longer than its lease keeps it while its worker lives', async () => {
  await add('long');
  const end = gate();
  let runs = 0;
  let lost = false;
  const run: JobHandler['run'] = async (_job, signal) => {
    runs += 1;
    signal.addEventListener('abort', () => {
      lost = true;
    });
    await end.opened;
  };
  work({ run, leaseSeconds: 1 });
  await eventually('it runs', () => runs === 1);
  const firstLease = (await onlyJob()).run_at;
  await eventually('the lease was extended twice', async () => {
    return (await onlyJob()).run_at.getTime() > firstLease.getTime() + 1_000;
  });
  assert.deepEqual([runs, lost], [1, false]);
  end.open();
  await eventually('it has ended', async () => (await jobs()).length === 0);
});

test('a job that runs for long gives its place to the next, up to a number of such jobs', async () => {
  const { open, opened } = gate();
  const begun: string[] = [];
  const run: JobHandler['run'] = async ({ key }) => {
    begun.push(key);
    if (key.startsWith('long')) await opened;
  };
  work({ run, long: { afterMs: 100, places: 3 } });
  for (let at = 0; at < 3; at += 1) await add(`long ${at}`);
  await eventually('all of them run, though there are two places', async () => begun.length === 3);
  await add('short 0');
  await eventually('a short one is done beside them', async () => (await jobs()).length === 3);
  for (let at = 3; at < 7; at += 1) await add(`long ${at}`);
  await eventually('the places are taken, too', async () => begun.length === 6);
  await add('short 1');
  // Some rounds of the worker.
  for (let round = 0; round < 5; round += 1) await jobs();
  assert.ok(!begun.includes('short 1') && !begun.includes('long 6'), 'no more run than three beside two');
  open();
  await eventually('all are done', async () => (await jobs()).length === 0);
});

test('a worker learns at its next heartbeat that a job is another’s, so that it can stop', async () => {
  await add('stolen');
  let lost = false;
  work({
    leaseSeconds: 1,
    run: (_job, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          lost = true;
          reject(new Error('lost'));
        });
      }),
  });
  await eventually('it is claimed', async () => (await onlyJob()).lease_token !== null);
  await ctx.database.script("update job set lease_token = gen_random_uuid(), run_at = run_at + interval '1 hour'");
  await eventually('it knows', () => lost);
});

test('a failed job is tried again with growing waits, then given up, once, and stays to be looked at', async () => {
  await add('hopeless');
  const givenUp: string[] = [];
  let runs = 0;
  work({
    attemptsMax: 4,
    giveUp: async (job, reason) => {
      givenUp.push(`${job.key}: ${reason}`);
    },
    run: async () => {
      runs += 1;
      throw new JobFault(`failure ${runs}`);
    },
  });
  for (const [attempt, waitMs] of [2_000, 4_000, 8_000].entries()) {
    await eventually('it has failed', async () => (await onlyJob()).last_error === `failure ${attempt + 1}`);
    const left = (await onlyJob()).run_at.getTime() - ctx.clock.now().getTime();
    assert.ok(left > waitMs - 1_500 && left <= waitMs, `${left} ms after failure ${attempt + 1}`);
    ctx.clock.shift(waitMs);
  }
  await eventually('it was given up', async () => (await onlyJob()).failed_at !== null);
  ctx.clock.shift(3_600_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(runs, 4);
  assert.deepEqual(givenUp, ['hopeless: failure 4']);
});

test('a job that was given up begins anew when it is asked for again', async () => {
  await add('again', { round: 1 });
  const seen: unknown[] = [];
  work({
    attemptsMax: 1,
    run: async (job) => {
      seen.push(job.payload);
      if (seen.length === 1) throw new JobFault('once');
    },
  });
  await eventually('it was given up', async () => (await onlyJob()).failed_at !== null);
  await add('again', { round: 2 });
  await eventually('it is done', async () => (await jobs()).length === 0);
  assert.deepEqual(seen, [{ round: 1 }, { round: 2 }]);
});

test('a fault of ours counts no attempt, however often it comes: the job waits longer each time, and is done once it is over', async () => {
  await add('waits');
  let isOver = false;
  let givenUp = 0;
  let runs = 0;
  work({
    attemptsMax: 1,
    giveUp: async () => {
      givenUp += 1;
    },
    run: async () => {
      runs += 1;
      if (!isOver) throw new Error('The disk is full.');
    },
  });
  for (let times = 1; times <= 10; times += 1) {
    await eventually(`it was set back ${times} times`, async () => (await onlyJob()).setbacks === times);
    const job = await onlyJob();
    assert.deepEqual(
      [job.attempts, job.failed_at, job.lease_token, job.last_error],
      [0, null, null, 'The disk is full.'],
    );
    const left = job.run_at.getTime() - ctx.clock.now().getTime();
    const waitMs = Math.min(2_000 * 2 ** (times - 1), 300_000);
    assert.ok(left > waitMs - 1_500 && left <= waitMs, `${left} ms after ${times}`);
    isOver = times === 10;
    ctx.clock.shift(waitMs);
  }
  await eventually('it is done', async () => (await jobs()).length === 0);
  assert.deepEqual([runs, givenUp], [11, 0]);
});

test('while faults of ours go on, a worker tries one job at a time with growing pauses, and then all at once', async () => {
  for (let at = 0; at < 8; at += 1) await add(`job ${at}`);
  let isOver = false;
  let runs = 0;
  work({
    concurrency: 4,
    run: async () => {
      runs += 1;
      if (!isOver) throw new Error('The store is away.');
    },
  });
  await eventually('those of the first claim were set back', () => runs === 4);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(runs, 4, 'the others wait');
  ctx.clock.shift(8_000);
  await eventually('one has tried', () => runs === 5);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(runs, 5);
  assert.equal((await jobs()).length, 8);
  isOver = true;
  ctx.clock.shift(60_000);
  await eventually('all are done', async () => (await jobs()).length === 0);
});

test('one job that always meets a fault of ours does not keep the others back', async () => {
  await add('a poison');
  let others = 0;
  work({
    concurrency: 1,
    run: async ({ key }) => {
      if (key === 'a poison') throw new Error('a bug');
      others += 1;
    },
  });
  await eventually('it was set back', async () => (await onlyJob()).setbacks === 1);
  for (let at = 0; at < 5; at += 1) await add(`good ${at}`);
  await eventually('the others are done', async () => (await jobs()).length === 1);
  assert.equal(others, 5);
});

test('a stop takes no new job and waits for those that run, also for one claimed in that very moment', async () => {
  for (let round = 0; round < 10; round += 1) {
    await add(`running ${round}`);
    const end = gate();
    let [begun, ended] = [0, 0];
    const worker = work({
      concurrency: 1,
      run: async () => {
        begun += 1;
        await end.opened;
        ended += 1;
      },
    });
    // At each round a little later: before, within and after the claim.
    for (let turn = 0; turn < round * 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const stopped = worker.stop(5_000);
    setTimeout(end.open, 30);
    await stopped;
    const atStop = [begun, ended];
    assert.equal(begun, ended, `round ${round}`);
    await add('after the stop');
    worker.wake('test');
    await new Promise((resolve) => setTimeout(resolve, 40));
    assert.deepEqual([begun, ended], atStop);
    await ctx.database.script('delete from job');
  }
});

test('a stop does not wait longer than its grace for a job that hangs', async () => {
  await add('hanging');
  let runs = 0;
  const never = gate();
  const worker = work({
    run: () => {
      runs += 1;
      return never.opened;
    },
  });
  await eventually('it runs', () => runs === 1);
  const startedMs = performance.now();
  await worker.stop(50);
  assert.ok(performance.now() - startedMs < 2_000);
  never.open();
});
