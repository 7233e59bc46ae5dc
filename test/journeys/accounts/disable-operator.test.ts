import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { act, admin, auditOf, closeAccess, openAccess, service, untilUnknown } from './access.ts';

before(openAccess);
after(closeAccess);

test('all tokens of a disabled operator end on every node, and what they did stays in the audit log', async () => {
  const { id, email, token, request } = await service.openOperator('production');
  assert.equal((await request('POST', '/webhooks/flush')).status, 200);
  for (let round = 0; round < 2; round += 1) {
    const disabled = await act('/operators/disable', { email: email.toUpperCase(), reason: 'left the shop' });
    assert.deepEqual(disabled, { email, disabled: true });
  }
  await untilUnknown(token, '/ops/v1/tasks?limit=1');
  assert.deepEqual(
    (await auditOf(id)).map(({ action }) => action),
    ['disable_operator', 'disable_operator'],
  );
  const { body } = await admin.request<{ data: { operator: string }[] }>('GET', '/audit');
  assert.ok(body.data.some(({ operator }) => operator === email));
});

test('an unknown address is 404', async () => {
  const answer = await admin.request('POST', '/operators/disable', { email: 'nobody@shop.example' });
  assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
});
