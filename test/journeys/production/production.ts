import assert from 'node:assert/strict';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import { count, type Floor, openFloor, placeOrder, untilReady } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound, eventsOf, levelOf } from '../../harness/written.ts';

/** The service, once it is open. */
export let service: TestService;

/** An operator at work. */
export let floor: Floor;

/** What only a refusal must leave as it was. */
async function traceOf(id: string): Promise<unknown> {
  const { body } = await floor.request('GET', `/orders/${id}`);
  return { ...body, items: [], stock: await levelOf(service, TEE_WHITE_M), events: await eventsOf(service, body) };
}

/** A POST that must be refused so, and changes nothing. */
export async function refused(path: string, body: unknown, order: { id: string }, status: number, code: string) {
  const before = await traceOf(order.id);
  const answer = await floor.request('POST', `/orders/${order.id}${path}`, body);
  assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
  assert.deepEqual(await traceOf(order.id), before, 'a refusal changes nothing');
  return answer;
}

/** Places an order, promotes it and starts its first line. */
export async function started(quantity = 1): Promise<OpsOrder> {
  const order = await placeOrder(service, { items: [teeItem(service, { quantity })] });
  await floor.post(`/orders/${order.id}/promote`);
  const ready = await untilReady(floor, order.id);
  return floor.post(`/orders/${order.id}/lines/${lineOf(ready)}/start`);
}

/** The id of an order's first line. */
export function lineOf(order: OpsOrder, index = 0): string {
  const line = order.lines[index];
  assert.ok(line);
  return line.id;
}

/** The last entry of an order's history. */
export const lastMoveOf = (order: OpsOrder) => {
  const { action, from, to, actor, reason } = order.history.at(-1) ?? assert.fail('no history');
  return [action, from, to, actor, reason];
};

/** What is done of the print jobs of an order's first line. */
export const jobsOf = (order: OpsOrder) =>
  order.lines[0]?.print_jobs.map(({ area, quantity_done, quantity_spoiled }) => [
    area,
    quantity_done,
    quantity_spoiled,
  ]);

/** Opens what these journeys share; for `before`. */
export async function openProduction(): Promise<void> {
  service = await startTestService();
  floor = await openFloor(service);
  await count(floor, TEE_WHITE_M, 1_000);
}

/** Closes it again; for `after`. */
export async function closeProduction(): Promise<void> {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
}
