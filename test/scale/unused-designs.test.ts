import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { databaseClock } from '../../src/lib/clock.ts';
import { readConfig } from '../../src/lib/config.ts';
import { type Database, openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { findUnusedDesigns } from '../../src/privacy/retention/files-sql.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// A few pictures that everybody uses, such as clip art: of those the planner expects to find one soon wherever it
// looks, in all that an account has sold as in all that others have made of it.

const ROWS = 40_000;
const ACCOUNTS = 20;
const SHARED = 30;
const LIMIT = 25;
/** What is looked up for each of a page, in the nodes of a plan, and the 500 rows of its inner limit. */
const TOUCHED_MAX = 500 * 4;

let server: TestDatabase;
let database: Database;
before(async () => {
  server = await createTestDatabase();
  const options = { address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 };
  database = await openDatabase(options);
  const series = `generate_series(1, ${ROWS}) as n`;
  await database.script(`
    set local session_replication_role = replica;
    insert into account (id, name, created_at) select uuid_v7(now()), 'a', now() from generate_series(1, ${ACCOUNTS});
    create temp table ids as select array_agg(id order by id) as ids from account;
    insert into design (account_id, hash, created_at)
    select id, sha256(('unused ' || n)::bytea), now() - interval '8000 days' from account, generate_series(1, 50) as n;
    insert into print_file (key, account_id, recipe, state, created_at)
    select sha256(n::text::bytea), ids[1 + n % ${ACCOUNTS}],
      json_build_object('designHash', encode(sha256(('unused ' || n % ${SHARED})::bytea), 'hex')), 'pending', now()
    from ids, ${series} where n % ${ACCOUNTS} > 4;
    insert into order_line (account_id, order_id, id, ordinal, product_id, sku, quantity, name, unit_price_pence, line_price_pence, vat_class, mock_hash)
    select ids[1 + n % ${ACCOUNTS}], gen_random_uuid(), gen_random_uuid(), 0, gen_random_uuid(), 'a', 1, 'a', 0, 0, 'standard',
      sha256((n % ${SHARED})::text::bytea)
    from ids, ${series};
    analyze`);
});
after(async () => {
  await database.close();
  await server.drop();
});

test('a look for designs that an account uses no more touches what it looks at, however many use the same', async () => {
  const terms = { config: readConfig({ LOG_LEVEL: 'silent' }), now: new Date() };
  let place: string | undefined;
  for (let look = 0; look < 3; look += 1) {
    const from = place;
    const touched = await rowsTouched(database, (db) => findUnusedDesigns(db, terms, from, LIMIT));
    assert.ok(touched <= TOUCHED_MAX, `${touched} rows`);
    place = (await findUnusedDesigns(database, terms, from, LIMIT)).next;
  }
});
