import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPerson, type Person } from '../../harness/oauth.ts';
import { openPortal, PASSWORD, signIn } from '../../harness/portal.ts';
import { openProtected } from '../../harness/second-factor.ts';
import { closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

const enter = (person: Person, code?: string) =>
  signIn(service, { email: person.email, password: PASSWORD, ...(code === undefined ? {} : { code }) });

test('the person removes it, and signs in by the password alone', async () => {
  const own = await openProtected(service);
  assert.equal((await own.client.request('DELETE', '/second-factor')).status, 204);
  assert.equal((await own.client.request('DELETE', '/second-factor')).status, 404);
  assert.equal((await enter(own.person)).status, 201);
});

test('an owner removes that of another, and can set none', async () => {
  const lost = await openProtected(service);
  const owner = await openPortal(service, await openPerson(service, service.customer.accountId, 'owner'));
  const path = `/people/${lost.client.session.user.id}`;
  assert.equal((await owner.request('PATCH', path, { body: { second_factor: true } })).status, 422);
  assert.equal((await owner.request('PATCH', path, { body: { second_factor: false } })).status, 200);
  assert.equal((await enter(lost.person)).status, 201);
});
