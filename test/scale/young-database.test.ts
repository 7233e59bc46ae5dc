import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gatherForBaskets, readSetupRights } from '../../src/checkout/place-sql.ts';
import type { Db } from '../../src/lib/db.ts';
import { parseId, type Uuid } from '../../src/lib/ids.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { rowsReadOf, undone } from '../harness/rows-touched.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket, TEE_WHITE_M } from '../harness/shop.ts';
import { rows } from '../harness/written.ts';

// A new database knows nothing of its tables, and a connection keeps the plans that it made while they were empty. What
// runs with each order must not read all orders of the account then, until the first statistics are there.

const ORDERS = 2_000;
const READ_MAX = 600;

let service: TestService;
let accountId: Uuid;
let productId: Uuid;
before(async () => {
  service = await startTestService({ role: 'api' });
  // What the database of the tests is copied from may have been looked at.
  await rows(
    service,
    'select pg_clear_relation_stats(schemaname, tablename) from pg_tables where schemaname = current_schema',
    [],
  );
  const placed = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
  assert.equal(placed.status, 201, placed.text);
  ({ accountId } = service.customer);
  productId = parseId('prod', service.demo.products.fixed) as Uuid;
  await rows(
    service,
    `insert into setup_right (account_id, design_hash, method, paid_by_order, amount_pence, created_at)
     select distinct a.account_id, a.design_hash, 'screen_print', o.id, 2500, o.placed_at
     from product_area a join orders o on o.account_id = a.account_id where a.product_id = $1`,
    [productId],
  );
});
after(() => service.stop());

/** The account's order, written so often again, in a transaction. */
async function grow(tx: Db): Promise<void> {
  const columns = await tx.all<{ name: string }>(
    {
      name: '',
      text: `select quote_ident(column_name) as name from information_schema.columns
        where table_schema = current_schema and table_name = 'orders' and is_generated = 'NEVER'`,
    },
    [],
  );
  const copied = columns.map(({ name }) => {
    if (name === 'id') return 'uuid_v7(o.placed_at + make_interval(secs => n))';
    return name === 'reference' ? "'PF-' || n" : `o.${name}`;
  });
  const text = `insert into orders (${columns.map(({ name }) => name).join()})
    select ${copied.join()} from orders o, generate_series(1, ${ORDERS}) as n where o.account_id = $1`;
  await tx.all({ name: '', text }, [accountId]);
}

/** Asks until the connection keeps its plan, grows the account, and returns what one more question reads. */
async function readWhenGrown(ask: (tx: Db) => Promise<readonly string[]>): Promise<number> {
  let read = 0;
  await undone(service.ctx.database, async (tx) => {
    const known = await ask(tx);
    assert.ok(known.length > 0, 'the account has paid for setups');
    for (let times = 0; times < 8; times += 1) await ask(tx);
    await grow(tx);
    read = await rowsReadOf(tx, async () => assert.deepEqual(await ask(tx), known));
  });
  return read;
}

test('what a basket needs is read by keys, though the plan is from before the account had orders', async () => {
  const basket = { accountId, externalReference: null, brand: null, productIds: [productId], skus: [TEE_WHITE_M] };
  const read = await readWhenGrown(async (tx) => (await gatherForBaskets(tx, [basket])).flatMap((row) => row.rights));
  assert.ok(read <= READ_MAX, `it reads ${read} rows`);
});

test('so are the rights to designs that were fetched', async () => {
  const rights = await rows<{ hash: string }>(service, "select encode(design_hash, 'hex') as hash from setup_right");
  const hashes = rights.map(({ hash }) => hash);
  const read = await readWhenGrown((tx) => readSetupRights(tx, accountId, hashes));
  assert.ok(read <= READ_MAX, `it reads ${read} rows`);
});
