import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpsSignUp } from '../../../src/accounts/joining/sign-up-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { signIn } from '../../harness/portal.ts';
import { rows } from '../../harness/written.ts';
import { type Entrance, openEntrance, PASSWORD_CHOSEN } from './sign-ups.ts';

let entrance: Entrance;
before(async () => {
  entrance = await openEntrance('approval');
});
after(() => entrance.close());

test('of a refused person nothing is kept, and they cannot sign in; one not confirmed cannot be refused', async () => {
  await entrance.confirm(await entrance.tokenFor('ada@shop.example'));
  const admin = await entrance.service.openOperator('admin');
  const { body } = await admin.request<Page<OpsSignUp>>('GET', '/sign-ups');
  const path = `/sign-ups/${body.data[0]?.id}/refuse`;
  assert.equal((await admin.request('POST', path, { reason: 'no shop' })).status, 200);
  assert.deepEqual(await rows(entrance.service, 'select from sign_up', []), []);
  assert.equal((await signIn(entrance.service, { email: 'ada@shop.example', password: PASSWORD_CHOSEN })).status, 401);
  assert.equal((await admin.request('POST', path, {})).status, 404);
  await entrance.tokenFor('b@shop.example');
  const [open] = await rows<{ id: string }>(entrance.service, 'select id from sign_up', []);
  assert.ok(open !== undefined);
  assert.equal((await admin.request('POST', `/sign-ups/${open.id}/refuse`, {})).status, 404);
});
