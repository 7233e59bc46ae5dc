import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parcelOf } from '../../harness/floor.ts';
import { assertSound } from '../../harness/written.ts';
import { type AskingShop, openAsking, written } from './asking.ts';

let at: AskingShop;
before(async () => {
  at = await openAsking();
});
after(async () => {
  try {
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

test('a request is withdrawn before an answer: its task is closed, and a repeat is harmless', async () => {
  const order = await at.late();
  await at.asked(order);
  const withdrawn = await at.withdraw(order);
  assert.deepEqual([withdrawn.status, withdrawn.body.state], [200, 'withdrawn'], withdrawn.text);
  assert.ok(withdrawn.body.ended_at);
  assert.deepEqual([withdrawn.body.answer, withdrawn.body.answered_at], [null, null]);
  assert.deepEqual(await at.openTasks(order), []);
  const before = await written(at.service);
  assert.deepEqual((await at.withdraw(order)).body, withdrawn.body);
  assert.deepEqual(await written(at.service), before);
  const seen = await at.see(order);
  assert.deepEqual([seen.cancellation_request, seen.actions.ask_to_cancel.available], [withdrawn.body, true]);
});

test('what was never asked, was answered or has lapsed is not withdrawn', async () => {
  const order = await at.lateStarted();
  const never = await at.withdraw(order);
  assert.deepEqual([never.status, never.body.code], [409, 'conflict']);
  assert.match(never.body.detail ?? '', /^You have not asked to cancel PF-/);
  const request = await at.asked(order);
  assert.equal((await at.answer(request, 'refuse', { message: 'It is printed.' })).status, 200);
  assert.match((await at.withdraw(order)).body.detail ?? '', /^The shop has refused your request/);
  await at.asked(order);
  assert.equal((await at.shop.ship(order, parcelOf(order, [1]))).status, 201);
  assert.match((await at.withdraw(order)).body.detail ?? '', /was cancelled or dispatched before an answer\.$/);
});

test('against an answer at the same moment exactly one wins', async () => {
  for (let round = 0; round < 5; round += 1) {
    const order = await at.late();
    const request = await at.asked(order);
    const [withdrawn, accepted] = await Promise.all([
      at.withdraw(order),
      at.answer(request, 'accept', { message: 'It is cancelled.' }),
    ]);
    assert.deepEqual(
      [withdrawn.status, accepted.status].toSorted((a, b) => a - b),
      [200, 409],
    );
    const { status, cancellation_request: seen } = await at.see(order);
    const isCancelled = accepted.status === 200;
    assert.deepEqual([status, seen?.state], isCancelled ? ['cancelled', 'accepted'] : ['pending', 'withdrawn']);
    assert.deepEqual(await at.openTasks(order), []);
  }
});
