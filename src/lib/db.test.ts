import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { openSecondConnection } from '../../test/harness/second-connection.ts';
import { databaseClock } from './clock.ts';
import { type Database, hasSqlState, openDatabase, statement } from './db.ts';
import { ApiError } from './errors.ts';
import type { Uuid } from './ids.ts';
import { silentLog } from './log.ts';
import { type Asker, OPERATORS } from './turns/owner.ts';

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
const SLEEP = statement<never>('test_long_sleep', 'select pg_sleep($1)');

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
  const isTaken = (error: unknown): boolean => hasSqlState(error, '23505');
  // On a machine so busy that one finds no connection in time, it is tried again.
  const add = (): Promise<void> =>
    database.all(ADD, [2, 0]).then(
      () => assert.fail('it is there already'),
      (error: unknown) => (isUnavailable(error) ? add() : assert.ok(isTaken(error), String(error))),
    );
  await Promise.all(Array.from({ length: 100 }, add));
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
  shifted.follow(new Date(Date.now() - 7_200_000), shifted.steadyMs());
  assert.ok(Math.abs(shifted.now().getTime() - (Date.now() - 7_200_000)) < 2_000);
  const other = await openDatabase({ address: server.address, clock: shifted, log: silentLog, connectionsMax: 1 });
  // Both are on one machine here, so what was measured is about its own time.
  assert.ok(Math.abs(shifted.now().getTime() - Date.now()) < 2_000);
  await other.close();
});

test('N211 the clock of this machine may be set forward or back: the time of the service goes on as before', (t) => {
  const steady = databaseClock();
  const realMs = Date.now();
  steady.follow(new Date(realMs), steady.steadyMs());
  for (const jumpMs of [7_200_000, -7_200_000, 20 * 365 * 86_400_000]) {
    t.mock.method(Date, 'now', () => realMs + jumpMs);
    const shownMs = steady.now().getTime();
    assert.ok(Math.abs(shownMs - realMs) < 10_000, `${shownMs - realMs} ms after a jump of ${jumpMs}`);
    t.mock.restoreAll();
  }
});

test('N212 waiting for a connection does not make the database’s clock look later or earlier than it is', async () => {
  const measured = databaseClock();
  const other = await openDatabase({ address: server.address, clock: measured, log: silentLog, connectionsMax: 1 });
  const [holding] = await Promise.all([other.all(SLEEP, [1.5]), other.readClock()]);
  assert.deepEqual(holding.length, 1);
  // One machine, so any difference is an error of the measurement: half of the wait, if that were counted.
  assert.ok(Math.abs(measured.now().getTime() - Date.now()) < 500);
  await other.close();
});

test('N209 a work that swallows the error which ended its transaction is told so, and not that it was committed', async () => {
  await database.all(ADD, [30, 0]);
  const swallowing = database.transaction(async (tx) => {
    await tx.all(CHANGE, [30, 7]);
    await tx.all(ADD, [30, 0]).catch(() => undefined);
  });
  await assert.rejects(swallowing, /was to be committed/);
  assert.equal(await pieces(30), 0);
});

const SET_TIMEOUT = statement<never>('test_set_timeout', "set statement_timeout = '1ms'");
const TIMEOUT = statement<{ pid: number; timeout: string }>(
  'test_timeout',
  "select pg_backend_pid() as pid, current_setting('statement_timeout') as timeout",
);

for (const [how, change] of [
  ['is committed', async () => {}],
  ['is undone', async () => Promise.reject(new Error('changed our mind'))],
] as const) {
  test(`N210 what a transaction that ${how} has SET on its connection is taken back before the next user has it`, async () => {
    const single = await openDatabase({ address: server.address, clock, log: silentLog, connectionsMax: 1 });
    const before = await single.one(TIMEOUT, []);
    await single
      .transaction(async (tx) => {
        await tx.all(SET_TIMEOUT, []);
        await change();
      })
      .catch((error: unknown) => assert.match(String(error), /changed our mind/));
    assert.deepEqual(await single.one(TIMEOUT, []), before, 'the same connection, with its own settings');
    await single.close();
  });
}

const LOSE = statement<never>(
  'test_lose',
  `do $$ begin
     if nextval('lost') <= current_setting('test.losses')::integer then
       raise exception using errcode = 'serialization_failure';
     end if;
   end $$`,
);

test('N204 a serialisation failure is run again, three times at most; then it is 503, and nothing of any attempt is left', async () => {
  await database.all(ADD, [40, 0]);
  await database.script('create sequence lost');
  const attempt = (losses: number): Promise<void> =>
    database.transaction(async (tx) => {
      await tx.all(CHANGE, [40, 1]);
      await tx.all(statement<never>(`test_losses_${losses}`, `set local test.losses = ${losses}`), []);
      await tx.all(LOSE, []);
    });
  await attempt(2);
  assert.equal(await pieces(40), 1, 'the third attempt is the one that counts');
  await database.script('alter sequence lost restart');
  await assert.rejects(attempt(1_000), isUnavailable);
  assert.equal(await pieces(40), 1);
  const [tries] = await database.all(
    statement<{ last: number }>('test_tries', 'select last_value as last from lost'),
    [],
  );
  assert.equal(tries?.last, 3);
});

test('N202 a server that is read-only, as a standby is: reading goes on, a change is 503', async () => {
  const { address } = server;
  const own = await openDatabase({ address, clock, log: silentLog, connectionsMax: 1 });
  const client = new pg.Client(address);
  await client.connect();
  await client.query(`alter database ${address.database} set default_transaction_read_only = on`);
  await terminate((await own.one(OWN_PID, []))?.pid ?? 0);
  assert.equal((await own.one(PIECES, [1]).catch(() => own.one(PIECES, [1])))?.pieces, 7);
  await assert.rejects(own.all(CHANGE, [1, 100]), isUnavailable);
  await assert.rejects(
    own.transaction((tx) => tx.all(CHANGE, [1, 100])),
    isUnavailable,
  );
  await client.query(`set default_transaction_read_only = off`);
  await client.query(`alter database ${address.database} reset default_transaction_read_only`);
  await client.end();
  await own.close();
  assert.equal(await pieces(1), 7);
});

/** A database of one connection that an account holds; what waits for it is noted in the order in which it ran. */
async function heldDatabase() {
  const single = await openDatabase({ address: server.address, clock, log: silentLog, connectionsMax: 1 });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ran: string[] = [];
  const ask = async (name: string, asker: Asker): Promise<void> => {
    await single.of(asker).all(OWN_PID, []);
    ran.push(name);
  };
  const one = { owner: 'one' as Uuid };
  const holding = single.of(one).transaction(async (tx) => {
    await tx.all(OWN_PID, []);
    await released;
  });
  return { single, ran, ask, one, other: { owner: 'other' as Uuid }, release, holding };
}

test('an account that newly asks for a connection does not wait behind all that another asked for', async () => {
  const { single, ran, ask, one, other, release, holding } = await heldDatabase();
  const asked = [ask('first', one), ask('second', one), ask('third', one), ask('other', other)];
  release();
  await Promise.all([holding, ...asked]);
  assert.ok(ran.indexOf('other') < ran.indexOf('second'), ran.join());
  await single.close();
});

test('a wait for a connection ends when its caller goes, and the statement never runs', async () => {
  const { single, ran, ask, one, other, release, holding } = await heldDatabase();
  const caller = new AbortController();
  const abandoned = assert.rejects(ask('abandoned', { ...other, signal: caller.signal }), isUnavailable);
  caller.abort();
  await abandoned;
  release();
  await Promise.all([holding, ask('next', one)]);
  assert.deepEqual(ran, ['next']);
  await single.close();
});

test('operators have connections that no customer takes', async () => {
  const ten = await openDatabase({ address: server.address, clock, log: silentLog, connectionsMax: 10 });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = Array.from({ length: 12 }, () =>
    ten.of({ owner: 'one' as Uuid }).transaction(async (tx) => {
      await tx.all(OWN_PID, []);
      await released;
    }),
  );
  await ten.of({ owner: OPERATORS }).all(OWN_PID, []);
  release();
  await Promise.all(holding);
  await ten.close();
});

test('N203 what must not wait does not wait for customers, while connections of operators are idle', async () => {
  const ten = await openDatabase({ address: server.address, clock, log: silentLog, connectionsMax: 10 });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = ['one', 'two'].flatMap((owner) =>
    Array.from({ length: 10 }, () =>
      ten.of({ owner: owner as Uuid }).transaction(async (tx) => {
        await tx.all(OWN_PID, []);
        await released;
      }),
    ),
  );
  await ten.of({ owner: OPERATORS }).all(OWN_PID, []);
  try {
    assert.equal((await ten.of({ owner: 'three' as Uuid }).priority.all(OWN_PID, [])).length, 1);
  } finally {
    release();
    await Promise.allSettled(holding);
    await ten.close();
  }
});
