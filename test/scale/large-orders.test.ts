import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setStock } from '../../src/catalogue/set-stock.ts';
import { FIRST_ID, LAST_ID, parseId, publicId, type Uuid } from '../../src/lib/ids.ts';
import type { Page } from '../../src/lib/paging.ts';
import { listNeedingRows, listOpsOrderRows } from '../../src/orders/ops-list-sql.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import { findShownOrder } from '../../src/orders/read-sql.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { ORDER_STATES } from '../../src/orders/status.ts';
import { lockNextDue } from '../../src/production/sql.ts';
import { blocksRead } from '../harness/rows-touched.ts';
import { type Customer, type OperatorClient, startTestService, type TestService } from '../harness/service.ts';
import { addProduct, HOME, TEE_WHITE_M, unsigned } from '../harness/shop.ts';

// An order is shown with all of its lines. A large one costs by its lines, and no list reads more than one.

const LINES = 1_000;
/** Those of an order of 1,000 lines, twice over. Line by line, and with the order that follows, it was 24,000. */
const BLOCKS_MAX = 500;

let service: TestService;
let operator: OperatorClient;
let large: Customer;
let small: { readonly customer: Customer; readonly order: CreatedOrder };
const placed: CreatedOrder[] = [];
before(async () => {
  service = await startTestService({ role: 'api' });
  operator = await service.openOperator('viewer');
  large = await service.openCustomer({ balancePence: 100_000_000 });
  await setStock(service.ctx, { sku: TEE_WHITE_M, onHand: 100_000, reason: 'a delivery', actor: 'test' });
  const product = await addProduct(service, large, 'TEE-CLASSIC');
  for (const lines of [LINES, LINES, 1, LINES - 1, 1]) placed.push(await place(large, product, lines));
  const customer = await service.openCustomer({ balancePence: 100_000_000 });
  small = { customer, order: await place(customer, await addProduct(service, customer, 'TEE-CLASSIC'), 10) };
  // As if each were printed on two sides, all of them from the same two files.
  await service.ctx.database.script(`
    insert into print_file (key, account_id, recipe, state, created_at)
    select decode(n, 'hex'), id, '{}', 'pending', now() from account, unnest('{aa,bb}'::text[]) as n
      where id in ('${large.accountId}', '${customer.accountId}');
    insert into print_job (order_id, line_id, ordinal, account_id, print_area, method, print_file_key, unit_price_pence)
    select order_id, id, n, account_id, 'side ' || n, 'dtg', decode(case n when 0 then 'aa' else 'bb' end, 'hex'), 0
    from order_line, generate_series(0, 1) as n where account_id in ('${large.accountId}', '${customer.accountId}');
    analyze`);
});
after(() => service.stop());

async function place(customer: Customer, product: string, lines: number): Promise<CreatedOrder> {
  const line = { product_id: product, variant_sku: TEE_WHITE_M, quantity: 1 };
  const body = { items: Array.from({ length: lines }, () => line), shipping_address: HOME };
  const answer = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text.slice(0, 300));
  return answer.body;
}

test('a page with orders of 1,000 lines reads the blocks of one of them', async () => {
  const page = { after: LAST_ID as Uuid, limit: 26, states: ORDER_STATES, accountId: undefined };
  const blocks = await blocksRead(service.ctx.database, (db) =>
    listOpsOrderRows(db, { ...page, sort: 'oldest', after: null }),
  );
  assert.ok(blocks < BLOCKS_MAX, `${blocks} blocks`);
});

test('the pages of operators have 1,000 lines at most and leave no order out, in both directions', async () => {
  const account = publicId('acct', large.accountId);
  const ids = placed.map(({ id }) => id);
  for (const [sort, wanted, sizes] of [
    ['oldest', ids, [[LINES], [LINES], [1, LINES - 1], [1]]],
    ['newest', ids.toReversed(), [[1, LINES - 1], [1], [LINES], [LINES]]],
  ] as const) {
    const pages: Page<OpsOrder>[] = [];
    let cursor = '';
    do {
      const path = `/orders?limit=10&account=${account}&sort=${sort}${cursor}`;
      const { status, body, text } = await operator.request<Page<OpsOrder>>('GET', path);
      assert.equal(status, 200, text.slice(0, 300));
      pages.push(body);
      cursor = `&cursor=${body.next_cursor}`;
    } while (pages.at(-1)?.has_more === true);
    assert.deepEqual(
      pages.flatMap(({ data }) => data.map(({ id }) => id)),
      wanted,
    );
    assert.deepEqual(
      pages.map(({ data }) => data.map(({ lines }) => lines.length)),
      sizes,
    );
  }
});

test('a page that is cut ends the list when what follows was placed at another time', async () => {
  const [first] = placed;
  const account = publicId('acct', large.accountId);
  const path = `/orders?account=${account}&sort=oldest&placed_to=${first?.created_at}`;
  const { body } = await operator.request<Page<OpsOrder>>('GET', path);
  assert.deepEqual([body.data.map(({ id }) => id), body.has_more], [[first?.id], false]);
});

test('an order of 1,000 lines costs its owner less than a hundred of 10 lines', async () => {
  const costOf = (customer: Customer, { id }: CreatedOrder): Promise<number> => {
    const order = parseId('ord', id) ?? assert.fail();
    return blocksRead(service.ctx.database, (db) => findShownOrder(db, customer.accountId, order));
  };
  const [first] = placed;
  assert.ok(first !== undefined);
  const [thousand, ten] = [await costOf(large, first), await costOf(small.customer, small.order)];
  assert.ok(thousand < 100 * ten && thousand < BLOCKS_MAX, `${thousand} blocks against ${ten}`);
});

test('an order of 1,000 lines is the same by itself, by its reference and in a list, and has what each line prints', async () => {
  const [first] = placed;
  const by = (name?: string) => large.request<Order>('GET', `/orders/${name}`);
  const order = (await by(first?.id)).body;
  assert.deepEqual(unsigned((await by(first?.reference)).body), unsigned(order));
  // The orders that were placed after it.
  const newer = placed.slice(1).map(({ id }) => id);
  const page = await large.request<Page<Order>>('GET', `/orders?limit=1&cursor=${newer[0]}`);
  assert.deepEqual(page.body.data.map(unsigned), [unsigned(order)]);
  assert.deepEqual(
    order.items.map(({ id }) => id),
    first?.items.lineItems.map(({ id }) => id),
  );
  for (const { print_jobs: jobs, artwork } of order.items) {
    assert.deepEqual(
      [jobs.map(({ area }) => area), artwork?.areas.map(({ print_area: area, state }) => `${area} ${state}`)],
      [
        ['side 0', 'side 1'],
        ['side 0 pending', 'side 1 pending'],
      ],
    );
  }
});

test('an order in a list is what it is by itself, but for its artwork', async () => {
  const [large] = placed;
  const one = await operator.request<OpsOrder>('GET', `/orders/${large?.id}`);
  const list = await operator.request<Page<OpsOrder>>('GET', `/orders?reference=${large?.reference}`);
  assert.deepEqual(list.body.data, [one.body]);
  const page = await operator.request<Page<OpsOrder>>('GET', '/orders?sort=oldest&limit=1');
  const listed = page.body.data.map((order) => ({
    ...order,
    items: order.items.map((item, index) => ({ ...item, artwork: one.body.items[index]?.artwork })),
  }));
  assert.deepEqual(listed, [one.body]);
  assert.ok(page.body.data.every(({ items }) => items.every((item) => !('artwork' in item))));
  assert.deepEqual(
    one.body.lines.map(({ id }) => id),
    large?.items.lineItems.map(({ id }) => id),
  );
  for (const { print_jobs: jobs } of one.body.lines) {
    assert.deepEqual(
      jobs.map(({ area, artwork_state: state, failure }) => [area, state, failure]),
      [
        ['side 0', 'pending', null],
        ['side 1', 'pending', null],
      ],
    );
  }
});

test('an order that was short of many variants costs by its lines, and not by its lines for each of them', async () => {
  const { database } = service.ctx;
  const [order] = placed;
  await database.script(`
    create temporary table mixed as select sku, row_number() over (order by sku) as n from stock;
    update order_line l set sku = mixed.sku from mixed, (
      select l.id, row_number() over () as n from order_line l join orders o on o.id = l.order_id
      where o.reference = '${order?.reference}'
    ) as numbered
    where l.id = numbered.id and mixed.n = 1 + numbered.n % (select count(*) from mixed);
    insert into promotion_shortage (order_id, sku, account_id, created_at)
    select o.id, mixed.sku, o.account_id, now() from orders o, mixed where o.reference = '${order?.reference}';
    update stock set on_hand = 100000;
    drop table mixed;
    analyze;`);
  const [variants] = await database.all<{ count: number }>(
    { name: '', text: 'select count(*)::integer from stock' },
    [],
  );
  // Its stock and its shortage are looked up for each variant. With its lines for each it was 20,000.
  const blocksMax = BLOCKS_MAX + 4 * (variants?.count ?? 0);
  const page = { after: null, limit: 26, states: ORDER_STATES, accountId: undefined, need: 'stock' } as const;
  const now = new Date(Date.now() + 86_400_000);
  const after = { cancellableUntil: new Date(0), id: FIRST_ID as Uuid };
  const isWaiting = async (): Promise<boolean> =>
    (await listNeedingRows(database, { ...page, sort: 'oldest' })).length > 0;
  for (const isShort of [false, true]) {
    for (const sort of ['oldest', 'newest'] as const) {
      const blocks = await blocksRead(service.ctx.database, (db) => listNeedingRows(db, { ...page, sort }));
      assert.ok(blocks < blocksMax, `${sort}: ${blocks} blocks`);
    }
    const blocks = await blocksRead(service.ctx.database, (db) => lockNextDue(db, { now, after }));
    assert.ok(blocks < blocksMax, `the next promotion: ${blocks} blocks`);
    assert.equal(await isWaiting(), isShort);
    const next = await lockNextDue(database, { now, after });
    assert.equal(publicId('ord', next?.id ?? (LAST_ID as Uuid)) === order?.id, !isShort);
    await database.script('update stock set on_hand = 0 where sku = (select max(sku) from stock)');
  }
});
