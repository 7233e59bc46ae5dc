import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseId, publicId } from '../../../src/lib/ids.ts';
import { openRole } from '../../harness/portal.ts';
import { act, admin, assertUnknown, auditOf, closeAccess, openAccess, service } from './access.ts';
import { invite, readLink, useLink } from './links.ts';

before(openAccess);
after(closeAccess);

test("an operator withdraws an owner's invitation: its link is over, and the audit log says why", async () => {
  const { id, token } = await invite(await openRole(service, 'owner'));
  assert.deepEqual(await act(`/invitations/${id}/withdraw`, { reason: 'a wrong address' }), { id, withdrawn: true });
  assert.equal((await readLink(token)).status, 404);
  const account = publicId('acct', service.customer.accountId);
  assert.deepEqual(
    (await auditOf(parseId('lnk', id))).map(({ action, detail }) => [action, detail]),
    [['withdraw_invitation', { account_id: account, invitation_id: id, reason: 'a wrong address' }]],
  );
});

test('an invitation that is unknown, was withdrawn or used is 404, and a repeat under its key is not', async () => {
  await assertUnknown((id) => `/invitations/${id}/withdraw`, 'lnk_', 'invitation');
  const owner = await openRole(service, 'owner');
  const [withdrawn, used] = [await invite(owner), await invite(owner)];
  const headers = { 'idempotency-key': 'a-withdrawal' };
  for (let time = 0; time < 2; time += 1) await act(`/invitations/${withdrawn.id}/withdraw`, undefined, headers);
  assert.equal((await useLink(used.token, { password: 'a password of the person' })).status, 201);
  for (const { id } of [withdrawn, used]) {
    const answer = await admin.request('POST', `/invitations/${id}/withdraw`);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
  }
});
