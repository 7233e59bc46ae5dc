import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { InvitedUser } from '../../../src/accounts/joining/invitation-schema.ts';
import type { Invitation } from '../../../src/accounts/portal/link-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { openRole } from '../../harness/portal.ts';
import { act, admin, assertPaged, closeAccess, listed, openAccess, service } from './access.ts';
import { invite } from './links.ts';

before(openAccess);
after(closeAccess);

test('the open invitations of one account, by owners and operators alike, newest first and without links', async () => {
  const { accountId } = await service.openCustomer();
  const path = `/accounts/${publicId('acct', accountId)}/invitations`;
  const first = await invite(await openRole(service, 'owner', accountId));
  const ask = async (email: string): Promise<InvitedUser> =>
    (await admin.request<InvitedUser>('POST', path, { email, role: 'reader', name: 'Bob' })).body;
  const [second, withdrawn] = [await ask('second@example.com'), await ask('withdrawn@example.com')];
  await act(`/invitations/${withdrawn.id}/withdraw`);
  await invite(await openRole(service, 'owner'));
  const open = await listed<Invitation>(path);
  assert.deepEqual(
    open.map(({ id, email, role, name }) => [id, email, role, name]),
    [
      [second.id, 'second@example.com', 'reader', 'Bob'],
      [first.id, first.email, first.role, first.name],
    ],
  );
  assert.ok(!JSON.stringify(open).includes(first.token));
  await assertPaged(path);
  service.shiftMs(3_600_001);
  assert.deepEqual(await listed(path), []);
});

test('an unknown account is 404', async () => {
  assert.equal((await admin.request('GET', `/accounts/${publicId('acct', admin.id)}/invitations`)).status, 404);
});
