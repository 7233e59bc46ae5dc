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

test('what was confirmed waits for a decision, page by page, with one task; the rest is not shown', async () => {
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
  const tasks = await viewer.request<Page<Task>>('GET', '/tasks');
  assert.equal(tasks.body.data.filter(({ kind }) => kind === 'sign_up_waits').length, 1);
});
