import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Session } from '../../../src/accounts/portal/schema.ts';
import { openPerson } from '../../harness/oauth.ts';
import { openPortal, PASSWORD, pastProof } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';
import { isSignedIn } from './portal.ts';

before(openAccess);
after(closeAccess);

const TOKEN = { body: { name: 'of a test', scopes: ['orders:read'] } };

test('what asks for the password again is refused after 15 minutes, and done once it was given, at once', async () => {
  const client = await openPortal(service, await openPerson(service));
  assert.equal((await client.request('POST', '/tokens', TOKEN)).status, 201, 'signing in is a proof');
  await pastProof(service, client);
  const refused = await client.request('POST', '/tokens', TOKEN);
  assert.deepEqual([refused.status, refused.body.code], [403, 'proof_required']);
  const proven = await client.request<Session>('POST', '/session/proof', { body: { password: PASSWORD } });
  assert.equal(proven.status, 200, proven.text);
  assert.ok(Date.parse(proven.body.proven_until) > service.ctx.clock.now().getTime() + 14 * 60_000);
  assert.equal((await client.request('POST', '/tokens', TOKEN)).status, 201);
});

test('a wrong password proves nothing, ends nothing, and counts as an attempt to sign in', async () => {
  const client = await openPortal(service, await openPerson(service));
  const other = await openPortal(service, client.person);
  await pastProof(service, client);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1) {
    const answer = await client.request('POST', '/session/proof', { body: { password: `wrong ${attempt}` } });
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429]);
  assert.equal((await client.request('POST', '/tokens', TOKEN)).body.code, 'proof_required');
  for (const each of [client, other]) assert.ok(await isSignedIn(each));
});

test('the proof of one browser is not that of another', async () => {
  const person = await openPerson(service);
  const [one, other] = [await openPortal(service, person), await openPortal(service, person)];
  await pastProof(service, one);
  assert.equal((await one.request('POST', '/session/proof', { body: { password: PASSWORD } })).status, 200);
  assert.equal((await other.request('POST', '/tokens', TOKEN)).body.code, 'proof_required');
});
