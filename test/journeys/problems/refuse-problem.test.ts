import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Mailbox, openMailbox } from '../../harness/mailbox.ts';
import { openRole } from '../../harness/portal.ts';
import { rows } from '../../harness/written.ts';
import { openProblems, type ProblemShop, written } from './problems.ts';

let mailbox: Mailbox;
let at: ProblemShop;
before(async () => {
  mailbox = await openMailbox();
  at = await openProblems({ ...mailbox.env, SELLER_NAME: 'Harbour Press' });
});
after(async () => {
  await at.service.stop();
  await mailbox.close();
});

test('a problem is refused with a reason, which is mailed to the people of the account and moves nothing', async () => {
  const owner = await openRole(at.service, 'owner', at.shop.accountId);
  const reader = await openRole(at.service, 'reader', at.shop.accountId);
  const order = await at.shipped([1]);
  const problem = await at.reported(order);
  const before = await written(at.service);
  for (const message of ['', ' ', undefined]) {
    assert.equal((await at.answer(problem, 'refuse', { message })).status, 422);
  }
  const viewer = await at.service.openOperator('viewer');
  assert.equal((await viewer.request('POST', `/problems/${problem.id}/refuse`, { message: 'x' })).status, 403);
  const mails = "select recipient from mail where kind = 'problem_answered'";
  assert.deepEqual(await rows(at.service, mails), [], 'a refused answer mails nothing');
  const answered = await at.answer(problem, 'refuse', { message: 'It was washed at 90 degrees.' });
  assert.deepEqual([answered.status, answered.body.status], [200, 'refused']);
  assert.match(answered.body.answered_by, /^operator /);
  assert.deepEqual((await at.see(problem)).answer, {
    message: 'It was washed at 90 degrees.',
    replacement: null,
    refund_gbp: null,
  });
  assert.deepEqual(await written(at.service), before, 'no money, no order');
  assert.equal((await at.answer(problem, 'refuse', { message: 'Again.' })).status, 409);
  assert.deepEqual(await rows(at.service, mails), [{ recipient: owner.person.email }], `not ${reader.person.email}`);
});

test('the task of an open problem is closed by the answer alone, and stays as it is when it is closed by hand later', async () => {
  const problem = await at.reported(await at.shipped([1]));
  const open = await at.openTasks();
  const task = open.find(({ note }) => note.includes(problem.id)) ?? assert.fail('the problem has a task');
  for (const role of ['production', 'finance'] as const) {
    const operator = await at.service.openOperator(role);
    const refused = await operator.request<{ code: string; detail: string }>('POST', `/tasks/${task.id}/close`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], refused.text);
    assert.match(refused.body.detail, /^Answer the problem/);
  }
  assert.deepEqual(await at.openTasks(), open);
  const audited = "select id from operator_action where action = 'close_task'";
  assert.deepEqual(await rows(at.service, audited), [], 'what was refused is not in the audit log');
  assert.equal((await at.answer(problem, 'refuse', { message: 'It was washed.' })).status, 200);
  assert.ok((await at.openTasks()).every(({ id }) => id !== task.id));
  const admin = await at.service.openOperator('production');
  assert.equal((await admin.request('POST', `/tasks/${task.id}/close`)).status, 200);
});
