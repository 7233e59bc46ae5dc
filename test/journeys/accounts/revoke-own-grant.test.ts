import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OauthGrant } from '../../../src/accounts/access/ops-schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { obtainTokens, openApp, openPerson, refresh } from '../../harness/oauth.ts';
import { openRole } from '../../harness/portal.ts';
import { auditOf, closeAccess, isAccepted, openAccess, service, untilUnknown } from './access.ts';

before(openAccess);
after(closeAccess);

test('a revoked grant ends its tokens on every node; others go on, and those of other accounts are 404', async () => {
  const { accountId } = await service.openCustomer();
  const app = await openApp(service);
  const person = await openPerson(service, accountId);
  const kept = await obtainTokens(service, app, person);
  const ended = await obtainTokens(service, app, person);
  const theirs = await obtainTokens(service, app, await openPerson(service));
  const client = await openRole(service, 'manager', accountId);
  const list = async () => (await client.request<Page<OauthGrant>>('GET', '/grants')).body.data;
  const [newest] = await list();
  assert.ok(newest !== undefined && (await isAccepted(ended.access_token)));
  for (const role of ['orders', 'reader'] as const) {
    const other = await openRole(service, role, accountId);
    assert.equal((await other.request('DELETE', `/grants/${newest.id}`)).status, 403, role);
  }
  assert.equal((await client.request('DELETE', `/grants/${newest.id}`)).status, 204);
  await untilUnknown(ended.access_token);
  assert.equal((await refresh(service, app, ended.refresh_token)).body.error, 'invalid_grant');
  assert.ok(await isAccepted(kept.access_token));
  assert.equal((await list()).length, 1);
  assert.equal((await client.request('DELETE', `/grants/${newest.id}`)).status, 204);
  const acts = await auditOf(parseId('gnt', newest.id));
  assert.deepEqual(
    acts.map(({ action }) => action),
    ['revoke_own_grant'],
  );

  const owner = await openRole(service, 'owner');
  const [foreign] = (await owner.request<Page<OauthGrant>>('GET', '/grants')).body.data;
  for (const id of [foreign?.id ?? '', newest.id.replace('gnt', 'tok'), 'gnt_1']) {
    const answer = await client.request('DELETE', `/grants/${id}`);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], id);
  }
  assert.ok(await isAccepted(theirs.access_token));
});
