import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SignInEntry } from '../../../src/accounts/sign-in-log/sign-in-log-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { openRole } from '../../harness/portal.ts';
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
