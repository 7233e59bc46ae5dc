import assert from 'node:assert/strict';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { type Customer, type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, TEE_WHITE_M } from '../../harness/shop.ts';

/** The service, once it is open. */
export let service: TestService;

/** An operator who may read only. */
export let viewer: OperatorClient;

/** Another account, with an order that waits for money. */
export let poor: Customer;

/** An order that waits for its payment. */
export let waiting: CreatedOrder;

/** Places an order. */
export async function placed(customer: Customer, changes: Parameters<typeof basket>[1] = {}): Promise<CreatedOrder> {
  const { status, body } = await customer.request<CreatedOrder>('POST', '/orders', basket(service, changes));
  assert.equal(status, 201);
  return body;
}

/** Opens what these journeys share; for `before`. */
export async function openOrders(): Promise<void> {
  service = await startTestService();
  viewer = await service.openOperator('viewer');
  poor = await service.openCustomer();
  const product_id = await addProduct(service, poor, 'TEE-CLASSIC');
  const items = [{ product_id, variant_sku: TEE_WHITE_M, quantity: 2, print_jobs: [] }];
  waiting = await placed(poor, { items, external_reference: 'POOR-1' });
}

/** Closes it again; for `after`. */
export async function closeOrders(): Promise<void> {
  await service.stop();
}
