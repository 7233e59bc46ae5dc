import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ListedSession } from '../../../src/accounts/portal/schema.ts';
import { openPerson } from '../../harness/oauth.ts';
import { openPortal, PASSWORD, secretOf, signIn } from '../../harness/portal.ts';
import { closeAccess, listed, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('a person sees where they are signed in, newest first, and nobody else', async () => {
  const person = await openPerson(service);
  const client = await openPortal(service, person);
  const agent = `Browser ${'x'.repeat(400)}`;
  const later = await signIn(service, { email: person.email, password: PASSWORD }, { 'user-agent': agent });
  assert.equal(later.status, 201);
  await openPortal(service, await openPerson(service));
  const { body, text } = await client.request<{ data: ListedSession[] }>('GET', '/sessions');
  assert.deepEqual(
    body.data.map(({ is_current: isCurrent, user_agent: userAgent }) => [isCurrent, userAgent.length]),
    [
      [false, 200],
      [true, body.data[1]?.user_agent.length],
    ],
  );
  for (const secret of [client.secret, secretOf(later)]) assert.ok(!text.includes(secret));
});

test('operators see them beside those of the consent page', async () => {
  const { accountId } = await service.openCustomer();
  const client = await openPortal(service, await openPerson(service, accountId));
  const sessions = await listed<{ kind: string; email: string; expires_at: string }>(
    `/accounts/${client.session.account.id}/sessions`,
  );
  assert.deepEqual(
    sessions.map(({ kind, email }) => [kind, email]),
    [['portal', client.person.email]],
  );
  assert.ok(Date.parse(sessions[0]?.expires_at ?? '') < Date.parse(client.session.expires_at), 'idle first');
});
