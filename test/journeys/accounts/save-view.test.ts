import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PERSON_ROLES } from '../../../src/lib/caller.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { fillTo, PENDING, save, viewsOf } from './views.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const userOf = ({ session }: PortalClient) => parseId('user', session.user.id) ?? assert.fail();

test('people of every role save views of their own; for all only owners and managers do', async () => {
  const { accountId } = await service.openCustomer();
  for (const role of PERSON_ROLES) {
    const person = await openRole(service, role, accountId);
    const own = await save(person);
    assert.deepEqual([own.status, own.body.name, own.body.is_for_all], [201, 'To be made', false], role);
    const shared = await save(person, { name: `For all, by the ${role}`, is_for_all: true });
    const mayShare = role === 'owner' || role === 'manager';
    assert.equal(shared.status, mayShare ? 201 : 403, shared.text);
    if (mayShare) continue;
    const { code, required_roles: roles } = JSON.parse(shared.text) as { code: string; required_roles: string[] };
    assert.deepEqual([code, roles], ['insufficient_scope', ['owner', 'manager']]);
  }
  const kept = await rows(service, 'select from saved_view where account_id = $1 and user_id is null', [accountId]);
  assert.equal(kept.length, 2, 'a refusal writes nothing');
});

test('a name is had once among the own views of a page and once among those for all, whatever its case', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  assert.equal((await save(owner, { name: '  To be   made ' })).body.name, 'To be made');
  const taken = await save(owner, { name: 'TO BE MADE' });
  assert.deepEqual([taken.status, problemsOf(taken)], [422, ['name name_taken']]);
  assert.equal((await save(owner, { is_for_all: true })).status, 201);
  assert.equal((await save(owner, { page: 'problems' })).status, 201);
  const manager = await openRole(service, 'manager', accountId);
  assert.equal((await save(manager)).status, 201, 'the own views of others take no name');
  const shared = await save(manager, { is_for_all: true });
  assert.deepEqual([shared.status, problemsOf(shared)], [422, ['name name_taken']]);
});

describe('what is no view is refused with the field', () => {
  const long = Array.from({ length: 21 }, (_, at) => `a${at}=1`).join('&');
  const cases: readonly (readonly [what: string, differs: object, problems: readonly string[]])[] = [
    ['no name', { name: '' }, ['name out_of_bounds']],
    ['a name of blanks', { name: '   ' }, ['name pattern']],
    ['a name of two lines', { name: 'a\nb' }, ['name pattern']],
    ['a name of 61 characters', { name: 'x'.repeat(61) }, ['name out_of_bounds']],
    ['a page that has no views', { page: 'team' }, ['page unknown_value']],
    ['filters that are no query', { filters: 'status' }, ['filters pattern']],
    ['filters with a blank', { filters: 'a=b c' }, ['filters pattern']],
    ['filters with half a percent sign', { filters: 'a=%2' }, ['filters pattern']],
    ['filters with another address', { filters: 'a=b#https://x' }, ['filters pattern']],
    ['21 filters', { filters: long }, ['filters pattern']],
    ['filters of 1,001 characters', { filters: `a=${'b'.repeat(999)}` }, ['filters out_of_bounds']],
    ['a column that is no name', { columns: ['Total!'] }, ['columns[0] pattern']],
    ['a column twice', { columns: ['total', 'total'] }, ['columns duplicate']],
    ['31 columns', { columns: Array.from({ length: 31 }, (_, at) => `c${at}`) }, ['columns out_of_bounds']],
    ['a member that there is not', { sort: 'name' }, ['sort unknown_field']],
  ];
  for (const [what, differs, problems] of cases) {
    test(what, async () => {
      const person = await openRole(service, 'reader');
      const refused = await save(person, differs);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, problems], refused.text);
      assert.deepEqual((await viewsOf(person)).data, []);
    });
  }

  test('and what is just within the bounds is taken', async () => {
    const person = await openRole(service, 'reader');
    const filters = `from=2026-11-01&q=%C3%A9milie+du+Ch%C3%A2telet&x=${'b'.repeat(951)}`;
    assert.equal(filters.length, 1_000);
    const columns = Array.from({ length: 30 }, (_, at) => `c${at}`);
    const saved = await save(person, { name: '📦'.repeat(60), filters, columns });
    assert.deepEqual([saved.status, saved.body.filters, saved.body.columns], [201, filters, columns]);
    assert.equal((await save(person, { name: 'All', filters: '', columns: [] })).status, 201);
  });
});

test('a person has at most 50 views of their own, and an account 50 for all', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  await fillTo(service, { accountId, userId: userOf(owner), count: 50 });
  await fillTo(service, { accountId, userId: null, count: 49 });
  const own = await save(owner);
  assert.deepEqual([own.status, problemsOf(own)], [422, [' too_many']]);
  assert.equal((await save(owner, { is_for_all: true })).status, 201, 'the two bounds are apart');
  const shared = await save(owner, { name: 'One more', is_for_all: true });
  assert.deepEqual([shared.status, problemsOf(shared)], [422, [' too_many']]);
  assert.equal((await save(await openRole(service, 'reader', accountId))).status, 201, 'others have theirs');
});

test('of several that save the last view that there is room for at once, exactly one does', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  await fillTo(service, { accountId, userId: userOf(owner), count: 49 });
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => save(owner, { name })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 422, 422, 422],
  );
});

test('without a session nothing is saved', async () => {
  const response = await fetch(`${service.url}/portal/api/v1/views`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify(PENDING),
  });
  assert.equal(response.status, 401);
});
