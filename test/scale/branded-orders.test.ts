import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CheckoutContext } from '../../src/checkout/context.ts';
import { openGathering } from '../../src/checkout/gather.ts';
import { placeOrder } from '../../src/checkout/place-order.ts';
import { gatherForBaskets } from '../../src/checkout/place-sql.ts';
import { openPlacing } from '../../src/checkout/place-together.ts';
import type { Caller } from '../../src/lib/caller.ts';
import type { Database, Db, Statement } from '../../src/lib/db.ts';
import { parseId, type Uuid } from '../../src/lib/ids.ts';
import type { PlaceOrderBody } from '../../src/orders/schema.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { body, openShop, type Shop } from '../harness/shop.ts';
import { rows } from '../harness/written.ts';

// What a brand costs a placing: nothing where there is none. Statements and blocks are counted, so the machine's speed
// has no say in it.

const ORDERS = 20;

let service: TestService;
let shop: Shop;
before(async () => {
  service = await startTestService({ role: 'api' });
  shop = await openShop(service, 3 * ORDERS);
});
after(() => service.stop());

/** The statements that the placing of an order sends, by their names. */
async function statementsOf(changes: Partial<PlaceOrderBody>): Promise<string[]> {
  const names: string[] = [];
  const noting = (db: Db): Db => ({
    ...db,
    all: (what, values) => {
      names.push(what.name);
      return db.all(what, values);
    },
    one: (what, values) => {
      names.push(what.name);
      return db.one(what, values);
    },
  });
  const own = service.ctx.database;
  const database: Database = {
    ...own,
    ...noting(own),
    of: () => database,
    transaction: (work) => own.transaction((tx) => work(noting(tx))),
  };
  const gathering = openGathering(database);
  const ctx: CheckoutContext = { ...service.ctx, database, gathering, placing: openPlacing(database) };
  const caller: Caller = { accountId: shop.customer.accountId, limitedAs: 'test', scopes: new Set() };
  const basket = { ...body(shop), ...changes } as PlaceOrderBody;
  const signal = new AbortController().signal;
  const placed = await placeOrder(ctx, caller, { body: basket, unknownFields: [], signal, source: 'api' });
  assert.equal(placed.kind, 'placed');
  return names;
}

type PlanNode = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
};

/** How often gathering a basket has looked into each of the tables of brands. */
async function looksOf(brand: Uuid | 'default' | null): Promise<Record<string, number>> {
  const { database } = service.ctx;
  const looks: Record<string, number> = {};
  const count = (node: PlanNode): void => {
    const table = node['Relation Name'] ?? '';
    if (table.startsWith('brand')) looks[table] = (looks[table] ?? 0) + (node['Actual Loops'] ?? 0);
    for (const child of node.Plans ?? []) count(child);
  };
  const all = async <Row>(what: Statement<Row>, values: Parameters<Db['all']>[1]): Promise<Row[]> => {
    const text = `explain (analyze, format json) ${what.text}`;
    const [row] = await database.all<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({ name: '', text }, values);
    count(row?.['QUERY PLAN'][0].Plan ?? {});
    return [{} as Row];
  };
  await gatherForBaskets({ all, one: async (what, values) => (await all(what, values))[0], afterCommit: () => {} }, [
    {
      accountId: shop.customer.accountId,
      externalReference: null,
      brand,
      productIds: [parseId('prod', shop.productId) as Uuid],
      skus: [shop.sku],
    },
  ]);
  return looks;
}

/** The pages of the index of branded orders; one without an entry has the first alone. */
const indexPages = async (): Promise<number | undefined> =>
  (
    await rows<{ pages: number }>(service, "select pg_relation_size('orders_brand_revision')::integer / 8192 as pages")
  )[0]?.pages;

test('an order of an account without brands looks into none of their tables, and is in no index of theirs', async () => {
  assert.deepEqual(await looksOf('default'), { brand: 0, brand_revision: 0 });
  for (let order = 0; order < ORDERS; order += 1) assert.equal((await shop.order()).status, 201);
  assert.equal(await indexPages(), 1);
});

test('a brand adds no statement to a placing: it is read with the basket, by one look into each of two tables', async () => {
  const plain = await statementsOf({});
  const made = await shop.customer.request<{ id: string }>('POST', '/brands', { name: 'Fern' });
  const id = made.body.id;
  assert.deepEqual(await looksOf('default'), { brand: 0, brand_revision: 0 }, 'one that is not the default');
  const named = await statementsOf({ brand: id });
  await shop.customer.request('PATCH', `/brands/${id}`, { is_default: true });
  const byDefault = await statementsOf({});
  assert.deepEqual([named, byDefault], [plain, plain]);
  assert.deepEqual(await looksOf('default'), { brand: 1, brand_revision: 1 });
  assert.deepEqual(await looksOf(null), { brand: 0, brand_revision: 0 }, 'none was asked for');
  assert.ok(((await indexPages()) ?? 0) > 1, 'branded orders are in the index');
});
