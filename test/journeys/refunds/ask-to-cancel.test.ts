import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parcelOf } from '../../harness/floor.ts';
import { openRole } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound, eventsOf, rows } from '../../harness/written.ts';
import { type AskingShop, openAsking, written } from './asking.ts';

let at: AskingShop;
before(async () => {
  at = await openAsking({ CANCELLATION_ANSWER_HOURS: '6' });
});
after(async () => {
  try {
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

test('after the window the shop is asked, with a deadline that both see; the order goes on, and no event is sent', async () => {
  const order = await at.lateStarted([2]);
  const events = await eventsOf(at.service, order);
  assert.deepEqual((await at.see(order)).actions.ask_to_cancel, { available: true });
  const request = await at.asked(order, { reason: 'buyer_cancelled', text: 'She has changed her mind.' });
  assert.equal(Date.parse(request.answer_by) - Date.parse(request.asked_at), 6 * 3_600_000);
  const seen = await at.see(order);
  assert.deepEqual(seen.cancellation_request, request);
  assert.deepEqual(
    [request.state, request.reason, request.text, request.answer, request.answered_at, request.actions],
    ['open', 'buyer_cancelled', 'She has changed her mind.', null, null, { withdraw: { available: true } }],
  );
  assert.deepEqual([seen.status, seen.actions.ask_to_cancel.available], ['in_production', false]);
  const [task, ...more] = await at.openTasks(order);
  assert.ok(task !== undefined && more.length === 0);
  assert.deepEqual([task.due_at, task.note.includes(request.id)], [request.answer_by, true]);
  assert.doesNotMatch(task.note, /changed her mind/, 'what the customer writes stands in one place');
  assert.deepEqual(await eventsOf(at.service, order), events);
  const list = await at.shop.request<{ data: { id: string; cancellation_request: object }[] }>(
    'GET',
    '/orders?limit=1',
  );
  assert.deepEqual(list.body.data[0]?.cancellation_request, request);
  assert.equal((await at.shop.ship(order, parcelOf(order, [1]))).status, 201, 'the shop goes on');
});

test('an order that nothing was asked about says so by null', async () => {
  const order = await at.shop.place([1]);
  const { cancellation_request: request, actions } = await at.see(order);
  assert.deepEqual([request, actions.ask_to_cancel], [null, { available: false }]);
});

test('within the window the answer says to cancel, after dispatch to report a problem, and of a cancelled one that it is', async () => {
  const early = await at.shop.place([1]);
  const before = await written(at.service);
  const refused = await at.ask(early);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(
    refused.body.detail ?? '',
    new RegExp(`^Until .*Z you cancel .*: POST /orders/${early.reference}/cancel`),
  );
  assert.deepEqual(await written(at.service), before);
  assert.equal((await at.shop.request('POST', `/orders/${early.id}/cancel`)).status, 200);
  assert.match((await at.ask(early)).body.detail ?? '', /is cancelled already\.$/);
  const sent = await at.lateStarted();
  await at.shop.ship(sent, parcelOf(sent, [1]));
  const late = await at.ask(sent);
  assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
  assert.match(late.body.detail ?? '', /has been dispatched.*POST \/orders\/PF-\w+\/problems\.$/);
  assert.equal((await at.see(sent)).actions.ask_to_cancel.available, false);
});

test('the last millisecond of the window is still that of the cancel', async () => {
  const order = await at.shop.place([1]);
  const until = Date.parse(order.cancellable_until);
  at.service.shiftMs(until - at.service.ctx.clock.now().getTime() + 1_000);
  assert.equal((await at.ask(order)).status, 201);
  assert.equal((await at.shop.request('POST', `/orders/${order.id}/cancel`)).status, 409);
});

test('one request is open at a time: the same again is the same, another is refused, and withdrawn it can be asked anew', async () => {
  const order = await at.late();
  const body = { reason: 'wrong_item', text: 'It should be the blue one.' };
  const first = await at.asked(order, body);
  const before = await written(at.service);
  const again = await at.ask(order, body);
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed'), again.body], [200, 'true', first]);
  const other = await at.ask(order, { reason: 'wrong_item' });
  assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
  assert.match(other.body.detail ?? '', /DELETE \/orders\/PF-\w+\/cancellation-request\.$/);
  assert.deepEqual(await written(at.service), before);
  for (let asked = 1; asked < 5; asked += 1) {
    assert.equal((await at.withdraw(order)).status, 200);
    await at.asked(order, body);
  }
  assert.equal((await at.withdraw(order)).status, 200);
  assert.equal((await at.see(order)).actions.ask_to_cancel.available, false);
  assert.match((await at.ask(order, body)).body.detail ?? '', /^You have asked 5 times/);
});

test('of several at once one is written', async () => {
  const order = await at.late();
  const reasons = ['changed_mind', 'ordered_twice', 'takes_too_long'];
  const answers = await Promise.all(reasons.map((reason) => at.ask(order, { reason })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409],
  );
  assert.equal((await at.openTasks(order)).length, 1);
});

test('a reason is one of a list, other needs a text, and a text has at most 500 characters', async () => {
  const order = await at.late();
  assert.deepEqual(problemsOf((await at.ask(order, {})) as never), ['reason required']);
  const unknown = await at.ask(order, { reason: 'bored', text: 'x'.repeat(501) });
  assert.deepEqual(problemsOf(unknown as never), ['reason unknown_value', 'text out_of_bounds']);
  assert.ok(unknown.body.errors?.[0]?.valid_values?.includes('changed_mind'));
  for (const text of [undefined, '', ' ']) {
    const answer = await at.ask(order, { reason: 'other', ...(text === undefined ? {} : { text }) });
    assert.deepEqual([answer.status, ...problemsOf(answer as never)], [422, 'text required']);
  }
  assert.equal((await at.ask(order, { reason: 'other', text: '🧵'.repeat(500) })).status, 201);
});

test('an order that waits for its payment is asked about as well, and one that is held stays held', async () => {
  const held = await at.shop.place([1]);
  const operator = await at.service.openOperator('production');
  assert.equal((await operator.request('POST', `/orders/${held.id}/hold`, { reason: 'Wait.' })).status, 200);
  await rows(at.service, 'update orders set cancellable_until = placed_at where reference = $1', [held.reference]);
  await at.asked(held);
  assert.equal((await at.see(held)).hold?.reason, 'Wait.');
});

test('in the portal, those who order ask; a reader does not, and sees the answer', async () => {
  const order = await at.late();
  const reader = await openRole(at.service, 'reader', at.shop.accountId);
  const path = `/orders/${order.id}/cancellation-request`;
  const body = { reason: 'changed_mind' };
  assert.equal((await reader.api('POST', path, { body })).status, 403);
  const clerk = await openRole(at.service, 'orders', at.shop.accountId);
  assert.equal((await clerk.api('POST', path, { body })).status, 201);
  const seen = await reader.api<{ cancellation_request: { state: string } }>('GET', `/orders/${order.id}`);
  assert.equal(seen.body.cancellation_request.state, 'open');
  assert.equal((await reader.api('DELETE', path)).status, 403);
});
