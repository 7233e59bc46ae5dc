import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { openSecondConnection } from '../../test/harness/second-connection.ts';
import { databaseClock } from './clock.ts';
import { type Database, hasSqlState, openDatabase, statement } from './db.ts';
import { ApiError } from './errors.ts';
import { silentLog } from './log.ts';

let server: TestDatabase;
let database: Database;
const clock = databaseClock();

before(async () => {
  server = await createTestDatabase();
  database = await openDatabase({ address: server.address, clock, log: silentLog, connectionsMax: 3 });
  await database.script('create table shelf (id integer primary key, pieces integer not null)');
});
after(async () => {
  await database.close();
  await server.drop();
});

const ADD = statement<never>('test_add', 'insert into shelf (id, pieces) values ($1, $2)');
const CHANGE = statement<never>('test_change', 'update shelf set pieces = pieces + $2 where id = $1');
const PIECES = statement<{ pieces: number }>('test_pieces', 'select pieces from shelf where id = $1');
const OWN_PID = statement<{ pid: number }>('test_own_pid', 'select pg_backend_pid() as pid');
const SLEEP = statement<never>('test_sleep', 'select pg_sleep($1)');

const pieces = async (id: number): Promise<number | undefined> => (await database.one(PIECES, [id]))?.pieces;

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable' && error.headers['retry-after'] !== undefined;
}

/** Ends a connection from the outside, as a failover does. */
async function terminate(pid: number): Promise<void> {
  const client = new pg.Client(server.address);
  await client.connect();
  await client.query('select pg_terminate_backend($1, 5000)', [pid]);
  await client.end();
}

test('a transaction is wholly done or wholly undone, and its connection goes back clean', async () => {
  await database.transaction(async (tx) => {
    await tx.all(ADD, [1, 5]);
    await tx.all(CHANGE, [1, 2]);
  });
  assert.equal(await pieces(1), 7);
  for (let round = 0; round < 6; round += 1) {
    const work = database.transaction(async (tx) => {
      await tx.all(CHANGE, [1, 100]);
      throw new Error('changed our mind');
    });
    await assert.rejects(work, /changed our mind/);
  }
  assert.equal(await pieces(1), 7);
});

test('N209 N210 a hundred unique violations at once leave no aborted transaction behind', async () => {
  await database.all(ADD, [2, 0]);
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => database.all(ADD, [2, 0])));
  for (const outcome of outcomes) {
    assert.ok(outcome.status === 'rejected' && hasSqlState(outcome.reason, '23505'));
    assert.ok(!isUnavailable(outcome.reason));
  }
  assert.equal(await pieces(2), 0);
});

test('N204 the loser of a deadlock is run again: both changes are made, each once', async () => {
  await database.all(ADD, [10, 0]);
  await database.all(ADD, [11, 0]);
  let arrived = 0;
  let open = (): void => {};
  const bothHoldOne = new Promise<void>((resolve) => {
    open = resolve;
  });
  const cross = (first: number, second: number): Promise<void> =>
    database.transaction(async (tx) => {
      await tx.all(CHANGE, [first, 1]);
      arrived += 1;
      if (arrived === 2) open();
      await bothHoldOne;
      await tx.all(CHANGE, [second, 1]);
    });
  await Promise.all([cross(10, 11), cross(11, 10)]);
  assert.ok(arrived >= 3, 'one of them ran twice');
  assert.deepEqual([await pieces(10), await pieces(11)], [2, 2]);
});

test('N204 a single statement that loses a deadlock is run again, too', async () => {
  await database.all(ADD, [20, 0]);
  await database.all(ADD, [21, 0]);
  const other = await openSecondConnection(server);
  // It looks for a deadlock long after the service does, so the service is the one that loses.
  await other.query("set deadlock_timeout = '60s'; begin; update shelf set pieces = pieces + 1 where id = 21");
  const both = statement<never>(
    'test_change_both',
    `with first as (update shelf set pieces = pieces + 1 where id = 20 returning id)
     update shelf set pieces = pieces + 1 where id = 21 and exists (select from first)`,
  );
  const single = database.all(both, []);
  await other.untilWaiting(1);
  await other.query('update shelf set pieces = pieces + 1 where id = 20; commit');
  await single;
  await other.close();
  assert.deepEqual([await pieces(20), await pieces(21)], [2, 2]);
});

test('N202 a connection lost in the middle of a statement is 503, and the next statement has another', async () => {
  const sleeping = database.transaction(async (tx) => {
    const pid = (await tx.one(OWN_PID, []))?.pid ?? 0;
    await Promise.all([tx.all(SLEEP, [20]), terminate(pid)]);
  });
  await assert.rejects(sleeping, isUnavailable);
  assert.equal(await pieces(1), 7);
});

test('N202 a connection lost between two statements of a transaction ends the transaction and not the process', async () => {
  const work = database.transaction(async (tx) => {
    await tx.all(CHANGE, [1, 100]);
    await terminate((await tx.one(OWN_PID, []))?.pid ?? 0);
    await new Promise((resolve) => setImmediate(resolve));
    await tx.all(CHANGE, [1, 100]);
  });
  await assert.rejects(work, isUnavailable);
  assert.equal(await pieces(1), 7);
});

test('N202 a server that does not answer is waited for no longer than it may take: 503, and the next statement has another', async () => {
  const silent = { ...SLEEP, answerMs: 200 };
  const startedMs = performance.now();
  await assert.rejects(database.all(silent, [4]), isUnavailable);
  await assert.rejects(
    database.transaction(async (tx) => {
      await tx.all(CHANGE, [1, 100]);
      await tx.all(silent, [4]);
    }),
    isUnavailable,
  );
  assert.ok(performance.now() - startedMs < 4_000, 'neither was waited for to its end');
  assert.equal(await pieces(1), 7);
});

test('N203 who waits too long for a connection is told to come back within 5 s', async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holders = Array.from({ length: 3 }, () =>
    database.transaction(async (tx) => {
      await tx.all(OWN_PID, []);
      await released;
    }),
  );
  const startedMs = performance.now();
  await assert.rejects(pieces(1), isUnavailable);
  assert.ok(performance.now() - startedMs < 5_000);
  release();
  await Promise.all(holders);
  assert.equal(await pieces(1), 7);
});

test('N202 a database that is not there is 503, and opening it is not an error: readiness reports it', async () => {
  const away = await openDatabase({
    address: { connectionString: 'postgres://nobody@127.0.0.1:1/nothing' },
    clock: databaseClock(),
    log: silentLog,
    connectionsMax: 1,
  });
  await assert.rejects(away.all(OWN_PID, []), isUnavailable);
  await assert.rejects(
    away.transaction(async () => 1),
    isUnavailable,
  );
  await away.close();
});

test('a statement that promises one row fails when there are two', async () => {
  const two = statement<{ id: number }>('test_two', 'select id from generate_series(1, 2) as id');
  await assert.rejects(database.one(two, []), /returned 2 rows/);
});

test('D53 a sum beyond what a number holds exactly is an error, never a rounded amount', async () => {
  const sum = (value: string) => statement<{ sum: number }>(`test_sum_${value}`, `select ${value}::bigint as sum`);
  assert.equal((await database.one(sum('9007199254740991'), []))?.sum, 9_007_199_254_740_991);
  await assert.rejects(database.one(sum('9007199254740993'), []));
});

test("N211 N212 the service's time is the database's, whatever this machine believes", async () => {
  const shifted = databaseClock();
  shifted.setOffsetMs(-7_200_000);
  const other = await openDatabase({ address: server.address, clock: shifted, log: silentLog, connectionsMax: 1 });
  // Both are on one machine here, so the measured offset is about nothing.
  assert.ok(Math.abs(shifted.now().getTime() - Date.now()) < 2_000);
  await other.close();
});
