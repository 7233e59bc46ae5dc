import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpsSignUp } from '../../../src/accounts/joining/sign-up-schema.ts';
import type { Task } from '../../../src/accounts/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { type Entrance, openEntrance } from './sign-ups.ts';

let entrance: Entrance;
before(async () => {
  entrance = await openEntrance('approval');
});
after(() => entrance.close());

test('what was confirmed waits for a decision, page by page, with a task each; the rest is not shown', async () => {
  for (const email of ['a@shop.example', 'b@shop.example']) {
    const { status, body } = await entrance.confirm<{ state: string }>(await entrance.tokenFor(email));
    assert.deepEqual([status, body.state], [202, 'waiting']);
  }
  await entrance.tokenFor('c@shop.example');
  const viewer = await entrance.service.openOperator('viewer');
  const list = async (query: string) => (await viewer.request<Page<OpsSignUp>>('GET', `/sign-ups${query}`)).body;
  const whole = await list('');
  assert.deepEqual(
    whole.data.map(({ email, company, country_code: country }) => [email, company, country]),
    [
      ['b@shop.example', 'Byron Ltd', 'GB'],
      ['a@shop.example', 'Byron Ltd', 'GB'],
    ],
  );
  assert.ok(!JSON.stringify(whole).includes('argon2'));
  const first = await list('?limit=1');
  const second = await list(`?limit=1&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.data, ...second.data], whole.data);
  const admin = await entrance.service.openOperator('admin');
  const openTasks = async (): Promise<Task[]> => {
    const { body } = await viewer.request<Page<Task>>('GET', '/tasks');
    return body.data.filter(({ kind }) => kind === 'sign_up_waits');
  };
  const tasks = await openTasks();
  assert.deepEqual(
    tasks.map(({ note }) => /sup_\w+/.exec(note)?.[0]),
    whole.data.map(({ id }) => id),
  );
  for (const { id } of tasks) assert.equal((await admin.request('POST', `/tasks/${id}/close`)).status, 200);
  await entrance.confirm(await entrance.tokenFor('d@shop.example'));
  assert.equal((await openTasks()).length, 1, 'the next of the same day is told of, too');
  const { data } = await list('?limit=1');
  assert.equal((await admin.request('POST', `/sign-ups/${data[0]?.id}/refuse`, {})).status, 200);
  assert.deepEqual(await openTasks(), [], 'a decision closes its task');
});
