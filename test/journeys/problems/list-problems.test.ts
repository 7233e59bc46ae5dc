import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sampleFigures } from '../../../src/app/sample-figures.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { OpsProblem } from '../../../src/problems/ops-schema.ts';
import type { OrderProblem } from '../../../src/problems/schema.ts';
import { problemsOf } from '../../harness/shop.ts';
import { openProblems, type ProblemShop } from './problems.ts';

const HOUR_MS = 3_600_000;

let at: ProblemShop;
before(async () => {
  at = await openProblems();
});
after(() => at.service.stop());

test('a customer pages through their own problems, the newest first, by status; the shop through those of all, by deadline; an alarm says what is overdue', async () => {
  const order = await at.shipped([5]);
  const made: OrderProblem[] = [];
  for (let index = 0; index < 4; index += 1) made.push(await at.reported(order));
  const [first, second, third, fourth] = made.map(({ id }) => id);
  await at.answer(made[1] ?? assert.fail('none'), 'refuse', { message: 'It is as ordered.' });
  const ids = ({ data }: Page<{ id: string }>): readonly string[] => data.map(({ id }) => id);
  const list = async (query: string): Promise<Page<OrderProblem>> => {
    const answer = await at.shop.request<Page<OrderProblem>>('GET', `/problems${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const page = await list('?limit=3');
  assert.deepEqual(ids(page), [fourth, third, second]);
  assert.deepEqual(ids(await list(`?limit=3&cursor=${page.next_cursor}`)), [first]);
  assert.deepEqual(ids(await list('?status=refused')), [second]);
  assert.deepEqual(ids(await list('?status=open&limit=2')), [fourth, third]);
  assert.deepEqual(ids(await list('?status=replaced')), []);
  const wrong = await at.shop.request('GET', `/problems?status=gone&cursor=${order.id}`);
  assert.deepEqual(problemsOf(wrong as never).toSorted(), ['cursor pattern', 'status unknown_value']);

  const stranger = await at.service.openCustomer();
  const { body: theirs } = await stranger.request<Page<OrderProblem>>('GET', '/problems');
  assert.deepEqual(theirs.data, []);

  const viewer = await at.service.openOperator('viewer');
  const queue = async (query: string): Promise<Page<OpsProblem>> => {
    const answer = await viewer.request<Page<OpsProblem>>('GET', `/problems${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  assert.deepEqual(ids(await queue('')), [first, third, fourth], 'the earliest deadline first');
  const part = await queue('?limit=2');
  assert.deepEqual([ids(part), part.next_cursor], [[first, third], third]);
  // The problem of the cursor is answered before the next page is read.
  await at.answer({ id: third ?? '' }, 'refuse', { message: 'It is as ordered.' });
  assert.deepEqual(ids(await queue(`?cursor=${part.next_cursor}`)), [fourth]);
  assert.deepEqual(ids(await queue('?status=refused')), [second, third]);

  const overdue = async (): Promise<number> => {
    await sampleFigures(at.service.ctx, []);
    const text = await (await fetch(`${at.service.url}/metrics`)).text();
    return Number(/^platen_problems_overdue_seconds (\S+)$/m.exec(text)?.[1]);
  };
  assert.equal(await overdue(), 0);
  at.service.shiftMs(49 * HOUR_MS);
  assert.ok((await overdue()) >= 3_600);
});
