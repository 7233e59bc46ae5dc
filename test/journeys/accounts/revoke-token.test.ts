import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccessToken } from '../../../src/accounts/access/ops-schema.ts';
import { mintToken } from '../../../src/accounts/mint-token.ts';
import { publicId } from '../../../src/lib/ids.ts';
import {
  act,
  admin,
  assertUnknown,
  auditOf,
  closeAccess,
  isAccepted,
  openAccess,
  service,
  untilUnknown,
} from './access.ts';

before(openAccess);
after(closeAccess);

test('a revoked token is as an unknown one within two seconds on every node; the others of the account go on', async () => {
  const customer = await service.openCustomer();
  const { id, token } = await mintToken(service.ctx, { accountId: customer.accountId });
  assert.ok(await isAccepted(token));
  const revoked = await act<AccessToken>(`/tokens/${publicId('tok', id)}/revoke`, { reason: 'in a public repository' });
  assert.notEqual(revoked.revoked_at, null);
  await untilUnknown(token);
  assert.ok(await isAccepted(customer.token));
  const again = await act<AccessToken>(`/tokens/${publicId('tok', id)}/revoke`);
  assert.deepEqual(again, revoked, 'the time of the first stays');
  const token_id = publicId('tok', id);
  assert.deepEqual(await auditOf(id), [
    { action: 'revoke_token', who: admin.email, detail: { token_id, reason: 'in a public repository' } },
    { action: 'revoke_token', who: admin.email, detail: { token_id } },
  ]);
});

test('an unknown token is 404', async () => {
  await assertUnknown((id) => `/tokens/${id}/revoke`, 'tok_', 'token');
});
