import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SecondFactor } from '../../../src/accounts/second-factor/factor-schema.ts';
import type { Person } from '../../harness/oauth.ts';
import { openRole, PASSWORD, signIn } from '../../harness/portal.ts';
import { beginFactor, openProtected } from '../../harness/second-factor.ts';
import { closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

const enter = (person: Person, code?: string) =>
  signIn(service, { email: person.email, password: PASSWORD, ...(code === undefined ? {} : { code }) });

test('a person without one is told so, and one with it how many recovery codes are left', async () => {
  const without = await openRole(service, 'reader');
  const { body } = await without.request<SecondFactor>('GET', '/second-factor');
  assert.deepEqual(body, { is_on: false, confirmed_at: null, recovery_codes_left: 0 });
  await beginFactor(without);
  assert.equal((await without.request<SecondFactor>('GET', '/second-factor')).body.is_on, false, 'only begun');
});

test('a recovery code signs in once, however it is typed', async () => {
  const { client, person, codes } = await openProtected(service);
  const [first = '', second = ''] = codes;
  assert.equal((await enter(person, first.toLowerCase().replaceAll('-', ' '))).status, 201);
  assert.equal((await enter(person, first)).status, 401);
  assert.equal((await enter(person, second)).status, 201);
  assert.equal((await client.request<SecondFactor>('GET', '/second-factor')).body.recovery_codes_left, 8);
});
