import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { databaseClock } from '../../src/lib/clock.ts';
import { type Database, type Db, openDatabase } from '../../src/lib/db.ts';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { claimInTurn, type LastServed } from '../../src/lib/queue/claim-in-turn.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { rowsTouchedBy } from '../harness/rows-touched.ts';

// What a claim reads does not grow with what waits: not with the jobs of one account, not with the accounts, and not
// with what runs, is parked or was given up.

const OF_ONE = 100_000;
const ACCOUNTS = 10_000;
const ASIDE = 20_000;
/** A claim walks over a hundred lines at most, each a step in the index, and takes its jobs. */
const TOUCHED_MAX = 1_500;

let server: TestDatabase;
let database: Database;
before(async () => {
  server = await createTestDatabase();
  const options = { address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 };
  database = await openDatabase(options);
  await database.script(`
    insert into job (id, kind, key, payload, run_at, created_at, account_id, tier, ranked_at)
    select gen_random_uuid(), 'long', n::text, '{}', now() - interval '1 hour', now(), lpad('7', 32, '0')::uuid, 1, now()
    from generate_series(1, ${OF_ONE}) as n;
    insert into job (id, kind, key, payload, run_at, created_at, account_id, tier, ranked_at)
    select gen_random_uuid(), 'wide', n || ' ' || m, '{}', now() - interval '1 hour', now(), md5(n::text)::uuid, n % 3, now()
    from generate_series(1, ${ACCOUNTS}) as n, generate_series(1, 3) as m;
    insert into job (id, kind, key, payload, run_at, created_at, account_id, tier, ranked_at, line)
    select gen_random_uuid(), 'lines', n::text, '{}', now() - interval '1 hour', now(), lpad('7', 32, '0')::uuid, 1,
      now() + make_interval(secs => n), case when n > ${OF_ONE - 10} then lpad('9', 32, '0') else lpad('8', 32, '0') end::uuid
    from generate_series(1, ${OF_ONE}) as n;
    insert into job (id, kind, key, payload, run_at, created_at, account_id, tier, ranked_at, line)
    select gen_random_uuid(), 'sources', n::text, '{}', now() - interval '1 hour', now(), lpad('7', 32, '0')::uuid, 1,
      now(), md5((n % 2000)::text)::uuid
    from generate_series(1, ${ACCOUNTS}) as n;
    insert into job (id, kind, key, payload, run_at, created_at, account_id, parked, failed_at)
    select gen_random_uuid(), 'aside', n::text, '{}', now() + interval '1 hour', now(), gen_random_uuid(), n % 2 = 0,
      case when n % 2 = 1 then now() end
    from generate_series(1, ${ASIDE}) as n;
    analyze`);
});
after(async () => {
  await database.close();
  await server.drop();
});

/** The rows that all statements of a claim touch, each explained, which runs it, and then run again for its answer. */
async function touched(kind: string, turns: LastServed, ofLineMax?: number): Promise<{ rows: number; jobs: number }> {
  let rows = 0;
  const all: Db['all'] = async (what, values) => {
    rows += await rowsTouchedBy(database, what.text, values);
    return database.all(what, values);
  };
  const db: Db = { all, one: async (what, values) => (await all(what, values))[0], afterCommit: () => {} };
  const terms = {
    kind,
    now: new Date(),
    leaseSeconds: 30,
    leaseToken: newId(),
    places: 4,
    ...(ofLineMax === undefined ? {} : { ofLineMax }),
  };
  const jobs = await claimInTurn(db, terms, turns);
  return { rows, jobs: jobs.length };
}

test('a claim costs the same behind a long line of one account', async () => {
  const { rows, jobs } = await touched('long', new Map());
  assert.equal(jobs, 4);
  assert.ok(rows <= TOUCHED_MAX, `${rows} rows`);
});

test('a claim costs the same with ten thousand accounts waiting, wherever its turn has come to', async () => {
  for (const after of ['0', '7', 'f']) {
    const account = after.repeat(8).concat('-0000-4000-8000-000000000000') as Uuid;
    const { rows, jobs } = await touched('wide', new Map([[0, account]]));
    assert.equal(jobs, 4);
    assert.ok(rows <= TOUCHED_MAX, `${rows} rows`);
  }
});

test('a claim costs the same behind a long line within an account, and with many lines within it', async () => {
  for (const kind of ['lines', 'sources']) {
    const { rows, jobs } = await touched(kind, new Map(), 3);
    assert.equal(jobs, 4, kind);
    assert.ok(rows <= TOUCHED_MAX, `${kind}: ${rows} rows`);
  }
});

test('what stands in no line costs a claim nothing', async () => {
  const { rows, jobs } = await touched('aside', new Map());
  assert.equal(jobs, 0);
  assert.ok(rows <= 50, `${rows} rows`);
});
