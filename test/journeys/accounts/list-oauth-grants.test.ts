import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OauthGrant } from '../../../src/accounts/access/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { obtainTokens, openApp, openPerson } from '../../harness/oauth.ts';
import { problemsOf } from '../../harness/shop.ts';
import { act, admin, assertPaged, closeAccess, listed, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('those of an account, those to an app, or both, newest first, without those that are revoked', async () => {
  const { accountId } = await service.openCustomer();
  const own = await openPerson(service, accountId);
  const guest = await openPerson(service);
  const [one, other] = [await openApp(service, { name: 'One' }), await openApp(service, { name: 'Other' })];
  await obtainTokens(service, one, own);
  await obtainTokens(service, other, own);
  await obtainTokens(service, one, guest);
  const account = publicId('acct', accountId);
  const whose = async (query: string): Promise<string[]> =>
    (await listed<OauthGrant>(`/oauth-grants?${query}`)).map((grant) => `${grant.email} ${grant.client_name}`);
  assert.deepEqual(await whose(`account=${account}`), [`${own.email} Other`, `${own.email} One`]);
  assert.deepEqual(await whose(`client=${one.clientId}`), [`${guest.email} One`, `${own.email} One`]);
  assert.deepEqual(await whose(`client=${one.clientId}&account=${account}`), [`${own.email} One`]);
  const [grant] = await listed<OauthGrant>(`/oauth-grants?client=${other.clientId}`);
  assert.deepEqual(
    [grant?.account_id, grant?.user_id, grant?.client_id, grant?.scopes, grant?.revoked_at],
    [account, publicId('user', own.id), other.clientId, ['orders:read'], null],
  );
  await assertPaged(`/oauth-grants?account=${account}`);
  await assertPaged(`/oauth-grants?client=${one.clientId}`);
  await act(`/oauth-grants/${grant?.id}/revoke`);
  assert.deepEqual(await whose(`account=${account}`), [`${own.email} One`]);
});

test('neither is 422, and so is an id of another kind; an unknown account or app is 404', async () => {
  const none = await admin.request('GET', '/oauth-grants');
  assert.deepEqual([none.status, problemsOf(none)], [422, ['account required']]);
  const wrong = await admin.request('GET', '/oauth-grants?account=client_1');
  assert.deepEqual([wrong.status, problemsOf(wrong)], [422, ['account pattern']]);
  for (const query of [`account=${publicId('acct', admin.id)}`, `client=${publicId('client', admin.id)}`]) {
    assert.equal((await admin.request('GET', `/oauth-grants?${query}`)).status, 404, query);
  }
});
