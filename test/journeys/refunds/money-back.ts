import assert from 'node:assert/strict';
import { parseId } from '../../../src/lib/ids.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../harness/service.ts';
import { addProduct, HOME } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

type OpsUser = Awaited<ReturnType<TestService['openOperator']>>;

/** The service, once it is open. */
export let service: TestService;

/** An operator of every right. */
export let admin: OpsUser;

/** The customer of these journeys. */
export let customer: Customer;

/** The product of the orders. */
export let productId: string;

/** The blank of the orders. */
export const SKU = 'TEE-CLASSIC-WHT-M';

/** Pounds as pence. */
export const cents = (amount: number): number => Math.round(amount * 100);

/** Places an order with a line of each quantity. */
export async function place(quantities: readonly number[], by = customer, product = productId): Promise<CreatedOrder> {
  const items = quantities.map((quantity) => ({ product_id: product, variant_sku: SKU, quantity }));
  const answer = await by.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** An order of an account without money. */
export async function placeUnpaid(): Promise<{ by: Customer; order: CreatedOrder }> {
  const by = await service.openCustomer();
  const order = await place([1], by, await addProduct(service, by, 'TEE-CLASSIC'));
  assert.equal(order.payment_status, 'failed');
  return { by, order };
}

/** A POST of an operator below an order. */
export const act = <Body = OpsOrder>(path: string, body?: object, by: OpsUser = admin): Promise<Answer<Body>> =>
  by.request<Body>('POST', `/orders/${path}`, body);

/** As `act`; it must succeed. */
export async function done(path: string, body?: object): Promise<OpsOrder> {
  const answer = await act(path, body);
  assert.ok([200, 201].includes(answer.status), answer.text);
  return answer.body;
}

/** As `act`; it must be refused. */
export const refused = (path: string, body?: object, by: OpsUser = admin): Promise<Answer<ErrorReply>> =>
  act<ErrorReply>(path, body, by);

/** The names of an order's events. */
export const eventsOf = (id: string) =>
  rows<{ event: string; data: Record<string, unknown> }>(
    service,
    'select event, data from event where order_id = $1 order by sequence',
    [parseId('ord', id) ?? ''],
  );

/** What a read of the order shows that an action refused must leave as it was. */
export async function stateOf(id: string): Promise<object> {
  const [row] = await rows<object>(
    service,
    `select state, version, refunded_pence, refund_owed_pence, updated_at,
       (select count(*) from refund where order_id = $1) as refunds, (select count(*) from posting where order_id = $1) as postings,
       (select count(*) from order_history where order_id = $1) as moves, (select count(*) from event where order_id = $1) as events,
       (select count(*) from operator_action) as actions
     from orders where id = $1`,
    [parseId('ord', id) ?? ''],
  );
  assert.ok(row);
  return row;
}

/** Opens what these journeys share; for `before`. */
export async function openMoneyBack(): Promise<void> {
  service = await startTestService();
  admin = await service.openOperator('admin');
  customer = await service.openCustomer({ balancePence: 1_000_000 });
  productId = await addProduct(service, customer, 'TEE-CLASSIC');
}

/** Closes it again; for `after`. */
export async function closeMoneyBack(): Promise<void> {
  await service.stop();
}
