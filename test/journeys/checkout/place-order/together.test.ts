import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openGathering } from '../../../../src/checkout/gather.ts';
import {
  type GatheredBasket,
  gatherForBaskets,
  type NewOrder,
  type PlacedRow,
  placeOrders,
} from '../../../../src/checkout/place-sql.ts';
import { openPlacing } from '../../../../src/checkout/place-together.ts';
import { type Database, hasSqlState } from '../../../../src/lib/db.ts';
import { parseId, publicId, type Uuid } from '../../../../src/lib/ids.ts';
import { PLACED_COLUMNS } from '../../../../src/orders/order-columns.ts';
import type { PlaceOrderBody } from '../../../../src/orders/schema.ts';
import { setPaymentMethod } from '../../../../src/payments/method.ts';
import { newOrderOf } from '../../../harness/new-order.ts';
import { openRace, second, service } from '../../../harness/race.ts';
import { body, newReference, openShop, type Shop } from '../../../harness/shop.ts';
import { balancePence, booksOf, eventNames, holdBalance, rows } from '../../../harness/written.ts';

// Orders of one moment are written by one statement, and each has a fate of its own.

openRace();

const draft = (shop: Shop, changes: Partial<PlaceOrderBody> = {}): Promise<NewOrder> =>
  newOrderOf(service, shop.customer, { ...body(shop), ...changes } as PlaceOrderBody);

const together = (...orders: NewOrder[]): Promise<readonly PlacedRow[]> =>
  placeOrders(service.ctx.database, orders, 'together');
const fatesOf = (placed: readonly PlacedRow[]): string[] =>
  placed.map(({ fate, is_paid }) => (fate === 'placed' ? (is_paid ? 'paid' : 'unpaid') : fate));

describe('orders that are written together', () => {
  test('of several accounts: each is paid from its own balance, in their order, and an unpaid one takes nothing', async () => {
    const rich = await openShop(service, 10);
    const poor = await openShop(service, 2);
    const dear = { items: [{ product_id: poor.productId, variant_sku: poor.sku, quantity: 50 }] };
    const orders = [
      await draft(poor),
      await draft(rich),
      await draft(poor, dear),
      await draft(poor),
      await draft(poor),
    ];
    assert.deepEqual(fatesOf(await together(...orders)), ['paid', 'paid', 'unpaid', 'paid', 'unpaid']);
    assert.equal(await balancePence(service, poor.customer), 0);
    assert.equal(await balancePence(service, rich.customer), 9 * rich.totalPence);
    assert.deepEqual(await eventNames(service, poor), [
      'order.created',
      'order.payment_failed',
      'order.created',
      'order.payment_failed',
    ]);
    const entries = await rows<{ entry: number; balance_after_pence: number }>(
      service,
      `select entry::integer, balance_after_pence::integer from posting
       where account_id = '${poor.customer.accountId}' and entry is not null order by entry`,
    );
    assert.deepEqual(
      entries.map(({ entry, balance_after_pence }) => [entry, balance_after_pence]),
      [
        [1, 2 * poor.totalPence],
        [2, poor.totalPence],
        [3, 0],
      ],
    );
  });

  test('one whose balance is locked is left out, with its reference, and holds up none', async () => {
    const [held, free] = [await openShop(service, 5), await openShop(service, 5)];
    const external_reference = newReference();
    await holdBalance(second, held);
    const orders = [await draft(held, { external_reference }), await draft(free), await draft(held)];
    assert.deepEqual(fatesOf(await together(...orders)), ['busy', 'paid', 'busy']);
    await second.query('rollback');
    assert.equal((await booksOf(service, held.customer)).orders, 0);
    assert.equal((await held.order({ external_reference })).status, 201);
  });

  test('one whose quote is out of date, or whose reference another order has, leaves the others as they are', async () => {
    const [one, other] = [await openShop(service, 5), await openShop(service, 5)];
    const external_reference = newReference();
    assert.equal((await one.order({ external_reference })).status, 201);
    const late = await draft(one);
    const orders = [
      { ...late, catalogueVersion: late.catalogueVersion - 1 },
      { ...(await draft(other)), externalReference: external_reference },
      await draft(other),
      { ...late, id: (await draft(one)).id, priceBookVersion: late.priceBookVersion + 1 },
    ];
    assert.deepEqual(fatesOf(await together(...orders)), ['stale', 'taken', 'paid', 'stale']);
    assert.deepEqual(
      [(await booksOf(service, one.customer)).orders, (await booksOf(service, other.customer)).orders],
      [1, 1],
    );
  });

  test('one that a card might pay is left out, unless its balance covers it', async () => {
    const shop = await openShop(service, 1);
    await setPaymentMethod(service.ctx, { accountId: shop.customer.accountId, kind: 'card', reference: 'pm_1' });
    const drafts = [await draft(shop), await draft(shop)];
    const orders = drafts.map((order) => ({ ...order, attemptId: order.eventId }));
    assert.deepEqual(fatesOf(await together(...orders)), ['paid', 'busy']);
    assert.equal((await booksOf(service, shop.customer)).orders, 1);
  });

  test('print files that several of them need are made once for each account', async () => {
    const [one, other] = [await openShop(service, 9), await openShop(service, 9)];
    const plain = [await draft(one), await draft(one), await draft(other)];
    // As if each printed a design for the first time.
    const keyOf = (order: NewOrder): string => order.accountId.replaceAll('-', '').padEnd(64, '0');
    const orders = plain.map((order) => ({
      ...order,
      files: [{ key: keyOf(order), recipe: { kind: 'design', designHash: '00'.repeat(32) } }],
    }));
    assert.deepEqual(fatesOf(await together(...orders)), ['paid', 'paid', 'paid']);
    const names = `'{${orders.map(keyOf).join()}}'::text[]`;
    const keys = `array(select decode(name, 'hex') from unnest(${names}) as name)`;
    const [counted] = await rows<{ files: number; needs: number; jobs: number }>(
      service,
      `select (select count(*)::integer from print_file where key = any(${keys})) as files,
         (select count(*)::integer from print_file_need where print_file_key = any(${keys})) as needs,
         (select count(*)::integer from job where key = any(${names})) as jobs`,
    );
    assert.deepEqual({ ...counted }, { files: 2, needs: 3, jobs: 2 });
    await service.ctx.database.script(`delete from job where key = any(${names});
      delete from print_file_need where print_file_key = any(${keys}); delete from print_file where key = any(${keys})`);
  });

  test('an error undoes all of them', async () => {
    const shop = await openShop(service, 5);
    const [one, other] = [await draft(shop), await draft(shop)];
    const twice = { ...other, order: { ...other.order, reference: (one.order as { reference: string }).reference } };
    await assert.rejects(together(one, twice), (error) => hasSqlState(error, '23505'));
    const books = await booksOf(service, shop.customer);
    assert.deepEqual([books.orders, books.charges, books.balance_pence], [0, 0, 5 * shop.totalPence]);
  });
});

/** A database whose first statement for all orders waits, so that what comes meanwhile goes together. */
function gated(database: Database): { database: Database; sizes: number[]; open: () => void } {
  const sizes: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const all: Database['all'] = async (what, values) => {
    sizes.push((values[1] as readonly string[]).length);
    await promise;
    return database.all(what, values);
  };
  return { database: { ...database, of: () => ({ ...database, all }) }, sizes, open: resolve };
}

describe('a process that places orders', () => {
  /** Places orders so that all but the first go together. */
  async function placeGated(
    orders: readonly NewOrder[],
  ): Promise<{ fates: PromiseSettledResult<PlacedRow>[]; sizes: number[] }> {
    const gate = gated(service.ctx.database);
    const placing = openPlacing(gate.database);
    const placed = orders.map((order) => placing(service.ctx.database, order));
    gate.open();
    return { fates: await Promise.allSettled(placed), sizes: gate.sizes };
  }
  const outcomes = (fates: PromiseSettledResult<PlacedRow>[]): string[] =>
    fates.map((fate) => (fate.status === 'fulfilled' ? (fatesOf([fate.value])[0] ?? '') : 'failed'));

  test('places those that come while others are under way together', async () => {
    const shops = [await openShop(service, 3), await openShop(service, 3), await openShop(service, 3)];
    const orders = (await Promise.all(shops.map((shop) => Promise.all([draft(shop), draft(shop)])))).flat();
    const { fates, sizes } = await placeGated(orders);
    assert.deepEqual(outcomes(fates), ['paid', 'paid', 'paid', 'paid', 'paid', 'paid']);
    // One whose balance something else holds in that moment leaves the batch and goes alone.
    const [first = 0, together = 0, ...alone] = sizes;
    assert.equal(first, 1);
    assert.ok(together >= 4, sizes.join());
    assert.deepEqual(
      alone,
      Array.from({ length: 5 - together }, () => 1),
    );
  });

  test('places each alone when one of them fails: the others are placed', async () => {
    const shop = await openShop(service, 9);
    const orders = await Promise.all([1, 2, 3, 4, 5].map(() => draft(shop)));
    const [, , third, fourth] = orders;
    assert.ok(third !== undefined && fourth !== undefined);
    orders[3] = { ...fourth, order: { ...fourth.order, reference: (third.order as { reference: string }).reference } };
    const { fates } = await placeGated(orders);
    assert.equal(outcomes(fates).filter((outcome) => outcome === 'failed').length, 1, outcomes(fates).join());
    const books = await booksOf(service, shop.customer);
    assert.deepEqual([books.orders, books.paid, books.balance_pence], [4, 4, 5 * shop.totalPence]);
  });

  test('an account whose balance is held for long delays no other', async () => {
    const [held, free] = [await openShop(service, 5), await openShop(service, 50)];
    await holdBalance(second, held);
    const waiting = [1, 2, 3, 4].map(() => held.order());
    await second.untilWaiting(4);
    for (let round = 0; round < 20; round += 1) assert.equal((await free.order()).status, 201);
    await second.query('rollback');
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [201, 201, 201, 201],
    );
  });

  test('a reference that another transaction writes delays no other: its order waits alone', async () => {
    const [one, free] = [await openShop(service, 5), await openShop(service, 50)];
    const external_reference = newReference();
    await second.query(
      `begin; insert into order_reference values ('${external_reference}', '${one.customer.accountId}', gen_random_uuid())`,
    );
    const waiting = one.order({ external_reference });
    await second.untilWaiting(1);
    const others = await Promise.all(Array.from({ length: 20 }, () => free.order()));
    assert.ok(others.every(({ status }) => status === 201));
    await second.query('rollback');
    assert.equal((await waiting).status, 201);
  });

  test('a lost answer is the same for all of a batch: none is placed twice, and the repeat finds its order', async () => {
    const shop = await openShop(service, 40);
    const references = Array.from({ length: 16 }, newReference);
    const place = () => Promise.all(references.map((external_reference) => shop.order({ external_reference })));
    const first = place();
    await second.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like '%place_orders(%' and state = 'active'`);
    assert.ok((await first).every(({ status }) => [200, 201, 503].includes(status)));
    assert.ok((await place()).every(({ status }) => [200, 201].includes(status)));
    const books = await booksOf(service, shop.customer);
    assert.deepEqual(
      [books.orders, books.paid, books.charges, books.balance_pence],
      [16, 16, 16, 24 * shop.totalPence],
    );
  });
});

test('the function that places orders fills every column that an order is placed with', () => {
  const texts = readdirSync('migrations')
    .toSorted()
    .map((name) => readFileSync(`migrations/${name}`, 'utf8'));
  const text = texts.findLast((one) => one.includes('function place_orders(')) ?? '';
  assert.match(text, /function place_orders\([\s\S]*set enable_seqscan = off/);
  const [, record = ''] = /json_to_recordset\(order_rows\) as o\(([^)]*)\)/.exec(text) ?? [];
  const named = record.split(',').map((column) => column.trim().split(' '));
  const expected = PLACED_COLUMNS.map(([name, type]) => [name, type]);
  assert.deepEqual(
    named.filter(([name = '']) => !['n', 'cancellable_until', 'line_count'].includes(name)),
    expected,
  );
  for (const [name] of PLACED_COLUMNS) assert.match(text, new RegExp(`\\bo\\.${name}\\b`));
});

describe('baskets that are read together', () => {
  const basketOf = (shop: Shop, externalReference: string | null = null): GatheredBasket => ({
    accountId: shop.customer.accountId,
    externalReference,
    brand: 'default',
    productIds: [parseId('prod', shop.productId) as Uuid],
    skus: [shop.sku],
  });

  test('have each its own account, product, reference and stock, in their order', async () => {
    const [one, other] = [await openShop(service, 5), await openShop(service, 5)];
    const external_reference = newReference();
    const order = await one.order({ external_reference });
    const foreign = { ...basketOf(one), productIds: basketOf(other).productIds, skus: ['NO-SUCH-SKU'] };
    const baskets = [basketOf(other), basketOf(one, external_reference), foreign, basketOf(other, external_reference)];
    const rows = await gatherForBaskets(service.ctx.database, baskets);
    const seen = rows.map(({ reference, products, stock }) => [
      reference && publicId('ord', reference.order_id),
      products.map(({ id }) => publicId('prod', id)),
      Object.keys(stock),
    ]);
    assert.deepEqual(seen, [
      [null, [other.productId], [other.sku]],
      [order.body.id, [one.productId], [one.sku]],
      [null, [], []],
      [order.body.id, [other.productId], [other.sku]],
    ]);
    const alone = await Promise.all(baskets.map((basket) => gatherForBaskets(service.ctx.database, [basket])));
    assert.deepEqual(alone.flat(), rows);
  });

  test('are read alone when the server refused to read them together, and not when it gave no answer', async () => {
    const shop = await openShop(service, 5);
    const fault = (): Promise<never> =>
      service.ctx.database.one({ name: '', text: 'select 1 / 0' }, []) as Promise<never>;
    const broken = { ...service.ctx.database, all: fault };
    const gathering = openGathering({ ...service.ctx.database, of: () => broken });
    const { reference, products } = await gathering(service.ctx.database, basketOf(shop));
    assert.deepEqual([reference, products.length], [null, 1]);
    const silent = { ...service.ctx.database, all: () => Promise.reject(new Error('no answer')) };
    const waiting = openGathering({ ...service.ctx.database, of: () => silent });
    await assert.rejects(waiting(service.ctx.database, basketOf(shop)), /no answer/);
  });
});
