import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { openTill } from './card-top-ups.ts';
import { closeCards, openCards, provider, service } from './cards.ts';
import { beginSaving, lookAt, methodOf, savingOf } from './savings.ts';

before(openCards);
after(closeCards);

test('the same key is the same page, whatever was answered; another kind is refused', async () => {
  const till = await openTill();
  const key = newId();
  const before = provider.pages.length;
  const [one, two] = await Promise.all([beginSaving(till.owner, 'card', key), beginSaving(till.owner, 'card', key)]);
  assert.deepEqual([one.status, one.body], [201, two.body]);
  assert.equal(provider.pages.length, before + 1);
  const other = await till.owner.request('POST', '/payment-method/savings', {
    body: { kind: 'direct_debit' },
    headers: { 'idempotency-key': key },
  });
  assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
});

test('without an answer of the provider nothing is shown: the same key carries on; what it refuses is said', async () => {
  const till = await openTill();
  const key = newId();
  const headers = { 'idempotency-key': key };
  provider.fail('page', '500 after');
  const first = await till.owner.request('POST', '/payment-method/savings', { body: { kind: 'card' }, headers });
  assert.deepEqual([first.status, first.body.code], [503, 'unavailable']);
  const made = provider.pages.length;
  const again = await beginSaving(till.owner, 'card', key);
  assert.deepEqual([again.status, provider.pages.length, again.body.page_url], [201, made, provider.pages.at(-1)?.url]);
  provider.fail('page', 'refuse');
  const refused = await till.owner.request('POST', '/payment-method/savings', {
    body: { kind: 'direct_debit' },
    headers: { 'idempotency-key': newId() },
  });
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(refused.body.detail ?? '', /Save a card/);
});

test('kinds, keys, roles, old proofs and the savings of other accounts are refused, and nothing is written', async () => {
  const till = await openTill();
  const bad = await till.owner.request('POST', '/payment-method/savings', {
    body: { kind: 'cash' },
    headers: { 'idempotency-key': newId() },
  });
  assert.deepEqual([bad.status, problemsOf(bad)], [422, ['kind unknown_value']]);
  const noKey = await till.owner.request('POST', '/payment-method/savings', { body: { kind: 'card' } });
  assert.deepEqual(problemsOf(noKey), ['Idempotency-Key pattern']);
  const { saving } = await savingOf(till.owner);
  const other = await openTill();
  assert.equal((await lookAt(other.owner, saving)).status, 404);
  assert.equal((await lookAt(other.owner, { id: 'sav_x' })).status, 404);
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, till.accountId);
    assert.equal((await methodOf(person)).saved, null);
    for (const answer of [
      await beginSaving(person, 'card'),
      await lookAt(person, saving),
      await person.request('DELETE', '/payment-method'),
    ]) {
      assert.equal(answer.status, 403, answer.text);
    }
  }
  assert.deepEqual(await rows(service, 'select 1 from method_saving where account_id = $1', [other.accountId]), []);
  for (let n = 1; n < 10; n += 1) await savingOf(till.owner);
  const eleventh = await till.owner.request('POST', '/payment-method/savings', {
    body: { kind: 'card' },
    headers: { 'idempotency-key': newId() },
  });
  assert.deepEqual([eleventh.status, eleventh.body.code], [409, 'conflict']);
  service.shiftMs(16 * 60_000);
  for (const answer of [
    await till.owner.request('POST', '/payment-method/savings', {
      body: { kind: 'card' },
      headers: { 'idempotency-key': newId() },
    }),
    await till.owner.request('DELETE', '/payment-method'),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [403, 'proof_required']);
  }
});

test('of several that open the last page that may be open at once, exactly one does', async () => {
  const till = await openTill();
  for (let n = 0; n < 9; n += 1) await savingOf(till.owner);
  const answers = await Promise.all([1, 2, 3, 4].map(() => beginSaving(till.owner, 'card')));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409],
  );
  const open = await rows(service, 'select from method_saving where account_id = $1', [till.accountId]);
  assert.equal(open.length, 10);
});

test('where no card is taken nothing can be saved', async () => {
  const without = await startTestService({ role: 'api' });
  try {
    const { accountId } = await without.openCustomer({ balancePence: 0 });
    const owner = await openRole(without, 'owner', accountId);
    assert.deepEqual(await methodOf(owner), { saved: null, kinds: [], has_auto_top_up: false });
    const answer = await owner.request('POST', '/payment-method/savings', {
      body: { kind: 'card' },
      headers: { 'idempotency-key': newId() },
    });
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
  } finally {
    await without.stop();
  }
});
