import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { authorizePath, openApp, openBrowser, type Person, reachPage, signInOn } from '../../harness/oauth.ts';
import { PASSWORD, pastProof, signIn } from '../../harness/portal.ts';
import { openProtected } from '../../harness/second-factor.ts';
import { act, closeAccess, openAccess, otherNode, service } from './access.ts';
import { tokenOf, useLink } from './links.ts';

before(openAccess);
after(closeAccess);

const enter = (person: Person, code?: string) =>
  signIn(service, { email: person.email, password: PASSWORD, ...(code === undefined ? {} : { code }) });

test('takes the code beside the password, on either node, once', async () => {
  const { person, code } = await openProtected(service);
  const given = code();
  const spaced = `${given.slice(0, 3)} ${given.slice(3)}`;
  assert.equal((await signIn(otherNode, { email: person.email, password: PASSWORD, code: spaced })).status, 201);
  assert.deepEqual(
    [(await enter(person, given)).status, (await enter(person, given)).body.code],
    [401, 'sign_in_refused'],
  );
});

test('one code that is sent four times at once signs in once', async () => {
  const { person, codes } = await openProtected(service);
  const answers = await Promise.all(Array.from({ length: 4 }, () => enter(person, codes[0])));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
});

test('a wrong password is answered as without a second factor; the code says nothing then', async () => {
  const { person, code } = await openProtected(service);
  const wrong = await signIn(service, { email: person.email, password: 'a wrong password', code: code() });
  assert.deepEqual([wrong.status, wrong.body.code], [401, 'sign_in_refused']);
  assert.equal((await enter(person, code())).status, 201, 'the code is not used up');
});

test('five codes may be tried in 15 minutes, also by one who has the password, and also at once', async () => {
  const { person, codes } = await openProtected(service);
  const answers = await Promise.all(Array.from({ length: 9 }, (_, index) => enter(person, `00000${index}`)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [401, 401, 401, 401, 401, 429, 429, 429, 429],
  );
  assert.equal((await enter(person, codes[0])).status, 429, 'a right one, too');
});

test('the proof for what matters takes a code, too', async () => {
  const { client, codes } = await openProtected(service);
  await pastProof(service, client);
  const prove = (body: object) => client.request('POST', '/session/proof', { body });
  assert.equal((await prove({ password: PASSWORD })).body.code, 'second_factor_required');
  assert.equal((await prove({ password: PASSWORD, code: '000000' })).body.code, 'sign_in_refused');
  assert.equal((await client.request('DELETE', '/second-factor')).body.code, 'proof_required');
  assert.equal((await prove({ password: PASSWORD, code: codes[0] })).status, 200);
  const change = { current: PASSWORD, new: 'another long password' };
  assert.equal((await client.request('POST', '/password', { body: change })).body.code, 'second_factor_required');
});

test('the consent page of apps asks for it', async () => {
  const { person, codes } = await openProtected(service);
  const browser = openBrowser(service);
  const question = await reachPage(browser, authorizePath(await openApp(service)));
  const refused = await signInOn(browser, question, person);
  assert.match(JSON.stringify(refused), /one-time-code/);
  const allowed = await signInOn(browser, question, { ...person, code: codes[0] ?? '' });
  assert.match(JSON.stringify(allowed), /Allow/);
});

test('a link to a new password does not get round it, and is not used up by the try', async () => {
  const { client, codes } = await openProtected(service);
  const made = await act<{ url: string }>(`/users/${client.session.user.id}/password-link`);
  const use = (code?: string) =>
    useLink(tokenOf(made.url), { password: 'another long password', ...(code === undefined ? {} : { code }) });
  assert.equal((await use()).body.code, 'second_factor_required');
  assert.equal((await use('000000')).body.code, 'sign_in_refused');
  assert.equal((await use(codes[0])).status, 201);
});
