import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import { linesOf } from '../../harness/floor.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { openProblems, type ProblemShop, sorted, written } from './problems.ts';

let at: ProblemShop;
before(async () => {
  at = await openProblems();
});
after(async () => {
  try {
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

test('the reported pieces are made again at a total of 0, and both sides see which order that is', async () => {
  const order = await at.shipped([3, 2]);
  const [first, second] = linesOf(order);
  const problem = await at.reported(order, {
    items: [
      { line_id: first, quantity: 2 },
      { line_id: second, quantity: 1 },
    ],
  });
  const answered = await at.answer(problem, 'replace', { message: 'Another one is on its way.' });
  assert.equal(answered.status, 200, answered.text);
  const { answer, status } = answered.body;
  assert.equal(status, 'replaced');
  const made = await at.shop.see(answer?.replacement ?? assert.fail('no replacement'));
  assert.deepEqual([made.source, made.total, made.replaces?.id], ['replacement', 0, order.id]);
  assert.deepEqual(
    made.lines.map(({ quantity }) => quantity),
    [2, 1],
  );
  const seen = await at.see(problem);
  assert.deepEqual(seen.answer, {
    message: 'Another one is on its way.',
    replacement: { id: made.id, reference: made.reference },
    refund_gbp: null,
  });
  assert.deepEqual(await at.openTasks(), []);
  const { history }: OpsOrder = await at.shop.see(order);
  assert.match(history.at(-1)?.reason ?? '', /Another one is on its way/);
});

test('other pieces can be named; what cannot be made again leaves the problem open', async () => {
  const order = await at.shipped([2], [1]);
  const [line] = linesOf(order);
  const problem = await at.reported(order);
  const before = await written(at.service);
  const tooMany = await at.answer(problem, 'replace', { message: 'x', items: [{ line_id: line, quantity: 2 }] });
  assert.deepEqual([tooMany.status, ...problemsOf(tooMany as never)], [422, 'items[0].quantity out_of_bounds']);
  const twice = [
    { line_id: line, quantity: 1 },
    { line_id: line, quantity: 1 },
  ];
  assert.equal((await at.answer(problem, 'replace', { message: 'x', items: twice })).status, 422);
  assert.deepEqual(await written(at.service), before);
  assert.equal((await at.see(problem)).status, 'open');
  const finance = await at.service.openOperator('finance');
  assert.equal((await finance.request('POST', `/problems/${problem.id}/replace`, { message: 'x' })).status, 403);
});

test('of two operators who answer at once one is heard, and a repeat of the same key makes no second order', async () => {
  const problem = await at.reported(await at.shipped([1]));
  const replace = (key: string) => at.answer(problem, 'replace', { message: 'Again.' }, { 'idempotency-key': key });
  const answers = await Promise.all([replace('one'), replace('two'), at.answer(problem, 'refuse', { message: 'No.' })]);
  assert.deepEqual(sorted(answers), [200, 409, 409]);
  const before = await written(at.service);
  for (const key of ['one', 'two']) await replace(key);
  assert.deepEqual(await written(at.service), before);
});
