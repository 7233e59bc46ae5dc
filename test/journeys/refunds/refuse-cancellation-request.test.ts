import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Mailbox, openMailbox } from '../../harness/mailbox.ts';
import { openRole } from '../../harness/portal.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import { type AskingShop, openAsking, written } from './asking.ts';

let mailbox: Mailbox;
let at: AskingShop;
before(async () => {
  mailbox = await openMailbox();
  at = await openAsking({ ...mailbox.env, SELLER_NAME: 'Harbour Press' });
});
after(async () => {
  try {
    await assertSound(at.service);
  } finally {
    await at.service.stop();
    await mailbox.close();
  }
});

test('refused with a reason, the order goes on, and its customer reads why; it can be asked anew', async () => {
  const owner = await openRole(at.service, 'owner', at.shop.accountId);
  const order = await at.lateStarted();
  const paid = await balancePence(at.service, at.shop);
  const request = await at.asked(order);
  for (const message of ['', ' ', undefined]) {
    assert.equal((await at.answer(request, 'refuse', { message })).status, 422);
  }
  const viewer = await at.service.openOperator('viewer');
  const path = `/cancellation-requests/${request.id}/refuse`;
  assert.equal((await viewer.request('POST', path, { message: 'x' })).status, 403);
  const mails = "select recipient from mail where kind = 'cancellation_answered'";
  assert.deepEqual(await rows(at.service, mails), []);
  const answered = await at.answer(request, 'refuse', { message: 'It is sewn already.' });
  assert.deepEqual(
    [answered.status, answered.body.state, answered.body.answer],
    [200, 'refused', 'It is sewn already.'],
  );
  const seen = await at.see(order);
  assert.deepEqual(
    [seen.status, seen.cancellation_request?.state, seen.actions.ask_to_cancel.available],
    ['in_production', 'refused', true],
  );
  assert.equal(await balancePence(at.service, at.shop), paid);
  assert.deepEqual(await rows(at.service, mails), [{ recipient: owner.person.email }]);
  assert.equal((await at.answer(request, 'refuse', { message: 'Again.' })).status, 409);
  assert.equal((await at.ask(order)).status, 201);
});

test('the task of an open request is closed by the answer alone', async () => {
  const order = await at.late();
  const request = await at.asked(order);
  const [task] = await at.openTasks(order);
  assert.ok(task);
  const operator = await at.service.openOperator('production');
  const refused = await operator.request<{ code: string; detail: string }>('POST', `/tasks/${task.id}/close`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], refused.text);
  assert.match(refused.body.detail, /^Accept or refuse the request/);
  const before = await written(at.service);
  assert.equal((await at.openTasks(order)).length, 1);
  assert.deepEqual(await written(at.service), before);
  assert.equal((await at.answer(request, 'refuse', { message: 'It is packed.' })).status, 200);
  assert.deepEqual(await at.openTasks(order), []);
  assert.equal((await operator.request('POST', `/tasks/${task.id}/close`)).status, 200);
});
