import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../../src/lib/db.ts';
import { countAwaiting } from '../../src/production/stock-overview/count-awaiting.ts';
import { COUNTED_AT_ONCE, countNext, hasUncounted, listStockRows } from '../../src/production/stock-overview/sql.ts';
import { eventually } from '../harness/context.ts';
import { rowsTouched as rowsTouchedIn } from '../harness/rows-touched.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket, teeItem } from '../harness/shop.ts';

// The overview of stock must cost by its page: neither by what was ever ordered, nor by what waits for promotion.

const NO_TIMEOUT = "select set_config('statement_timeout', '0', true)";
/** Sent long ago, a line each. */
const DONE = 20_000;
/** Paid and waiting for promotion, with their lines: 100,000 in all. */
const WAITING = 1_000;
const LINES = 100;
/** A page of 26 variants with what belongs to each, several times over. */
const PAGE_TOUCHED_MAX = 500;
/** What changes between two counts here, with its lines, several times over. */
const CHANGED = 5;
const CHANGED_TOUCHED_MAX = CHANGED * LINES * 10;

let service: TestService;
let sku: string;
before(async () => {
  // Without workers: the tests count.
  service = await startTestService({ role: 'api' });
  const item = teeItem(service);
  sku = item.variant_sku;
  const placed = await service.customer.request('POST', '/orders', basket(service, { items: [item] }));
  assert.equal(placed.status, 201, placed.text);
  await service.ctx.database.script(`
    ${NO_TIMEOUT};
    create temp table former as select id from orders;
    insert into orders
    select r.* from (select * from orders) s, generate_series(1, ${DONE + WAITING}) as n,
      lateral jsonb_populate_record(null::orders, to_jsonb(s) || jsonb_build_object(
        'id', uuid_v7(s.created_at - make_interval(mins => n)), 'reference', 'PF-' || n,
        'line_count', case when n <= ${WAITING} then ${LINES} else 1 end,
        'state', case when n <= ${WAITING} then 'placed' else 'dispatched' end)) as r;
    insert into order_line
    select r.* from order_line l, orders o cross join generate_series(1, o.line_count) as n,
      lateral jsonb_populate_record(null::order_line, to_jsonb(l) || jsonb_build_object(
        'id', gen_random_uuid(), 'order_id', o.id, 'ordinal', n, 'quantity', 1, 'line_price_pence', l.unit_price_pence,
        'quantity_shipped', case when o.state = 'dispatched' then 1 else 0 end)) as r
    where o.reference like 'PF-%' and o.id not in (select id from former);
    analyze;
  `);
});
after(() => service.stop());

const rowsTouched = (list: (db: Db) => Promise<unknown>): Promise<number> => rowsTouchedIn(service.ctx.database, list);

async function holds(what: string, max: number, list: (db: Db) => Promise<unknown>): Promise<void> {
  const touched = await rowsTouched(list);
  assert.ok(touched <= max, `${what} touches ${touched} rows`);
}

const overview = (db: Db) => listStockRows(db, { skus: undefined, after: null, limit: 26 });

async function awaiting(): Promise<number | undefined> {
  const rows = await listStockRows(service.ctx.database, { skus: [sku], after: null, limit: 1 });
  return rows[0]?.awaiting;
}

test('a page of the overview touches a page of rows, with 100,000 lines that wait and more that were sent', async () => {
  const waiting = (await awaiting()) ?? 0;
  assert.ok(waiting > WAITING * LINES, `${waiting} pieces wait`);
  // What is newer than the oldest transaction of the server is not counted yet, and other tests have long ones.
  const isCounted = async (): Promise<boolean> => {
    while (await hasUncounted(service.ctx.database)) await countAwaiting(service.ctx);
    return (await rowsTouched(overview)) <= PAGE_TOUCHED_MAX;
  };
  await eventually('all is counted', isCounted).catch(() => undefined);
  assert.equal(await awaiting(), waiting, 'counting changes nothing that is shown');
  for (const skus of [undefined, [sku]]) {
    await holds('the overview', PAGE_TOUCHED_MAX, (db) => listStockRows(db, { skus, after: null, limit: 26 }));
  }
});

test('what was changed and is not counted yet costs by itself alone, to read and to count', async () => {
  const before = (await awaiting()) ?? 0;
  await service.ctx.database.script(`
    update orders set state = 'cancelled', changed_by = transaction_number()
    where id in (select id from orders where state = 'placed' and line_count > 1 limit ${CHANGED})`);
  await holds('the overview', CHANGED_TOUCHED_MAX, overview);
  await holds('the count', CHANGED_TOUCHED_MAX, countNext);
  assert.equal(await awaiting(), before - CHANGED * LINES);
});

test('a count of many changes takes them in parts, each by an index', async () => {
  // As many transactions as it takes two counts for.
  const ids = await service.ctx.database.all<{ id: string }>(
    { name: 'scale_done', text: `select id from orders where state = 'dispatched' limit ${COUNTED_AT_ONCE + 1}` },
    [],
  );
  for (const { id } of ids) {
    await service.ctx.database.script(`update orders set changed_by = transaction_number() where id = '${id}'`);
  }
  await holds('the count', COUNTED_AT_ONCE * 20, countNext);
});
