import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { artworkJobs } from '../../../src/artwork/jobs.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { JobFault, startWorker } from '../../../src/lib/queue.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor, placeOrder } from '../../harness/floor.ts';
import { NO_INK, type PrintWorkers, printWorkers, type TaskSeen } from '../../harness/print-workers.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { assertSound, rows } from '../../harness/written.ts';

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

/** The orders that are listed because their artwork failed. */
const stuck = async (): Promise<readonly string[]> =>
  (await floor.request<Page<{ id: string }>>('GET', '/orders?needs=artwork')).body.data.map(({ id }) => id);

const statesOf = async (order: { id: string }): Promise<readonly string[]> =>
  (await floor.request('GET', `/orders/${order.id}`)).body.lines.flatMap((line) =>
    line.print_jobs.map((job) => job.artwork_state),
  );

const retry = (order: { id: string }, headers: Record<string, string> = {}) =>
  floor.request('POST', `/orders/${order.id}/print-files/retry`, undefined, headers);

async function failed(areas?: readonly string[]): Promise<CreatedOrder> {
  const order = await placeOrder(service, { items: [await ownItem(areas)] });
  await failing();
  return order;
}

test('artwork that failed for good opens a task: once for the order and file, with the area, the reason and what to do', async () => {
  const item = await ownItem();
  const first = await placeOrder(service, { items: [item] });
  const second = await placeOrder(service, { items: [item, item] });
  const cancelled = await placeOrder(service, { items: [item] });
  assert.equal((await service.customer.request('POST', `/orders/${cancelled.id}/cancel`)).status, 200);
  const other = await placeOrder(service, { items: [await ownItem()] });
  await rows(
    service,
    `update job set run_at = run_at + interval '1 day' where key = (
    select encode(j.print_file_key, 'hex') from print_job j join orders o on o.id = j.order_id where o.reference = $1)`,
    [other.reference],
  );
  const run = (): Promise<void> => Promise.reject(new JobFault(NO_INK));
  const { database, clock, log } = service.ctx;
  const handlers = artworkJobs(service.ctx).map((handler) => ({ ...handler, run, attemptsMax: 1 }));
  const worker = startWorker({ database, clock, log, pollMs: 10, handlers });
  await eventually('the file failed', async () => (await statesOf(first))[0] === 'failed');
  await worker.stop(30_000);
  for (const order of [first, second]) {
    const [task, ...more] = await tasksOf(order);
    assert.ok(task !== undefined && more.length === 0, 'one task');
    assert.match(
      task.note,
      new RegExp(`^${order.reference}: .* for front could not be made: The disk is full\\. Retry the print files`),
    );
  }
  assert.deepEqual([await tasksOf(cancelled), await tasksOf(other)], [[], []], 'nobody waits for it, or for another');
  await rows(service, `update job set run_at = run_at - interval '1 day' where run_at > $1`, [clock.now()]);
  await retry(first);
  await working();
});

test('a line whose artwork failed does not start, and the refusal says which area, why and what to do', async () => {
  const order = await failed(['front', 'back']);
  await floor.post(`/orders/${order.id}/promote`);
  const line = order.items.lineItems[0]?.id;
  const answer = await floor.request<{ failed_areas: object[] }>('POST', `/orders/${order.id}/lines/${line}/start`);
  assert.deepEqual([answer.status, answer.body.code], [409, 'artwork_not_ready']);
  assert.deepEqual(answer.body.failed_areas, [
    { area: 'front', reason: NO_INK },
    { area: 'back', reason: NO_INK },
  ]);
  assert.match(answer.body.detail ?? '', /front \(The disk is full\), back \(The disk is full\).*print-files\/retry/);
  const notes = (await tasksOf(order)).map(({ note }) => note);
  assert.equal(notes.length, 1, 'both areas are printed with the one file');
  assert.match(notes[0] ?? '', /for back, front could not be made/);
  assert.equal((await retry(order)).status, 200);
  const waiting = await floor.request<{ failed_areas: object[] }>('POST', `/orders/${order.id}/lines/${line}/start`);
  assert.deepEqual([waiting.status, waiting.body.failed_areas], [409, []]);
  await working();
  assert.equal((await floor.post(`/orders/${order.id}/lines/${line}/start`)).state, 'in_production');
});

test('a retry makes the failed files anew, the tasks end once they are made, and the history says who asked', async () => {
  const order = await failed();
  assert.deepEqual(await stuck(), [order.id]);
  const answer = await retry(order);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(await stuck(), [], 'it is being made');
  assert.deepEqual(await statesOf(order), ['pending']);
  assert.equal((await tasksOf(order)).length, 1, 'not made yet');
  const { action, from, to, actor } = answer.body.history.at(-1) ?? assert.fail('no history');
  assert.deepEqual([action, from, to, actor], ['retry_artwork', 'placed', 'placed', `operator ${floor.email}`]);
  await working();
  assert.deepEqual(await statesOf(order), ['ready']);
  assert.deepEqual(await tasksOf(order), []);
  const left = await rows(
    service,
    `select 1 from artwork_failure a join orders o on o.id = a.order_id where o.reference = $1`,
    [order.reference],
  );
  assert.deepEqual(left, []);
});

test('a retry that fails again leaves the one task, and a key makes a repeat of it harmless', async () => {
  const order = await failed();
  const key = { 'idempotency-key': `retry-${order.id}` };
  assert.equal((await retry(order, key)).status, 200);
  await failing();
  assert.equal((await tasksOf(order)).length, 1);
  assert.equal((await retry(order, key)).status, 200);
  assert.deepEqual(await statesOf(order), ['failed'], 'the repeat did nothing');
  assert.equal((await retry(order)).status, 200);
  await working();
  assert.deepEqual(await tasksOf(order), []);
});

test('another order with the same artwork tries it anew; made for it, the task of the first ends too', async () => {
  const item = await ownItem();
  const first = await placeOrder(service, { items: [item] });
  await failing();
  const second = await placeOrder(service, { items: [item] });
  assert.deepEqual(await statesOf(first), ['pending']);
  await working();
  assert.deepEqual([await statesOf(second), await tasksOf(first)], [['ready'], []]);
});

test('a retry of what has not failed, of a cancelled order and of an unknown one is refused and changes nothing', async () => {
  const order = await placeOrder(service, { items: [await ownItem()] });
  const answer = await retry(order);
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
  assert.deepEqual((await floor.request('GET', `/orders/${order.id}`)).body.history.length, 1);
  await failing();
  assert.equal((await tasksOf(order)).length, 1);
  assert.equal((await service.customer.request('POST', `/orders/${order.id}/cancel`)).status, 200);
  assert.deepEqual(await tasksOf(order), [], 'a cancelled order needs no artwork');
  assert.equal((await retry(order)).status, 409);
  assert.equal((await retry({ id: 'PF-22222222' })).status, 404);
});

test('a held order stays on hold through a retry', async () => {
  const order = await failed();
  await floor.post(`/orders/${order.id}/hold`, { reason: 'the logo' });
  const { body } = await retry(order);
  assert.deepEqual([body.state, body.hold?.reason], ['on_hold', 'the logo']);
  await working();
});

test('a file that is tried anew before its worker has noted that it gave up is made all the same', async () => {
  const item = await ownItem();
  const order = await placeOrder(service, { items: [item] });
  const { database, clock, log } = service.ctx;
  const held = Promise.withResolvers<void>();
  const given = Promise.withResolvers<void>();
  const handlers = artworkJobs(service.ctx).map((handler) => ({
    ...handler,
    attemptsMax: 1,
    run: (): Promise<void> => Promise.reject(new JobFault(NO_INK)),
    giveUp: async (...args: Parameters<typeof handler.giveUp>): Promise<void> => {
      await handler.giveUp(...args);
      given.resolve();
      await held.promise;
    },
  }));
  const worker = startWorker({ database, clock, log, pollMs: 10, handlers });
  await given.promise;
  const twin = await placeOrder(service, { items: [item] });
  held.resolve();
  await worker.stop(30_000);
  await working();
  assert.deepEqual([await statesOf(order), await statesOf(twin)], [['ready'], ['ready']]);
});
