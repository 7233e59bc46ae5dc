import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ListedSession } from '../../../src/accounts/portal/schema.ts';
import { openPerson } from '../../harness/oauth.ts';
import { openPortal } from '../../harness/portal.ts';
import { act, auditOf, closeAccess, openAccess, service } from './access.ts';
import { isSignedIn, untilSignedOut } from './portal.ts';

before(openAccess);
after(closeAccess);

const sessionsOf = async (client: Awaited<ReturnType<typeof openPortal>>): Promise<ListedSession[]> =>
  (await client.request<{ data: ListedSession[] }>('GET', '/sessions')).body.data;

test('a person ends another of their sessions; a second time, and that of anybody else, is 404', async () => {
  const person = await openPerson(service);
  const [here, lost] = [await openPortal(service, person), await openPortal(service, person)];
  const { accountId } = await service.openCustomer();
  const strangers = [await openPerson(service), await openPerson(service, accountId)];
  const id = (await sessionsOf(here)).find(({ is_current: isCurrent }) => !isCurrent)?.id;
  assert.equal((await here.request('DELETE', `/sessions/${id}`)).status, 204);
  await untilSignedOut(lost);
  assert.ok(await isSignedIn(here));
  for (const stranger of strangers) {
    const other = await openPortal(service, stranger);
    const [theirs] = await sessionsOf(other);
    for (const wrong of [id, theirs?.id, 'ses_1', 'nothing']) {
      const answer = await here.request('DELETE', `/sessions/${wrong}`);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], wrong);
    }
    assert.ok(await isSignedIn(other));
  }
});

test('an operator ends a session of the portal, too', async () => {
  const client = await openPortal(service, await openPerson(service));
  const [session] = await sessionsOf(client);
  await act(`/sessions/${session?.id}/revoke`, { reason: 'a laptop was lost' });
  await untilSignedOut(client);
  const acts = await auditOf(undefined);
  assert.equal(acts.at(-1)?.action, 'revoke_session');
});
