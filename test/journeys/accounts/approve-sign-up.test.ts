import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createUser } from '../../../src/accounts/create-user.ts';
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

async function waiting(email: string): Promise<string> {
  await entrance.confirm(await entrance.tokenFor(email));
  const admin = await entrance.service.openOperator('admin');
  const { body } = await admin.request<Page<OpsSignUp>>('GET', '/sign-ups?limit=1');
  return body.data[0]?.id ?? '';
}

test('an approved person gets a mail and signs in as the owner; before that they cannot', async () => {
  const id = await waiting('ada@shop.example');
  const credentials = { email: 'ada@shop.example', password: PASSWORD_CHOSEN };
  assert.equal((await signIn(entrance.service, credentials)).status, 401);
  const admin = await entrance.service.openOperator('admin');
  const approved = await admin.request<{ account_id: string }>('POST', `/sign-ups/${id}/approve`, {});
  assert.equal(approved.status, 200, approved.text);
  const mail = await entrance.mailbox.mailTo('ada@shop.example', 2);
  assert.equal(mail.subject, 'Your account at Harbour Press is open');
  const session = await signIn(entrance.service, credentials);
  assert.deepEqual([session.body.user.role, session.body.account.id], ['owner', approved.body.account_id]);
  assert.equal((await admin.request('POST', `/sign-ups/${id}/approve`, {})).status, 404);
});

test('one whose address signs in by now is 409, and stays to be refused', async () => {
  const id = await waiting('late@shop.example');
  const { accountId } = await entrance.service.openCustomer();
  await createUser(entrance.service.ctx, { accountId, email: 'late@shop.example', password: PASSWORD_CHOSEN });
  const admin = await entrance.service.openOperator('admin');
  const refused = await admin.request('POST', `/sign-ups/${id}/approve`, {});
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.equal((await rows(entrance.service, 'select from sign_up', [])).length, 1);
});
