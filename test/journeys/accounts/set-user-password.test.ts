import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { requestHash } from '../../../src/http/request-hash.ts';
import { authorizePath, openBrowser, PASSWORD, reachPage, signInOn } from '../../harness/oauth.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { act, admin, assertUnknown, closeAccess, openAccess, service } from './access.ts';
import { assertAllEnded, openSignedIn, signInStatus } from './people.ts';

before(openAccess);
after(closeAccess);

const NEW = 'another long password';

test('the new password signs in, the old one does not, and all that the user had ends on every node', async () => {
  const signedIn = await openSignedIn();
  await act(`${signedIn.path}/password`, { password: NEW, reason: 'phished' });
  await assertAllEnded(signedIn);
  assert.equal(await signInStatus(signedIn, PASSWORD), 422);
  assert.equal(await signInStatus(signedIn, NEW), 200);
});

test('the password stands nowhere in the database, nor a hash of the request that it could be tried against', async () => {
  const { path } = await openSignedIn();
  const body = { password: 'a password that is unlike any other' };
  await act(`${path}/password`, body, { 'idempotency-key': 'a reset'.replace(' ', '-') });
  await act(`${path}/password`, body, { 'idempotency-key': 'a-reset' });
  const other = await admin.request('POST', `${path}/password`, { password: NEW }, { 'idempotency-key': 'a-reset' });
  assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
  const actions = await rows<{ text: string; request_hash: Buffer }>(
    service,
    'select a::text as text, request_hash from operator_action a',
  );
  const plain = [
    requestHash('POST', `/ops/v1${path}/password`, body),
    createHash('sha256').update(body.password).digest(),
  ];
  for (const { text, request_hash: hash } of actions) {
    assert.ok(!text.includes(body.password));
    assert.ok(plain.every((guess) => !guess.equals(hash)));
  }
});

test('while somebody signs in with the old password: no session comes of it', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { path, app, person } = await openSignedIn();
    const browser = openBrowser(service);
    const waiting = await reachPage(browser, authorizePath(app));
    await Promise.all([
      signInOn(browser, waiting, person).catch(() => undefined),
      act(`${path}/password`, { password: `${NEW} ${round}` }),
    ]);
    const question = await reachPage(browser, authorizePath(app));
    assert.ok(question.page.text.includes('id="password"'), `round ${round}`);
  }
});

test('a password that is too short or too long is 422, an unknown user 404; nothing ends', async () => {
  const signedIn = await openSignedIn();
  for (const [body, problem] of [
    [{ password: 'short' }, 'password out_of_bounds'],
    [{ password: 'x'.repeat(201) }, 'password out_of_bounds'],
    [{}, 'password required'],
  ] as const) {
    const answer = await admin.request('POST', `${signedIn.path}/password`, body);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]]);
  }
  await assertUnknown((id) => `/users/${id}/password`, 'user_', 'user', { password: NEW });
  assert.equal(await signInStatus(signedIn, PASSWORD), 200);
});
