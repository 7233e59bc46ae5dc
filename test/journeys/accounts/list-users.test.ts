import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { User } from '../../../src/accounts/access/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { openPerson, PASSWORD } from '../../harness/oauth.ts';
import { act, admin, assertPaged, closeAccess, listed, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('the people of the account alone, newest first, disabled ones too; nothing of the password', async () => {
  const { accountId } = await service.openCustomer();
  const path = `/accounts/${publicId('acct', accountId)}/users`;
  const [first, second] = [await openPerson(service, accountId), await openPerson(service, accountId)];
  await openPerson(service);
  await act(`/users/${publicId('user', first.id)}/disable`);
  const users = await listed<User>(path);
  assert.deepEqual(
    users.map(({ id, email, disabled_at: disabledAt }) => [id, email, disabledAt === null]),
    [
      [publicId('user', second.id), second.email, true],
      [publicId('user', first.id), first.email, false],
    ],
  );
  assert.ok(!JSON.stringify(users).includes(PASSWORD) && !JSON.stringify(users).includes('argon2'));
  await assertPaged(path);
});

test('an unknown account is 404', async () => {
  assert.equal((await admin.request('GET', `/accounts/${publicId('acct', admin.id)}/users`)).status, 404);
});
