import assert from 'node:assert/strict';
import { newId } from '../../src/lib/ids.ts';
import type { OperatorRole } from '../../src/lib/operator.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import type { ShippedOrder } from '../../src/shipments/schema.ts';
import { eventually } from './context.ts';
import type { Answer, Customer, ErrorReply, OperatorClient, TestService } from './service.ts';
import { addProduct, basket, HOME } from './shop.ts';
import { rows } from './written.ts';

// The shop floor: operators promote, make and ship orders over the operations API.

/** What the operations API answers: what a test expects, or a refusal. */
export type OpsAnswer<Body> = Answer<Body & Partial<Pick<ErrorReply, 'code' | 'detail' | 'errors' | 'oversold'>>>;

/** An operator at work, over the operations API. */
export type Floor = {
  readonly email: string;
  readonly request: <Body = OpsOrder>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<OpsAnswer<Body>>;
  /** A POST that must be answered with this status, 200 unless told otherwise. */
  readonly post: <Body = OpsOrder>(path: string, body?: unknown, status?: number) => Promise<Body>;
};

/** Opens an operator of a role. */
export async function openFloor(service: TestService, role: OperatorRole = 'production'): Promise<Floor> {
  const { email, request } = await service.openOperator(role);
  const post: Floor['post'] = async <Body>(path: string, body?: unknown, status = 200): Promise<Body> => {
    const answer = await request<Body>('POST', path, body);
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  return { email, request, post };
}

/** Places an order of a customer: one printed tee unless told otherwise. */
export async function placeOrder(
  service: TestService,
  changes: object = {},
  by: Customer = service.customer,
): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', { ...basket(service), ...changes });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Leaves the cancellation window of an order as over, for tests that begin after it. */
export async function closeWindow(service: TestService, { reference }: { reference: string }): Promise<void> {
  await rows(service, 'update orders set cancellable_until = placed_at where reference = $1', [reference]);
}

/** Waits until every line of an order may start. */
export async function untilReady(floor: Floor, id: string): Promise<OpsOrder> {
  return eventually('the artwork is ready', async () => {
    const { body } = await floor.request('GET', `/orders/${id}`);
    return body.lines.every((line) => line.artwork_ready) && body;
  });
}

/** Sets what lies on the shelf of a variant. */
export async function count(floor: Floor, sku: string, onHand: number): Promise<void> {
  await floor.post('/stock/counts', { items: [{ sku, on_hand: onHand }], reason: 'test' }, 201);
}

/** Leaves pieces of an order as shipped, for tests that begin after the parcel has gone. */
export async function ship(floor: Floor, id: string, items: readonly object[]): Promise<OpsOrder> {
  const parcel = { carrier: 'Royal Mail', tracking_number: `RM${newId().slice(-12)}`, items };
  return floor.post(`/orders/${id}/shipments`, parcel, 201);
}

// A shop that ships: customers with blank totes and tees, which are ready at once, and an operator who works their
// orders.

export const TOTE = 'TOTE-COTTON-NAT';

export type Tracking = { carrier: string; tracking_number: string; tracking_url?: string | null };

export type Parcel = Tracking & { items: readonly { line_id: string; quantity: number }[] };

export type ShippingShop = Customer & {
  readonly operator: OperatorClient;
  /** Places an order of blank totes, so many as each line says, and then of a tee for each line of tees. */
  readonly place: (totes: readonly number[], changes?: object) => Promise<CreatedOrder>;
  /** The same, promoted, with every line started. */
  readonly placeStarted: (totes: readonly number[], changes?: object) => Promise<CreatedOrder>;
  readonly start: (order: { id: string }, lineId: string) => Promise<void>;
  readonly ship: (
    order: { id: string },
    parcel: Parcel,
    key?: string,
  ) => Promise<Answer<ShippedOrder & Pick<ErrorReply, 'code'>>>;
  readonly see: (order: { id: string }) => Promise<OpsOrder>;
};

/** Opens a customer with money for a few hundred totes, and an operator of the production. */
export async function openShippingShop(service: TestService): Promise<ShippingShop> {
  const customer = await service.openCustomer({ balancePence: 10_000_000 });
  const operator = await service.openOperator('production');
  const product_id = await addProduct(service, customer, 'TOTE-COTTON');
  const place: ShippingShop['place'] = async (totes, changes = {}) => {
    const items = totes.map((quantity) => ({ product_id, variant_sku: TOTE, quantity, print_jobs: [] }));
    const answer = await customer.request<CreatedOrder>('POST', '/orders', {
      items,
      shipping_address: HOME,
      ...changes,
    });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const act = async (path: string): Promise<void> => {
    const answer = await operator.request('POST', path);
    assert.equal(answer.status, 200, answer.text);
  };
  const start: ShippingShop['start'] = ({ id }, lineId) => act(`/orders/${id}/lines/${lineId}/start`);
  return {
    ...customer,
    operator,
    place,
    start,
    placeStarted: async (totes, changes) => {
      const order = await place(totes, changes);
      await act(`/orders/${order.id}/promote`);
      for (const lineId of linesOf(order)) await start(order, lineId);
      return order;
    },
    ship: ({ id }, parcel, key) =>
      operator.request('POST', `/orders/${id}/shipments`, parcel, key === undefined ? {} : { 'idempotency-key': key }),
    see: async ({ id }) => {
      const answer = await operator.request<OpsOrder>('GET', `/orders/${id}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    },
  };
}

/** The ids of an order's lines. */
export function linesOf(order: CreatedOrder): readonly string[] {
  return order.items.lineItems.map(({ id }) => id);
}

/** A parcel with so many pieces of each of an order's first lines. */
export function parcelOf(order: CreatedOrder, quantities: readonly number[], tracking: Partial<Tracking> = {}): Parcel {
  const items = linesOf(order).flatMap((lineId, index) => {
    const quantity = quantities[index] ?? 0;
    return quantity === 0 ? [] : [{ line_id: lineId, quantity }];
  });
  return { carrier: 'Royal Mail', tracking_number: 'RM1', ...tracking, items };
}
