import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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

const withdraw = (problem: { id: string }, by: Pick<ProblemShop['shop'], 'request'> = at.shop) =>
  by.request<{ code?: string; status: string }>('POST', `/problems/${problem.id}/withdraw`);

test('an open problem is withdrawn by its customer alone, once: its task is closed, and its pieces can be reported again', async () => {
  const order = await at.shipped([1]);
  const problem = await at.reported(order);
  assert.equal(problem.actions.withdraw.available, true);
  assert.equal((await withdraw(problem, await at.service.openCustomer())).status, 404);
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await withdraw(problem);
    assert.deepEqual([status, body.status], [200, 'withdrawn']);
  }
  const seen = await at.see(problem);
  assert.deepEqual([seen.answer, seen.actions.withdraw.available], [null, false]);
  assert.ok(seen.ended_at);
  assert.deepEqual(await at.openTasks(), []);
  assert.equal((await at.answer(problem, 'refuse', { message: 'Too late.' })).status, 409);
  await at.reported(order);
});

test('one that was answered cannot be withdrawn', async () => {
  const problem = await at.reported(await at.shipped([1]));
  await at.answer(problem, 'refuse', { message: 'It is as ordered.' });
  const late = await withdraw(problem);
  assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
  assert.equal((await at.see(problem)).status, 'refused');
});

test('against a refund at the same moment exactly one wins: money went back exactly if the problem is refunded', async () => {
  for (let round = 0; round < 6; round += 1) {
    const problem = await at.reported(await at.shipped([1]));
    const before = (await written(at.service)) as { refunds: number };
    const key = { 'idempotency-key': `round-${round}` };
    const refund = (): Promise<{ status: number }> =>
      at.answer(problem, 'refund', { amount_gbp: 1, message: 'Sorry.' }, key);
    const both = round % 2 === 0 ? [refund(), withdraw(problem)] : [withdraw(problem), refund()];
    assert.deepEqual(sorted(await Promise.all(both)), [200, 409]);
    const { status } = await at.see(problem);
    const after = (await written(at.service)) as { refunds: number };
    assert.equal(after.refunds - before.refunds, status === 'refunded' ? 1 : 0, status);
  }
});
