import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { databaseClock } from '../../src/lib/clock.ts';
import { type Database, type Db, openDatabase } from '../../src/lib/db.ts';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { claimDue, claimFromLanes, FIRST_TURN_ID } from '../../src/webhooks/claim-sql.ts';
import { claimTerms } from '../harness/claim-terms.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// One account has a large backlog of deliveries, half of them in lanes, and a thousand accounts wait for a later time.
// What a claim costs is bounded by its places and by how many accounts it looks at.

/** By day some five times what a claim may touch; PLATEN_NIGHTLY=1 has a million in all. */
const BACKLOG = process.env.PLATEN_NIGHTLY === '1' ? 500_000 : 50_000;
const WAITING_ACCOUNTS = 1_000;
const PLACES = 256;
/** Each delivery of a claim, and each account that is looked at, passes through some forty nodes of the plan. */
const TOUCHED_MAX = 60 * PLACES;

let server: TestDatabase;
let database: Database;
const flood = newId();
const other = newId();
before(async () => {
  server = await createTestDatabase();
  const options = { address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 };
  database = await openDatabase(options);
  await database.script(`
    set local statement_timeout = 0;
    set local session_replication_role = replica;
    insert into webhook_subscription (account_id, id, url, secret_sealed, created_at, updated_at)
    select case when n <= 20 then '${flood}'::uuid else '${other}' end, gen_random_uuid(), '', '', now(), now()
    from generate_series(1, 21) as n;
    insert into event (account_id, id, order_id, sequence, event, data, created_at)
    select account_id, gen_random_uuid(), gen_random_uuid(), 1, 'order.created', '{}', now()
    from (select distinct account_id from webhook_subscription) as a;
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, lined_up, created_at)
    select s.account_id, gen_random_uuid(), s.id, 1, e.id, e.event, 'pending', now() - interval '1 hour' + n * interval '1 ms', n % 2 = 0, now()
    from (select *, row_number() over (order by id) as place from webhook_subscription where account_id = '${flood}') as s
    join event e on e.account_id = s.account_id
    cross join generate_series(1, ${2 * BACKLOG}) as n where n % 20 + 1 = s.place;
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, created_at)
    select s.account_id, gen_random_uuid(), s.id, 1, e.id, e.event, 'pending', now() - interval '1 second', now()
    from webhook_subscription s join event e on e.account_id = s.account_id where s.account_id = '${other}';
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, created_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), 'order.created', 'retrying',
      now() + interval '2 hours', now() from generate_series(1, ${WAITING_ACCOUNTS})`);
  await database.script('analyze webhook_delivery, webhook_subscription, event');
});
after(async () => {
  await database.close();
  await server.drop();
});

const terms = () => claimTerms(PLACES);

const touched = (claim: (db: Db) => Promise<unknown>) => rowsTouched(database, claim);

test('a claim of due deliveries touches as many rows whatever is due, and finds the account behind a backlog', async () => {
  let from: Uuid = FIRST_TURN_ID;
  let passes = 0;
  for (let isFound = false; !isFound; passes += 1) {
    assert.ok(passes <= Math.ceil(WAITING_ACCOUNTS / 100) + 1, 'once round all accounts');
    const claimed = await claimDue(database, terms(), from);
    isFound = claimed.deliveries.some(({ account_id: id }) => id === other);
    from = claimed.next;
  }
  const rows = await touched((db) => claimDue(db, terms(), from));
  assert.ok(rows > PLACES && rows <= TOUCHED_MAX, `${rows} rows`);
});

test('a claim from lanes touches as many rows whatever waits in them', async () => {
  const rows = await touched((db) => claimFromLanes(db, terms(), FIRST_TURN_ID));
  const { deliveries } = await claimFromLanes(database, terms(), FIRST_TURN_ID);
  assert.equal(deliveries.length, 32, 'what one account may have in flight');
  assert.ok(rows > 32 && rows <= TOUCHED_MAX, `${rows} rows`);
});
