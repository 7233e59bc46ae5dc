import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { artworkJobs } from '../../src/artwork/jobs.ts';
import { startWorker } from '../../src/lib/queue.ts';
import { eventually } from '../harness/context.ts';
import { placeOrder } from '../harness/floor.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { servePicture, teeItem } from '../harness/shop.ts';
import { assertSound, rows } from '../harness/written.ts';

// What becomes of print files while the store of files is away. The workers are the test's own.

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

type JobSeen = { attempts: number; setbacks: number; failed_at: Date | null };

const job = async (): Promise<JobSeen | undefined> =>
  (await rows<JobSeen>(service, 'select attempts, setbacks, failed_at from job', []))[0];

/** Runs a worker until a condition holds. */
async function work(what: string, until: () => Promise<boolean>): Promise<void> {
  const { database, clock, log } = service.ctx;
  const worker = startWorker({ database, clock, log, pollMs: 10, handlers: artworkJobs(service.ctx) });
  try {
    await eventually(what, until);
  } finally {
    await worker.stop(30_000);
  }
}

const order = async (name: string): Promise<void> => {
  const colour = `#${Buffer.from(name.padEnd(3)).subarray(0, 3).toString('hex')}`;
  const url = await servePicture(service, `/${name}.png`, { widthPx: 600, heightPx: 600, colour });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: url }];
  await placeOrder(service, { items: [teeItem(service, { decoration: { areas } })] });
};

test('a print file waits while the store is away, for longer than eight attempts, and is made once it is back', async () => {
  await order('waits');
  const root = dirname(dirname(service.ctx.blobs.scratchPath()));
  await rename(root, `${root}-away`);
  try {
    for (let times = 1; times <= 10; times += 1) {
      await work(`it was set back ${times} times`, async () => (await job())?.setbacks === times);
      service.shiftMs(300_000);
    }
    assert.deepEqual(await job(), { attempts: 0, setbacks: 10, failed_at: null });
  } finally {
    await rename(`${root}-away`, root);
  }
  await work('it is made', async () => (await job()) === undefined);
  assert.deepEqual(await rows(service, "select 1 from print_file where state <> 'ready'", []), []);
  assert.deepEqual(await rows(service, "select 1 from ops_task where kind = 'artwork_failed'", []), []);
});

test('a picture that is lost while the store answers is given up after eight attempts, with a task that says so', async () => {
  await order('lost');
  const [design] = await rows<{ hash: string }>(
    service,
    "select encode(decode(recipe ->> 'designHash', 'hex'), 'hex') as hash from print_file where state = 'pending'",
    [],
  );
  const path = await service.ctx.blobs.path(design?.hash ?? assert.fail());
  const bytes = await service.ctx.blobs.open(design?.hash ?? '').then((file) => file?.stream.toArray());
  await rm(path);
  for (let times = 1; times <= 8; times += 1) {
    await work(`it has failed ${times} times`, async () => (await job())?.attempts === times);
    service.shiftMs(300_000);
  }
  assert.notEqual((await job())?.failed_at, null);
  const [task] = await rows<{ note: string }>(service, "select note from ops_task where kind = 'artwork_failed'", []);
  assert.match(task?.note ?? '', /is no longer stored/);
  await service.ctx.blobs.put(Buffer.concat(bytes ?? []));
});
