import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Task } from '../../../src/accounts/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { closeOperations, openOperations, operator, service, taskOpened } from '../http/operations.ts';

before(openOperations);
after(closeOperations);

test('every role reads the open tasks of all accounts page by page, each once, with what to do', async () => {
  const opened = [await taskOpened(), await taskOpened(), await taskOpened()];
  const found: Task[] = [];
  let cursor = '';
  do {
    const query = cursor === '' ? 'limit=2' : `limit=2&cursor=${cursor}`;
    const { status, body, text } = await operator('viewer').request<Page<Task>>('GET', `/tasks?${query}`);
    assert.equal(status, 200, text);
    found.push(...body.data);
    cursor = body.next_cursor ?? '';
  } while (cursor !== '');
  assert.deepEqual(found.map(({ id }) => id).toSorted(), opened.toSorted());
  assert.ok(found.every(({ kind, note }) => kind === 'look' && note === 'Look at it.'));
  assert.equal((await service.customer.request('GET', '/tasks')).status, 404);
});
