import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { openTestContext, type TestContext } from '../../../test/harness/context.ts';
import { newId, type Uuid } from '../ids.ts';
import { enqueue } from '../queue.ts';
import { claimInTurn, type LastServed } from './claim-in-turn.ts';
import { TIERS, type Tier } from './job.ts';

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
});
afterEach(() => ctx.database.script('delete from job'));
after(() => ctx.close());

const idOf = (name: string): Uuid =>
  `00000000-0000-7000-8000-${name.charCodeAt(0).toString(16).padStart(12, '0')}` as Uuid;
const [A, B, C, D] = ['A', 'B', 'C', 'D'].map(idOf) as [Uuid, Uuid, Uuid, Uuid];

async function add(account: Uuid, names: readonly string[], tier: Tier = TIERS.ordinary): Promise<void> {
  for (const name of names) {
    const job = { kind: 'test', key: name, payload: {}, runAt: ctx.clock.now(), accountId: account, tier };
    await enqueue(ctx.database, job);
  }
}

const claim = async (turns: LastServed, places = 1, ofEachMax = Number.POSITIVE_INFINITY): Promise<string[]> => {
  const terms = { kind: 'test', now: ctx.clock.now(), leaseSeconds: 30, leaseToken: newId(), places, ofEachMax };
  return (await claimInTurn(ctx.database, terms, turns)).map(({ key }) => key);
};

const finish = (key: string): Promise<void> => ctx.database.script(`delete from job where key = '${key}'`);

/** Claims one at a time and finishes it, until nothing is left. */
async function workedOff(turns: LastServed = new Map()): Promise<string> {
  const order: string[] = [];
  for (let [key] = await claim(turns); key !== undefined; [key] = await claim(turns)) {
    order.push(key);
    await finish(key);
  }
  return order.join(' ');
}

test('accounts take turns, however many jobs one of them has, and each in the order of its own', async () => {
  await add(A, ['a1', 'a2', 'a3', 'a4', 'a5']);
  await add(B, ['b1', 'b2']);
  await add(C, ['c1']);
  assert.equal(await workedOff(), 'a1 b1 c1 a2 b2 a3 a4 a5');
});

test('a job that comes while another account has hundreds waiting is next but one', async () => {
  await add(
    A,
    Array.from({ length: 200 }, (_, at) => `a${at}`),
  );
  const turns: LastServed = new Map();
  assert.deepEqual(await claim(turns), ['a0']);
  await add(B, ['b1']);
  assert.deepEqual(await claim(turns), ['b1']);
});

test('one account alone has every place; once another waits it keeps two, and gets no third before the other has its own', async () => {
  await add(A, ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
  const turns: LastServed = new Map();
  assert.deepEqual(await claim(turns, 4), ['a1', 'a2', 'a3', 'a4']);
  await add(B, ['b1', 'b2', 'b3']);
  assert.deepEqual(await claim(turns, 2), ['b1', 'b2'], 'A has more than its share');
  await finish('a1');
  await finish('a2');
  await finish('a3');
  await add(C, ['c1']);
  assert.deepEqual(await claim(turns, 2), ['c1', 'a5'], 'B has its share');
  assert.deepEqual((await claim(turns, 9)).toSorted(), ['a6', 'b3'], 'nobody else waits');
});

test('where a kind of job has a bound for an account, it has no more running, though places are free', async () => {
  await add(A, ['a1', 'a2', 'a3', 'a4', 'a5']);
  assert.deepEqual(await claim(new Map(), 9, 3), ['a1', 'a2', 'a3']);
  assert.deepEqual(await claim(new Map(), 9, 3), [], 'counted over all workers');
  await add(B, ['b1', 'b2']);
  assert.deepEqual(await claim(new Map(), 9, 1), ['b1'], 'also while others wait');
  await finish('a2');
  assert.deepEqual(await claim(new Map(), 9, 3), ['b2', 'a4']);
});

test('the share is counted over all workers: a second one does not give an account two more', async () => {
  await add(A, ['a1', 'a2', 'a3', 'a4']);
  await add(B, ['b1', 'b2']);
  const [one, other]: LastServed[] = [new Map(), new Map()];
  assert.deepEqual(await claim(one ?? assert.fail(), 4), ['a1', 'b1', 'a2', 'b2']);
  await add(B, ['b3']);
  await add(C, ['c1']);
  assert.deepEqual(await claim(other ?? assert.fail(), 1), ['c1']);
});

test('a tier is served when none before it waits, whoever waits in it', async () => {
  await add(A, ['a-later'], TIERS.ordinary);
  await add(B, ['b-spare'], TIERS.spare);
  await add(C, ['c-first', 'c-next'], TIERS.first);
  await add(A, ['a-first'], TIERS.first);
  assert.equal(await workedOff(), 'a-first c-first c-next a-later b-spare');
});

test('what is spare waits for all that is not, and then two of an account run at a time, though places are free', async () => {
  await add(A, ['a1', 'a2', 'a3', 'a4'], TIERS.spare);
  await add(B, ['b1'], TIERS.spare);
  await add(C, ['c1']);
  const turns: LastServed = new Map();
  assert.deepEqual(await claim(turns, 1), ['c1']);
  assert.deepEqual(await claim(turns, 9), ['a1', 'b1', 'a2']);
  assert.deepEqual(await claim(turns, 9), []);
  await finish('a2');
  assert.deepEqual(await claim(turns, 9), ['a3']);
});

test('within an account the lowest rank is next, whenever it was recorded', async () => {
  await add(A, ['late', 'middle', 'early']);
  for (const [at, name] of ['early', 'middle', 'late'].entries()) {
    await ctx.database.script(`update job set ranked_at = '2026-01-0${at + 1}Z' where key = '${name}'`);
  }
  assert.equal(await workedOff(), 'early middle late');
});

test('jobs of the version before, which names no account, have a line of their own', async () => {
  await ctx.database.script(
    `insert into job (id, kind, key, payload, run_at, created_at)
     select gen_random_uuid(), 'test', 'old' || n, '{}', '2026-01-01Z', '2026-01-01Z' from generate_series(1, 2) as n`,
  );
  await add(D, ['d1', 'd2']);
  const order = (await workedOff()).replaceAll(/old\d/g, 'old');
  assert.equal(order, 'd1 old d2 old');
});

test('what runs, is parked or was given up stands in no line, and comes back when its time has come', async () => {
  await add(A, ['runs', 'parked', 'given-up', 'waits']);
  const turns: LastServed = new Map();
  assert.deepEqual(await claim(turns), ['runs']);
  const soon = ctx.clock.now().getTime() + 60_000;
  await ctx.database.script(`
    update job set parked = true, run_at = '${new Date(soon).toISOString()}' where key = 'parked';
    update job set failed_at = now() where key = 'given-up'`);
  assert.deepEqual(await claim(turns, 9), ['waits']);
  assert.deepEqual(await claim(turns, 9), []);
  ctx.clock.shift(31_000);
  assert.deepEqual((await claim(turns, 9)).toSorted(), ['runs', 'waits'], 'their leases have run out');
  ctx.clock.shift(29_500);
  assert.deepEqual(await claim(turns, 9), ['parked']);
});

test('two workers at the same moment never get the same job', async () => {
  for (const account of [A, B, C])
    await add(
      account,
      Array.from({ length: 10 }, (_, at) => `${account}-${at}`),
    );
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(new Map(), 3)));
  const keys = claims.flat();
  assert.equal(new Set(keys).size, keys.length);
});

/** Claims of an account whose jobs stand in lines, by source. */
const claimOfLines = async (turns: LastServed, places: number, ofLineMax = 3): Promise<string[]> => {
  const terms = { kind: 'test', now: ctx.clock.now(), leaseSeconds: 30, leaseToken: newId(), places, ofLineMax };
  return (await claimInTurn(ctx.database, terms, turns)).map(({ key }) => key);
};

async function addToLine(account: Uuid, line: Uuid, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const job = { kind: 'test', key: name, payload: {}, runAt: ctx.clock.now(), accountId: account, line };
    await enqueue(ctx.database, job);
  }
}

test('lines of one account take turns, and the turn of the account goes on from where it was left', async () => {
  await addToLine(A, C, ['c1', 'c2', 'c3', 'c4']);
  await addToLine(A, D, ['d1', 'd2']);
  await add(A, ['of-no-line']);
  const turns: LastServed = new Map();
  const order: string[] = [];
  for (let [key] = await claimOfLines(turns, 1); key !== undefined; [key] = await claimOfLines(turns, 1)) {
    order.push(key);
    await finish(key);
  }
  assert.equal(order.join(' '), 'c1 d1 of-no-line c2 d2 c3 c4');
});

test('an account with ten lines has no larger share than one with a single line', async () => {
  for (let at = 0; at < 10; at += 1) await addToLine(A, newId(), [`a${at}x`, `a${at}y`]);
  await addToLine(B, newId(), ['b1', 'b2', 'b3', 'b4']);
  const turns: LastServed = new Map();
  const claimed = await claimOfLines(turns, 4);
  assert.equal(claimed.length, 4);
  assert.equal(claimed.filter((key) => key.startsWith('b')).length, 2);
});

test('a line has no more running than its bound, over all workers, and leaves the other places to other lines', async () => {
  await addToLine(A, C, ['c1', 'c2', 'c3', 'c4', 'c5']);
  assert.deepEqual(await claimOfLines(new Map(), 9), ['c1', 'c2', 'c3']);
  assert.deepEqual(await claimOfLines(new Map(), 9), []);
  await addToLine(A, D, ['d1', 'd2', 'd3', 'd4']);
  assert.deepEqual(await claimOfLines(new Map(), 9), ['d1', 'd2', 'd3']);
  await finish('c1');
  await finish('c2');
  await finish('c3');
  await finish('d1');
  assert.deepEqual(await claimOfLines(new Map(), 2), ['c4', 'c5'], 'that with the fewest running is first');
});
