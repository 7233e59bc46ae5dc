import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mintOperatorToken } from '../../../src/accounts/mint-operator-token.ts';
import { act, admin, auditOf, closeAccess, isAccepted, openAccess, service, untilUnknown } from './access.ts';

before(openAccess);
after(closeAccess);

const TASKS = '/ops/v1/tasks?limit=1';

test('an operator who is enabled again works with a new token alone, and the audit log has both changes', async () => {
  const { id, email, token } = await service.openOperator('production');
  await act('/operators/disable', { email });
  await untilUnknown(token, TASKS);
  await assert.rejects(mintOperatorToken(service.ctx, email), /is disabled.*platen operator enable/);
  for (let round = 0; round < 2; round += 1) {
    const enabled = await act('/operators/enable', { email: email.toUpperCase(), reason: 'came back' });
    assert.deepEqual(enabled, { email, disabled: false });
  }
  const minted = await mintOperatorToken(service.ctx, email);
  assert.ok(await isAccepted(minted.token, TASKS), 'at both nodes');
  assert.ok(!(await isAccepted(token, TASKS)), 'what was revoked stays revoked');
  assert.deepEqual(
    (await auditOf(id)).map(({ action }) => action),
    ['disable_operator', 'enable_operator', 'enable_operator'],
  );
});

test('a repeat under its key after another disabling enables nobody', async () => {
  const { email } = await service.openOperator('viewer');
  const headers = { 'idempotency-key': 'enable-once' };
  await act('/operators/disable', { email });
  await act('/operators/enable', { email }, headers);
  await act('/operators/disable', { email });
  await act('/operators/enable', { email }, headers);
  await assert.rejects(mintOperatorToken(service.ctx, email), /is disabled/);
});

test('an unknown address is 404', async () => {
  const answer = await admin.request('POST', '/operators/enable', { email: 'nobody@shop.example' });
  assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
});
