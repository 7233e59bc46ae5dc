import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Person } from '../../harness/oauth.ts';
import { PASSWORD, signIn } from '../../harness/portal.ts';
import { openProtected } from '../../harness/second-factor.ts';
import { act, assertUnknown, closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

const enter = (person: Person, code?: string) =>
  signIn(service, { email: person.email, password: PASSWORD, ...(code === undefined ? {} : { code }) });

test('an operator removes that of anybody', async () => {
  const last = await openProtected(service);
  await act(`/users/${last.client.session.user.id}/remove-second-factor`, { reason: 'lost the phone' });
  assert.equal((await enter(last.person)).status, 201);
});

test('an unknown user is 404', async () => {
  await assertUnknown((id) => `/users/${id}/remove-second-factor`, 'user_', 'user');
});
