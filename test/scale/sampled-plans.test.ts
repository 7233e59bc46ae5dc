import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countFailures } from '../../src/artwork/failed-sql.ts';
import { readClosedUntil } from '../../src/billing/days-sql.ts';
import { databaseClock } from '../../src/lib/clock.ts';
import { type Database, type Db, openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { COUNTED_MAX, readQueueDepth } from '../../src/lib/queue.ts';
import { countUnresolved } from '../../src/payments/attempt-sql.ts';
import { countWantedShort } from '../../src/production/sql.ts';
import { readOutboxDepth } from '../../src/webhooks/delivery-sql.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// What every node samples each half minute. It costs by what waits and at most by the bound of a count, never by what
// was ever done.

/** Delivered, charged and promoted long ago. */
const DONE = 20_000;
const WAITING = 20;
/** A queue that has grown far beyond what is counted. */
const BUSY = 10 * COUNTED_MAX;
/** The rows of what waits, in the nodes of a plan of some depth. */
const TOUCHED_MAX = WAITING * 10;

let server: TestDatabase;
let database: Database;
const now = new Date();
before(async () => {
  server = await createTestDatabase();
  const options = { address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 };
  database = await openDatabase(options);
  await database.script(`
    set local session_replication_role = replica;
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, created_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), 'order.created',
      case when n <= ${WAITING} then 'pending' else 'succeeded' end, now() - interval '1 hour', now()
    from generate_series(1, ${DONE + WAITING}) as n;
    update webhook_delivery set lined_up = true where state = 'pending' and id in (
      select id from webhook_delivery where state = 'pending' limit ${WAITING / 2});
    insert into payment_attempt (id, account_id, order_id, method, provider_reference, amount_pence, state, created_at, look_at, settled_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'card', 'pm', 100,
      case when n <= ${WAITING} then 'unknown' else 'succeeded' end, now(), now(), case when n > ${WAITING} then now() end
    from generate_series(1, ${DONE + WAITING}) as n;
    insert into job (id, kind, key, payload, run_at, failed_at, created_at)
    select gen_random_uuid(), 'given up', n::text, '{}', now(), now(), now() from generate_series(1, ${DONE}) as n;
    insert into job (id, kind, key, payload, run_at, created_at)
    select gen_random_uuid(), 'busy', n::text, '{}', now() - interval '1 hour', now()
    from generate_series(1, ${BUSY}) as n;
    analyze`);
});
after(async () => {
  await database.close();
  await server.drop();
});

const touched = (list: (db: Db) => Promise<unknown>) => rowsTouched(database, list);

test('the outbox costs what is still to be sent, not what was delivered', async () => {
  const depth = await readOutboxDepth(database, now);
  assert.deepEqual([depth.open, depth.in_lanes], [WAITING / 2, WAITING / 2]);
  const rows = await touched((db) => readOutboxDepth(db, now));
  assert.ok(rows <= TOUCHED_MAX, `${rows} rows`);
});

test('a queue costs what is unfinished, not what was given up', async () => {
  assert.equal((await readQueueDepth(database, 'given up', now)).jobs, 0);
  const rows = await touched((db) => readQueueDepth(db, 'given up', now));
  assert.ok(rows <= TOUCHED_MAX, `${rows} rows`);
});

test('a count of a long queue ends at its bound', async () => {
  assert.equal((await readQueueDepth(database, 'busy', now)).jobs, COUNTED_MAX);
  const rows = await touched((db) => readQueueDepth(db, 'busy', now));
  assert.ok(rows <= 5 * COUNTED_MAX, `${rows} rows`);
});

test('charges cost what is under way, and the other figures what is open', async () => {
  assert.equal((await countUnresolved(database)).unknown, WAITING);
  for (const read of [countUnresolved, countFailures, countWantedShort, readClosedUntil]) {
    const rows = await touched((db) => read(db));
    assert.ok(rows <= TOUCHED_MAX, `${read.name}: ${rows} rows`);
  }
});
