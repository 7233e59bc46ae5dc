import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SignInEntry } from '../../../src/accounts/sign-in-log/sign-in-log-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { COOKIE, openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

type Page = { data: SignInEntry[]; has_more: boolean; next_cursor: string | null };

test('an owner sees when people of the account signed in, and not from where', async () => {
  const owner = await openRole(service, 'owner');
  const clerk = await openRole(service, 'orders');
  const path = `/sign-ins/${publicId('user', clerk.person.id)}`;
  const { body, status, text } = await owner.request<Page>('GET', path);
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.data.map(({ event, address }) => [event, address]),
    [['signed_in', null]],
  );
  const own = await owner.request<Page>('GET', `/sign-ins/${publicId('user', owner.person.id)}`);
  assert.equal(own.body.data[0]?.address, '127.0.0.1');
});

test('others than owners are refused, and a person of another account is one of none', async () => {
  const owner = await openRole(service, 'owner');
  const path = `/sign-ins/${publicId('user', owner.person.id)}`;
  for (const role of ['manager', 'orders', 'reader'] as const) {
    assert.equal((await (await openRole(service, role)).request('GET', path)).status, 403, role);
  }
  const { accountId } = await service.openCustomer();
  const stranger = await openRole(service, 'owner', accountId);
  assert.equal((await stranger.request('GET', path)).status, 404);
  assert.equal((await stranger.request('GET', '/sign-ins/user_01kb0000000000000000000000')).status, 404);
  assert.equal((await owner.request('GET', `${path}?limit=0`)).status, 422);
});

test('they come as CSV, whole and without an address; a manager is refused, and another account has no such person', async () => {
  const owner = await openRole(service, 'owner');
  const clerk = await openRole(service, 'orders');
  const id = publicId('user', clerk.person.id);
  const ask = async (by: typeof owner) => {
    const answer = await fetch(`${service.url}/portal/api/v1/sign-ins/${id}?format=csv`, {
      headers: { cookie: `${COOKIE}=${by.secret}` },
    });
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  const { status, type, text } = await ask(owner);
  assert.deepEqual([status, type], [200, 'text/csv; charset=utf-8; header=present']);
  const [head, row, ...rest] = text.split('\r\n');
  assert.equal(head, 'id,event,at,times,address,user_agent');
  assert.match(row ?? '', /^act_[^,]+,signed_in,[^,]+,1,,/);
  assert.deepEqual(rest, ['']);
  assert.equal((await ask(await openRole(service, 'manager'))).status, 403);
  const { accountId } = await service.openCustomer();
  assert.equal((await ask(await openRole(service, 'owner', accountId))).status, 404);
});
