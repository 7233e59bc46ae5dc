import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../../src/lib/db.ts';
import { type BlockedBy, listBlockedRows } from '../../src/orders/blocked/blocked-sql.ts';
import { SORTS, type Sort } from '../../src/orders/reading/direction.ts';
import { countOrdersByState } from '../../src/orders/search/count-sql.ts';
import { listNumberedRows } from '../../src/orders/search/number-sql.ts';
import { ORDER_STATES } from '../../src/orders/status.ts';
import { blocksRead, rowsTouched as rowsTouchedIn } from '../harness/rows-touched.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket } from '../harness/shop.ts';

// What blocks orders and the numbers of shops are found on their indexes: the rows that a page touches are counted, in
// an account with many orders of which few are blocked, and then of which many are.

const ORDERS = 20_000;
/** Four reasons, each cut to a page, and a page of 26 with lines, jobs and files, several times over. */
const ROWS_TOUCHED_MAX = 3_500;

/** Some twenty orders with what is shown of one. */
const HOLD_BLOCKS_MAX = 150;

let service: TestService;
before(async () => {
  service = await startTestService();
  const placed = await service.customer.request('POST', '/orders', basket(service));
  assert.equal(placed.status, 201);
  await service.ctx.database.script(`
    insert into orders
    select r.* from (select * from orders) s, generate_series(1, ${ORDERS}) as n,
      lateral jsonb_populate_record(null::orders, to_jsonb(s) || jsonb_build_object(
        'id', uuid_v7(s.created_at - make_interval(mins => 10 * n)), 'reference', 'PF-' || n,
        'created_at', s.created_at - make_interval(mins => 10 * n),
        'source', case when n % 2 = 0 then 'channel' else 'api' end,
        'metadata', jsonb_build_object('shop_number', '#' || n / 4),
        'attempt_id', case when n % 10 = 1 and n % 1000 > 1 then s.id end,
        'state', case n % 1000 when 0 then 'on_hold' when 1 then 'awaiting_payment'
          else case when n % 10 = 1 then 'awaiting_payment' else 'dispatched' end end)) as r;
    insert into order_line
    select r.* from order_line l, orders o,
      lateral jsonb_populate_record(null::order_line, to_jsonb(l) || jsonb_build_object('id', o.id, 'order_id', o.id)) as r
    where o.reference like 'PF-%' and o.id <> l.order_id;
    insert into print_file (key, account_id, recipe, state, failure, created_at)
    select decode(md5(o.id::text), 'hex'), o.account_id, '{}', 'failed', 'lost', o.created_at from orders o where o.state = 'on_hold';
    insert into artwork_failure (order_id, print_file_key, account_id, task_id, created_at)
    select o.id, decode(md5(o.id::text), 'hex'), o.account_id, o.id, o.created_at from orders o where o.state = 'on_hold';
    insert into print_job
    select r.* from (select * from print_job limit 1) j, orders o,
      lateral jsonb_populate_record(null::print_job, to_jsonb(j) || jsonb_build_object('order_id', o.id, 'line_id', o.id,
        'print_file_key', '\\x' || md5(o.id::text))) as r
    where o.state = 'on_hold';
    analyze;
  `);
});
after(() => service.stop());

const rowsTouched = (list: (db: Db) => Promise<unknown>): Promise<number> => rowsTouchedIn(service.ctx.database, list);

const filter = { states: ORDER_STATES, types: ['bulk', 'sample'], updatedSince: undefined } as const;
const REASONS: readonly BlockedBy[] = ['anything', 'payment', 'hold', 'artwork'];

async function assertCheap(): Promise<void> {
  const { accountId } = service.customer;
  const counts: [BlockedBy, Sort, number][] = [];
  for (const [by, sort] of REASONS.flatMap((reason) => SORTS.map((each) => [reason, each] as const))) {
    const list = (db: Db) => listBlockedRows(db, accountId, { after: null, limit: 26, sort, filter, by });
    assert.ok((await list(service.ctx.database)).length > 0, by);
    const count = await rowsTouched(list);
    counts.push([by, sort, count]);
  }
  assert.ok(
    counts.every(([, , count]) => count <= ROWS_TOUCHED_MAX),
    JSON.stringify(counts),
  );
}

test('a page of blocked orders touches a page of rows, where few of many are blocked', assertCheap);

test('orders on hold are a range of their index: those in other states beside it are not walked', async () => {
  const { accountId } = service.customer;
  for (const sort of SORTS) {
    const blocks = await blocksRead(service.ctx.database, (db) =>
      listBlockedRows(db, accountId, { after: null, limit: 1, sort, filter, by: 'hold' }),
    );
    assert.ok(blocks <= HOLD_BLOCKS_MAX, `${sort} first: ${blocks} blocks`);
  }
});

test('a page of the orders with a number touches a page of rows, and so does the count by state', async () => {
  const { accountId } = service.customer;
  for (const sort of SORTS) {
    const list = (db: Db) => listNumberedRows(db, accountId, { after: null, limit: 26, sort, filter, number: '2500' });
    assert.equal((await list(service.ctx.database)).length, 2);
    const count = await rowsTouched(list);
    assert.ok(count <= 200, `the number touches ${count} rows, ${sort} first`);
  }
  const counted = await rowsTouched((db) => countOrdersByState(db, accountId));
  assert.ok(counted <= ROWS_TOUCHED_MAX, `the count touches ${counted} rows`);
});

test('a page of blocked orders touches a page of rows, where thousands are', async () => {
  await service.ctx.database.script(`
    update orders set attempt_id = null where state = 'awaiting_payment';
    update orders set state = 'on_hold' where state = 'dispatched' and reference like '%2';
    analyze;
  `);
  await assertCheap();
});
