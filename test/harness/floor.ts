import assert from 'node:assert/strict';
import { createOperator } from '../../src/accounts/create-operator.ts';
import { newId } from '../../src/lib/ids.ts';
import type { OperatorRole } from '../../src/lib/operator.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import type { Answer, Customer, ErrorReply, TestService } from '../harness/service.ts';
import { basket, rows } from './fixtures.ts';

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
  const email = `${newId()}@shop.example`;
  const { token } = await createOperator(service.ctx, { email, password: 'a password for the floor', role });
  const request: Floor['request'] = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<OpsAnswer<Body>> => {
    const response = await fetch(`${service.url}/ops/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as OpsAnswer<Body>['body'],
    };
  };
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

/** Waits until every line of an order may start. */
export async function untilReady(floor: Floor, id: string): Promise<OpsOrder> {
  return eventually(
    'the artwork is ready',
    async () => {
      const { body } = await floor.request('GET', `/orders/${id}`);
      return body.lines.every((line) => line.artwork_ready) && body;
    },
    30_000,
  );
}

export type Level = { on_hand: number; allocated: number };

/** What the stock row of a variant says. */
export async function levelOf(service: TestService, sku: string): Promise<Level> {
  const [level] = await rows<Level>(service, 'select on_hand, allocated from stock where sku = $1', [sku]);
  assert.ok(level);
  return level;
}

/** Sets what lies on the shelf of a variant. */
export async function count(floor: Floor, sku: string, onHand: number): Promise<void> {
  await floor.post('/stock/counts', { items: [{ sku, on_hand: onHand }], reason: 'test' }, 201);
}

/** The names of an order's events, in their order. */
export async function eventsOf(service: TestService, order: { reference: string }): Promise<readonly string[]> {
  const found = await rows<{ event: string }>(
    service,
    `select e.event from event e join orders o on o.id = e.order_id where o.reference = $1 order by e.sequence`,
    [order.reference],
  );
  return found.map(({ event }) => event);
}

/** Leaves pieces of an order as shipped, for tests that begin after the parcel has gone. */
export async function ship(floor: Floor, id: string, items: readonly object[]): Promise<OpsOrder> {
  const parcel = { carrier: 'Royal Mail', tracking_number: `RM${newId().slice(-12)}`, items };
  return floor.post(`/orders/${id}/shipments`, parcel, 201);
}
