import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { type DatabaseProxy, startDatabaseProxy, type Verdict } from '../harness/database-proxy.ts';
import { openPremises, type Premises } from '../harness/premises.ts';
import { platenJson, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { HOME } from '../harness/shop.ts';

// A real process is killed at each point of recording a spoiled piece for which there is no blank, and of the receipt
// that brings one. The repeat under the same key finds it done or does it: each is there once, with its task, and no
// blank is lost or promised twice. Between the points nothing is repaired by hand.

const SKU = 'TEE-CLASSIC-NVY-2XL';
const KILLED_WITHIN_MS = 30_000;

/** By day only once each statement was done and nobody has heard of it. */
const IS_NIGHTLY = process.env.PLATEN_NIGHTLY === '1';

type Point = { readonly statement: string; readonly side: 'before' | 'after' };
const SIDES: readonly Point['side'][] = IS_NIGHTLY ? ['before', 'after'] : ['after'];
const points = (...statements: readonly string[]): Point[] =>
  statements.flatMap((statement) => SIDES.map((side) => ({ statement, side })));
const SPOILING = points('accounts_insert_task', 'catalogue_promise_short', 'catalogue_move_stock', 'commit');
const RECEIVING = points('catalogue_move_stock', 'catalogue_supply_short', 'accounts_close_tasks', 'commit');

let premises: Premises;
let proxy: DatabaseProxy;
let service: ServiceProcess;
let token: string;
let armed: Point | undefined;
/** The statement of the work whose commit is meant: others commit too. */
let hasBegun = false;

before(async () => {
  premises = await openPremises({}, async (own) => {
    proxy = await startDatabaseProxy(own);
    return proxy.url;
  });
  const operator = ['operator', 'create', '--email', 'ada@shop.example', '--password', 'a password of the tests'];
  const made = await platenJson<{ token: string }>([...operator, '--role', 'admin'], premises.env);
  token = made.token;
  const look = ({ statement }: { statement: string }, side: Point['side']): Verdict => {
    if (armed === undefined) return 'pass';
    if (statement === 'catalogue_lock_stock') hasBegun = true;
    const isThere = statement === armed.statement || statement.startsWith(`${armed.statement};`);
    if (!hasBegun || side !== armed.side || !isThere) return 'pass';
    armed = undefined;
    process.kill(service.pid, 'SIGKILL');
    return 'swallow';
  };
  proxy.watch({ before: (one) => look(one, 'before'), after: (one) => look(one, 'after') });
  service = await startServiceProcess(premises.env);
});
after(async () => {
  if (service?.isRunning()) await service.kill();
  await proxy?.close();
  await premises?.close();
});

/** A call of the operations API to whichever process runs; undefined when it ended before it answered. */
async function ops<Body>(method: string, path: string, body?: object, key?: string) {
  try {
    const answer = await fetch(`http://127.0.0.1:${premises.env.PORT}/ops/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(KILLED_WITHIN_MS),
    });
    return { status: answer.status, body: (await answer.json()) as Body };
  } catch {
    return undefined;
  }
}

async function done<Body>(path: string, body: object, key?: string): Promise<Body> {
  const answer = await ops<Body>('POST', path, body, key);
  assert.ok(answer !== undefined && answer.status < 300, JSON.stringify(answer));
  return answer.body;
}

/** Asks for something while the process is to be killed at a point, and again once another runs. */
async function killedAt(point: Point, path: string, body: object, key: string): Promise<void> {
  hasBegun = false;
  armed = point;
  assert.equal(await ops('POST', path, body, key), undefined, `${point.side} ${point.statement} it is killed`);
  await eventually('the process is gone', async () => !service.isRunning(), KILLED_WITHIN_MS);
  service = await startServiceProcess(premises.env);
  await done(path, body, key);
}

async function started(quantity: number): Promise<{ id: string; line: string }> {
  await done('/stock/receipts', { items: [{ sku: SKU, quantity }] });
  const item = { product_id: premises.demo.products.fixed, variant_sku: SKU, quantity, print_jobs: [] };
  const placed = await premises.call('POST', '/orders', { items: [item], shipping_address: HOME });
  assert.equal(placed?.status, 201, placed?.text);
  const order = JSON.parse(placed?.text ?? '') as CreatedOrder;
  await done(`/orders/${order.id}/promote`, {});
  await done(`/orders/${order.id}/start`, {});
  return { id: order.id, line: order.items.lineItems[0]?.id ?? '' };
}

test('a spoiled piece with no blank left, and the receipt that brings one: killed at each point, each is there once', async () => {
  await done('/stock/counts', { items: [{ sku: SKU, on_hand: 0 }] });
  const order = await started(SPOILING.length);
  const seen = async (): Promise<OpsOrder> => {
    const answer = await ops<OpsOrder>('GET', `/orders/${order.id}`);
    return answer?.body ?? assert.fail('no answer');
  };
  for (const [index, point] of SPOILING.entries()) {
    const body = { quantity: 1, reason: 'torn' };
    await killedAt(point, `/orders/${order.id}/lines/${order.line}/spoil`, body, `spoil-${index}`);
    const { lines, tasks, quantity_short: short } = await seen();
    assert.deepEqual([lines[0]?.quantity_spoiled, short], [index + 1, index + 1], `${point.side} ${point.statement}`);
    assert.equal(tasks.filter(({ kind }) => kind === 'line_short').length, 1, 'one task is open');
  }
  for (const [index, point] of RECEIVING.entries()) {
    // The last piece closes the task, where the point is one of closing it.
    const short = SPOILING.length - index;
    const body = { items: [{ sku: SKU, quantity: point.statement === 'accounts_close_tasks' ? short : 1 }] };
    if (point.statement === 'accounts_close_tasks') {
      await killedAt(point, '/stock/receipts', body, `receipt-${index}`);
      assert.equal((await seen()).quantity_short, 0);
      assert.deepEqual((await seen()).tasks, []);
      await done(`/orders/${order.id}/lines/${order.line}/start`, {});
      const again = { quantity: short, reason: 'torn again' };
      await done(`/orders/${order.id}/lines/${order.line}/spoil`, again);
      // As before: so many that one more is spoiled than comes in.
      await done('/stock/receipts', { items: [{ sku: SKU, quantity: 1 }] });
    } else {
      await killedAt(point, '/stock/receipts', body, `receipt-${index}`);
    }
    assert.equal((await seen()).quantity_short, short - 1, `${point.side} ${point.statement}`);
  }
  const receipts = await premises.query<{ count: string }>(
    `select count(*) as count from stock_movement where kind = 'receipt' and sku = $1`,
    [SKU],
  );
  assert.equal(Number(receipts[0]?.count), 1 + RECEIVING.length + SIDES.length, 'each receipt was booked once');
  assert.equal(await premises.violations(), '');
});
