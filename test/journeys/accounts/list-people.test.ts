import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PersonOfAccount } from '../../../src/accounts/portal/people-schema.ts';
import { openPerson } from '../../harness/oauth.ts';
import { openRole } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('the people of the account, with their roles and when they were last there, and of no other', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const reader = await openPerson(service, accountId, 'reader');
  const { body, text } = await owner.request<{ data: PersonOfAccount[] }>('GET', '/people');
  assert.deepEqual(
    body.data.map(({ email, role, second_factor: factor, disabled_at: disabledAt }) => [
      email,
      role,
      factor,
      disabledAt,
    ]),
    [
      [owner.person.email, 'owner', false, null],
      [reader.email, 'reader', false, null],
    ],
  );
  assert.deepEqual(
    body.data.map(({ last_seen_at: seen }) => seen !== null),
    [true, false],
  );
  assert.ok(!text.includes('argon2'));
});
