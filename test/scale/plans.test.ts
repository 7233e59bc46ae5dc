import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { placeOrders } from '../../src/checkout/place-sql.ts';
import type { Db } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { listChangedSince, listOrderRows, listPlacedSince, type OrderFilter } from '../../src/orders/list-sql.ts';
import { findShownOrder } from '../../src/orders/read-sql.ts';
import { SORTS } from '../../src/orders/reading/direction.ts';
import { findShownOrders } from '../../src/orders/reading/together-sql.ts';
import { ORDER_STATES, statesOf } from '../../src/orders/status.ts';
import { listProductRows } from '../../src/products/sql.ts';
import { eventually } from '../harness/context.ts';
import { newOrderOf } from '../harness/new-order.ts';
import { rowsReadBy, rowsTouched as rowsTouchedIn } from '../harness/rows-touched.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket, teeItem } from '../harness/shop.ts';

// Lists must cost the same however much an account has: what is counted here is the rows that a statement touches, so
// the machine's speed has no say in it.

const ORDERS = 20_000;
/**
 * A page of 25 with lines, jobs and files, several times over; a walk over the table touches a thousand times as
 * much.
 */
const ROWS_TOUCHED_MAX = 1_500;
/** Orders are ten minutes apart, so a week has a thousand, which several nodes of a plan may pass on. */
const WEEK_TOUCHED_MAX = 6_000;

let service: TestService;
before(async () => {
  service = await startTestService();
  const placed = await service.customer.request<{ id: string }>('POST', '/orders', basket(service));
  assert.equal(placed.status, 201);
  // Orders without lines are enough: the lists find a page before they read lines.
  await service.ctx.database.script(`
    insert into orders
    select r.* from (select * from orders) s, generate_series(1, ${ORDERS}) as n,
      lateral jsonb_populate_record(null::orders, to_jsonb(s) || jsonb_build_object(
        'id', uuid_v7(s.created_at - make_interval(mins => 10 * n)), 'reference', 'PF-' || n,
        'created_at', s.created_at - make_interval(mins => 10 * n),
        -- One in 500 was changed only just now.
        'updated_at', s.created_at - case when n % 500 = 0 then make_interval(0) else make_interval(mins => 10 * n - 1) end,
        'state', case when n % 1000 = 0 then 'cancelled' else 'placed' end)) as r;
    insert into product
    select r.* from (select * from product limit 1) s, generate_series(1, ${ORDERS}) as n,
      lateral jsonb_populate_record(null::product, to_jsonb(s) || jsonb_build_object(
        'id', uuid_v7(s.created_at - make_interval(secs => n)))) as r;
  `);
  // A list by the last change hides what an older transaction, still running, may precede. It may be another test
  // file's.
  await eventually('all transactions before are over', async () => {
    const row = await service.ctx.database.one<{ is_over: boolean }>(
      {
        name: 'scale_is_over',
        text: 'select bool_and(changed_by < pg_snapshot_xmin(pg_current_snapshot())) as is_over from orders',
      },
      [],
    );
    return row?.is_over === true;
  });
  // Now, since an analysis that the server began by itself while the rows were written would have seen none of them.
  await service.ctx.database.script('analyze');
});
after(() => service.stop());

const rowsTouched = (list: (db: Db) => Promise<unknown>): Promise<number> => rowsTouchedIn(service.ctx.database, list);

const ANY: OrderFilter = { states: ORDER_STATES, types: ['bulk', 'sample'] };

test('a page of orders touches a page of rows: the newest or the oldest, one deep down, and by every filter', async () => {
  const { accountId } = service.customer;
  const middle = await service.ctx.database.one<{ id: typeof accountId }>(
    {
      name: 'middle',
      text: `select id from orders where account_id = $1 order by id desc offset ${ORDERS / 2} limit 1`,
    },
    [accountId],
  );
  const pages = [
    { after: null, filter: undefined },
    { after: middle?.id ?? null, filter: undefined },
    { after: null, filter: { ...ANY, states: ['cancelled'] } },
    { after: middle?.id ?? null, filter: { ...ANY, states: statesOf('pending') } },
    { after: null, filter: { ...ANY, types: ['sample'] } },
    { after: middle?.id ?? null, filter: { ...ANY, types: ['sample'], states: statesOf('pending') } },
  ] as const satisfies { after: Uuid | null; filter: OrderFilter | undefined }[];
  for (const page of pages.flatMap((each) => SORTS.map((sort) => ({ ...each, sort })))) {
    const count = await rowsTouched((db) => listOrderRows(db, accountId, { ...page, limit: 26 }));
    assert.ok(count <= ROWS_TOUCHED_MAX, `${JSON.stringify(page)} touches ${count} rows`);
  }
});

test('a page of orders by their last change touches a page of rows, whenever that was', async () => {
  const { accountId } = service.customer;
  const now = service.ctx.clock.now().getTime();
  for (const since of [0, now - (ORDERS / 2) * 60_000, now - 600_000, now].map((ms) => new Date(ms))) {
    for (const filter of [ANY, { ...ANY, states: ['cancelled'] }] satisfies OrderFilter[]) {
      for (const sort of SORTS) {
        const page = { after: null, limit: 26, sort, filter, since };
        for (const list of [listPlacedSince, listChangedSince]) {
          const count = await rowsTouched((db) => list(db, accountId, page));
          assert.ok(
            count <= WEEK_TOUCHED_MAX,
            `${list.name}, ${sort} first, since ${since.toISOString()} touches ${count} rows`,
          );
        }
      }
    }
  }
});

test('orders that are read together touch their own rows, by id and by reference, and so does one', async () => {
  const { accountId } = service.customer;
  const found = await service.ctx.database.all<{ id: Uuid; reference: string }>(
    { name: 'some', text: 'select id, reference from orders where account_id = $1 order by id desc limit 16' },
    [accountId],
  );
  const asked = found.map(({ id, reference }, index) =>
    index % 2 === 0 ? { accountId, id } : { accountId, reference },
  );
  const together = await rowsTouched((db) => findShownOrders(db, asked));
  assert.ok(together <= 20 * asked.length, `${asked.length} together touch ${together} rows`);
  const [first] = found;
  const alone = await rowsTouched((db) => findShownOrder(db, accountId, first?.id ?? accountId));
  assert.ok(alone <= 100, `one touches ${alone} rows`);
});

test('a page of products touches a page of rows', async () => {
  const count = await rowsTouched((db) => listProductRows(db, service.customer.accountId, { before: null, limit: 26 }));
  assert.ok(count <= ROWS_TOUCHED_MAX, `it touches ${count} rows`);
});

test('placing an order touches its own rows, however many setups the account has paid for', async () => {
  const { accountId } = service.customer;
  const jobs = [{ area: 'left_sleeve', method: 'embroidery' }];
  const body = basket(service, { items: [teeItem(service, { print_jobs: jobs })] });
  // As often as it takes for every connection to keep its plans, made while there are few rights.
  for (let n = 0; n < 40; n += 1) {
    assert.equal((await service.customer.request('POST', '/orders', body)).status, 201, 'the setup is paid for');
  }
  // Without fresh statistics, as on a day on which an account brings all its designs.
  await service.ctx.database.script(`
    insert into setup_right (account_id, design_hash, method, paid_by_order, amount_pence, created_at)
    select '${accountId}', sha256(n::text::bytea), 'embroidery', uuid_v7(clock_timestamp()), 100, clock_timestamp()
    from generate_series(1, ${ORDERS}) as n;
  `);
  const order = await newOrderOf(service, service.customer, body);
  for (const how of ['alone', 'together'] as const) {
    const count = await rowsReadBy(service.ctx.database, (tx) => placeOrders(tx, [order], how));
    assert.ok(count > 0 && count <= 200, `${how} it reads ${count} rows`);
  }
});
