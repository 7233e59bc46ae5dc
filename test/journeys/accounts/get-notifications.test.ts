import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NoticeMatrix, NoticeRecipient } from '../../../src/accounts/notices/choices-schema.ts';
import { parseId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { openPortal, openRole } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { closeAccess, openAccess, service } from './access.ts';
import { openCrowd } from './people.ts';

before(openAccess);
after(closeAccess);

test('each role has its defaults; owners and managers see everyone who may sign in, others themselves', async () => {
  const { accountId } = await service.openCustomer();
  const people = [];
  for (const role of ['owner', 'manager', 'orders', 'reader'] as const) {
    people.push(await openRole(service, role, accountId));
  }
  const seen = [];
  for (const person of people) {
    seen.push((await person.request<NoticeMatrix>('GET', '/notifications')).body);
  }
  assert.deepEqual(
    seen.map(({ others }) => others.length),
    [3, 3, 0, 0],
  );
  assert.deepEqual(
    seen.map(({ self }) => self.email),
    people.map(({ person }) => person.email),
  );
  assert.deepEqual(
    seen.map(({ self }) => self.wants.length),
    [15, 15, 7, 0],
  );
  assert.deepEqual(
    seen[0]?.others.map(({ wants }) => wants.length),
    [15, 7, 0],
  );
  // A shop may dispatch thousands.
  assert.ok(seen[0]?.kinds.some(({ kind }) => kind === 'order_dispatched'));
  assert.ok(seen.every(({ self }) => !self.wants.includes('order_dispatched')));
  assert.equal(seen[0]?.is_mailed, false);
});

test('of more than 1,000 people each comes once, page by page, and who asks stands on every page; who is removed does not', async () => {
  const { owner, last } = await openCrowd(1_100);
  // The last one may sign in: with the password of the owner, and as a manager, who sees the others.
  await rows(
    service,
    `update account_user set role = 'manager', password_hash = (select password_hash from account_user where email = $2)
     where id = $1`,
    [parseId('user', last) ?? assert.fail(), owner.person.email],
  );
  const [removed] = await rows<{ id: Uuid }>(
    service,
    `update account_user set disabled_at = created_at where account_id = $1 and email like '7.%' returning id`,
    [owner.person.accountId],
  );
  const email = `1100.${owner.person.accountId}@example.com`;
  const manager = await openPortal(service, { ...owner.person, email });
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await manager.request<NoticeMatrix>('GET', `/notifications?limit=100${cursor}`);
    assert.deepEqual([page.status, page.body.self.id, page.body.self.email], [200, last, email], page.text);
    found.push(...page.body.others.map(({ id }) => id));
    assert.equal(page.body.has_more, page.body.next_cursor !== null);
    if (page.body.next_cursor === null) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  assert.deepEqual([found.length, new Set(found).size], [1_099, 1_099]);
  assert.equal(found[0], owner.session.user.id);
  assert.ok(!found.includes(last) && !found.includes(publicId('user', removed?.id ?? assert.fail())));
  // The answer to a choice is of the one who was chosen for.
  const body = { wants: { order_dispatched: true } };
  const chosen = await owner.request<NoticeRecipient>('PATCH', `/notifications/${last}`, { body });
  assert.deepEqual([chosen.status, chosen.body.id, chosen.body.email], [200, last, email], chosen.text);
  assert.ok(chosen.body.wants.includes('order_dispatched'));
  const { body: after } = await manager.request<NoticeMatrix>('GET', '/notifications?limit=1');
  assert.deepEqual(after.self, chosen.body);
});

test('a page of a size that there is not, and a cursor of nothing, are refused', async () => {
  const owner = await openRole(service, 'owner');
  for (const [query, problem] of [
    ['limit=0', 'limit pattern'],
    ['cursor=next', 'cursor pattern'],
  ] as const) {
    const refused = await owner.request('GET', `/notifications?${query}`);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], refused.text);
  }
});
