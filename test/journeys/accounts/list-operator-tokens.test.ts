import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OperatorToken } from '../../../src/accounts/access/ops-schema.ts';
import { mintOperatorToken } from '../../../src/accounts/mint-operator-token.ts';
import { assertPaged, closeAccess, listed, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('the tokens of all operators or of one, newest first, each with whose it is and when it was used', async () => {
  const { email, token, request } = await service.openOperator('finance');
  await mintOperatorToken(service.ctx, email);
  await request('GET', '/tasks');
  await service.ctx.tokenUses.operators.flush(service.ctx.database);
  const own = await listed<OperatorToken>(`/operator-tokens?email=${email.toUpperCase()}`);
  assert.deepEqual(
    own.map((one) => [one.email, one.role, one.revoked_at, one.last_used_at === null]),
    [
      [email, 'finance', null, true],
      [email, 'finance', null, false],
    ],
  );
  assert.ok(!JSON.stringify(own).includes(token));
  assert.ok((await listed<OperatorToken>('/operator-tokens?limit=100')).length > own.length);
  assert.deepEqual(await listed('/operator-tokens?email=nobody%40shop.example'), []);
  await assertPaged(`/operator-tokens?email=${email}`);
});
