import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import type { Operator } from '../../../src/lib/operator.ts';
import { acceptRequest } from '../../../src/refunds/asking/answer-request.ts';
import { dyingAt } from '../../harness/dying.ts';
import { linesOf, parcelOf } from '../../harness/floor.ts';
import { type Mailbox, openMailbox } from '../../harness/mailbox.ts';
import { openRole } from '../../harness/portal.ts';
import { addProduct, HOME, problemsOf } from '../../harness/shop.ts';
import { assertSound, balancePence, eventsOf, rows } from '../../harness/written.ts';
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

const pence = (pounds: number): number => Math.round(pounds * 100);
const CANCELLED = { message: 'It is cancelled, as you asked.' };

test('accepted, the whole order is cancelled and refunded once, and the customer reads it on the order and in a mail', async () => {
  const owner = await openRole(at.service, 'owner', at.shop.accountId);
  const before = await balancePence(at.service, at.shop);
  const order = await at.late([2]);
  const request = await at.asked(order);
  const answered = await at.answer(request, 'accept', CANCELLED);
  assert.deepEqual([answered.status, answered.body.state], [200, 'accepted'], answered.text);
  assert.match(answered.body.answered_by, /^operator /);
  const seen = await at.see(order);
  assert.deepEqual(
    [seen.status, seen.cancellation_request?.state, seen.cancellation_request?.answer],
    ['cancelled', 'accepted', CANCELLED.message],
  );
  assert.ok(seen.cancellation_request?.answered_at);
  assert.equal(await balancePence(at.service, at.shop), before);
  assert.deepEqual(
    seen.refunds.map(({ reason }) => reason),
    [CANCELLED.message],
  );
  assert.equal((await eventsOf(at.service, order)).filter((name) => name === 'order.cancelled').length, 1);
  assert.deepEqual(await at.openTasks(order), []);
  const mails = "select recipient from mail where kind = 'cancellation_answered'";
  assert.deepEqual(await rows(at.service, mails), [{ recipient: owner.person.email }]);
});

test('without a refund the money stays, by a role that may keep it', async () => {
  const order = await at.late();
  const request = await at.asked(order);
  const paid = await balancePence(at.service, at.shop);
  const production = await at.service.openOperator('production');
  const path = `/cancellation-requests/${request.id}/accept`;
  const body = { message: 'It was made to measure.', refund: 'none' };
  assert.equal((await production.request('POST', path, body, { 'idempotency-key': newId() })).status, 403);
  assert.equal((await at.see(order)).cancellation_request?.state, 'open');
  assert.equal((await at.answer(request, 'accept', body)).status, 200);
  assert.equal((await at.see(order)).status, 'cancelled');
  assert.equal(await balancePence(at.service, at.shop), paid);
});

test('what has not started is cancelled and refunded, and the rest is made and sent', async () => {
  const order = await at.shop.place([1, 2]);
  const operator = at.shop.operator;
  assert.equal((await operator.request('POST', `/orders/${order.id}/promote`)).status, 200);
  const [started] = linesOf(order);
  await at.shop.start(order, started ?? '');
  await rows(at.service, 'update orders set cancellable_until = placed_at where reference = $1', [order.reference]);
  const request = await at.asked(order);
  const before = await balancePence(at.service, at.shop);
  const body = { message: 'One is printed, the others are cancelled.', cancel: 'not_started' };
  assert.equal((await at.answer(request, 'accept', body)).status, 200);
  const seen = await at.see(order);
  assert.deepEqual(
    [seen.status, seen.cancellation_request?.state, seen.items.map(({ status }) => status)],
    ['in_production', 'accepted', ['printing', 'cancelled']],
  );
  const [, line] = order.items.lineItems;
  const back = (await balancePence(at.service, at.shop)) - before;
  assert.ok(back >= pence(line?.line_price ?? 0) && back < pence(order.charged.total), `${back}`);
  assert.equal((await at.shop.ship(order, parcelOf(order, [1]))).status, 201);
  assert.equal((await at.see(order)).status, 'dispatched');
});

test('where every line has started, only the whole order can be cancelled; where none has, that is what happens', async () => {
  const started = await at.lateStarted([1]);
  const request = await at.asked(started);
  const before = await written(at.service);
  const refused = await at.answer(request, 'accept', { ...CANCELLED, cancel: 'not_started' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(refused.body.detail ?? '', /^Every line that is left has started/);
  assert.deepEqual(await written(at.service), before);
  assert.equal((await at.answer(request, 'accept', CANCELLED)).status, 200);
  const none = await at.late([1]);
  const paid = await balancePence(at.service, at.shop);
  const answer = await at.answer(await at.asked(none), 'accept', { ...CANCELLED, cancel: 'not_started' });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(
    [(await at.see(none)).status, (await at.see(none)).cancellation_request?.state],
    ['cancelled', 'accepted'],
  );
  assert.equal((await balancePence(at.service, at.shop)) - paid, pence(none.charged.total));
});

test('an order that waits for payment is cancelled, and there is nothing to refund', async () => {
  const poor = await at.service.openCustomer();
  const product_id = await addProduct(at.service, poor, 'TOTE-COTTON');
  const items = [{ product_id, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  const { body: order } = await poor.request<{ id: string; reference: string }>('POST', '/orders', {
    items,
    shipping_address: HOME,
  });
  await rows(at.service, 'update orders set cancellable_until = placed_at where reference = $1', [order.reference]);
  const asked = await poor.request<{ id: string }>('POST', `/orders/${order.id}/cancellation-request`, {
    reason: 'ordered_twice',
  });
  assert.equal(asked.status, 201, asked.text);
  const part = await at.answer(asked.body, 'accept', { ...CANCELLED, cancel: 'not_started' });
  assert.deepEqual([part.status, part.body.code], [409, 'conflict'], 'pieces of an unpaid order are not cancelled');
  assert.equal((await at.answer(asked.body, 'accept', CANCELLED)).status, 200);
  const seen = await poor.request<{ status: string; refunds: object[] }>('GET', `/orders/${order.id}`);
  assert.deepEqual([seen.body.status, seen.body.refunds], ['cancelled', []]);
});

test('an answer needs words, a key and an open request; a repeat under the key does nothing more', async () => {
  const order = await at.late();
  const request = await at.asked(order);
  const before = await balancePence(at.service, at.shop);
  assert.deepEqual(problemsOf((await at.answer(request, 'accept', { message: ' ', cancel: 'half' })) as never), [
    'message pattern',
    'cancel unknown_value',
  ]);
  assert.equal((await at.answer(request, 'accept', CANCELLED, {})).status, 400);
  const key = { 'idempotency-key': 'once-only' };
  assert.equal((await at.answer(request, 'accept', CANCELLED, key)).status, 200);
  const written1 = await written(at.service);
  assert.equal((await at.answer(request, 'accept', CANCELLED, key)).status, 200);
  const late = await at.answer(request, 'accept', CANCELLED);
  assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
  assert.match(late.body.detail ?? '', /^This request is accepted already\.$/);
  assert.deepEqual(await written(at.service), written1);
  assert.equal((await balancePence(at.service, at.shop)) - before, pence(order.charged.total));
  assert.equal((await at.answer({ id: 'creq_01kf2q8zj0fcv9y5d3m1x7r6tn' }, 'accept', CANCELLED)).status, 404);
});

test('an order that is cancelled or dispatched otherwise lets its request lapse, with its task', async () => {
  const cancelled = await at.late();
  const first = await at.asked(cancelled);
  const admin = await at.service.openOperator('admin');
  assert.equal((await admin.request('POST', `/orders/${cancelled.id}/cancel`, { reason: 'No stock.' })).status, 200);
  const sent = await at.lateStarted();
  const second = await at.asked(sent);
  assert.equal((await at.shop.ship(sent, parcelOf(sent, [1]))).status, 201);
  for (const [order, request] of [
    [cancelled, first],
    [sent, second],
  ] as const) {
    const { cancellation_request: seen } = await at.see(order);
    assert.deepEqual([seen?.state, seen?.answer, seen?.answered_at], ['lapsed', null, null]);
    assert.ok(seen?.ended_at);
    assert.deepEqual(await at.openTasks(order), []);
    const answer = await at.answer(request, 'accept', CANCELLED);
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
    assert.match(answer.body.detail ?? '', /^This request has lapsed: PF-\w+ is (cancelled|dispatched) already\.$/);
  }
});

test('against the last parcel exactly one wins', async () => {
  for (let round = 0; round < 5; round += 1) {
    const order = await at.lateStarted();
    const request = await at.asked(order);
    const [accepted, parcel] = await Promise.all([
      at.answer(request, 'accept', CANCELLED),
      at.shop.ship(order, parcelOf(order, [1])),
    ]);
    assert.deepEqual(
      [accepted.status === 200, parcel.status === 201].toSorted((a, b) => Number(a) - Number(b)),
      [false, true],
    );
    const { status, cancellation_request: seen } = await at.see(order);
    assert.deepEqual(
      [status, seen?.state],
      accepted.status === 200 ? ['cancelled', 'accepted'] : ['dispatched', 'lapsed'],
    );
  }
});

test('two operators who accept at once give money back once', async () => {
  const order = await at.late();
  const request = await at.asked(order);
  const before = await balancePence(at.service, at.shop);
  const answers = await Promise.all([1, 2, 3].map(() => at.answer(request, 'accept', CANCELLED)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409],
  );
  assert.equal((await balancePence(at.service, at.shop)) - before, pence(order.charged.total));
});

test('a process that dies at any statement of it leaves no refund and an open request; the retry gives one of each', async () => {
  const { email } = await at.service.openOperator('finance');
  const [row] = await rows<Pick<Operator, 'id'>>(at.service, 'select id from operator where email = $1', [email]);
  assert.ok(row);
  const operator: Operator = { id: row.id, tokenId: row.id, email, role: 'finance' };
  let survived = false;
  for (let statement = 1; !survived; statement += 1) {
    assert.ok(statement < 60, 'it ends');
    const order = await at.late();
    const request = await at.asked(order);
    const before = await balancePence(at.service, at.shop);
    const once = { key: newId(), requestHash: Buffer.from('the same request') };
    const { database, hasDied } = dyingAt(at.service.ctx.database, statement);
    const accept = { id: request.id, body: CANCELLED, once };
    await acceptRequest({ ...at.service.ctx, database }, operator, accept).catch(() => undefined);
    survived = !hasDied();
    if (!survived) {
      const seen = await at.see(order);
      assert.deepEqual([seen.status, seen.cancellation_request?.state], ['pending', 'open'], `statement ${statement}`);
      assert.equal(await balancePence(at.service, at.shop), before, `statement ${statement}`);
      assert.equal((await at.openTasks(order)).length, 1);
      await acceptRequest(at.service.ctx, operator, accept);
    }
    const seen = await at.see(order);
    assert.deepEqual([seen.status, seen.cancellation_request?.state], ['cancelled', 'accepted']);
    assert.equal((await balancePence(at.service, at.shop)) - before, pence(order.charged.total));
  }
});
