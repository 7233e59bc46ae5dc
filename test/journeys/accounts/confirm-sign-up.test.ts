import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createUser } from '../../../src/accounts/create-user.ts';
import type { Session } from '../../../src/accounts/portal/schema.ts';
import { sweepNow } from '../../../src/privacy/retention/sweep.ts';
import { signIn } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { type Entrance, openEntrance, PASSWORD_CHOSEN } from './sign-ups.ts';

let entrance: Entrance;
before(async () => {
  entrance = await openEntrance('open');
});
after(() => entrance.close());

test('who confirms is signed in as the owner of a new account; the link works once', async () => {
  const token = await entrance.tokenFor('ada@shop.example');
  const short = await entrance.confirm(token, 'short');
  assert.deepEqual([short.status, problemsOf(short as never)], [422, ['password out_of_bounds']]);
  const { status, body, text } = await entrance.confirm<Session>(token);
  assert.equal(status, 201, text);
  assert.deepEqual([body.user.role, body.user.name, body.account.name], ['owner', 'Ada', 'Byron Ltd']);
  assert.equal((await entrance.confirm(token)).status, 404);
  assert.equal((await signIn(entrance.service, { email: 'ada@shop.example', password: PASSWORD_CHOSEN })).status, 201);
  assert.deepEqual(await rows(entrance.service, 'select from sign_up', []), []);
});

test('an address that signs in by now is as a link that is over, and no account is left behind', async () => {
  const token = await entrance.tokenFor('late@shop.example');
  const { accountId } = await entrance.service.openCustomer();
  await createUser(entrance.service.ctx, { accountId, email: 'late@shop.example', password: 'another long password' });
  const accounts = await rows(entrance.service, 'select count(*) from account', []);
  assert.equal((await entrance.confirm(token)).status, 404);
  assert.deepEqual(await rows(entrance.service, 'select count(*) from account', []), accounts);
});

// Last, since it moves the clock.
test('nothing is kept of a sign-up that is not confirmed within its day', async () => {
  const token = await entrance.tokenFor('never@shop.example');
  entrance.service.shiftMs(22 * 3_600_000);
  assert.equal((await entrance.confirm(token)).status, 404);
  await sweepNow(entrance.service.ctx);
  assert.deepEqual(await rows(entrance.service, 'select from sign_up', []), []);
});
