import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import type { Operator } from '../../../src/lib/operator.ts';
import { refundForProblem } from '../../../src/problems/answer-problem.ts';
import { dyingAt } from '../../harness/dying.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
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

const key = (): Record<string, string> => ({ 'idempotency-key': newId() });

test('a part of the order goes back, as a goodwill that the customer sees on order and problem', async () => {
  const order = await at.shipped([2]);
  const problem = await at.reported(order);
  const before = await balancePence(at.service, at.shop);
  const answered = await at.answer(problem, 'refund', { amount_gbp: 2.5, message: 'One was torn.' }, key());
  assert.deepEqual([answered.status, answered.body.status], [200, 'refunded'], answered.text);
  assert.equal((await balancePence(at.service, at.shop)) - before, 250);
  assert.deepEqual((await at.see(problem)).answer, { message: 'One was torn.', replacement: null, refund_gbp: 2.5 });
  const { body } = await at.shop.request<{ refunds: { amount: number; reason: string }[] }>(
    'GET',
    `/orders/${order.id}`,
  );
  assert.deepEqual(
    body.refunds.map(({ amount, reason }) => [amount, reason]),
    [[2.5, 'One was torn.']],
  );
  assert.deepEqual(await at.openTasks(), []);
});

test('what cannot be refunded leaves the problem open: above what was paid, no amount, another role', async () => {
  const problem = await at.reported(await at.shipped([1]));
  const before = await written(at.service);
  const above = await at.answer(problem, 'refund', { amount_gbp: 10_000, message: 'x' }, key());
  assert.deepEqual([above.status, ...problemsOf(above as never)], [422, 'amount_gbp out_of_bounds']);
  assert.equal((await at.answer(problem, 'refund', { amount_gbp: 1.005, message: 'x' }, key())).status, 422);
  const production = await at.service.openOperator('production');
  const refused = await production.request(
    'POST',
    `/problems/${problem.id}/refund`,
    { amount_gbp: 1, message: 'x' },
    key(),
  );
  assert.equal(refused.status, 403);
  assert.deepEqual(await written(at.service), before);
  assert.equal((await at.see(problem)).status, 'open');
});

test('two operators who refund at once give money back once', async () => {
  const problem = await at.reported(await at.shipped([1]));
  const before = await balancePence(at.service, at.shop);
  const refund = () => at.answer(problem, 'refund', { amount_gbp: 1, message: 'Sorry.' }, key());
  const answers = await Promise.all([refund(), refund(), refund()]);
  assert.deepEqual(sorted(answers), [200, 409, 409]);
  assert.equal((await balancePence(at.service, at.shop)) - before, 100);
});

test('a process that dies at any statement of it leaves no refund and an open problem; the retry gives one of each', async () => {
  const operator = await operatorOf('finance');
  let survived = false;
  for (let statement = 1; !survived; statement += 1) {
    assert.ok(statement < 60, 'it ends');
    const problem = await at.reported(await at.shipped([1]));
    const before = await balancePence(at.service, at.shop);
    const once = { key: newId(), requestHash: Buffer.from('the same request') };
    const body = { amount_gbp: 1, message: 'Sorry.' };
    const { database, hasDied } = dyingAt(at.service.ctx.database, statement);
    const ctx = { ...at.service.ctx, database };
    await refundForProblem(ctx, operator, { id: problem.id, body, once }).catch(() => undefined);
    survived = !hasDied();
    if (!survived) {
      assert.equal((await at.see(problem)).status, 'open', `statement ${statement}`);
      assert.equal(await balancePence(at.service, at.shop), before, `statement ${statement}`);
      await refundForProblem(at.service.ctx, operator, { id: problem.id, body, once });
    }
    assert.equal((await at.see(problem)).status, 'refunded');
    assert.equal((await balancePence(at.service, at.shop)) - before, 100);
  }
});

async function operatorOf(role: 'finance'): Promise<Operator> {
  const { email } = await at.service.openOperator(role);
  const [row] = await rows<Pick<Operator, 'id'>>(at.service, 'select id from operator where email = $1', [email]);
  assert.ok(row);
  return { id: row.id, tokenId: row.id, email, role };
}
