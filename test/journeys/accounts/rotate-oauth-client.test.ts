import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callEndpoint, obtainTokens, openApp, openPerson, refresh, type TokenAnswer } from '../../harness/oauth.ts';
import { rows } from '../../harness/written.ts';
import {
  act,
  admin,
  assertUnknown,
  auditOf,
  closeAccess,
  isAccepted,
  openAccess,
  otherNode,
  service,
  untilUnknown,
} from './access.ts';

before(openAccess);
after(closeAccess);

type Rotated = { client_id: string; client_secret: string | null };

const bytesOf = ({ status, headers, body }: TokenAnswer): string =>
  JSON.stringify([status, headers.get('www-authenticate'), body]);

test('the old secret is as a wrong one, the access tokens from it end, and refresh tokens go on with the new one', async () => {
  const app = await openApp(service);
  const byItself = { grant_type: 'client_credentials' };
  const own = (await callEndpoint(service, 'token', app, byItself)).body;
  const granted = await obtainTokens(service, app, await openPerson(service));
  for (const { access_token: token } of [own, granted]) assert.ok(await isAccepted(token));
  const rotated = await act<Rotated>(`/oauth-clients/${app.clientId}/rotate`, { reason: 'in a public repository' });
  assert.match(rotated.client_secret ?? '', /^ocs_/);
  for (const { access_token: token } of [own, granted]) await untilUnknown(token);
  const wrong = { ...app, secret: `ocs_${'0'.repeat(38)}` };
  for (const node of [service, otherNode]) {
    const refused = await callEndpoint(node, 'token', app, byItself);
    assert.equal(refused.status, 401);
    assert.equal(bytesOf(refused), bytesOf(await callEndpoint(node, 'token', wrong, byItself)));
    assert.equal((await refresh(node, app, granted.refresh_token)).status, 401);
  }
  const renewed = { ...app, secret: rotated.client_secret ?? '' };
  const again = await refresh(otherNode, renewed, granted.refresh_token);
  assert.equal(again.status, 200);
  assert.ok(await isAccepted(again.body.access_token));
  assert.equal((await callEndpoint(service, 'token', renewed, byItself)).status, 200);
  const log = JSON.stringify(await auditOf(app.id));
  assert.ok(log.includes('rotate_oauth_client') && !log.includes('ocs_'), log);
});

test('a repeat under its key rotates once and does not show the secret again', async () => {
  const app = await openApp(service);
  const headers = { 'idempotency-key': 'rotate-once' };
  const rotate = () => act<Rotated>(`/oauth-clients/${app.clientId}/rotate`, undefined, headers);
  const [first, second] = [await rotate(), await rotate()];
  assert.ok(first.client_secret !== null);
  assert.deepEqual(second, { client_id: app.clientId, client_secret: null });
  const renewed = { ...app, secret: first.client_secret };
  assert.equal((await callEndpoint(service, 'token', renewed, { grant_type: 'client_credentials' })).status, 200);
});

test('a token that is asked for with the old secret while it is rotated is good for nothing', async () => {
  for (let round = 0; round < 5; round += 1) {
    const app = await openApp(service);
    const [answers] = await Promise.all([
      Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          callEndpoint(at % 2 === 0 ? service : otherNode, 'token', app, { grant_type: 'client_credentials' }),
        ),
      ),
      act(`/oauth-clients/${app.clientId}/rotate`),
    ]);
    for (const { status, body } of answers) {
      assert.ok([200, 401].includes(status), `${status}`);
      if (status === 200) await untilUnknown(body.access_token);
    }
  }
});

test('a public app and a removed one have no secret to rotate: 409, and nothing is written', async () => {
  const open = await openApp(service, { isPublic: true });
  const removed = await openApp(service);
  await act(`/oauth-clients/${removed.clientId}/remove`);
  const before = await rows(service, 'select * from oauth_client order by id');
  for (const { clientId } of [open, removed]) {
    const answer = await admin.request('POST', `/oauth-clients/${clientId}/rotate`);
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
  }
  assert.deepEqual(await rows(service, 'select * from oauth_client order by id'), before);
  await assertUnknown((id) => `/oauth-clients/${id}/rotate`, 'client_', 'app');
});
