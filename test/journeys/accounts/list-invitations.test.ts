import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Invitation } from '../../../src/accounts/portal/link-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';
import { invite, useLink } from './links.ts';

before(openAccess);
after(closeAccess);

test('open invitations of the account, newest first, without their links; those that were used are gone', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const [first, second, used] = [await invite(owner), await invite(owner), await invite(owner)];
  await invite(await openRole(service, 'owner'));
  await useLink(used.token, { password: 'a password of their own' });
  const { body, text } = await owner.request<{ data: Invitation[] }>('GET', '/people/invitations');
  assert.deepEqual(
    body.data.map(({ id }) => id),
    [second.id, first.id],
  );
  assert.ok(!text.includes(first.token) && !text.includes('url'));
});
