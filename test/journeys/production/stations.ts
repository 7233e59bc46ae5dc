import assert from 'node:assert/strict';
import type { Page } from '../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { count, type Floor, openFloor, placeOrder } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';

/** The service, once it is open. */
export let service: TestService;

/** An operator at work. */
export let floor: Floor;

/** A line of blank pieces, which is ready at once. */
export const blank = (quantity = 1, sku = TEE_WHITE_M): object =>
  teeItem(service, { variant_sku: sku, quantity, print_jobs: [] });

/** The ids of an order's lines. */
export const linesOf = (order: CreatedOrder): readonly string[] => order.items.lineItems.map(({ id }) => id);

/** Places an order of these items and promotes it. */
export async function promoted(items: readonly object[]): Promise<CreatedOrder> {
  const order = await placeOrder(service, { items });
  await floor.post(`/orders/${order.id}/promote`);
  return order;
}

/** The ids of the orders that operators find by a query. */
export async function listed(query: string): Promise<readonly string[]> {
  const { status, body, text } = await floor.request<Page<OpsOrder>>('GET', `/orders?limit=100&${query}`);
  assert.equal(status, 200, text);
  return body.data.map(({ id }) => id);
}

/** Opens what these journeys share; for `before`. */
export async function openStations(): Promise<void> {
  service = await startTestService();
  floor = await openFloor(service, 'admin');
  await count(floor, TEE_WHITE_M, 1_000);
}

/** Closes it again; for `after`. */
export async function closeStations(): Promise<void> {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
}
