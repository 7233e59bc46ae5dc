import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { PENDING, save, viewsOf } from './views.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('a person sees their own views of a page and those for all, by their names, and none of anyone else', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const reader = await openRole(service, 'reader', accountId);
  await save(owner, { name: 'Week', is_for_all: true });
  await save(owner, { name: 'above all', is_for_all: true });
  await save(owner, { name: 'Mine' });
  await save(owner, { name: 'Elsewhere', page: 'shop-orders', is_for_all: true });
  await save(reader, { name: 'Reading' });
  const seen = await viewsOf(reader);
  assert.deepEqual(
    seen.data.map(({ name, is_for_all: isForAll, may_change: mayChange }) => [name, isForAll, mayChange]),
    [
      ['Reading', false, true],
      ['above all', true, false],
      ['Week', true, false],
    ],
  );
  assert.equal(seen.may_share, false);
  const own = await viewsOf(owner);
  assert.deepEqual([own.data.map(({ name }) => name), own.may_share], [['Mine', 'above all', 'Week'], true]);
  assert.ok(own.data.every(({ may_change: mayChange }) => mayChange));
  const { id: _, updated_at: __, ...content } = own.data[0] ?? assert.fail();
  assert.deepEqual(content, { ...PENDING, name: 'Mine', is_for_all: false, may_change: true });
  const elsewhere = await openRole(service, 'owner');
  assert.deepEqual((await viewsOf(elsewhere)).data, []);
});

test('only a page that has views is taken, and a page must be named', async () => {
  const reader = await openRole(service, 'reader');
  const unknown = await reader.request('GET', '/views?page=team');
  assert.deepEqual([unknown.status, problemsOf(unknown)], [422, ['page unknown_value']]);
  const none = await reader.request('GET', '/views');
  assert.deepEqual([none.status, problemsOf(none)], [422, ['page required']]);
});
