import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listOperatorActions } from '../../src/accounts/operator-sql.ts';
import { listAccountsWithoutBilling, listOpenTasks, listOpsAccountRows } from '../../src/accounts/task-sql.ts';
import { readShort, supplyShort } from '../../src/catalogue/short/sql.ts';
import { countPromisedShort, listMovementRows } from '../../src/catalogue/stock-sql.ts';
import { findDueById, findDueByPayment } from '../../src/invoices/due-sql.ts';
import { findOrdersToNote } from '../../src/invoices/sql.ts';
import type { Db } from '../../src/lib/db.ts';
import { FIRST_ID, LAST_ID, parseId, publicId, type Uuid } from '../../src/lib/ids.ts';
import type { Page } from '../../src/lib/paging.ts';
import { listNeedingRows, listOpsOrderRows, listSearchedRows, listTrackedRows } from '../../src/orders/ops-list-sql.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import { findAnyOrderIdOfLine } from '../../src/orders/ops-sql.ts';
import { listOpsOrders } from '../../src/orders/read-ops-order.ts';
import { ORDER_STATES, type OrderState } from '../../src/orders/status.ts';
import { claimAttempts, claimFailedAttempts } from '../../src/payments/attempt-sql.ts';
import { countShortPieces, listShortLineRows, WAITS_FOR } from '../../src/production/short/sql.ts';
import { lockNextDue } from '../../src/production/sql.ts';
import { listOpenJobs, listStations, readPicks, WORK_STATES } from '../../src/production/station-sql.ts';
import { listStockRows } from '../../src/production/stock-overview/sql.ts';
import { untilAwaitingCounted } from '../harness/awaiting.ts';
import { countingDatabase, rowsTouched as rowsTouchedIn } from '../harness/rows-touched.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket, teeItem } from '../harness/shop.ts';

// What operators and the sweeps read is of all accounts. It must cost by what waits for somebody, never by what was
// ever done: the rows that a statement touches are counted, so the machine's speed has no say in it.

/** The tables are filled however slow the machine is. */
const NO_TIMEOUT = "select set_config('statement_timeout', '0', true)";
/** Dispatched long ago. */
const DONE = 20_000;
/** Paid and waiting to be promoted; each in turn after a hundred that are done. */
const WAITING = DONE / 100;
/** Lines that are paused, more than a plan would read whole for each order. */
const PAUSED = WAITING + DONE / 100;
/** Each with its order and its lines, several times over, and far below all orders. */
const PAUSED_TOUCHED_MAX = PAUSED * 20;
/** A page of 25 with lines, jobs, files and history, several times over. */
const PAGE_TOUCHED_MAX = 2_500;
/** What waits, with its lines and what it is joined with, several times over. */
const WAITING_TOUCHED_MAX = WAITING * 10;

/** The queue of a variant, read and summed by a dozen steps. */
const SUPPLIED_TOUCHED_MAX = WAITING * 20;

let service: TestService;
let sku: string;
before(async () => {
  service = await startTestService();
  const item = teeItem(service);
  sku = item.variant_sku;
  const placed = await service.customer.request<{ id: string }>('POST', '/orders', basket(service, { items: [item] }));
  assert.equal(placed.status, 201);
  await service.ctx.database.script(`
    ${NO_TIMEOUT};
    create temp table former as select id, created_at from orders;
    insert into orders
    select r.* from (select * from orders) s, generate_series(1, ${DONE + WAITING}) as n,
      lateral jsonb_populate_record(null::orders, to_jsonb(s) || jsonb_build_object(
        'id', uuid_v7(s.created_at - make_interval(mins => n)), 'reference', 'PF-' || n,
        'created_at', s.created_at - make_interval(mins => n), 'updated_at', s.created_at - make_interval(mins => n),
        'placed_at', s.placed_at - make_interval(mins => n), 'paid_at', s.paid_at - make_interval(mins => n),
        'cancellable_until', s.cancellable_until - make_interval(mins => n),
        'state', case when n % 101 = 0 then 'placed' else 'dispatched' end)) as r;
    insert into order_line
    select r.* from order_line l, orders o,
      lateral jsonb_populate_record(null::order_line, to_jsonb(l) || jsonb_build_object(
        'id', uuid_v7(o.created_at), 'order_id', o.id,
        'quantity_shipped', case when o.state = 'dispatched' then l.quantity else 0 end)) as r
    where o.reference like 'PF-%' and o.id not in (select id from former);
    insert into order_history
    select r.* from order_history h, orders o,
      lateral jsonb_populate_record(null::order_history, to_jsonb(h) || jsonb_build_object(
        'id', o.id, 'order_id', o.id, 'created_at', o.created_at)) as r
    where o.id not in (select id from former);
    insert into stock_movement (sku, kind, quantity, order_id, line_id, actor, created_at)
    select l.sku, 'consume', -1, l.order_id, l.id, 'system', o.created_at from order_line l join orders o on o.id = l.order_id
    where o.state = 'dispatched';
    insert into operator (id, email, password_hash, role, created_at)
    select id, 'scale@shop.example', 'none', 'admin', created_at from former;
    insert into operator_action (id, operator_id, action, order_id, detail, request_hash, created_at)
    select o.id, f.id, 'ship', o.id, '{}', '', o.created_at from orders o, former f where o.state = 'dispatched';
    insert into ops_task (id, account_id, order_id, kind, note, opened_at, closed_at)
    select o.id, o.account_id, o.id, 'cancelled_after_start', '', o.created_at,
      case when o.state = 'dispatched' then o.created_at end from orders o;
    insert into payment_attempt (id, order_id, account_id, method, provider_reference, amount_pence, state, reason, created_at,
      settled_at, look_at)
    select o.id, o.id, o.account_id, 'card', 'pm_1', 100, 'failed', 'declined', o.created_at, o.created_at, o.created_at
    from orders o where o.state = 'dispatched';
    analyze;
  `);
});
after(() => service.stop());

const rowsTouched = (list: (db: Db) => Promise<unknown>): Promise<number> => rowsTouchedIn(service.ctx.database, list);

const cursorOf = (cursor: string | null): { cursor?: string } => (cursor === null ? {} : { cursor });

async function holds(what: string, max: number, list: (db: Db) => Promise<unknown>): Promise<void> {
  const count = await rowsTouched(list);
  assert.ok(count <= max, `${what} touches ${count} rows`);
}

/** The order in the middle of all. */
async function middleId(): Promise<Uuid> {
  const row = await service.ctx.database.one<{ id: Uuid }>(
    { name: 'scale_middle', text: `select id from orders order by id desc offset ${DONE / 2} limit 1` },
    [],
  );
  assert.ok(row !== undefined);
  return row.id;
}

test('a page of the orders of all accounts touches a page of rows, by every state and however deep', async () => {
  const middle = await middleId();
  const choices: (readonly OrderState[])[] = [
    ORDER_STATES,
    ['placed'],
    ['dispatched'],
    ['on_hold'],
    ['placed', 'on_hold'],
  ];
  for (const states of choices) {
    for (const place of [null, middle]) {
      for (const accountId of [undefined, service.customer.accountId]) {
        for (const sort of ['newest', 'oldest'] as const) {
          const page = { after: place, limit: 26, states, accountId, sort };
          await holds(JSON.stringify(page), PAGE_TOUCHED_MAX, (db) => listOpsOrderRows(db, page));
        }
      }
    }
  }
});

test('a page of orders ends where their lines become too many, and the pages that follow leave none out', async () => {
  const { database } = service.ctx;
  await database.script(`update orders set line_count = 1000 where state = 'placed'`);
  for (const query of [{}, { account: publicId('acct', service.customer.accountId) }]) {
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const page: Page<OpsOrder> = await listOpsOrders(service.ctx, {
        state: 'placed',
        limit: '100',
        ...query,
        ...cursorOf(cursor),
      });
      assert.ok(page.data.length > 0 && page.data.length <= 5, `${page.data.length} orders of 1,000 lines`);
      for (const { id } of page.data) seen.add(id);
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.equal(seen.size, WAITING + 1);
  }
  await database.script(`update orders set line_count = 1 where state = 'placed'`);
});

test('pages of movements, of the audit log and of open tasks touch a page of rows, however much was done', async () => {
  const middle = await middleId();
  for (const id of [LAST_ID as Uuid, middle]) {
    await holds('open tasks', PAGE_TOUCHED_MAX, (db) => listOpenTasks(db, { before: id, limit: 26 }));
    for (const orderId of [undefined, middle]) {
      await holds('the audit log', PAGE_TOUCHED_MAX, (db) =>
        listOperatorActions(db, { before: id, limit: 26, orderId }),
      );
    }
  }
  for (const only of [undefined, sku, 'TEE-OF-NOBODY']) {
    for (const place of [Number.MAX_SAFE_INTEGER, DONE / 2]) {
      const page = { sku: only, before: place, limit: 26 };
      await holds(`movements ${JSON.stringify(page)}`, PAGE_TOUCHED_MAX, (db) => listMovementRows(db, page));
    }
  }
});

test('stock as operators see it costs by the orders that wait, not by those that were ever sent', async () => {
  // What has changed since it was counted is added up by each reader.
  await untilAwaitingCounted(service);
  for (const skus of [undefined, [sku]]) {
    await holds('stock', WAITING_TOUCHED_MAX, (db) => listStockRows(db, { skus, after: null, limit: 26 }));
  }
});

test('what is next at a station costs by the work that is open, not by all that was ever printed', async () => {
  await service.ctx.database.script(`
    ${NO_TIMEOUT};
    insert into print_job (order_id, line_id, ordinal, account_id, print_area, method, station, print_file_key, unit_price_pence,
      quantity_done, is_open, promoted_at)
    select l.order_id, l.id, 0, l.account_id, 'front', 'dtg', case when o.id::text < 'f' then 'dtg' end, j.print_file_key, 0,
      l.quantity_shipped, o.state = 'placed', o.created_at
    from order_line l join orders o on o.id = l.order_id cross join (select print_file_key from print_job limit 1) as j
    where not exists (select from print_job p where p.order_id = l.order_id);
    update orders set state = 'released' where state = 'placed';
    insert into line_pause (account_id, order_id, line_id, code, reason, opened_at)
    select l.account_id, l.order_id, l.id, 'ink', 'no ink', o.created_at
    from order_line l join orders o on o.id = l.order_id where o.state = 'released' or o.reference like 'PF-%00';
    analyze;
  `);
  const beginning = { promotedAt: new Date(0), orderId: FIRST_ID as Uuid, lineId: FIRST_ID as Uuid, ordinal: 0 };
  const middle = { ...beginning, promotedAt: new Date(service.ctx.clock.now().getTime() - (DONE / 2) * 60_000) };
  for (const station of [undefined, 'dtg', 'embroidery']) {
    for (const after of [beginning, middle]) {
      const page = { after, states: WORK_STATES, station, limit: 26 };
      await holds(`jobs ${JSON.stringify(page)}`, PAGE_TOUCHED_MAX, (db) => listOpenJobs(db, page));
    }
  }
  const held = { after: beginning, states: ['on_hold'] as const, station: 'dtg', limit: 26 };
  await holds('held jobs', WAITING_TOUCHED_MAX, (db) => listOpenJobs(db, held));
  await holds('the stations', PAGE_TOUCHED_MAX, (db) => listStations(db));
  const { body } = await service.customer.request<{ data: { id: string }[] }>('GET', '/orders?limit=100');
  const ids = body.data.flatMap(({ id }) => parseId('ord', id) ?? []);
  await holds('a pick list', PAGE_TOUCHED_MAX, (db) => readPicks(db, { ids, references: [] }));
  await service.ctx.database.script(`update orders set state = 'in_production' where state = 'released'`);
  for (const sort of ['newest', 'oldest'] as const) {
    for (const after of [null, await middleId()]) {
      const page = { after, limit: 26, states: ORDER_STATES, accountId: undefined, sort, need: 'resume' as const };
      await holds(`paused lines ${sort} ${after}`, PAUSED_TOUCHED_MAX, (db) => listNeedingRows(db, page));
    }
  }
  await service.ctx.database.script(
    `update orders set state = 'placed' where state = 'in_production'; delete from line_pause`,
  );
});

test('lines that are short cost by those that wait, not by all that ever had stock', async () => {
  const { database } = service.ctx;
  await database.script(`
    ${NO_TIMEOUT};
    insert into allocation (account_id, order_id, line_id, sku, allocated, consumed, for_spoiled, short, short_since)
    select l.account_id, l.order_id, l.id, l.sku, 2, case when o.state = 'placed' then 1 else 2 end, 1,
      case when o.state = 'placed' then 1 else 0 end, case when o.state = 'placed' then o.created_at end
    from order_line l join orders o on o.id = l.order_id;
    update stock s set allocated = (select count(*) from allocation a where a.sku = s.sku and a.short > 0);
    analyze;
  `);
  const { accountId } = service.customer;
  const first = { since: new Date(0), lineId: FIRST_ID as Uuid };
  const middle = { ...first, since: new Date(service.ctx.clock.now().getTime() - (DONE / 2) * 60_000) };
  for (const after of [first, middle]) {
    for (const waitsFor of [undefined, ...WAITS_FOR]) {
      for (const which of [{}, { sku }, { accountId }, { sku, accountId }, { sku: 'TEE-OF-NOBODY' }]) {
        const page = { after, waitsFor, sku: undefined, accountId: undefined, ...which, limit: 26 };
        await holds(`short lines ${JSON.stringify(page)}`, PAGE_TOUCHED_MAX, (db) => listShortLineRows(db, page));
      }
    }
  }
  await holds('short pieces', WAITING_TOUCHED_MAX, (db) => countShortPieces(db));
  await holds('short of a variant', WAITING_TOUCHED_MAX, (db) => readShort(db, [sku]));
  await holds('more promised than there is', WAITING_TOUCHED_MAX, (db) => countPromisedShort(db));
  await holds('stock', WAITING_TOUCHED_MAX, (db) => listStockRows(db, { skus: undefined, after: null, limit: 26 }));
  await holds('a receipt of nothing that is free', SUPPLIED_TOUCHED_MAX, (db) => supplyShort(db, [sku]));
  await database.script(`update stock set on_hand = 5 where sku = '${sku}'`);
  await holds('a receipt of a few', SUPPLIED_TOUCHED_MAX, (db) => supplyShort(db, [sku]));
  await database.script('delete from allocation; update stock set allocated = 0');
});

test('what is stuck, and an order by its tracking number, postcode or a scanned line, cost by what is found', async () => {
  await service.ctx.database.script(`
    ${NO_TIMEOUT};
    insert into shipment (order_id, id, account_id, carrier, tracking_number, shipping_address, shipped_at, updated_at)
    select id, id, account_id, 'Royal Mail', 'RM ' || reference, shipping_address, created_at, created_at from orders where state = 'dispatched';
    insert into shipment_item (order_id, shipment_id, line_id, account_id, quantity)
    select l.order_id, l.order_id, l.id, l.account_id, 1 from order_line l join shipment s on s.order_id = l.order_id;
    update orders set shipping_address = shipping_address || jsonb_build_object('postcode', 'ls' || substr(reference, 4) || ' 4dy');
    insert into order_search (account_id, order_id, kind, term)
    select o.account_id, o.id, t.kind, t.term from orders o, lateral (values
      ('postcode', upper(replace(o.shipping_address ->> 'postcode', ' ', ''))), ('recipient', 'ADA'),
      ('amount', (ascii(right(o.reference, 1)) % 2)::text)) as t (kind, term)
    on conflict do nothing;
    insert into artwork_failure (order_id, print_file_key, account_id, task_id, created_at)
    select o.id, j.print_file_key, o.account_id, o.id, o.created_at
    from orders o cross join (select print_file_key from print_job limit 1) as j where o.state = 'placed';
    analyze;
  `);
  const middle = await middleId();
  for (const sort of ['newest', 'oldest'] as const) {
    for (const accountId of [undefined, service.customer.accountId]) {
      for (const after of [null, middle]) {
        const page = { after, limit: 26, states: ORDER_STATES, accountId, sort };
        for (const need of ['stock', 'artwork', 'refund', 'payment'] as const) {
          await holds(`needs ${need}`, WAITING_TOUCHED_MAX, (db) => listNeedingRows(db, { ...page, need }));
        }
        await holds(`tracking number ${sort}`, PAGE_TOUCHED_MAX, (db) =>
          listTrackedRows(db, { ...page, trackingNumber: 'rmpf-77' }),
        );
        const everybody = { kind: 'recipient', term: 'ADA' } as const;
        const half = { kind: 'amount', term: '1' } as const;
        const one = { kind: 'postcode', term: 'LS774DY' } as const;
        for (const terms of [[one], [one, everybody], [everybody], [everybody, half]]) {
          await holds(`${JSON.stringify(terms)} ${sort}`, PAGE_TOUCHED_MAX, (db) =>
            listSearchedRows(db, { ...page, terms }),
          );
        }
      }
    }
  }
  const line = await service.ctx.database.one<{ id: Uuid; order_id: Uuid }>(
    { name: 'scale_line', text: 'select id, order_id from order_line where order_id = $1' },
    [middle],
  );
  assert.ok(line);
  await holds('the order of a scanned line', 10, (db) => findAnyOrderIdOfLine(db, line.id));
  assert.equal(await findAnyOrderIdOfLine(service.ctx.database, line.id), line.order_id);
  const { data } = await listOpsOrders(service.ctx, { tracking_number: 'rm pf-77' });
  assert.deepEqual([data.length, data[0]?.reference], [1, 'PF-77'], 'it is found');
});

test('the sweeps look at what is due alone: promotion, payments under way, invoices and credit notes', async () => {
  const now = service.ctx.clock.now();
  const beginning = { cancellableUntil: new Date(0), id: FIRST_ID as Uuid };
  await holds('the next promotion', PAGE_TOUCHED_MAX, (db) => lockNextDue(db, { now, after: beginning }));
  await holds('payments under way', PAGE_TOUCHED_MAX, (db) => claimAttempts(db, now));
  await holds('payments that failed', PAGE_TOUCHED_MAX, (db) => claimFailedAttempts(db, now));
  await holds('invoices by payment', PAGE_TOUCHED_MAX, (db) => findDueByPayment(db, { since: now, limit: 100 }));
  await holds('credit notes', PAGE_TOUCHED_MAX, (db) => findOrdersToNote(db, 100));
  const range = { after: await middleId(), before: now, limit: 100 };
  await holds('invoices by order', PAGE_TOUCHED_MAX, (db) => findDueById(db, range));
});

test('a search for a name costs by the rarer of its words, whichever is longer', async () => {
  const { database } = service.ctx;
  await database.script(`
    insert into order_search (account_id, order_id, kind, term) select account_id, id, 'recipient', 'KATHERINE' from orders;
    insert into order_search (account_id, order_id, kind, term)
    select account_id, id, 'recipient', 'IX' from orders where reference in ('PF-77', 'PF-7777');
    analyze order_search;
  `);
  const counting = countingDatabase(database);
  const ctx = { ...service.ctx, database: counting.database };
  const { data } = await listOpsOrders(ctx, { recipient: 'Katherine Ix' });
  assert.deepEqual(data.map(({ reference }) => reference).toSorted(), ['PF-77', 'PF-7777']);
  const over = [...counting.most].filter(([, rows]) => rows > PAGE_TOUCHED_MAX);
  assert.deepEqual(over, []);
});

test('accounts by the beginning of their names touch a page of rows, however many there are', async () => {
  const { database } = service.ctx;
  await database.script(`
    insert into account (id, name, created_at)
    select uuid_v7(t.created_at - make_interval(mins => n)), 'Shop ' || n, t.created_at
    from (select created_at from account limit 1) t, generate_series(1, ${DONE}) as n;
    insert into account_balance (account_id) select id from account on conflict do nothing;
    analyze account; analyze account_balance;
  `);
  const middle = await database.one<{ id: Uuid }>(
    { name: 'scale_account', text: `select id from account where name = 'Shop ${DONE / 2}'` },
    [],
  );
  assert.ok(middle);
  for (const name of ['', 'shop', 'SHOP 1', 'shop 10000', 'nobody']) {
    for (const after of [undefined, middle.id]) {
      const page = { name, after, limit: 26 };
      await holds(JSON.stringify(page), PAGE_TOUCHED_MAX, (db) => listOpsAccountRows(db, page));
      await holds(JSON.stringify(page), PAGE_TOUCHED_MAX, (db) => listAccountsWithoutBilling(db, page));
    }
  }
});

test('a pass of automatic promotion over orders that are all short looks at each once', async () => {
  await service.ctx.database.script(`
    ${NO_TIMEOUT};
    insert into promotion_shortage (order_id, sku, account_id, created_at)
    select o.id, l.sku, o.account_id, o.created_at from orders o join order_line l on l.order_id = o.id where o.state = 'placed';
    update stock set on_hand = 0 where sku = '${sku}';
    analyze;
  `);
  const now = service.ctx.clock.now();
  const after = { cancellableUntil: new Date(0), id: FIRST_ID as Uuid };
  await holds('a pass', WAITING_TOUCHED_MAX, (db) => lockNextDue(db, { now, after }));
});
