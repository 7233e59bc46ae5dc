import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProblemsOfOrder } from '../../../src/problems/schema.ts';
import { linesOf } from '../../harness/floor.ts';
import { openProblems, type ProblemShop } from './problems.ts';

let at: ProblemShop;
before(async () => {
  at = await openProblems({ PROBLEM_WINDOW_DAYS: '3' });
});
after(() => at.service.stop());

test('an order says what of it can be reported, and until when: shipped pieces that are in no problem', async () => {
  const see = async (id: string): Promise<ProblemsOfOrder> => {
    const answer = await at.shop.request<ProblemsOfOrder>('GET', `/orders/${id}/problems`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const waiting = await at.shop.placeStarted([1]);
  const none = { data: [], has_more: false, next_cursor: null };
  assert.deepEqual(await see(waiting.id), {
    ...none,
    actions: { report: { available: false, until: null, items: [] } },
  });
  const order = await at.shipped([3, 2], [2, 2]);
  const [first, second] = linesOf(order);
  const { data, actions } = await see(order.reference);
  assert.deepEqual(data, []);
  assert.equal(actions.report.available, true);
  const { body: sent } = await at.shop.request<{ shipments: { shipped_at: string }[] }>('GET', `/orders/${order.id}`);
  assert.equal(
    Date.parse(actions.report.until ?? '') - Date.parse(sent.shipments[0]?.shipped_at ?? ''),
    3 * 86_400_000,
  );
  const left = ({ actions: { report } }: ProblemsOfOrder): unknown =>
    report.items.map(({ line_id: id, quantity }) => [id, quantity]);
  assert.deepEqual(left({ actions } as ProblemsOfOrder), [
    [first, 2],
    [second, 2],
  ]);
  const one = await at.reported(order, { items: [{ line_id: second, quantity: 2 }] });
  const two = await at.reported(order);
  const now = await see(order.id);
  assert.deepEqual(
    now.data.map(({ id }) => id),
    [two.id, one.id],
  );
  assert.deepEqual(left(now), [[first, 1]]);
});
