import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { databaseClock } from '../../src/lib/clock.ts';
import { readConfig } from '../../src/lib/config.ts';
import { type Database, openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { findPaidExports, LACKING, listExportRows } from '../../src/privacy/exports/exports-sql.ts';
import { openWalks } from '../../src/privacy/retention/progress-sql.ts';
import { runBatch } from '../../src/privacy/retention/sweep.ts';
import type { Found } from '../../src/privacy/retention/walk.ts';
import { WALKS } from '../../src/privacy/retention/walks.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { countingDatabase, rowsTouched } from '../harness/rows-touched.ts';

// A look of the sweep costs by what it looks at, never by all that was ever written: the rows that its statement
// touches are counted, so the machine's speed has no say in it.

const ROWS = 40_000;
const ACCOUNTS = 20;
/** A page of 25, with what is looked up for each, in the nodes of a plan of some depth. */
const LIMIT = 25;
/** The constant inner limits read 500 rows, in a few nodes, and look up to ten things for each. */
const TOUCHED_MAX = 500 * 12;
/** A batch has up to 500 rows, which some nodes hand on. */
const BATCH_TOUCHED_MAX = 500 * 16;

let server: TestDatabase;
let database: Database;
const config = readConfig({ LOG_LEVEL: 'silent' });
const now = new Date();
before(async () => {
  server = await createTestDatabase();
  const options = { address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 };
  database = await openDatabase(options);
  // Half of all is past its time.
  const at = `(now() - make_interval(days => 8000 * (n % 2), mins => n))`;
  const series = `generate_series(1, ${ROWS}) as n`;
  await database.script(`
    set local session_replication_role = replica;
    set local statement_timeout = 0;
    insert into account (id, name, created_at) select uuid_v7(now()), 'a', now() from generate_series(1, ${ACCOUNTS});
    create temp table ids as select array_agg(id order by id) as ids from account;
    insert into event (account_id, id, order_id, sequence, event, data, created_at)
    select ids[1 + n % ${ACCOUNTS}], uuid_v7(${at}), gen_random_uuid(), 1, 'order.created', '{}', ${at} from ids, ${series};
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, created_at)
    select ids[1 + n % ${ACCOUNTS}], uuid_v7(${at}), gen_random_uuid(), 1, gen_random_uuid(), 'order.created', 'succeeded', ${at}, ${at}
    from ids, ${series};
    insert into print_file (key, account_id, recipe, state, created_at)
    select sha256(n::text::bytea), ids[1 + n % ${ACCOUNTS}], json_build_object('designHash', encode(sha256(n::text::bytea), 'hex')), 'pending', ${at}
    from ids, ${series};
    insert into design (account_id, hash, created_at)
    select ids[1 + n % ${ACCOUNTS}], sha256(n::text::bytea), ${at} from ids, ${series};
    insert into brand (account_id, id, name_key, created_at, updated_at, archived_at)
    select ids[1 + n % ${ACCOUNTS}], uuid_v7(${at}), n::text, now(), now(), ${at} from ids, ${series};
    insert into brand_revision (account_id, id, brand_id, name, message, support_email, website, return_lines, created_at, superseded_at)
    select b.account_id, uuid_v7(b.archived_at), b.id, '', '', '', '', '{}', now(), case when b.name_key::integer % 4 < 2 then b.archived_at end
    from brand b;
    create temp table used as select account_id, min(id::text) as id, min(brand_id::text) as brand_id from brand_revision
      where superseded_at is not null group by account_id;
    insert into orders (account_id, id, reference, type, source, state, shipping_address, billing_address, shipping, line_count,
      subtotal_pence, setup_pence, shipping_pence, vat_pence, duty_pence, total_pence, vat_breakdown, balance_paid_pence,
      catalogue_version, price_book_version, last_event_at, placed_at, paid_at, cancellable_until, created_at, updated_at, brand)
    select ids[1 + n % ${ACCOUNTS}], uuid_v7(${at}), 'PF-' || n, 'bulk', 'api',
      case n % 10 when 0 then 'cancelled' when 1 then 'awaiting_payment' else 'dispatched' end,
      '{"country_code":"FR","postcode":"75002"}', '{}', '{}', 1, 0, 0, 0, 0, 0, 0, '[]', 0, 1, 1, ${at}, ${at}, ${at}, ${at}, ${at}, ${at},
      (select json_build_object('id', u.brand_id, 'name', 'a', 'revision_id', u.id) from used u where u.account_id = ids[1 + n % ${ACCOUNTS}])
    from ids, ${series};
    insert into order_line (account_id, order_id, id, ordinal, product_id, sku, quantity, name, unit_price_pence, line_price_pence, vat_class, mock_hash)
    select account_id, id, gen_random_uuid(), 0, gen_random_uuid(), 'a', 1, 'a', 0, 0, 'standard', sha256(reference::bytea) from orders;
    insert into print_job (account_id, order_id, line_id, ordinal, print_area, method, print_file_key, unit_price_pence)
    select l.account_id, l.order_id, l.id, 0, 'front', 'dtg', sha256(substring(o.reference from 4)::bytea), 0
    from order_line l join orders o on o.id = l.order_id;
    insert into invoice (account_id, order_id, number, document, issued_at)
    select account_id, id, row_number() over (), '{"customer":{"name":"","lines":[]},"lines":[]}', now() from orders;
    insert into job (id, kind, key, payload, run_at, failed_at, created_at)
    select gen_random_uuid(), 'test', n::text, '{}', now(), ${at}, now() from ${series};
    insert into ops_task (id, account_id, kind, note, opened_at, closed_at)
    select gen_random_uuid(), gen_random_uuid(), 'test', 'a', now(), ${at} from ${series};
    insert into operator_action (id, action, detail, request_hash, created_at)
    select uuid_v7(${at}), 'test', '{}', '', ${at} from ${series};
    insert into access_token (account_id, id, token_hash, scopes, created_at, revoked_at)
    select gen_random_uuid(), gen_random_uuid(), sha256(n::text::bytea), '{}', now(), ${at} from ${series};
    insert into oauth_grant (account_id, id, user_id, client_id, scopes, created_at, revoked_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '{a}', now(), ${at} from ${series};
    insert into operator_token (id, operator_id, token_hash, created_at, revoked_at)
    select gen_random_uuid(), gen_random_uuid(), sha256(n::text::bytea), now(), ${at} from ${series};
    insert into oauth_record (key_hash, kind, sealed, created_at, expires_at)
    select sha256(n::text::bytea), 'session', '', now(), ${at} from ${series};
    insert into sign_in_attempt (subject, attempts, ends_at) select n::text, 1, ${at} from ${series};
    insert into retention_waiting (walk, order_id, account_id)
    select 'line_mocks_dispatched_waiting', id, account_id from orders where state = 'dispatched';
    insert into export_watch (order_id, account_id, due_at, lacks_dispatch, lacks_tracking_number, lacks_declaration, lacks_invoice)
    select id, account_id, now(), true, n % 1000 = 0, n % 1000 = 0, true from (select *, substring(reference from 4)::integer as n from orders) as o;
    analyze`);
});
after(async () => {
  await database.close();
  await server.drop();
});

for (const walk of WALKS) {
  test(`a look of the walk ${walk.name} touches what it looks at, at its beginning and in its middle`, async () => {
    const terms = { config, now };
    let place: string | undefined;
    for (let look = 0; look < 3; look += 1) {
      const from = place;
      const touched = await rowsTouched(database, (db) => walk.find(db, terms, from, LIMIT));
      assert.ok(touched <= TOUCHED_MAX, `${walk.name}: ${touched} rows`);
      const found: Found = await walk.find(database, terms, from, LIMIT);
      if (found.isEnd) break;
      place = found.next;
    }
  });
}

test('a look at the log of an account touches what it looks at, however much that account has beside', async () => {
  // The planner knows of many small accounts, and takes this one for another of them.
  const old = `(now() - make_interval(days => 8000, mins => n))`;
  const spread = `(select id, n from account, generate_series(1, 600) as n where name in ('small', 'large') order by n) as a`;
  const all = `(select * from ${spread} union all select id, n from account, generate_series(601, ${ROWS / 2}) as n where name = 'large') as a`;
  await database.script(`
    set local session_replication_role = replica;
    set local statement_timeout = 0;
    insert into account (id, name, created_at) values ('00000000-0000-7000-8000-000000000001', 'large', now());
    insert into account (id, name, created_at) select uuid_v7(now()), 'small', now() from generate_series(1, 100);
    insert into event (account_id, id, order_id, sequence, event, data, created_at)
    select id, uuid_v7(${old}), gen_random_uuid(), 1, 'order.created', '{}', ${old} from ${all};
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, created_at)
    select id, uuid_v7(${old}), gen_random_uuid(), 1, gen_random_uuid(), 'order.created', 'succeeded', ${old}, ${old} from ${all};
    analyze`);
  for (const walk of WALKS.filter(({ name }) => name === 'events' || name === 'deliveries')) {
    const touched = await rowsTouched(database, (db) => walk.find(db, { config, now }, undefined, LIMIT));
    assert.ok(touched <= TOUCHED_MAX, `${walk.name}: ${touched} rows`);
  }
});

test('the search for exports, and each list of them, touch a page', async () => {
  const paid = await rowsTouched(database, (db) => findPaidExports(db, { before: now, place: null }));
  assert.ok(paid <= TOUCHED_MAX, `${paid} rows`);
  for (const lacking of [undefined, ...LACKING]) {
    const touched = await rowsTouched(database, (db) =>
      listExportRows(db, { lacking, after: undefined, limit: LIMIT }),
    );
    assert.ok(touched <= 1_500, `${lacking}: ${touched} rows`);
  }
});

test('a batch of each walk touches what it deletes, and as much of what hangs on it, in each of its statements', async () => {
  const counting = countingDatabase(database);
  const ctx = { config, database: counting.database, clock: databaseClock(), log: silentLog };
  await openWalks(
    database,
    WALKS.map(({ name }) => name),
    now,
  );
  let dropped = 0;
  for (const walk of WALKS) {
    counting.most.clear();
    const outcome = await runBatch(ctx, walk, true);
    assert.ok(outcome.kind === 'done', walk.name);
    dropped += outcome.dropped;
    const over = [...counting.most].filter(([, rows]) => rows > BATCH_TOUCHED_MAX);
    assert.deepEqual(over, [], `${walk.name}: of ${counting.most.size} statements`);
  }
  assert.ok(dropped > 10 * LIMIT, `${dropped} dropped`);
});
