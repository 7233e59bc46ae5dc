import assert from 'node:assert/strict';
import type { Task } from '../../../src/accounts/ops-schema.ts';
import type { CancellationRequest } from '../../../src/orders/asking/request-schema.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import type { OpsCancellationRequest } from '../../../src/refunds/asking/ops-schema.ts';
import { closeWindow, openShippingShop, type ShippingShop } from '../../harness/floor.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

// A shop whose customers ask to cancel after their window, and operators who answer.

export type AskAnswer<Body = CancellationRequest> = Answer<
  Body & Partial<Pick<ErrorReply, 'code' | 'detail' | 'errors'>>
>;

export type AskingShop = {
  readonly service: TestService;
  readonly shop: ShippingShop;
  /** An order of totes, so many as each line says, whose window is over. */
  readonly late: (totes?: readonly number[]) => Promise<CreatedOrder>;
  /** The same, promoted, with every line started. */
  readonly lateStarted: (totes?: readonly number[]) => Promise<CreatedOrder>;
  readonly ask: (order: { id: string }, body?: object) => Promise<AskAnswer>;
  /** As `ask`; it must succeed. */
  readonly asked: (order: { id: string }, body?: object) => Promise<CancellationRequest>;
  readonly withdraw: (order: { id: string }) => Promise<AskAnswer>;
  /** An answer of an admin. */
  readonly answer: (
    request: { id: string },
    how: 'accept' | 'refuse',
    body: object,
    headers?: Record<string, string>,
  ) => Promise<AskAnswer<OpsCancellationRequest>>;
  readonly see: (order: { id: string }) => Promise<Order>;
  readonly openTasks: (order: { id: string }) => Promise<readonly Task[]>;
};

/** Starts a service without workers, with money for a few hundred totes. */
export async function openAsking(env: Readonly<Record<string, string>> = {}): Promise<AskingShop> {
  const service = await startTestService({ role: 'api', env });
  const shop = await openShippingShop(service);
  const admin = await service.openOperator('admin');
  let keys = 0;
  const ask: AskingShop['ask'] = ({ id }, body = { reason: 'changed_mind' }) =>
    shop.request('POST', `/orders/${id}/cancellation-request`, body);
  const late: AskingShop['late'] = async (totes = [1]) => {
    const order = await shop.place(totes);
    await closeWindow(service, order);
    return order;
  };
  return {
    service,
    shop,
    late,
    lateStarted: async (totes = [1]) => {
      const order = await shop.placeStarted(totes);
      await closeWindow(service, order);
      return order;
    },
    ask,
    asked: async (order, body) => {
      const answer = await ask(order, body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
    withdraw: ({ id }) => shop.request('DELETE', `/orders/${id}/cancellation-request`),
    answer: ({ id }, how, body, headers) => {
      keys += 1;
      const key = { 'idempotency-key': `answer-${keys}` };
      return admin.request('POST', `/cancellation-requests/${id}/${how}`, body, headers ?? key);
    },
    see: async ({ id }) => {
      const answer = await shop.request<Order>('GET', `/orders/${id}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    },
    openTasks: async ({ id }) => {
      const { body } = await admin.request<{ data: Task[] }>('GET', '/tasks?limit=100');
      return body.data.filter((task) => task.kind === 'cancellation_asked' && task.order_id === id);
    },
  };
}

/** What there is of requests, and of what an answer may do. */
export async function written(service: TestService): Promise<object> {
  const [found] = await rows<object>(
    service,
    `select (select count(*) from cancellation_request) as requests, (select count(*) from ops_task) as tasks,
       (select count(*) from refund) as refunds, (select count(*) from posting) as postings,
       (select count(*) from event) as events, (select count(*) from order_history) as history`,
  );
  return found ?? {};
}
