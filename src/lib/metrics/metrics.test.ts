import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { register } from 'prom-client';
import { eventually } from '../../../test/harness/context.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import { databaseClock } from '../clock.ts';
import { type Database, openDatabase, statement } from '../db.ts';
import { createLog, type Log, silentLog } from '../log.ts';
import { createCounter, createGauge, createHistogram } from './instruments.ts';
import { createSlowLog } from './slow-statements.ts';

const SLOW_MS = 100;
const SLEEP = statement<{ secret: string }>('test_sleep', 'select pg_sleep($1), $2::text as secret');
const LOCK = statement<never>('test_lock', 'lock table shelf in access exclusive mode');

let server: TestDatabase;
let database: Database;
const lines: { fields: object; message: string }[] = [];
const log: Log = { ...silentLog, warn: (fields, message) => void lines.push({ fields, message }) };

before(async () => {
  server = await createTestDatabase();
  const options = { address: server.address, clock: databaseClock(), log, connectionsMax: 1 };
  database = await openDatabase({ ...options, slowMs: SLOW_MS });
  await database.script('create table shelf (id integer primary key)');
});
after(async () => {
  await database.close();
  await server.drop();
});

/** The fields of the line about a statement; others may have been slow on a busy machine. */
function lineOf(statementName: string): { statement: string; ms: number } {
  const found = lines.map(({ fields }) => ({ statement: '', ms: 0, ...fields }));
  const line = found.find(({ statement }) => statement === statementName);
  assert.ok(line, `a line about ${statementName}`);
  return line;
}

/** The value of a series as `/metrics` shows it; undefined when it does not. */
async function shown(series: string): Promise<number | undefined> {
  const line = (await register.metrics()).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

describe('the slow log', () => {
  test('names a slow statement with its time and rows, and has no value of it', async () => {
    lines.length = 0;
    await database.all(SLEEP, [(2 * SLOW_MS) / 1_000, 'Ada Lovelace']);
    const { ms, ...rest } = lineOf('test_sleep');
    assert.deepEqual(rest, { statement: 'test_sleep', rows: 1 });
    assert.ok(ms >= 2 * SLOW_MS, String(ms));
    assert.equal(await shown('platen_slow_statements_total{statement="test_sleep"}'), 1);
    assert.ok(!JSON.stringify(lines).includes('Ada'));
  });

  test('names one that failed for its time, and in a transaction', async () => {
    lines.length = 0;
    await assert.rejects(
      database.transaction(async (tx) => {
        await tx.all({ name: '', text: `set local statement_timeout = ${2 * SLOW_MS}` }, []);
        await tx.all(SLEEP, [30, 'Ada Lovelace']);
      }),
    );
    const { ms: _, ...rest } = lineOf('test_sleep');
    assert.deepEqual(rest, { statement: 'test_sleep', rows: null, failure: '57014' });
    assert.ok(!JSON.stringify(lines).includes('Ada'));
  });

  test('says nothing of a statement that is faster', () => {
    lines.length = 0;
    const end = { name: 'test_quick', text: '', rows: 1, failure: undefined };
    const note = createSlowLog(log, SLOW_MS);
    note({ ...end, ms: SLOW_MS - 1 });
    assert.deepEqual(lines, []);
    note({ ...end, ms: SLOW_MS });
    assert.equal(lines.length, 1);
  });

  test('does not blame a statement for the wait for a connection, which the pool shows', async () => {
    lines.length = 0;
    let release = (): void => {};
    const held = database.transaction(async (tx) => {
      await tx.all(LOCK, []);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await eventually('it holds the only connection', async () => (await busy()) === 1);
    const sleeping = database.all(SLEEP, [(2 * SLOW_MS) / 1_000, '']);
    const waits = async () => (await shown('platen_database_connections_waiting{pool="main"}')) === 1;
    await eventually('the other waits', waits);
    await delay(2 * SLOW_MS);
    const releasedMs = performance.now();
    release();
    await Promise.all([held, sleeping]);
    // It can have begun only once the connection was free.
    const { ms } = lineOf('test_sleep');
    assert.ok(ms <= performance.now() - releasedMs + 1, String(ms));
    assert.deepEqual([await busy(), await shown('platen_database_connections_max{pool="main"}')], [0, 1]);
    assert.equal(await shown('platen_database_connections_max{pool="priority"}'), 2);
  });
  const busy = () => shown('platen_database_connections_busy{pool="main"}');
});

describe('what is counted after a commit', () => {
  test('is counted once it is committed, and at once outside of a transaction', async () => {
    const seen: string[] = [];
    database.afterCommit(() => seen.push('at once'));
    await database.transaction(async (tx) => {
      tx.afterCommit(() => seen.push('committed'));
      seen.push('written');
    });
    assert.deepEqual(seen, ['at once', 'written', 'committed']);
  });
  test('is not counted after a rollback', async () => {
    const seen: string[] = [];
    await assert.rejects(
      database.transaction(async (tx) => {
        tx.afterCommit(() => seen.push('committed'));
        throw new Error('changed our mind');
      }),
    );
    assert.deepEqual(seen, []);
  });
  test('is counted once when a transaction is repeated that lost a conflict', async () => {
    const seen: number[] = [];
    let attempts = 0;
    const CONFLICT = "do $$ begin raise exception 'lost' using errcode = '40001'; end $$";
    await database.transaction(async (tx) => {
      attempts += 1;
      const attempt = attempts;
      tx.afterCommit(() => seen.push(attempt));
      if (attempt === 1) await tx.all({ name: '', text: CONFLICT }, []);
    });
    assert.deepEqual(seen, [2]);
  });
});

describe('instruments', () => {
  test('a counter and a histogram show their series as 0 before the first event', async () => {
    const count = createCounter({
      name: 'test_events_total',
      help: 'Events.',
      labels: ['kind'],
      series: [{ kind: 'a' }, { kind: 'b' }],
    });
    count({ kind: 'a' }, 3);
    count({ kind: 'a' });
    assert.deepEqual([await shown('test_events_total{kind="a"}'), await shown('test_events_total{kind="b"}')], [4, 0]);
    const observe = createHistogram({
      name: 'test_wait_seconds',
      help: 'Waits.',
      labels: ['kind'],
      bucketsSeconds: [1, 2],
      series: [{ kind: 'a' }],
    });
    assert.equal(await shown('test_wait_seconds_count{kind="a"}'), 0);
    observe({ kind: 'a' }, 1_500);
    assert.deepEqual(
      [
        await shown('test_wait_seconds_bucket{le="1",kind="a"}'),
        await shown('test_wait_seconds_bucket{le="2",kind="a"}'),
      ],
      [0, 1],
    );
  });
  test('a gauge shows nothing before its first value, and nothing once it is cleared', async () => {
    const one = createGauge({ name: 'test_age_seconds', help: 'Age.', labels: [] });
    const several = createGauge({ name: 'test_depth', help: 'Depth.', labels: ['kind'] });
    const both = async () => [await shown('test_age_seconds'), await shown('test_depth{kind="a"}')];
    assert.deepEqual(await both(), [undefined, undefined]);
    one.set({}, 7);
    several.set({ kind: 'a' }, 8);
    assert.deepEqual(await both(), [7, 8]);
    one.clear();
    several.clear();
    assert.deepEqual(await both(), [undefined, undefined]);
  });
});

describe('lines of the log', () => {
  test('warnings and errors are counted by their constant part, whatever the level of the log is', async () => {
    const quiet = createLog('silent');
    quiet.warn({ secret: 'x' }, 'it is slow');
    quiet.error({}, 'it broke: the name of a customer');
    quiet.error({}, 'it broke: another name');
    quiet.info({}, 'it is well');
    assert.equal(await shown('platen_log_lines_total{level="warn",message="it is slow"}'), 1);
    assert.equal(await shown('platen_log_lines_total{level="error",message="it broke"}'), 2);
    assert.ok(!/name of a customer|it is well/.test(await register.metrics()));
  });
  test('their number of series is bounded', async () => {
    const quiet = createLog('silent');
    for (let each = 0; each < 1_000; each += 1) quiet.warn({}, `message ${each}`);
    const series = (await register.metrics()).split('\n').filter((line) => line.startsWith('platen_log_lines_total{'));
    assert.ok(series.length <= 202, String(series.length));
    assert.ok(((await shown('platen_log_lines_total{level="warn",message="another"}')) ?? 0) >= 800);
  });
});
