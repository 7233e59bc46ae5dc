import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHostQueues, HostQueueFullError } from './per-host-queue.ts';

const never = new AbortController().signal;

/** Work that is under way until it is ended. */
function openWork(): {
  readonly work: () => Promise<void>;
  readonly end: () => void;
  readonly hasBegun: () => boolean;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = false;
  const work = (): Promise<void> => {
    begun = true;
    return promise;
  };
  return { work, end: resolve, hasBegun: () => begun };
}

/** The work has ended, and what waited for its place has had the moment it takes to begin. */
async function handedOn(run: Promise<void> | undefined): Promise<void> {
  await run;
  await new Promise(setImmediate);
}

describe('no server is asked for more than four things at once', () => {
  it('the fifth waits, in order, until one has ended', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 6 }, openWork);
    const runs = works.map(({ work }) => queues.inTurn('art.example', never, work));
    const begun = (): string => works.map(({ hasBegun }) => (hasBegun() ? 'x' : '.')).join('');
    assert.equal(begun(), 'xxxx..');
    works[2]?.end();
    await handedOn(runs[2]);
    assert.equal(begun(), 'xxxxx.');
    works[0]?.end();
    await handedOn(runs[0]);
    assert.equal(begun(), 'xxxxxx');
    for (const { end } of works) end();
    await Promise.all(runs);
  });

  it('another host has a line of its own', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 4 }, openWork);
    const runs = works.map(({ work }) => queues.inTurn('art.example', never, work));
    assert.equal(await queues.inTurn('cdn.example', never, async () => 'done'), 'done');
    for (const { end } of works) end();
    await Promise.all(runs);
  });

  it('one that gives up waiting never begins and leaves its place to the next', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 4 }, openWork);
    const runs = works.map(({ work }) => queues.inTurn('art.example', never, work));
    const [left, next] = [openWork(), openWork()];
    const aborting = new AbortController();
    const leaving = queues.inTurn('art.example', aborting.signal, left.work);
    const waiting = queues.inTurn('art.example', never, next.work);
    aborting.abort(new Error('too late'));
    await assert.rejects(leaving, /too late/);
    await assert.rejects(queues.inTurn('art.example', aborting.signal, left.work), /too late/);
    works[0]?.end();
    await handedOn(runs[0]);
    assert.deepEqual([left.hasBegun(), next.hasBegun()], [false, true]);
    for (const { end } of [...works, next]) end();
    await Promise.all([...runs, waiting]);
  });

  it('work that fails gives its place back', async () => {
    const queues = createHostQueues();
    for (let round = 0; round < 10; round += 1) {
      await assert.rejects(
        queues.inTurn('art.example', never, () => Promise.reject(new Error('broken'))),
        /broken/,
      );
    }
  });

  it('the line is bounded: who comes after 400 waiting is turned away at once', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 404 }, openWork);
    const runs = works.map(({ work }) => queues.inTurn('art.example', never, work));
    await assert.rejects(
      queues.inTurn('art.example', never, async () => {}),
      HostQueueFullError,
    );
    for (const { end } of works) end();
    await Promise.all(runs);
    assert.equal(await queues.inTurn('art.example', never, async () => 'done'), 'done');
  });
});
