import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Session } from '../../../src/accounts/portal/schema.ts';
import type { RecoveryCodes, SecondFactor } from '../../../src/accounts/second-factor/factor-schema.ts';
import { totpCode, totpStep } from '../../../src/accounts/second-factor/totp.ts';
import type { Person } from '../../harness/oauth.ts';
import { openRole, PASSWORD, signIn } from '../../harness/portal.ts';
import { beginFactor, openProtected } from '../../harness/second-factor.ts';
import { closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

const enter = (person: Person, code?: string) =>
  signIn(service, { email: person.email, password: PASSWORD, ...(code === undefined ? {} : { code }) });

test('counts from its first code on, and shows ten recovery codes once', async () => {
  const client = await openRole(service, 'reader');
  const { secret, otpauth_url: url, qr } = await beginFactor(client);
  assert.ok(qr.length > 20 && qr.every((row) => row.length === qr.length && /^[01]+$/.test(row)), 'a square');
  assert.ok(url.startsWith('otpauth://totp/') && url.includes(`secret=${secret}`), url);
  assert.equal((await enter(client.person)).status, 201, 'it does not count yet');
  const code = totpCode(secret, totpStep(service.ctx.clock.now()));
  const confirmed = await client.request<RecoveryCodes>('POST', '/second-factor/confirm', { body: { code } });
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.equal(new Set(confirmed.body.recovery_codes).size, 10);
  const { body } = await client.request<SecondFactor>('GET', '/second-factor');
  assert.deepEqual([body.is_on, body.recovery_codes_left], [true, 10]);
  assert.equal((await client.request<Session>('GET', '/session')).body.second_factor, true);
  assert.equal((await enter(client.person)).body.code, 'second_factor_required');
});

test('a wrong code is 422, five an interval; without one begun, or with one that counts, 409', async () => {
  const client = await openRole(service, 'reader');
  const confirm = (code: string) => client.request('POST', '/second-factor/confirm', { body: { code } });
  assert.equal((await confirm('000000')).body.code, 'conflict');
  await beginFactor(client);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) statuses.push((await confirm('no code')).status);
  assert.deepEqual(statuses, [422, 422, 422, 422, 429]);
  const { client: other } = await openProtected(service);
  assert.equal((await other.request('POST', '/second-factor')).body.code, 'conflict');
  assert.equal(
    (await other.request('POST', '/second-factor/confirm', { body: { code: '000000' } })).body.code,
    'conflict',
  );
});
