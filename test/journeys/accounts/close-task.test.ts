import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { closeOperations, openOperations, operator, taskOpened } from '../http/operations.ts';

before(openOperations);
after(closeOperations);

describe('operating: what the shop itself is asked about', () => {
  test('a task is listed until it is closed; closing it again changes nothing', async () => {
    const id = await taskOpened();
    const open = async (): Promise<string[]> => {
      const { body } = await operator('viewer').request<{ data: { id: string }[] }>('GET', '/tasks?limit=100');
      return body.data.map((task) => task.id);
    };
    assert.ok((await open()).includes(id));
    const first = await operator('finance').request<{ closed_at: string }>('POST', `/tasks/${id}/close`);
    const second = await operator('production').request<{ closed_at: string }>('POST', `/tasks/${id}/close`);
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.equal(second.body.closed_at, first.body.closed_at);
    assert.ok(!(await open()).includes(id));
    const unknown = `task_${'0'.repeat(26)}`;
    for (const none of [unknown, 'ord_1']) {
      assert.equal((await operator().request('POST', `/tasks/${none}/close`)).status, 404);
    }
  });
});
