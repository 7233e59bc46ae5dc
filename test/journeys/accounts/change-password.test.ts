import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { User } from '../../../src/accounts/access/ops-schema.ts';
import { openPerson } from '../../harness/oauth.ts';
import { openPortal, PASSWORD, signIn } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { act, closeAccess, openAccess, otherNode, service } from './access.ts';
import { assertAllEnded, openSignedIn } from './people.ts';
import { isSignedIn, untilSignedOut } from './portal.ts';

before(openAccess);
after(closeAccess);

const NEW = 'a new password of theirs';

test('a new password ends all other sessions and what was allowed to apps; this session goes on', async () => {
  const signedIn = await openSignedIn();
  const [here, lost] = [await openPortal(service, signedIn.person), await openPortal(service, signedIn.person)];
  assert.ok(await isSignedIn(lost.at(otherNode)));
  const answer = await here.request('POST', '/password', { body: { current: PASSWORD, new: NEW } });
  assert.equal(answer.status, 204, answer.text);
  await untilSignedOut(lost);
  await assertAllEnded(signedIn);
  assert.ok(await isSignedIn(here));
  assert.equal((await signIn(service, { email: signedIn.person.email, password: PASSWORD })).status, 401);
  assert.equal((await signIn(service, { email: signedIn.person.email, password: NEW })).status, 201);
});

test('a wrong current password and a short new one change nothing', async () => {
  const client = await openPortal(service, await openPerson(service));
  const wrong = await client.request('POST', '/password', { body: { current: 'wrong', new: NEW } });
  assert.deepEqual([wrong.status, wrong.body.code], [401, 'sign_in_refused']);
  const short = await client.request('POST', '/password', { body: { current: PASSWORD, new: 'short' } });
  assert.equal(short.status, 422);
  assert.deepEqual(problemsOf(short), ['new out_of_bounds']);
  assert.equal((await signIn(service, { email: client.person.email, password: PASSWORD })).status, 201);
});

test('while an operator sets another one: theirs stands, or it came second', async () => {
  const theirs = 'the password of the operator';
  for (let round = 0; round < 4; round += 1) {
    const client = await openPortal(service, await openPerson(service));
    const [changed] = await Promise.all([
      client.request('POST', '/password', { body: { current: PASSWORD, new: NEW } }),
      act<User>(`/users/${client.session.user.id}/password`, { password: theirs }),
    ]);
    assert.ok([204, 401].includes(changed.status), changed.text);
    await untilSignedOut(client);
    assert.equal((await signIn(service, { email: client.person.email, password: theirs })).status, 201);
  }
});
