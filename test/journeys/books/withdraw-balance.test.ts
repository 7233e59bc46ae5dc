import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { assertSound, balancePence } from '../../harness/written.ts';
import {
  closeEntries,
  credited,
  finance,
  made,
  moved,
  openEntries,
  post,
  refused,
  service,
  statementOf,
} from './entries.ts';

before(() => openEntries());
after(closeEntries);
afterEach(() => assertSound(service));

test('a balance is paid out by bank, and the customer reads it in plain words', async () => {
  const to = await credited(12_345);
  const body = { amount_gbp: 123.45, reference: 'OUT-1', reason: 'You asked us to close your account.' };
  assert.deepEqual(await moved(() => made(`/accounts/${to.id}/withdrawals`, body)), {
    bank: -12_345,
    customer_balance: 12_345,
  });
  assert.equal(await balancePence(service, to.customer), 0);
  assert.deepEqual((await statementOf(to))[0], [
    'charge',
    -123.45,
    0,
    'Balance paid out: You asked us to close your account.',
  ]);
});

test('the same request is paid out once, and so is a reference', async () => {
  const to = await credited(10_000);
  const body = { amount_gbp: 10, reference: 'OUT-2', reason: 'asked for' };
  const key = newId();
  const answers = await Promise.all([1, 2, 3].map(() => post(`/accounts/${to.id}/withdrawals`, body, finance, key)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal(new Set(answers.map(({ body: entry }) => entry.id)).size, 1);
  assert.equal(await balancePence(service, to.customer), 9_000);
  assert.deepEqual(await refused(`/accounts/${to.id}/withdrawals`, body), [409, 'conflict']);
  const other = await credited(10_000);
  await made(`/accounts/${other.id}/withdrawals`, body);
});

test('never more than the balance, also when several take it at once', async () => {
  const to = await credited(10_000);
  const body = () => ({ amount_gbp: 40, reference: newId(), reason: 'asked for' });
  const answers = await Promise.all([1, 2, 3, 4].map(() => post(`/accounts/${to.id}/withdrawals`, body())));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 201, 409, 409],
  );
  assert.equal(await balancePence(service, to.customer), 2_000);
  const refusal = await post(`/accounts/${to.id}/withdrawals`, { ...body(), amount_gbp: 20.01 });
  assert.match(refusal.body.detail, /is £20\.00, and £20\.01 would be taken/);
});

test('an unknown account is 404, an amount that is none 422', async () => {
  const to = await credited(1_000);
  const body = { amount_gbp: 1, reference: newId(), reason: 'x' };
  for (const id of ['acct_x', 'acct_01h455vb4pex5vsknk084sn02q', '00000000-0000-0000-0000-000000000000']) {
    assert.deepEqual(await refused(`/accounts/${id}/withdrawals`, body), [404, 'not_found'], id);
  }
  assert.deepEqual(await refused('/accounts/acct_00000000000000000000000000/withdrawals', body), [404, 'not_found']);
  assert.deepEqual(await refused(`/accounts/${to.id}/withdrawals`, { ...body, amount_gbp: 0.005 }), [
    'amount_gbp decimals',
  ]);
  assert.deepEqual(await refused(`/accounts/${to.id}/withdrawals`, { amount_gbp: 1, reason: 'x' }), [
    'reference required',
  ]);
});
