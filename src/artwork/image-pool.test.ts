import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { dirname } from 'node:path';
import { after, describe, test } from 'node:test';
import { openTestContext } from '../../test/harness/context.ts';
import { flat, noise, openPictureFolder } from '../../test/harness/pictures.ts';
import { BlobStoreAway } from '../lib/blobs/failures.ts';
import { openBlobStore } from '../lib/blobs.ts';
import type { ChildOutcome, ChildTask } from '../lib/child-pool.ts';
import { ApiError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { NO_ACCOUNT } from '../lib/queue/job.ts';
import { JobFault } from '../lib/queue.ts';
import { orUnavailable } from './fetch-image.ts';
import { type ImagePool, type ImageTask, ImageTaskLate, openImagePool, runImageTask } from './image-pool.ts';
import { inspectImage } from './inspect.ts';
import { artworkJobs } from './jobs.ts';
import { makePreview } from './preview.ts';
import { NORMALISE_JOB } from './sql.ts';

const folder = openPictureFolder();
const pool = openImagePool();
after(async () => {
  await pool.close();
  folder.remove();
});

/** A pool whose children end so. */
function endingAs(outcome: ChildOutcome): ImagePool {
  const ending: ImagePool = { ...pool, run: async () => outcome, of: () => ending };
  return ending;
}

const LATE = endingAs({ kind: 'overran', limit: 'wall' });
const LIMITS: Omit<ChildTask, 'message'> = { bytes: 1, cpuMs: 5_000, fallbackMs: 20_000, wallMs: 30_000 };
const picture = async (): Promise<string> => folder.save(await flat(40, 30, '#336699').png().toBuffer());

describe('a child that is not done in time', () => {
  test('says nothing about the picture when only the clock ran out', async () => {
    const task = { kind: 'inspect', path: await picture() } as const;
    // No child starts and decodes within no time at all; it has used next to no processor time then.
    await assert.rejects(runImageTask(pool, task, { ...LIMITS, wallMs: 0 }), ImageTaskLate);
    assert.equal((await runImageTask(pool, task, LIMITS)).kind, 'inspected', 'the same picture is fine later');
    await assert.rejects(inspectImage(LATE, task.path), ImageTaskLate);
  });

  test('blames the picture when it has had its processor time, or nobody can say how much it had', async () => {
    for (const limit of ['cpu', 'unmeasured'] as const) {
      const judged = await inspectImage(endingAs({ kind: 'overran', limit }), await picture());
      assert.ok(judged.kind === 'refused' && /takes too long to decode/.test(judged.message), limit);
    }
  });

  test('is 503 for a request that waits for it', async () => {
    const path = await picture();
    await assert.rejects(
      orUnavailable(() => inspectImage(LATE, path)),
      (error) => error instanceof ApiError && error.code === 'unavailable',
    );
  });
});

describe('a picture whose file cannot be read', () => {
  const template = { widthPx: 100, heightPx: 100, dpi: 300 };
  const position = { x: 0.5, y: 0.5, scale: 1, rotation: 0 };
  const gone = folder.path();
  const targetPath = folder.path();
  const tasks: ImageTask[] = [
    { kind: 'inspect', path: gone },
    { kind: 'normalise', version: 2, sourcePath: gone, targetPath, template, position, decodeBytes: 1 },
    {
      kind: 'personalise',
      version: 2,
      targetPath,
      template,
      drawings: [
        {
          kind: 'picture',
          box: { left: 0, top: 0, width: 10, height: 10 },
          fit: 'contain',
          sourcePath: gone,
          decodeBytes: 1,
        },
      ],
    },
    { kind: 'preview', sourcePath: gone, targetPath },
  ];

  test('is never blamed: its store is away, and the task is to be tried again', async () => {
    for (const task of tasks) await assert.rejects(runImageTask(pool, task, LIMITS), BlobStoreAway, task.kind);
    // A file is there, and its disk fails.
    await assert.rejects(runImageTask(pool, { kind: 'inspect', path: dirname(gone) }, LIMITS), BlobStoreAway);
  });

  test('is not blamed for a child that died of it either', async () => {
    const died = endingAs({ kind: 'died' });
    for (const task of tasks) await assert.rejects(runImageTask(died, task, LIMITS), BlobStoreAway, task.kind);
    const judged = await runImageTask(died, { kind: 'inspect', path: await picture() }, LIMITS);
    assert.deepEqual(judged, { kind: 'unanswered', hasDied: true, message: 'it cannot be decoded' });
  });

  test('is 503 for a request, also where the file is gone before a child has it', async () => {
    await assert.rejects(
      orUnavailable(() => inspectImage(pool, gone)),
      (error) => error instanceof ApiError && error.code === 'unavailable',
    );
  });

  test('is blamed for its own content as before', async () => {
    const broken = await folder.save(Buffer.from('no picture at all'));
    const judged = await runImageTask(pool, { kind: 'inspect', path: broken }, LIMITS);
    assert.deepEqual(judged, { kind: 'failed', message: 'its pixels cannot be decoded' });
  });
});

test('a print file that no machine makes in time counts as an attempt, one whose store went away does not', async () => {
  const plain = await openTestContext({});
  try {
    const blobs = openBlobStore('file:', folder.path());
    const designHash = await blobs.put(await flat(40, 30, '#336699').png().toBuffer());
    const template = { widthPx: 100, heightPx: 100, dpi: 300 };
    const position = { x: 0.5, y: 0.5, scale: 1, rotation: 0 };
    const key = 'ab'.repeat(32);
    await plain.database.script(`
      insert into account (id, name, created_at) values (gen_random_uuid(), 'a', now());
      insert into print_file (key, account_id, recipe, state, created_at)
      select decode('${key}', 'hex'), id, '${JSON.stringify({ kind: 'fixed', version: 2, designHash, template, position })}', 'pending', now()
      from account`);
    const scratch: string[] = [];
    const scratchPath = (): string => {
      scratch.push(blobs.scratchPath());
      return scratch.at(-1) ?? '';
    };
    const ctx = { ...plain, images: LATE, blobs: { ...blobs, scratchPath } };
    const [job] = artworkJobs(ctx);
    assert.ok(job !== undefined && job.attemptsMax > 1);
    const asked = { kind: NORMALISE_JOB, key, id: newId(), account_id: NO_ACCOUNT, payload: {}, attempts: 0 };
    await assert.rejects(
      job.run(asked, new AbortController().signal),
      (error) => error instanceof JobFault && /machine was too busy/.test(error.message),
    );
    const source = await blobs.path(designHash);
    const images: ImagePool = {
      ...pool,
      run: async (task) => {
        await rename(source, `${source}.away`);
        return pool.run(task);
      },
    };
    const [whileAway] = artworkJobs({ ...ctx, images });
    await assert.rejects(
      async () => whileAway?.run(asked, new AbortController().signal),
      (error) => error instanceof BlobStoreAway && !(error instanceof JobFault),
      'the job waits for the store, and counts no attempt',
    );
    await rename(`${source}.away`, source);
    assert.ok(scratch.length > 0 && scratch.every((path) => !existsSync(path)));
    assert.equal(await makePreview(ctx, key, await blobs.path(designHash)), undefined, 'no file waits for its preview');
  } finally {
    await plain.close();
  }
});

test('every thread of a child lets requests go first, also those that decode', {
  skip: process.platform !== 'linux',
}, async () => {
  const own = openImagePool();
  try {
    const path = await folder.save(await flat(3_000, 2_000, '#336699').png().toBuffer());
    assert.equal((await runImageTask(own, { kind: 'inspect', path }, LIMITS)).kind, 'inspected');
    const [pid] = own.pids();
    const threads = readdirSync(`/proc/${pid}/task`).map(Number);
    assert.ok(threads.length > 5, 'the decoder has threads of its own');
    const urgent = threads.filter((thread) => getPriority(thread) < 15);
    assert.deepEqual(urgent, []);
  } finally {
    await own.close();
  }
});

test('a stop that is signalled to the whole group ends no child, so that no picture is taken for a damaged one', async () => {
  const path = await folder.save(await noise(2_000, 2_000).png().toBuffer());
  assert.equal((await inspectImage(pool, await picture())).kind, 'ok', 'a child has started');
  const before = pool.pids();
  const signals = setInterval(() => {
    for (const pid of before) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal);
  }, 1);
  try {
    assert.equal((await inspectImage(pool, path)).kind, 'ok');
  } finally {
    clearInterval(signals);
  }
  assert.deepEqual(pool.pids(), before);
});
