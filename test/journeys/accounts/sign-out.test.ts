import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPerson } from '../../harness/oauth.ts';
import { openPortal } from '../../harness/portal.ts';
import { closeAccess, openAccess, otherNode, service } from './access.ts';
import { isSignedIn, untilSignedOut } from './portal.ts';

before(openAccess);
after(closeAccess);

test('signing out ends the session on every node, removes the cookie, and leaves other browsers signed in', async () => {
  const person = await openPerson(service);
  const [here, there] = [await openPortal(service, person), await openPortal(service, person)];
  assert.ok(await isSignedIn(here.at(otherNode)));
  const answer = await here.request('DELETE', '/session');
  assert.equal(answer.status, 204);
  assert.match(answer.headers.getSetCookie()[0] ?? '', /^platen_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/);
  await untilSignedOut(here);
  assert.ok(await isSignedIn(there));
});

test('a page of another site signs nobody out', async () => {
  const client = await openPortal(service, await openPerson(service));
  const other = await openPortal(service, await openPerson(service));
  const token = client.session.csrf_token;
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: undefined },
    { 'x-platen-csrf': undefined },
    { 'x-platen-csrf': '' },
    { 'x-platen-csrf': other.session.csrf_token },
    { 'x-platen-csrf': `${token}, ${token}` },
  ]) {
    const answer = await client.request('DELETE', '/session', { headers });
    assert.deepEqual([answer.status, answer.body.code], [403, 'csrf_refused'], JSON.stringify(headers));
  }
  assert.ok(await isSignedIn(client));
});
