import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { artworkJobs } from '../../../src/artwork/jobs.ts';
import { NORMALISE_JOB } from '../../../src/artwork/sql.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { JobFault, startWorker } from '../../../src/lib/queue.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor, placeOrder } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { servePicture, teeItem } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';

// Print files are made by workers of the tests' own, so that they fail when a test wants it.

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService({ role: 'api' });
  floor = await openFloor(service);
});
after(async () => {
  try {
    await working();
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

const NO_INK = 'The disk is full.';

/** Has every print file that waits fail for good, as a full disk would. */
async function failing(reason = NO_INK): Promise<void> {
  const run = (): Promise<void> => Promise.reject(new JobFault(reason));
  await work((handler) => ({ ...handler, run, attemptsMax: 1 }));
}

/** Makes every print file that waits. */
const working = (): Promise<void> => work((handler) => handler);

type Handler = ReturnType<typeof artworkJobs>[number];

async function work(change: (handler: Handler) => Handler): Promise<void> {
  const { database, clock, log } = service.ctx;
  const worker = startWorker({ database, clock, log, pollMs: 10, handlers: artworkJobs(service.ctx).map(change) });
  try {
    const waits = 'select 1 from job where kind = $1 and failed_at is null';
    await eventually('all jobs end', async () => (await rows(service, waits, [NORMALISE_JOB])).length === 0, 60_000);
  } finally {
    await worker.stop(30_000);
  }
}

let pictures = 0;

/** A line with artwork that no other order has. */
async function ownItem(areas: readonly string[] = ['front']): Promise<object> {
  pictures += 1;
  const colour = `#${pictures.toString(16).padStart(6, '0')}`;
  const url = await servePicture(service, `/own-${pictures}.png`, { widthPx: 600, heightPx: 600, colour });
  const printed = areas.map((print_area) => ({ print_area, method: 'dtg', artwork_url: url }));
  return teeItem(service, { decoration: { areas: printed } });
}

type TaskSeen = { id: string; order_id: string; kind: string; note: string };

async function tasksOf(order: { id: string }): Promise<readonly TaskSeen[]> {
  const { body } = await floor.request<Page<TaskSeen>>('GET', '/tasks?limit=100');
  return body.data.filter((task) => task.order_id === order.id && task.kind === 'artwork_failed');
}

const statesOf = async (order: { id: string }): Promise<readonly string[]> =>
  (await floor.request('GET', `/orders/${order.id}`)).body.lines.flatMap((line) =>
    line.print_jobs.map((job) => job.artwork_state),
  );

async function failed(areas?: readonly string[]): Promise<CreatedOrder> {
  const order = await placeOrder(service, { items: [await ownItem(areas)] });
  await failing();
  return order;
}

const retryAll = (headers: Record<string, string> = {}) =>
  floor.request<{ retried: number; left: number }>('POST', '/print-files/retry', undefined, headers);

test('all that failed is made again at once, and a repeat under the same key does nothing more', async () => {
  const orders = [await failed(), await failed(), await failed(['front', 'back'])];
  const cancelled = await failed();
  assert.equal((await service.customer.request('POST', `/orders/${cancelled.id}/cancel`)).status, 200);
  const key = { 'idempotency-key': 'all-at-once' };
  const answer = await retryAll(key);
  assert.deepEqual([answer.status, answer.body], [200, { retried: 3, left: 0 }]);
  assert.deepEqual((await Promise.all(orders.map(statesOf))).flat(), ['pending', 'pending', 'pending', 'pending']);
  assert.deepEqual(await statesOf(cancelled), ['failed'], 'nobody waits for it');
  await failing();
  assert.deepEqual((await retryAll(key)).body, { retried: 0, left: 3 });
  assert.deepEqual((await retryAll()).body, { retried: 3, left: 0 });
  assert.deepEqual((await retryAll()).body, { retried: 0, left: 0 }, 'they are being made');
  await working();
  for (const order of orders) assert.deepEqual(await tasksOf(order), []);
});
