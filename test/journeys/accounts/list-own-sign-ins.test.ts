import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SignInEntry } from '../../../src/accounts/sign-in-log/sign-in-log-schema.ts';
import { eventually } from '../../harness/context.ts';
import { openRole, PASSWORD, type PortalClient, signIn } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

type Page = { data: SignInEntry[] };
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' };

const entriesOf = async (client: PortalClient): Promise<(readonly [string, number])[]> =>
  (await client.request<Page>('GET', '/sign-ins')).body.data.map(({ event, times }) => [event, times] as const);

test('a person sees sign-ins, refusals, a change of the password and the end of a session, with address and browser', async () => {
  const client = await openRole(service, 'owner');
  const { email } = client.person;
  assert.equal((await signIn(service, { email, password: 'wrong wrong wrong' }, BROWSER)).status, 401);
  assert.equal((await signIn(service, { email, password: 'wrong again and again' })).status, 401);
  await eventually('the refusals are noted', async () => (await entriesOf(client)).some(([, times]) => times === 2));
  assert.equal((await signIn(service, { email, password: PASSWORD }, BROWSER)).status, 201);
  const { body: sessions } = await client.request<{ data: { id: string; is_current: boolean }[] }>('GET', '/sessions');
  const other = sessions.data.find(({ is_current: isCurrent }) => !isCurrent);
  assert.equal((await client.request('DELETE', `/sessions/${other?.id}`)).status, 204);
  const changed = await client.request('POST', '/password', { body: { current: PASSWORD, new: `${PASSWORD} anew` } });
  assert.equal(changed.status, 204, changed.text);
  assert.deepEqual(await entriesOf(client), [
    ['password_changed', 1],
    ['session_ended', 1],
    ['signed_in', 1],
    ['refused', 2],
    ['signed_in', 1],
  ]);
  const { data } = (await client.request<Page>('GET', '/sign-ins')).body;
  const withBrowser = data[2];
  assert.deepEqual([withBrowser?.user_agent, withBrowser?.address], [BROWSER['user-agent'], '127.0.0.1']);
});

test('an unknown address leaves nothing, and a thousand refusals of an hour are one entry', async () => {
  const count = async (): Promise<number> =>
    (await rows<{ n: number }>(service, 'select count(*)::integer as n from sign_in_log'))[0]?.n ?? 0;
  const client = await openRole(service, 'reader');
  const before = await count();
  assert.equal((await signIn(service, { email: 'nobody@example.com', password: 'wrong wrong wrong' })).status, 401);
  for (let at = 0; at < 8; at += 1) {
    const answer = await signIn(
      service,
      { email: client.person.email, password: 'wrong wrong wrong' },
      {
        'user-agent': `Browser ${at}`,
      },
    );
    assert.equal(answer.status, 401);
  }
  await eventually('all are noted', async () => (await entriesOf(client)).some(([, times]) => times === 8));
  assert.equal(await count(), before + 1);
});

test('signing out is noted, and a page goes on where the one before ended', async () => {
  const client = await openRole(service, 'manager');
  await client.request('DELETE', '/session');
  const again = await signIn(service, { email: client.person.email, password: PASSWORD }, BROWSER);
  assert.equal(again.status, 201);
  const kinds = await rows<{ kind: string }>(
    service,
    `select kind from sign_in_log where user_id = '${client.person.id}' order by id`,
  );
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    ['signed_in', 'signed_out', 'signed_in'],
  );
});
