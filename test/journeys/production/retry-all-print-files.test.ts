import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { type Floor, openFloor, placeOrder } from '../../harness/floor.ts';
import { type PrintWorkers, printWorkers, type TaskSeen } from '../../harness/print-workers.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { assertSound } from '../../harness/written.ts';

let service: TestService;
let floor: Floor;
let workers: PrintWorkers;
before(async () => {
  service = await startTestService({ role: 'api' });
  floor = await openFloor(service);
  workers = printWorkers(service);
});
after(async () => {
  try {
    await working();
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

const failing = (reason?: string): Promise<void> => workers.failing(reason);
const working = (): Promise<void> => workers.working();
const ownItem = (areas?: readonly string[]): Promise<object> => workers.ownItem(areas);
const tasksOf = (order: { id: string }): Promise<readonly TaskSeen[]> => workers.tasksOf(floor, order);

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
