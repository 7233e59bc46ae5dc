import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { User } from '../../../src/accounts/access/ops-schema.ts';
import { act, assertUnknown, closeAccess, openAccess } from './access.ts';
import { assertAllEnded, openSignedIn, signInStatus } from './people.ts';

before(openAccess);
after(closeAccess);

test('an enabled user signs in by the same password; what had ended stays ended', async () => {
  const signedIn = await openSignedIn();
  await act(`${signedIn.path}/disable`);
  for (let round = 0; round < 2; round += 1) {
    assert.equal((await act<User>(`${signedIn.path}/enable`)).disabled_at, null);
  }
  assert.equal(await signInStatus(signedIn), 200);
  await assertAllEnded(signedIn);
});

test('an unknown user is 404', async () => {
  await assertUnknown((id) => `/users/${id}/enable`, 'user_', 'user');
});
