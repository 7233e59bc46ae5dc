import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { openRole } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { balanceOf, begin, begun, look, openTill } from './card-top-ups.ts';
import { closeCards, openCards, provider, service } from './cards.ts';

before(openCards);
after(closeCards);

test('the same key is the same top-up: one page, whatever was answered; another amount is refused', async () => {
  const till = await openTill();
  const key = newId();
  const [one, two] = await Promise.all([begin(till.owner, 20, key), begin(till.owner, 20, key)]);
  assert.deepEqual([one.status, one.body], [201, two.body]);
  const { id } = one.body;
  assert.equal(provider.pages.filter((page) => page.url === one.body.pay_url).length, 1);
  const other = await till.owner.request('POST', '/top-ups', {
    body: { amount_gbp: 21 },
    headers: { 'idempotency-key': key },
  });
  assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
  const page = provider.pages.find(({ url }) => url === one.body.pay_url);
  assert.ok(page);
  provider.pay(page);
  const again = await begin(till.owner, 20, key);
  assert.deepEqual([again.body.id, again.body.state, again.body.pay_url], [id, 'paid', null]);
  assert.equal(await balanceOf(till), 2_000);
});

test('without an answer of the provider nothing is shown and nothing is lost: the same key carries on', async () => {
  const till = await openTill();
  const key = newId();
  provider.fail('page', '500', '500 after');
  const first = await till.owner.request('POST', '/top-ups', {
    body: { amount_gbp: 9 },
    headers: { 'idempotency-key': key },
  });
  assert.deepEqual([first.status, first.body.code], [503, 'unavailable']);
  await begin(till.owner, 9, key);
  const made = provider.pages.length;
  const third = await begin(till.owner, 9, key);
  assert.deepEqual([third.status, provider.pages.length, third.body.pay_url], [201, made, provider.pages.at(-1)?.url]);
  provider.fail('read page', '500');
  const looked = await till.owner.request('POST', `/top-ups/${third.body.id}/look`);
  assert.deepEqual([looked.status, looked.body.code], [503, 'unavailable']);
  provider.fail('page', 'refuse');
  const refused = await till.owner.request('POST', '/top-ups', {
    body: { amount_gbp: 9 },
    headers: { 'idempotency-key': newId() },
  });
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
});

test('amounts, keys, roles and the top-ups of other accounts are refused, and nothing is written', async () => {
  const till = await openTill();
  for (const [amount, problem] of [
    [4.99, 'amount_gbp out_of_bounds'],
    [0, 'amount_gbp out_of_bounds'],
    [5.001, 'amount_gbp decimals'],
    [100_000_000, 'amount_gbp out_of_bounds'],
    [-5, 'amount_gbp out_of_bounds'],
    ['50', 'amount_gbp type'],
  ] as const) {
    const answer = await till.owner.request('POST', '/top-ups', {
      body: { amount_gbp: amount },
      headers: { 'idempotency-key': newId() },
    });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], String(amount));
  }
  const noKey = await till.owner.request('POST', '/top-ups', { body: { amount_gbp: 50 } });
  assert.deepEqual(problemsOf(noKey), ['Idempotency-Key pattern']);
  const { topUp } = await begun(till);
  const other = await openTill();
  assert.equal((await look(other.owner, topUp)).status, 404);
  assert.equal((await look(other.owner, { ...topUp, id: 'top_x' })).status, 404);
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, till.accountId);
    for (const answer of [
      await begin(person, 50),
      await look(person, topUp),
      await person.request('GET', '/top-ups'),
    ]) {
      assert.equal(answer.status, 403, answer.text);
    }
  }
  assert.deepEqual(await rows(service, 'select 1 from card_top_up where account_id = $1', [other.accountId]), []);
  for (let n = 1; n < 10; n += 1) await begun(till);
  const eleventh = await till.owner.request('POST', '/top-ups', {
    body: { amount_gbp: 50 },
    headers: { 'idempotency-key': newId() },
  });
  assert.deepEqual([eleventh.status, eleventh.body.code], [409, 'conflict']);
});

test('of several that begin the last top-up that may be under way at once, exactly one does', async () => {
  const till = await openTill();
  for (let n = 0; n < 9; n += 1) await begun(till);
  const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => begin(till.owner, 50)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, ...Array.from({ length: 7 }, () => 409)],
  );
  const open = await rows(service, 'select from card_top_up where account_id = $1', [till.accountId]);
  assert.equal(open.length, 10);
});
