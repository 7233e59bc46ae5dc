import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { Uuid } from '../ids.ts';
import { OPERATORS, serviceFor } from './owner.ts';
import { ALONE_MS } from './recent.ts';
import { TurnRefused } from './refusal.ts';
import { createTurns, type Release, type Terms, type Turns, type TurnsOptions } from './turns.ts';

const A = 'a' as Uuid;
const B = 'b' as Uuid;
const C = 'c' as Uuid;

const OPTIONS: TurnsOptions = { capacity: 2, capOfEach: 2, waitingMax: 100, waitingMaxOfEach: 100, waitMs: 60_000 };

const opened: Turns[] = [];
// The timers of what still waits would keep this process alive.
afterEach(() => {
  for (const turns of opened.splice(0)) turns.close();
});

/** Turns whose clock stands still, and the order in which tasks were served. */
function shop(options: Partial<TurnsOptions> = {}) {
  const time = { ms: 0 };
  const turns = createTurns({ ...OPTIONS, nowMs: () => time.ms, ...options });
  opened.push(turns);
  const served: string[] = [];
  const releases = new Map<string, Release>();
  const refused: string[] = [];
  const ask = async (name: string, terms: Terms): Promise<void> => {
    try {
      const release = await turns.take(terms);
      served.push(name);
      releases.set(name, release);
    } catch (error) {
      assert.ok(error instanceof TurnRefused);
      refused.push(`${name} ${error.reason}`);
    }
  };
  const end = async (name: string): Promise<void> => {
    const release = releases.get(name);
    assert.ok(release, `${name} runs`);
    release();
    await settled();
  };
  return { turns, served, refused, releases, ask, end, time };
}

/** Lets every promise that is settled call what waits for it. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('whose turn it is', () => {
  test('an owner that newly arrives is served before the second of a long queue', async () => {
    const { ask, served, end } = shop({ capacity: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, { owner: A });
    void ask('b1', { owner: B });
    await settled();
    await end('a1');
    await end('b1');
    await end('a2');
    assert.deepEqual(served, ['a1', 'b1', 'a2', 'a3']);
  });

  test('within an owner the order of arrival holds', async () => {
    const { ask, served, end } = shop({ capacity: 1 });
    for (const name of ['a1', 'a2', 'a3']) void ask(name, { owner: A });
    await settled();
    await end('a1');
    await end('a2');
    assert.deepEqual(served, ['a1', 'a2', 'a3']);
  });

  test('a task counts by its weight: three small ones are served for a large one', async () => {
    const { ask, served, end } = shop({ capacity: 1 });
    void ask('start', { owner: C });
    for (const name of ['a1', 'a2']) void ask(name, { owner: A, weight: 3 });
    for (const name of ['b1', 'b2', 'b3', 'b4', 'b5']) void ask(name, { owner: B });
    await settled();
    await end('start');
    for (const name of ['a1', 'b1', 'b2', 'b3', 'a2']) await end(name);
    assert.deepEqual(served, ['start', 'a1', 'b1', 'b2', 'b3', 'a2', 'b4']);
  });

  test('owners that come one after another do not keep back one that had much', async () => {
    const { ask, served, end } = shop({ capacity: 1 });
    void ask('a1', { owner: A, weight: 10 });
    void ask('a2', { owner: A });
    await settled();
    let running = 'a1';
    for (let index = 0; index < 30 && !served.includes('a2'); index += 1) {
      void ask(`new${index}`, { owner: `new${index}` as Uuid });
      await settled();
      await end(running);
      running = served.at(-1) ?? '';
    }
    assert.ok(served.includes('a2'), 'it was served in the end');
  });

  test('a large task waits for room, and small ones do not go past it', async () => {
    const { ask, served, end } = shop({ capacity: 10, capOfEach: 10 });
    void ask('a', { owner: A, cost: 6 });
    void ask('large', { owner: B, cost: 9 });
    void ask('small', { owner: C, cost: 1 });
    await settled();
    assert.deepEqual(served, ['a']);
    await end('a');
    assert.deepEqual(served, ['a', 'large', 'small']);
  });

  test('what costs more than all of the capacity runs alone', async () => {
    const { ask, served, end } = shop({ capacity: 10, capOfEach: 5 });
    void ask('a', { owner: A, cost: 50 });
    void ask('b', { owner: B, cost: 1 });
    await settled();
    assert.deepEqual(served, ['a']);
    await end('a');
    assert.deepEqual(served, ['a', 'b']);
  });
});

describe('the bounds of an owner', () => {
  test('an owner alone has all of the capacity; beside another it has its cap', async () => {
    const { ask, served, turns, time, end } = shop({ capacity: 4, capOfEach: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, { owner: A });
    await settled();
    assert.equal(turns.counts().running, 4);
    void ask('b1', { owner: B });
    void ask('a5', { owner: A });
    await settled();
    await end('a1');
    await end('a2');
    assert.deepEqual(served.slice(4), ['b1'], 'the owner that had all of it is back at its cap');
    await end('b1');
    await end('a3');
    assert.deepEqual(served.slice(4), ['b1', 'a5']);
    time.ms += ALONE_MS + 1;
    for (const name of ['a6', 'a7']) void ask(name, { owner: A });
    await settled();
    assert.equal(turns.counts().running, 4, 'alone again');
  });

  test('a firm cap holds an owner that is alone, too: the places that are left are there for who comes next', async () => {
    const { ask, served } = shop({ capacity: 4, capOfEach: 2, isCapFirm: true });
    for (const name of ['a1', 'a2', 'a3']) void ask(name, { owner: A });
    void ask('b1', { owner: B });
    await settled();
    assert.deepEqual(served, ['a1', 'a2', 'b1']);
  });

  test('a task that turns out smaller makes room at once, and gives back the rest at its end', async () => {
    const { ask, served, turns, releases } = shop({ capacity: 10, capOfEach: 10 });
    void ask('a1', { owner: A, cost: 8 });
    void ask('b1', { owner: B, cost: 6 });
    await settled();
    assert.deepEqual(served, ['a1']);
    releases.get('a1')?.shrinkTo(9);
    assert.equal(turns.counts().running, 8, 'it never grows');
    releases.get('a1')?.shrinkTo(3);
    await settled();
    assert.deepEqual([served, turns.counts().running], [['a1', 'b1'], 9]);
    for (const name of ['a1', 'b1']) releases.get(name)?.();
    releases.get('a1')?.shrinkTo(0);
    assert.deepEqual([turns.counts().running, turns.counts().owners], [0, 0]);
  });

  test('operators have places of their own, whatever customers do', async () => {
    const { ask, served, end } = shop({ capacity: 2, capOfEach: 2, reserve: 1 });
    for (const name of ['a1', 'a2', 'a3']) void ask(name, { owner: A });
    void ask('o1', { owner: OPERATORS });
    void ask('o2', { owner: OPERATORS });
    await settled();
    assert.deepEqual(served, ['a1', 'a2', 'o1'], 'no customer takes the reserve');
    await end('o1');
    assert.deepEqual(served, ['a1', 'a2', 'o1', 'o2'], 'the next operator does not wait for customers');
  });

  test('background work has its own bound, also of several accounts', async () => {
    const { ask, served, end } = shop({ capacity: 3, capOfEach: 3, serviceAtOnceMax: 1 });
    void ask('s1', { owner: serviceFor(A) });
    void ask('s2', { owner: serviceFor(B) });
    void ask('a1', { owner: A });
    await settled();
    assert.deepEqual(served, ['s1', 'a1']);
    await end('s1');
    assert.deepEqual(served, ['s1', 'a1', 's2']);
  });

  test('the background work of the only customer leaves it all of the capacity', async () => {
    const { ask, served } = shop({ capacity: 3, capOfEach: 1, serviceAtOnceMax: 1 });
    void ask('s', { owner: serviceFor(A) });
    for (const name of ['a1', 'a2']) void ask(name, { owner: A });
    await settled();
    assert.deepEqual(served, ['s', 'a1', 'a2']);
  });

  test('one owner fills its own queue, not that of another', async () => {
    const { ask, refused } = shop({ capacity: 1, waitingMaxOfEach: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, { owner: A });
    void ask('b1', { owner: B });
    await settled();
    assert.deepEqual(refused, ['a4 full']);
  });

  test('all owners together have a bound of what waits', async () => {
    const { ask, refused } = shop({ capacity: 1, waitingMax: 2 });
    for (const owner of [A, B, C, 'd' as Uuid]) void ask(owner, { owner });
    await settled();
    assert.deepEqual(refused, ['d full']);
  });
});

describe('who gets no turn', () => {
  test('a task whose caller has gone leaves the queue at once', async () => {
    const { ask, served, refused, end, turns } = shop({ capacity: 1 });
    const caller = new AbortController();
    void ask('a1', { owner: A });
    void ask('gone', { owner: B, signal: caller.signal });
    void ask('a2', { owner: A });
    await settled();
    caller.abort();
    await settled();
    assert.deepEqual(refused, ['gone gone']);
    assert.equal(turns.counts().waiting, 1);
    assert.equal(turns.counts().owners, 1);
    await end('a1');
    assert.deepEqual(served, ['a1', 'a2']);
  });

  test('a large task that leaves lets those behind it go on', async () => {
    const { ask, served } = shop({ capacity: 2 });
    const caller = new AbortController();
    void ask('a1', { owner: A });
    void ask('large', { owner: B, cost: 2, signal: caller.signal });
    void ask('c1', { owner: C });
    await settled();
    assert.deepEqual(served, ['a1']);
    caller.abort();
    await settled();
    assert.deepEqual(served, ['a1', 'c1']);
  });

  test('a caller that has gone before it asks gets nothing', async () => {
    const { ask, refused, turns } = shop();
    await ask('a', { owner: A, signal: AbortSignal.abort() });
    assert.deepEqual(refused, ['a gone']);
    assert.deepEqual(turns.counts(), { running: 0, waiting: 0, owners: 0, refused: 0 });
  });

  test('a task that waited too long is refused', async () => {
    const { ask, refused, turns } = shop({ capacity: 1 });
    void ask('a', { owner: A });
    await ask('b', { owner: B, waitMs: 1 });
    assert.deepEqual(refused, ['b late']);
    assert.equal(turns.counts().refused, 1);
  });

  test('a close refuses what waits and what comes later', async () => {
    const { ask, refused, turns } = shop({ capacity: 1 });
    void ask('a', { owner: A });
    void ask('b', { owner: B });
    await settled();
    turns.close();
    void ask('c', { owner: C });
    await settled();
    assert.deepEqual(refused, ['c closed', 'b closed'].toReversed());
  });
});

describe('an overload', () => {
  /** One task at a time, each of which takes 40 ms; what waits for more than 150 ms is too much. */
  const busy = () => shop({ capacity: 1, promisedMs: 15 });

  async function serveFor(one: ReturnType<typeof busy>, turns: number): Promise<void> {
    for (let index = 0; index < turns; index += 1) {
      one.time.ms += 40;
      await one.end(one.served.at(-1) ?? '');
    }
  }

  test('a burst is served whole', async () => {
    const one = busy();
    for (let index = 0; index < 20; index += 1) void one.ask(`a${index}`, { owner: A });
    await settled();
    await serveFor(one, 19);
    assert.equal(one.served.length, 20);
    assert.deepEqual(one.refused, []);
  });

  test('a queue that lasts refuses on arrival whatever would wait too long, and serves another owner', async () => {
    const one = busy();
    for (let index = 0; index < 40; index += 1) void one.ask(`a${index}`, { owner: A });
    await settled();
    await serveFor(one, 30);
    void one.ask('one too many', { owner: A });
    void one.ask('b', { owner: B });
    await settled();
    assert.deepEqual(one.refused, ['one too many full']);
    assert.equal(one.turns.wouldRefuse({ owner: A }), true);
    assert.equal(one.turns.wouldRefuse({ owner: C }), false, 'its turn comes soon');
    await serveFor(one, 2);
    assert.ok(one.served.includes('b'));
  });

  test('whoever finds room is not refused, however long the queue of another is', async () => {
    const time = { ms: 0 };
    const turns = createTurns({
      ...OPTIONS,
      capacity: 2,
      capOfEach: 1,
      reserve: 1,
      promisedMs: 0.1,
      nowMs: () => time.ms,
    });
    opened.push(turns);
    turns.takeNow({ owner: B })?.();
    for (let index = 0; index < 5; index += 1) void turns.take({ owner: A }).catch(() => undefined);
    await settled();
    time.ms += 5_000;
    assert.equal(turns.wouldRefuse({ owner: A }), true);
    assert.equal(turns.wouldRefuse({ owner: B }), false, 'a place that the other may not have');
    assert.equal(turns.wouldRefuse({ owner: OPERATORS }), false, 'the reserve');
  });

  test('an overload is remembered for a while: an empty queue at once allows no other burst', async () => {
    const one = busy();
    for (let index = 0; index < 40; index += 1) void one.ask(`a${index}`, { owner: A });
    await settled();
    await serveFor(one, 39);
    await one.end('a39');
    for (let index = 0; index < 10; index += 1) void one.ask(`soon${index}`, { owner: A });
    await settled();
    assert.ok(one.refused.length >= 3, `${one.refused.length} would wait too long and are refused`);
    while (one.turns.counts().running > 0) await serveFor(one, 1);
    one.refused.length = 0;
    one.time.ms += 2_000;
    for (let index = 0; index < 10; index += 1) void one.ask(`late${index}`, { owner: A });
    await settled();
    assert.deepEqual(one.refused, []);
  });
});
