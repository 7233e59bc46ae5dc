import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { letGo, lockUnneeded, wantFiles } from '../../src/artwork/needs/need-sql.ts';
import { databaseClock } from '../../src/lib/clock.ts';
import { type Database, type Db, openDatabase } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// Promoting and cancelling an order read what it needs itself, not what waits beside it: neither the other files of its
// account nor the thousands of orders that need the same file.

const ACCOUNT = '00000000-0000-7000-8000-00000000000a' as Uuid;
const ORDER = '00000000-0000-7000-8000-000000000001' as Uuid;
const of = { accountId: ACCOUNT, orderId: ORDER };
const OTHERS = 20_000;
const TOUCHED_MAX = 100;

let server: TestDatabase;
let database: Database;
const now = new Date();
before(async () => {
  server = await createTestDatabase();
  const options = { address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 };
  database = await openDatabase(options);
  await database.script(`
    set local session_replication_role = replica;
    insert into print_file (key, account_id, recipe, state, created_at, tracks_needs)
    select sha256(n::text::bytea), '${ACCOUNT}', '{}', 'pending', now(), true from generate_series(1, ${OTHERS}) as n;
    insert into job (id, kind, key, payload, run_at, created_at, account_id)
    select gen_random_uuid(), 'normalise_artwork', encode(key, 'hex'), '{}', now(), now(), account_id from print_file;
    insert into print_file_need (account_id, order_id, print_file_key, tier, ranked_at)
    select '${ACCOUNT}', gen_random_uuid(), sha256('1'), 2, now() from generate_series(1, ${OTHERS}) as n;
    insert into print_file_need values ('${ACCOUNT}', '${ORDER}', sha256('1'), 1, now());
    insert into order_line (account_id, order_id, id, ordinal, product_id, sku, quantity, name, unit_price_pence, line_price_pence, vat_class)
    select '${ACCOUNT}', case when n = 1 then '${ORDER}' else gen_random_uuid() end, md5(n::text)::uuid, 0, gen_random_uuid(), 'x', 1, 'x', 0, 0,
      'standard' from generate_series(1, ${OTHERS}) as n;
    insert into print_job (account_id, order_id, line_id, ordinal, print_area, method, print_file_key, unit_price_pence)
    select account_id, order_id, id, 0, 'front', 'dtg', sha256('1'), 0 from order_line;
    analyze`);
});
after(async () => {
  await database.close();
  await server.drop();
});

const KEYS = ['6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b'];

const cases: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  'moving the files of an order up': (db) => wantFiles(db, of, { tier: 0, rankedAt: now, now }),
  'finding the files that an order no longer needs': (db) => lockUnneeded(db, of),
  'ending the need of an order': (db) => letGo(db, of, { keys: KEYS, reason: 'x', now }),
};

for (const [what, run] of Object.entries(cases)) {
  test(`${what} costs what the order has`, async () => {
    const rows = await rowsTouched(database, run);
    assert.ok(rows <= TOUCHED_MAX, `${rows} rows`);
  });
}
