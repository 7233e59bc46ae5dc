import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '../../../src/accounts/token.ts';
import { PORTAL_ROUTES } from '../../../src/app/portal-routes.ts';
import { call, openRole } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';
import { invite, readLink } from './links.ts';

before(openAccess);
after(closeAccess);

test('a link says what it is for, any number of times; a made-up one and a stolen hash are 404', async () => {
  const { token, email } = await invite(await openRole(service, 'owner'), { name: 'Bob' });
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await readLink(token);
    assert.deepEqual(
      [status, body],
      [200, { kind: 'invitation', email, name: 'Bob', account: { name: 'Demo Print Club' } }],
    );
  }
  for (const wrong of ['x', 'x'.repeat(43), hashToken(token).toString('base64url')]) {
    const answer = await readLink(wrong);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], wrong);
  }
});

test('no address of a request holds the token of a link: logs of proxies, and ours, keep addresses', async () => {
  const withToken = PORTAL_ROUTES.filter(({ path }) => /:token(\/|$)/.test(path));
  assert.deepEqual(
    withToken.map(({ method, path }) => `${method} ${path}`),
    [],
  );
  const { token } = await invite(await openRole(service, 'owner'));
  const earlier = await call(service, 'GET', `/portal/api/v1/links/${token}`);
  assert.equal(earlier.status, 404);
  assert.equal((await readLink(token)).status, 200);
});
