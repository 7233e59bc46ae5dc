import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { databaseClock } from '../../src/lib/clock.ts';
import { type Database, type Db, openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { claimDue, claimFromLanes, FIRST_TURN_ID, lookForDeliveries } from '../../src/webhooks/claim-sql.ts';
import { claimTerms } from '../harness/claim-terms.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// A backlog in which no account stands out, each delivery with an event of its own: nothing then leads the planner away
// from reading a whole table but the statements themselves.

const ACCOUNTS = 32;
const DUE = 64_000;
const IN_LANES = 32_000;
const PLACES = 128;
/** Each delivery of a claim, and each account that is looked at, passes through some thirty nodes of the plan. */
const TOUCHED_MAX = 60 * PLACES;

let server: TestDatabase;
let database: Database;
before(async () => {
  server = await createTestDatabase();
  const options = { address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 };
  database = await openDatabase(options);
  await database.script(`
    set local statement_timeout = 0;
    set local session_replication_role = replica;
    insert into webhook_subscription (account_id, id, url, secret_sealed, created_at, updated_at)
    select gen_random_uuid(), gen_random_uuid(), '', '', now(), now() from generate_series(1, ${ACCOUNTS});
    with subscriber as (
      select account_id, id, row_number() over (order by id) - 1 as place from webhook_subscription
    ),
    happened as (
      insert into event (account_id, id, order_id, sequence, event, data, created_at)
      select s.account_id, gen_random_uuid(), gen_random_uuid(), n, 'order.created', '{}', now()
      from generate_series(1, ${DUE + IN_LANES}) as n join subscriber s on s.place = n % ${ACCOUNTS}
      returning account_id, id, sequence
    )
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, lined_up, created_at)
    select h.account_id, gen_random_uuid(), s.id, 1, h.id, 'order.created', 'pending', now() - interval '1 hour',
      h.sequence > ${DUE}, now()
    from happened h join subscriber s on s.account_id = h.account_id`);
  await database.script('analyze webhook_delivery, webhook_subscription, event');
});
after(async () => {
  await database.close();
  await server.drop();
});

const terms = () => claimTerms(PLACES);

const touched = (claim: (db: Db) => Promise<unknown>) => rowsTouched(database, claim);

test('a claim of due deliveries reads no table to its end', async () => {
  const rows = await touched((db) => claimDue(db, terms(), FIRST_TURN_ID));
  assert.ok(rows > PLACES && rows <= TOUCHED_MAX, `${rows} rows`);
});

test('nor does one from the lanes', async () => {
  const rows = await touched((db) => claimFromLanes(db, terms(), FIRST_TURN_ID));
  assert.ok(rows > PLACES && rows <= TOUCHED_MAX, `${rows} rows`);
});

test('the look whether anything is due touches a row of each kind, and finds both', async () => {
  const rows = await touched((db) => lookForDeliveries(db, new Date()));
  assert.ok(rows <= 10, `${rows} rows`);
  assert.deepEqual(await lookForDeliveries(database, new Date()), { due: true, inLanes: true });
  assert.deepEqual(await lookForDeliveries(database, new Date(0)), { due: false, inLanes: true });
});
