import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NoticeMatrix } from '../../../src/accounts/notices/choices-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';

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
    seen.map((matrix) => matrix.people.length),
    [4, 4, 1, 1],
  );
  assert.deepEqual(
    seen[0]?.people.map(({ wants }) => wants.length),
    [15, 15, 7, 0],
  );
  // A shop may dispatch thousands.
  assert.ok(seen[0]?.kinds.some(({ kind }) => kind === 'order_dispatched'));
  assert.ok(seen[0]?.people.every(({ wants }) => !wants.includes('order_dispatched')));
  assert.deepEqual(seen[3]?.people[0]?.email, people[3]?.person.email);
  assert.equal(seen[0]?.is_mailed, false);
});
