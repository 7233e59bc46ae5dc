import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Operator } from '../../../src/accounts/access/ops-schema.ts';
import { act, admin, assertPaged, closeAccess, listed, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('all operators, newest first, each with the role and whether they are disabled, and with no secret', async () => {
  const first = await service.openOperator('production');
  const second = await service.openOperator('finance');
  await act('/operators/disable', { email: first.email });
  const all = await listed<Operator>('/operators?limit=100');
  const found = all.filter(({ email }) => [first.email, second.email].includes(email));
  assert.deepEqual(
    found.map((one) => [one.email, one.role, one.disabled_at === null]),
    [
      [second.email, 'finance', true],
      [first.email, 'production', false],
    ],
  );
  assert.deepEqual(Object.keys(found[0] ?? {}), ['id', 'email', 'role', 'created_at', 'disabled_at']);
  await act('/operators/enable', { email: first.email });
  const again = (await listed<Operator>('/operators?limit=100')).find(({ email }) => email === first.email);
  assert.equal(again?.disabled_at, null);
  await assertPaged('/operators');
});

test('what is no cursor of operators is 422', async () => {
  const answer = await admin.request('GET', '/operators?cursor=otk_1');
  assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed']);
});
