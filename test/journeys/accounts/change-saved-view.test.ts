import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SavedView } from '../../../src/accounts/saved-views/saved-view-schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { fillTo, save, viewsOf } from './views.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const change = (person: PortalClient, { id }: Pick<SavedView, 'id'>, body: object) =>
  person.request<SavedView & ErrorReply>('PATCH', `/views/${id}`, { body });

test('what is sent changes and the rest stays; of two changes the last one wins', async () => {
  const { accountId } = await service.openCustomer();
  const reader = await openRole(service, 'reader', accountId);
  const { body: view } = await save(reader);
  const renamed = await change(reader, view, { name: 'Waiting' });
  assert.deepEqual(
    [renamed.status, renamed.body],
    [200, { ...view, name: 'Waiting', updated_at: renamed.body.updated_at }],
  );
  const narrowed = await change(reader, view, { filters: 'status=on_hold', columns: [] });
  assert.deepEqual(
    [narrowed.body.name, narrowed.body.filters, narrowed.body.columns],
    ['Waiting', 'status=on_hold', []],
  );
  const bodies = ['status=shipped', 'status=cancelled'].map((filters) => change(reader, view, { filters }));
  assert.deepEqual(
    (await Promise.all(bodies)).map(({ status }) => status),
    [200, 200],
  );
  const [after = assert.fail()] = (await viewsOf(reader)).data;
  assert.match(after.filters, /^status=(shipped|cancelled)$/);
  assert.equal((await change(reader, view, { name: 'WAITING' })).status, 200, 'its own name is not taken');
});

test('an owner makes a view one for all, a manager their own again, and then no one else has it', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const manager = await openRole(service, 'manager', accountId);
  const { body: view } = await save(owner);
  const shared = await change(owner, view, { is_for_all: true });
  assert.deepEqual([shared.status, shared.body.is_for_all], [200, true]);
  assert.deepEqual(
    (await viewsOf(manager)).data.map(({ id }) => id),
    [view.id],
  );
  assert.equal((await change(manager, view, { is_for_all: false })).status, 200);
  assert.deepEqual((await viewsOf(owner)).data, []);
  assert.equal((await change(owner, view, { name: 'Mine again' })).status, 404);
});

test('others see a view for all, and neither change it nor make one so', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const { body: shared } = await save(owner, { is_for_all: true });
  const { body: hidden } = await save(owner, { name: 'Mine' });
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, accountId);
    for (const body of [{ name: 'Ours' }, { is_for_all: false }, {}]) {
      const refused = await change(person, shared, body);
      assert.equal(refused.status, 403, `${role} ${JSON.stringify(body)}`);
    }
    const { body: own } = await save(person);
    assert.equal((await change(person, own, { is_for_all: true })).status, 403);
    assert.equal((await change(person, hidden, { name: 'Ours' })).status, 404, 'the own ones of others are not there');
  }
  assert.deepEqual(
    (await viewsOf(owner)).data.map(({ name }) => name),
    ['Mine', 'To be made'],
  );
});

test('another account, an unknown id and another kind of id are 404', async () => {
  const owner = await openRole(service, 'owner');
  const { accountId } = await service.openCustomer();
  const elsewhere = await openRole(service, 'owner', accountId);
  const { body: view } = await save(owner, { is_for_all: true });
  assert.equal((await change(elsewhere, view, { name: 'Taken over' })).status, 404);
  assert.equal((await change(owner, { id: 'view_1' }, { name: 'x' })).status, 404);
  assert.equal((await change(owner, { id: owner.session.user.id }, { name: 'x' })).status, 404);
  assert.ok((await viewsOf(owner)).data.some(({ id, name }) => id === view.id && name === view.name));
});

test('a taken name, a full list and a field that cannot change are refused with the field', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const { body: view } = await save(owner);
  await save(owner, { name: 'Other' });
  await save(owner, { name: 'Shared', is_for_all: true });
  const refusals = [
    [{ name: 'other' }, 'name name_taken'],
    [{ name: 'shared', is_for_all: true }, 'name name_taken'],
    [{ filters: '?a=b' }, 'filters pattern'],
    [{ page: 'problems' }, 'page unknown_field'],
  ] as const;
  for (const [body, problem] of refusals) {
    const refused = await change(owner, view, body);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], JSON.stringify(body));
  }
  await fillTo(service, { accountId, userId: null, count: 49 });
  const full = await change(owner, view, { is_for_all: true });
  assert.deepEqual([full.status, problemsOf(full)], [422, [' too_many']]);
  const userId = parseId('user', owner.session.user.id) ?? assert.fail();
  await fillTo(service, { accountId, userId, count: 48 });
  assert.equal((await change(owner, view, { name: 'Still changes' })).status, 200, 'a full list can be changed');
});
