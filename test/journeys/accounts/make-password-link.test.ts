import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole } from '../../harness/portal.ts';
import { act, assertUnknown, auditOf, closeAccess, openAccess, service } from './access.ts';
import { readLink, tokenOf } from './links.ts';

before(openAccess);
after(closeAccess);

type Made = { url: string | null; expires_at: string | null };

test('an operator makes a link to a new password; a repeat under its key does not show it again', async () => {
  const client = await openRole(service, 'reader');
  const path = `/users/${client.session.user.id}/password-link`;
  const headers = { 'idempotency-key': 'a-link-of-the-tests' };
  const made = await act<Made>(path, { reason: 'forgotten' }, headers);
  const link = await readLink(tokenOf(made.url ?? ''));
  assert.deepEqual([link.body.kind, link.body.email], ['reset', client.person.email]);
  const again = await act<Made>(path, { reason: 'forgotten' }, headers);
  assert.deepEqual([again.url, again.expires_at], [null, null]);
  assert.equal((await readLink(tokenOf(made.url ?? ''))).status, 200, 'the first goes on');
  const log = await auditOf(client.person.id);
  assert.deepEqual(
    [log[0]?.action, Object.keys(log[0]?.detail ?? {})],
    ['make_password_link', ['account_id', 'user_id', 'reason']],
  );
});

test('an unknown user is 404', async () => {
  await assertUnknown((id) => `/users/${id}/password-link`, 'user_', 'user');
});
