import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import type { Db } from '../../../../src/lib/db.ts';
import { stepsOf } from '../../../../src/lib/migrations/steps.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { StockOverview } from '../../../../src/production/schema.ts';
import { countAwaiting } from '../../../../src/production/stock-overview/count-awaiting.ts';
import { countNext, hasUncounted, listStockRows, lockCounting } from '../../../../src/production/stock-overview/sql.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { eventually } from '../../../harness/context.ts';
import { count, type Floor, openFloor, placeOrder } from '../../../harness/floor.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, TEE_WHITE_M, teeItem } from '../../../harness/shop.ts';

// What waits is counted by a worker and shown exactly, wherever the worker is. Here the tests count, at bad moments.

const COUNTED = 'what waits for promotion is counted, by order and by variant';

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService({ role: 'api' });
  floor = await openFloor(service, 'admin');
  await count(floor, TEE_WHITE_M, 1_000);
});
beforeEach(countAll);
after(() => service.stop());

/** Counts what may be counted now. A transaction of any database of the server may be in the way. */
async function countNow(): Promise<void> {
  while (await hasUncounted(service.ctx.database)) await countAwaiting(service.ctx);
}

async function countAll(): Promise<void> {
  const text = `select exists (select from orders where changed_by >= (select counted_before from stock_awaiting_progress)) as is_left`;
  await eventually('all changes are counted', async () => {
    await countNow();
    const [row] = await service.ctx.database.all<{ is_left: boolean }>({ name: '', text }, []);
    return row?.is_left === false;
  });
}

async function awaiting(): Promise<number> {
  const { body } = await floor.request<Page<StockOverview>>('GET', `/stock?sku=${TEE_WHITE_M}`);
  return body.data[0]?.awaiting ?? Number.NaN;
}

/** What waits, of every line there is. */
async function waiting(): Promise<number> {
  const row = await service.ctx.database.one<{ pieces: number }>(
    {
      name: 'counted_waiting',
      text: `select coalesce(sum(l.quantity - l.quantity_cancelled - l.quantity_shipped), 0)::integer as pieces
             from orders o join order_line l on l.order_id = o.id
             where o.state in ('placed', 'on_hold') and l.sku = $1 and not exists (select from allocation a where a.order_id = o.id)`,
    },
    [TEE_WHITE_M],
  );
  return row?.pieces ?? Number.NaN;
}

async function countedRows(): Promise<number> {
  const row = await service.ctx.database.one<{ rows: number }>(
    { name: 'counted_rows', text: 'select count(*)::integer as rows from stock_awaiting_order' },
    [],
  );
  return row?.rows ?? Number.NaN;
}

const listOf = (db: Db) => listStockRows(db, { skus: [TEE_WHITE_M], after: null, limit: 1 });

const place = (quantity: number, of?: Shop) => {
  const item = of === undefined ? teeItem(service) : { product_id: of.productId, variant_sku: TEE_WHITE_M };
  return placeOrder(service, { items: [{ ...item, quantity }] }, of?.customer);
};

/** Another account with a product of its own. */
type Shop = { readonly customer: Customer; readonly productId: string };
async function openShop(balancePence: number): Promise<Shop> {
  const customer = await service.openCustomer({ balancePence });
  return { customer, productId: await addProduct(service, customer, 'TEE-CLASSIC') };
}

async function broken(): Promise<string[]> {
  const { checks } = await verify(service.ctx);
  return checks.filter(({ violations }) => violations.length > 0).map(({ name }) => name);
}

/** Does each step twice over: counted before the next one, and not. The overview says the same. */
const WAYS: readonly (readonly [way: string, step: () => Promise<void>])[] = [
  ['counted after each step', countAll],
  ['counted at the end', async () => {}],
];
for (const [way, counted] of WAYS) {
  test(`each move of an order changes what waits by its pieces, ${way}`, async () => {
    const before = await awaiting();
    const rows = await countedRows();
    const holds = async (what: string, pieces: number): Promise<void> => {
      assert.equal((await awaiting()) - before, pieces, what);
      await counted();
      assert.equal((await awaiting()) - before, pieces, `${what}, counted`);
      assert.equal(await awaiting(), await waiting());
    };
    const order = await place(5);
    await holds('placed', 5);
    const [line] = order.items.lineItems;
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'x', items: [{ line_id: line?.id, quantity: 2 }] });
    await holds('cancelled in part', 3);
    await floor.post(`/orders/${order.id}/hold`, { reason: 'x' });
    await holds('held before its promotion', 3);
    await floor.post(`/orders/${order.id}/resume`);
    await holds('resumed', 3);
    await floor.post(`/orders/${order.id}/promote`);
    await holds('promoted', 0);
    await floor.post(`/orders/${order.id}/hold`, { reason: 'x' });
    await holds('held after its promotion', 0);
    const gone = await place(7);
    await holds('another', 7);
    await service.customer.request('POST', `/orders/${gone.id}/cancel`);
    await holds('cancelled by its customer', 0);
    const poor = await openShop(0);
    const unpaid = await place(4, poor);
    assert.equal(unpaid.payment_status, 'failed');
    await holds('not paid', 0);
    await floor.post(`/orders/${unpaid.id}/settle`);
    await holds('settled', 4);
    await floor.post(`/orders/${unpaid.id}/cancel`, { reason: 'x' });
    await holds('cancelled by an operator', 0);
    await countAll();
    assert.equal(await countedRows(), rows, 'nothing is kept of an order that waits no more');
    assert.deepEqual(await broken(), []);
  });
}

test('a change that is under way is not passed over by a count that ends before it', async () => {
  const before = await awaiting();
  const order = await place(3);
  await countAll();
  const other = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  // A transaction with an earlier number than what is counted meanwhile, as a node of any version makes it.
  const slow = service.ctx.database.transaction(async (tx) => {
    const text = `update orders set state = 'cancelled', changed_by = transaction_number() where reference = $1`;
    await tx.all({ name: '', text }, [order.reference]);
    begun.resolve();
    await other.promise;
  });
  await begun.promise;
  await place(2);
  await countNow();
  assert.equal((await awaiting()) - before, 5, 'it is not committed');
  other.resolve();
  await slow;
  assert.equal((await awaiting()) - before, 2, 'it is committed, and not counted yet');
  await countAll();
  assert.equal((await awaiting()) - before, 2);
  const text = `update orders set state = 'placed', changed_by = transaction_number() where reference = $1`;
  await service.ctx.database.all({ name: '', text }, [order.reference]);
  await countAll();
  assert.deepEqual(await broken(), []);
});

test('a count that does not end has counted nothing, and one node counts at a time', async () => {
  const before = await awaiting();
  await place(6);
  await eventually('the orders may be counted', () => hasUncounted(service.ctx.database));
  await assert.rejects(
    service.ctx.database.transaction(async (tx) => {
      assert.equal(await lockCounting(tx), true);
      assert.ok((await countNext(tx)) > 0);
      assert.equal(await service.ctx.database.transaction(lockCounting), false, 'another node leaves it alone');
      assert.equal((await awaiting()) - before, 6, 'nobody waits for it');
      throw new Error('killed');
    }),
    /killed/,
  );
  assert.equal((await awaiting()) - before, 6);
  await Promise.all(Array.from({ length: 4 }, () => countAwaiting(service.ctx)));
  await countAll();
  assert.equal((await awaiting()) - before, 6, 'it is counted once');
  assert.deepEqual(await broken(), []);
});

test('what waits is exact at every moment while accounts place, promote and cancel beside the count', async () => {
  const shops = await Promise.all([1, 2, 3].map(() => openShop(500_000)));
  const over = new AbortController();
  const counting = (async () => {
    while (!over.signal.aborted) await countAwaiting(service.ctx);
  })();
  const TEXT = `select (select coalesce(sum(l.quantity - l.quantity_cancelled - l.quantity_shipped), 0)
      from orders o join order_line l on l.order_id = o.id
      where o.state in ('placed', 'on_hold') and l.sku = $1 and not exists (select from allocation a where a.order_id = o.id)
    )::integer as waits`;
  const reading = (async () => {
    let reads = 0;
    while (!over.signal.aborted) {
      // Both of one moment.
      await service.ctx.database.transaction(async (tx) => {
        await tx.all({ name: '', text: 'set transaction isolation level repeatable read' }, []);
        const [shown] = await listOf(tx);
        const [row] = await tx.all<{ waits: number }>({ name: '', text: TEXT }, [TEE_WHITE_M]);
        assert.equal(shown?.awaiting, row?.waits);
      });
      reads += 1;
    }
    return reads;
  })();
  try {
    await Promise.all(
      shops.map(async (shop) => {
        for (let turn = 0; turn < 5; turn += 1) {
          const [promoted, cancelled] = [await place(2, shop), await place(3, shop)];
          await Promise.all([
            floor.post(`/orders/${promoted.id}/promote`),
            shop.customer.request('POST', `/orders/${cancelled.id}/cancel`),
            place(1, shop),
          ]);
        }
      }),
    );
  } finally {
    over.abort();
    await counting;
  }
  assert.ok((await reading) > 5);
  await countAll();
  assert.equal(await awaiting(), await waiting());
  assert.deepEqual(await broken(), []);
});

test('platen verify finds a variant or an order that is counted wrongly', async () => {
  await place(2);
  await countAll();
  const plant = async (text: string, undo: string): Promise<void> => {
    await service.ctx.database.script(text);
    assert.deepEqual(await broken(), [COUNTED], text);
    await service.ctx.database.script(undo);
    assert.deepEqual(await broken(), [], undo);
  };
  const of = `where sku = '${TEE_WHITE_M}'`;
  await plant(
    `update stock_awaiting set pieces = pieces + 1 ${of}`,
    `update stock_awaiting set pieces = pieces - 1 ${of}`,
  );
  await plant(
    'create table gone as select * from stock_awaiting_order; delete from stock_awaiting_order',
    'insert into stock_awaiting_order select * from gone; drop table gone',
  );
  // As the runbook mends it.
  await service.ctx.database.script(`update stock_awaiting set pieces = pieces + 1 ${of};
    delete from stock_awaiting; delete from stock_awaiting_order; update stock_awaiting_progress set counted_before = '0'`);
  await countAll();
  assert.deepEqual(await broken(), []);
  assert.equal(await awaiting(), await waiting());
});

test('what waited before an upgrade is counted by it, in pages and however often', async () => {
  for (let turn = 0; turn < 5; turn += 1) await place(1);
  const held = await place(1);
  await floor.post(`/orders/${held.id}/hold`, { reason: 'x' });
  const { database } = service.ctx;
  const rows = await countedRows();
  await database.script('delete from stock_awaiting; delete from stock_awaiting_order');
  const steps = stepsOf(readFileSync('migrations/0040-awaited-stock.sql', 'utf8'));
  const text = steps.find(({ kind }) => kind === 'batches')?.text ?? '';
  for (let time = 0; time < 2; time += 1) {
    let next: string | null = null;
    do {
      const [page]: { next: string | null; rows: number }[] = await database.all({ name: '', text }, [next, 3]);
      next = page?.rows === 3 ? page.next : null;
    } while (next !== null);
  }
  await countAll();
  assert.ok((await countedRows()) >= rows + 6);
  assert.deepEqual(await broken(), []);
  assert.equal(await awaiting(), await waiting());
});
