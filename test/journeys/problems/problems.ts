import assert from 'node:assert/strict';
import type { Task } from '../../../src/accounts/ops-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { OpsProblem } from '../../../src/problems/ops-schema.ts';
import type { OrderProblem } from '../../../src/problems/schema.ts';
import { linesOf, openShippingShop, parcelOf, type ShippingShop } from '../../harness/floor.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

// A shop with customers to whom something was sent, and operators who answer what they report.

export type ProblemAnswer<Body = OrderProblem> = Answer<Body & Partial<Pick<ErrorReply, 'code' | 'detail' | 'errors'>>>;

export type ProblemShop = {
  readonly service: TestService;
  readonly shop: ShippingShop;
  /** An order of totes, of which so many were shipped of each line. */
  readonly shipped: (quantities: readonly number[], sent?: readonly number[]) => Promise<CreatedOrder>;
  readonly report: (order: CreatedOrder, body?: object) => Promise<ProblemAnswer>;
  /** As `report`, of one piece of the first line; it must succeed. */
  readonly reported: (order: CreatedOrder, body?: object) => Promise<OrderProblem>;
  /** An answer of an admin. */
  readonly answer: (
    problem: { id: string },
    how: 'replace' | 'refund' | 'refuse',
    body: object,
    headers?: Record<string, string>,
  ) => Promise<ProblemAnswer<OpsProblem>>;
  readonly see: (problem: { id: string }) => Promise<OrderProblem>;
  readonly openTasks: () => Promise<readonly Task[]>;
};

/** Starts a service without workers, with money for a few hundred totes. */
export async function openProblems(env: Readonly<Record<string, string>> = {}): Promise<ProblemShop> {
  const service = await startTestService({ role: 'api', env });
  const shop = await openShippingShop(service);
  const admin = await service.openOperator('admin');
  const report: ProblemShop['report'] = (order, body = {}) =>
    shop.request('POST', `/orders/${order.id}/problems`, {
      kind: 'damaged',
      text: 'The seam is open.',
      items: [{ line_id: linesOf(order)[0], quantity: 1 }],
      ...body,
    });
  return {
    service,
    shop,
    shipped: async (quantities, sent = quantities) => {
      const order = await shop.placeStarted(quantities);
      const answer = await shop.ship(order, parcelOf(order, sent));
      assert.equal(answer.status, 201, answer.text);
      return order;
    },
    report,
    reported: async (order, body) => {
      const answer = await report(order, body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
    answer: ({ id }, how, body, headers) => admin.request('POST', `/problems/${id}/${how}`, body, headers),
    see: async ({ id }) => {
      const answer = await shop.request<OrderProblem>('GET', `/problems/${id}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    },
    openTasks: async () => {
      const { body } = await admin.request<{ data: Task[] }>('GET', '/tasks');
      return body.data.filter(({ kind }) => kind === 'problem_reported');
    },
  };
}

/** The statuses of some answers, the lowest first. */
export const sorted = (answers: readonly { readonly status: number }[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

/** What there is of problems, of what they refer to, and of money given back. */
export async function written(service: TestService): Promise<object> {
  const [found] = await rows<object>(
    service,
    `select (select count(*) from problem) as problems, (select count(*) from problem_line) as lines,
       (select count(*) from problem_photo) as photos, (select count(*) from ops_task) as tasks,
       (select count(*) from refund) as refunds, (select count(*) from orders) as orders,
       (select count(*) from posting) as postings`,
  );
  return found ?? {};
}
