import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';
import { invite, readLink } from './links.ts';

before(openAccess);
after(closeAccess);

test('a withdrawn invitation cannot be used; a second time, and that of another account, is 404', async () => {
  const owner = await openRole(service, 'owner');
  const { accountId } = await service.openCustomer();
  const other = await openRole(service, 'owner', accountId);
  const [own, theirs] = [await invite(owner), await invite(other)];
  assert.equal((await owner.request('DELETE', `/people/invitations/${own.id}`)).status, 204);
  assert.equal((await readLink(own.token)).status, 404);
  for (const id of [own.id, theirs.id, 'lnk_1']) {
    const answer = await owner.request('DELETE', `/people/invitations/${id}`);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], id);
  }
  assert.equal((await readLink(theirs.token)).status, 200);
});
