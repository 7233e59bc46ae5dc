import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../ids.ts';
import { createHostQueues, type HostCall, HostQueueFullError } from './per-host-queue.ts';

const A = newId();
const B = newId();

/** A call of account A to one host, unless a test says otherwise. */
function call(change: Partial<HostCall> = {}): HostCall {
  return { host: 'art.example', owner: A, signal: new AbortController().signal, ...change };
}

/** Whatever can begin has begun. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

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

describe('no server is asked by an account for more than four things at once', () => {
  it('the fifth waits, in order, until one has ended', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 6 }, openWork);
    const runs = works.map(({ work }) => queues.inTurn(call(), work));
    const begun = (): string => works.map(({ hasBegun }) => (hasBegun() ? 'x' : '.')).join('');
    await settled();
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
    const runs = works.map(({ work }) => queues.inTurn(call(), work));
    assert.equal(await queues.inTurn(call({ host: 'cdn.example' }), async () => 'done'), 'done');
    for (const { end } of works) end();
    await Promise.all(runs);
  });

  it('one that gives up waiting never begins and leaves its place to the next', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 4 }, openWork);
    const runs = works.map(({ work }) => queues.inTurn(call(), work));
    const [left, next] = [openWork(), openWork()];
    const aborting = new AbortController();
    const leaving = queues.inTurn(call({ signal: aborting.signal }), left.work);
    const waiting = queues.inTurn(call(), next.work);
    await settled();
    aborting.abort(new Error('too late'));
    await assert.rejects(leaving, /too late/);
    await assert.rejects(queues.inTurn(call({ signal: aborting.signal }), left.work), /too late/);
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
        queues.inTurn(call(), () => Promise.reject(new Error('broken'))),
        /broken/,
      );
    }
  });

  it('the line of an account is bounded: what comes after 400 waiting is refused at once', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 404 }, openWork);
    const runs = works.map(({ work }) => queues.inTurn(call(), work));
    await settled();
    await assert.rejects(
      queues.inTurn(call(), async () => {}),
      HostQueueFullError,
    );
    for (const { end } of works) end();
    await Promise.all(runs);
    assert.equal(await queues.inTurn(call(), async () => 'done'), 'done');
  });
});

describe('accounts that use the same host (G122)', () => {
  it('a thousand downloads of one account, all of which hang, keep none of another account waiting', async () => {
    const queues = createHostQueues();
    const hanging = openWork();
    const refused: unknown[] = [];
    const asking = Array.from({ length: 1_000 }, () =>
      queues.inTurn(call(), hanging.work).catch((error: unknown) => void refused.push(error)),
    );
    await settled();
    assert.equal(refused.length, 596, 'four run and 400 wait');
    for (let count = 0; count < 100; count += 1) {
      assert.equal(await queues.inTurn(call({ owner: B }), async () => 'done'), 'done');
    }
    hanging.end();
    await Promise.all(asking);
  });

  it('an account beside others that have all places is served next, before the rest of their queues', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 20 }, openWork);
    const runs = works.map(({ work }, index) => queues.inTurn(call({ owner: index < 10 ? A : B }), work));
    const newcomer = openWork();
    const waiting = queues.inTurn(call({ owner: newId() }), newcomer.work);
    await settled();
    assert.equal(newcomer.hasBegun(), false, 'eight at once in all');
    works[0]?.end();
    await handedOn(runs[0]);
    assert.equal(newcomer.hasBegun(), true);
    for (const { end } of [...works, newcomer]) end();
    await Promise.all([...runs, waiting]);
  });

  it('who waited in vain for others is unavailable; who waited for its own calls finds the host slow', async () => {
    const queues = createHostQueues();
    const works = Array.from({ length: 8 }, openWork);
    const runs = works.map(({ work }, index) => queues.inTurn(call({ owner: index < 4 ? A : B }), work));
    const late = new AbortController();
    const own = queues.inTurn(call({ signal: late.signal }), async () => {});
    const other = queues.inTurn(call({ owner: newId(), signal: late.signal }), async () => {});
    await settled();
    late.abort(new Error('too late'));
    await assert.rejects(own, /too late/);
    await assert.rejects(other, HostQueueFullError);
    assert.deepEqual(queues.counts(), { running: 8, waiting: 0 });
    for (const { end } of works) end();
    await Promise.all(runs);
    assert.deepEqual(queues.counts(), { running: 0, waiting: 0 });
  });
});
