import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBlobStore } from '../../src/lib/blobs.ts';
import type { Db } from '../../src/lib/db.ts';
import { FIRST_ID, newId, type Uuid } from '../../src/lib/ids.ts';
import type { PrivacyContext } from '../../src/privacy/context.ts';
import { exportPerson } from '../../src/privacy/disclose/export-person.ts';
import { listHeldDesigns, listHeldPostings } from '../../src/privacy/disclose/held-sql.ts';
import { eraseAccountParts } from '../../src/privacy/erase/erase-account.ts';
import { insertErasure } from '../../src/privacy/erase/erasure-sql.ts';
import { listAddressedOrders, listOrderIds, listUnerasedIds } from '../../src/privacy/erase/find-orders-sql.ts';
import { listErasures } from '../../src/privacy/erase/receipt.ts';
import { requestErasure, type Subject } from '../../src/privacy/erase/request-erasure.ts';
import { runErasures } from '../../src/privacy/erase/worker.ts';
import { openTestContext, type TestContext } from '../harness/context.ts';
import { countingDatabase, rowsTouched } from '../harness/rows-touched.ts';
import { scratchParent } from '../harness/scratch.ts';

// What a person asks for costs by what is held of this person, never by all that was ever written: every statement of
// an erasure and of a disclosure is counted by the rows that it touches, so the machine's speed has no say in it.

/** Orders of one large account, with a row of all that hangs on an order; the others are as many. */
const ROWS = 20_000;
const OTHERS = 200;
/** What a statement touches of one order and its replacements, in some nodes of a plan. */
const ORDER_TOUCHED_MAX = 500;
/** A page of the search, or of a thousand orders, handed on by some nodes. */
const PAGE_TOUCHED_MAX = 5_000;
const LISTED = 500;
/** A piece is some hundred rows of a large account. */
const PIECE_TOUCHED_MAX = 500 * 14;
/** Of the small account that is erased or disclosed whole. */
const ACCOUNT_ORDERS = 20;

let base: TestContext;
let ctx: PrivacyContext;
let most: Map<string, number>;
let folder: string;
let large: Uuid;
let small: Uuid;
const ACTOR = { kind: 'command line', osUser: 'test' } as const;

before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-erasure-plans-'));
  base = await openTestContext({ config: { dataDir: folder } });
  const counting = countingDatabase(base.database);
  most = counting.most;
  ctx = { ...base, database: counting.database, blobs: openBlobStore('file:', folder) };
  // A store that is empty counts as one that is away.
  await ctx.blobs.put(Buffer.from('a file'));
  const orders = `generate_series(1, ${2 * ROWS}) as n`;
  const hash = (text: string): string => `sha256((${text})::text::bytea)`;
  const each = 'from made';
  // The large account has a few hundred people, the others a hundred each.
  const people = `from made where n <= ${ACCOUNT_ORDERS} or n > ${ROWS - 300}`;
  await base.database.script(`
    set local session_replication_role = replica;
    set local statement_timeout = 0;
    insert into account (id, name, created_at) select uuid_v7(now()), a, now() from unnest(array['large', 'small']) as a;
    insert into account (id, name, created_at) select uuid_v7(now()), 'other' || n, now() from generate_series(0, ${OTHERS - 1}) as n;
    create temp table made as
    select n, uuid_v7(now() - make_interval(mins => n)) as id, now() - make_interval(mins => n) as at,
      (select id from account where name = case when n <= ${ACCOUNT_ORDERS} then 'small' when n <= ${ROWS} then 'large' else 'other' || n % ${OTHERS} end)
        as account_id,
      uuid_v7(now()) as line_id, ${hash('n')} as hash, jsonb_build_object('contact_name', 'Ada ' || n, 'company_name', '', 'line1', 'x',
        'line2', '', 'city', 'x', 'county', '', 'postcode', 'LS' || n, 'country_code', 'GB', 'phone', '', 'email', n || '@a.example') as address
    from ${orders};
    insert into orders (account_id, id, reference, type, source, state, shipping_address, billing_address, shipping, line_count,
      subtotal_pence, setup_pence, shipping_pence, vat_pence, duty_pence, total_pence, vat_breakdown, balance_paid_pence,
      catalogue_version, price_book_version, last_event_at, placed_at, cancellable_until, created_at, updated_at, notes)
    select account_id, id, 'PF-' || n, 'bulk', 'api', case n % 2 when 0 then 'cancelled' else 'dispatched' end, address, address, '{}', 1,
      0, 0, 0, 0, 0, 0, '[]', 0, 1, 1, at, at, at, at, at, 'x' ${each};
    insert into order_line (account_id, order_id, id, ordinal, product_id, sku, quantity, name, unit_price_pence, line_price_pence, vat_class, mock_hash)
    select account_id, id, line_id, 0, gen_random_uuid(), 'a', 1, 'a', 0, 0, 'standard', hash ${each};
    insert into print_file (key, account_id, recipe, state, output_hash, created_at)
    select hash, account_id, json_build_object('kind', 'fixed', 'designHash', encode(hash, 'hex')), 'pending', null, at ${each};
    insert into print_job (account_id, order_id, line_id, ordinal, print_area, method, print_file_key, unit_price_pence)
    select account_id, id, line_id, 0, 'front', 'dtg', hash, 0 ${each};
    insert into design (account_id, hash, created_at) select account_id, hash, at ${each};
    insert into blob (hash, bytes, mime, created_at, last_used_at) select hash, 1, 'image/png', at, at ${each};
    insert into order_history (account_id, order_id, id, action, to_state, actor, reason, created_at)
    select account_id, id, id, 'x', 'placed', 'x', 'x', at ${each};
    insert into event (account_id, id, order_id, sequence, event, data, created_at)
    select account_id, id, id, 1, 'order.created', '{}', at ${each};
    insert into order_search (account_id, order_id, kind, term)
    select account_id, id, kind, term ${each}, lateral (values ('postcode', 'LS' || n), ('email', n || '@a.example'), ('recipient', 'ADA')) as t(kind, term);
    update order_search_progress set filled_through = uuid_v7(now()), contacts_through = uuid_v7(now());
    insert into line_pause (account_id, order_id, line_id, code, reason, opened_at) select account_id, id, line_id, 'x', 'x', at ${each};
    insert into ops_task (id, account_id, order_id, kind, note, opened_at, closed_at) select id, account_id, id, 'x', 'x', at, at ${each};
    insert into payment_attempt (id, account_id, order_id, method, provider_reference, amount_pence, state, reason, created_at, look_at, settled_at)
    select id, account_id, id, 'card', 'x', 1, 'failed', 'x', at, at, at ${each};
    insert into payment (account_id, order_id, id, method, amount_pence, provider_reference, paid_at)
    select account_id, id, id, 'card', 1, 'x', at ${each};
    insert into refund (account_id, order_id, id, method, amount_pence, state, reason, actor, created_at, done_at)
    select account_id, id, id, 'balance', 1, 'done', 'x', 'x', at, at ${each};
    insert into order_credit (account_id, order_id, id, kind, reason, actor, lines, vat_breakdown, net_pence, vat_pence, duty_pence, total_pence, created_at, noted_at)
    select account_id, id, id, 'goodwill', 'x', 'x', '[{"description": "Goodwill: x"}]', '[]', 1, 0, 0, 1, at, at ${each};
    insert into invoice (account_id, order_id, number, document, issued_at)
    select account_id, id, n, json_build_object('customer', json_build_object('lines', '[]'::json), 'deliver_to', '[]'::json, 'lines', '[]'::json), at ${each};
    insert into credit_note (account_id, order_id, credit_id, number, document, issued_at)
    select account_id, id, id, n, json_build_object('customer', json_build_object('lines', '[]'::json), 'deliver_to', '[]'::json, 'lines', '[]'::json), at ${each};
    insert into stock_movement (sku, kind, quantity, order_id, reason, actor, created_at) select 'a', 'spoil', 1, id, 'x', 'x', at ${each};
    insert into operator_action (id, operator_id, action, order_id, subject_id, detail, request_hash, created_at)
    select id, id, 'x', id, id, '{"reason":"x"}', '', at ${each};
    insert into shipment (account_id, order_id, id, carrier, tracking_number, shipping_address, shipped_at, updated_at)
    select account_id, id, id, 'x', 'x', address, at, at ${each};
    insert into shipment_item (account_id, order_id, shipment_id, line_id, quantity) select account_id, id, id, line_id, 1 ${each};
    insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at)
    select account_id, id, id, 'x', 'a', 'b', 1, at ${each};
    insert into product (account_id, id, base_product_id, name, status, mockup_hash, created_at, updated_at)
    select account_id, id, id, 'x', 'active', null, at, at ${each};
    insert into product_area (account_id, product_id, ordinal, print_area, method, design_hash, x, y, scale, rotation)
    select account_id, id, 0, 'front', 'dtg', ${hash("'product' || n")}, 0, 0, 0, 0 ${each};
    insert into webhook_subscription (account_id, id, url, secret_sealed, created_at, updated_at)
    select account_id, id, 'https://a.example/', '', at, at ${people};
    insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, error, created_at)
    select account_id, uuid_v7(at), id, 1, id, 'order.created', 'abandoned', at, case n % 1000 when 0 then 'x' end, at
    ${each}, generate_series(1, 3);
    insert into account_user (account_id, id, email, password_hash, created_at) select account_id, id, n || '@b.example', 'x', at ${people};
    insert into oauth_client (id, account_id, name, redirect_uris, scopes, created_at) select id, account_id, 'x', '{a}', '{a}', at ${people};
    insert into oauth_grant (account_id, id, user_id, client_id, scopes, created_at) select account_id, id, id, id, '{a}', at ${people};
    insert into access_token (account_id, id, token_hash, scopes, created_at) select account_id, id, hash, '{a}', at ${people};
    insert into oauth_record (key_hash, kind, account_id, grant_id, sealed, created_at, expires_at)
    select hash, 'refresh_token', account_id, id, '', at, now() + interval '1 day' ${people};
    insert into erasure (account_id, id, scope, subject, state, requested_at, done_at)
    select account_id, id, 'order', hash, 'done', at, at ${each};
    insert into erasure (account_id, id, scope, subject, state, requested_at)
    select account_id, gen_random_uuid(), 'order', hash, 'erasing', at ${each} where n > ${2 * ROWS - 50};
    insert into erasure_order (account_id, erasure_id, order_id) select account_id, gen_random_uuid(), id ${each} where n > ${ROWS};
    insert into erasure_file (account_id, erasure_id, hash) select account_id, gen_random_uuid(), hash ${each} where n > ${ROWS};
    analyze`);
  const idOf = async (name: string): Promise<Uuid> =>
    (await base.database.one<{ id: Uuid }>({ name: '', text: 'select id from account where name = $1' }, [name]))
      ?.id as Uuid;
  [large, small] = [await idOf('large'), await idOf('small')];
});
after(async () => {
  await base.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a use case, and fails for each of its statements that touches more rows than `max`. */
async function holds(max: number, work: () => Promise<unknown>): Promise<void> {
  most.clear();
  await work();
  const over = [...most].filter(([, rows]) => rows > max);
  assert.deepEqual(over, [], `of ${most.size} statements`);
}

async function orderOf(accountId: Uuid): Promise<Uuid> {
  const text = 'select id from orders where account_id = $1 and erased_at is null order by id offset 7000 limit 1';
  return (await base.database.one<{ id: Uuid }>({ name: '', text }, [accountId]))?.id as Uuid;
}

const erase = (subject: Subject): Promise<unknown> =>
  requestErasure(ctx, ACTOR, { subject, reason: 'asked', waitMs: Number.POSITIVE_INFINITY });

async function disclose(subject: Subject): Promise<string> {
  let text = '';
  for await (const part of await exportPerson(ctx, ACTOR, subject, undefined)) text += part;
  return text;
}

const countErased = async (): Promise<number> =>
  (
    await base.database.one<{ count: number }>(
      { name: '', text: 'select count(*)::integer as count from orders where erased_at is not null' },
      [],
    )
  )?.count ?? 0;

test('disclosing and erasing one order of a large account touches a few rows in each statement', async () => {
  const subject = { scope: 'order', accountId: large, orderId: await orderOf(large) } as const;
  await holds(ORDER_TOUCHED_MAX, async () => assert.match(await disclose(subject), /"Ada \d+"/));
  await holds(ORDER_TOUCHED_MAX, () => erase(subject));
  assert.equal(await countErased(), 1);
});

test('disclosing and erasing a recipient among all orders touches a page at most in each statement', async () => {
  for (const recipient of [
    { kind: 'name', name: 'Ada 9000', postcode: 'LS9000' },
    { kind: 'email', email: '9001@a.example' },
  ] as const) {
    const before = await countErased();
    const subject = { scope: 'recipient', accountId: large, recipient } as const;
    await holds(PAGE_TOUCHED_MAX, async () => assert.match(await disclose(subject), /"Ada 900\d"/));
    await holds(PAGE_TOUCHED_MAX, () => erase(subject));
    assert.equal(await countErased(), before + 1);
  }
});

test('disclosing and erasing a small account beside a large one touches what the small one has', async () => {
  const subject = { scope: 'account', accountId: small } as const;
  await holds(PAGE_TOUCHED_MAX, async () => assert.match(await disclose(subject), /"Ada 7"/));
  const before = await countErased();
  await holds(PAGE_TOUCHED_MAX, () => erase(subject));
  assert.equal(await countErased(), before + ACCOUNT_ORDERS);
});

test('a piece of a large account touches a piece, however much is done or left', async () => {
  const id = newId();
  await insertErasure(base.database, {
    ...{ accountId: large, id, scope: 'account', subject: '00', state: 'listing', requestedAt: new Date() },
  });
  await holds(PIECE_TOUCHED_MAX, () => eraseAccountParts(ctx, large, id));
  await holds(PIECE_TOUCHED_MAX, () => eraseAccountParts(ctx, large, id));
});

test('a page of what a large account has touches a page, at its beginning and in its middle', async () => {
  const { database } = base;
  const lists: Record<string, (db: Db, after: Uuid) => Promise<unknown>> = {
    orders: (db, after) => listOrderIds(db, large, after, LISTED),
    'orders with addresses': (db, after) => listAddressedOrders(db, large, after, LISTED),
    'orders of late': (db, after) => listUnerasedIds(db, large, after, LISTED),
    postings: (db, after) => listHeldPostings(db, large, after, LISTED),
    pictures: (db, after) => listHeldDesigns(db, large, after === FIRST_ID ? '' : '80'.repeat(32), LISTED),
  };
  for (const [what, list] of Object.entries(lists)) {
    for (const after of [FIRST_ID as Uuid, await orderOf(large)]) {
      const rows = await rowsTouched(database, (db) => list(db, after));
      assert.ok(rows <= PIECE_TOUCHED_MAX, `${what}: ${rows} rows`);
    }
  }
});

test('a round of the worker, and a page of receipts, touch what is open and a page', async () => {
  await holds(PAGE_TOUCHED_MAX, () => runErasures(ctx));
  await holds(PAGE_TOUCHED_MAX, () => listErasures(ctx, { limit: '100' }));
});
