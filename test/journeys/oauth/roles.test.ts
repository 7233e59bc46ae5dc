import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PersonRole, Scope } from '../../../src/lib/caller.ts';
import {
  type App,
  authorizePath,
  decideOn,
  obtainTokens,
  openApp,
  openBrowser,
  openPerson,
  type Person,
  proofOf,
  reachPage,
  redeem,
  refresh,
  signInOn,
  statusWith,
} from '../../harness/oauth.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

// Nobody allows an app more than their own role lets them do.

let service: TestService;
let app: App;
before(async () => {
  service = await startTestService({ role: 'api' });
  app = await openApp(service);
});
after(() => service.stop());

const setRole = (of: Person, role: PersonRole) =>
  rows(service, 'update account_user set role = $2 where id = $1', [of.id, role]);

const grantsOf = (of: Person) =>
  rows<{ scopes: Scope[] }>(service, 'select scopes from oauth_grant where user_id = $1 order by id', [of.id]);

async function waitingFor(person: Person, scope: string | undefined) {
  const browser = openBrowser(service);
  const signIn = await reachPage(browser, authorizePath(app, { scope }));
  return { browser, waiting: await signInOn(browser, signIn, person) };
}

test('an app that a reader allows gets the scopes of a reader, in the page, the grant and every token', async () => {
  const reader = await openPerson(service, undefined, 'reader');
  const { browser, waiting } = await waitingFor(reader, 'orders:read orders:write');
  assert.match(waiting.page.text, /It asks for more, which it does not get:\s+your role.*<code>orders:write<\/code>/s);
  const sent = await decideOn(browser, waiting, 'approve');
  const { body } = await redeem(service, app, sent.searchParams.get('code') ?? '');
  assert.equal(body.scope, 'orders:read');
  assert.deepEqual(await grantsOf(reader), [{ scopes: ['orders:read'] }]);
  const again = await refresh(service, app, body.refresh_token);
  assert.deepEqual([again.status, again.body.scope], [200, 'orders:read']);
  for (const token of [body.access_token, again.body.access_token]) {
    assert.equal(await statusWith(service, token), 200);
    const order = await fetch(`${service.url}/api/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    assert.deepEqual([order.status, ((await order.json()) as { code: string }).code], [403, 'insufficient_scope']);
  }
  const wider = await refresh(service, app, again.body.refresh_token, { scope: 'orders:read orders:write' });
  assert.notEqual(wider.status, 200, JSON.stringify(wider.body));
});

for (const [role, lacks] of [
  ['owner', []],
  ['manager', []],
  ['orders', ['products:write']],
  ['reader', ['orders:write', 'products:write']],
] as const) {
  test(`an app that asks for all it is registered with gets of a person with the role ${role} all but ${lacks.join() || 'nothing'}`, async () => {
    const person = await openPerson(service, undefined, role);
    const { scope } = await obtainTokens(service, app, person, { scope: undefined });
    const all = ['orders:read', 'orders:write', 'products:read', 'products:write', 'tax:read', 'shipping:read'];
    const missing: readonly string[] = lacks;
    assert.deepEqual(scope.split(' ').toSorted(), all.filter((one) => !missing.includes(one)).toSorted());
  });
}

test('what asks only for more than the role has cannot be allowed, but refused', async () => {
  const reader = await openPerson(service, undefined, 'reader');
  const { browser, waiting } = await waitingFor(reader, 'orders:write products:write');
  assert.equal(waiting.page.status, 200);
  assert.match(waiting.page.text, /nothing that you can allow/);
  assert.ok(!waiting.page.text.includes('value="approve"') && waiting.page.text.includes('value="switch"'));
  const forced = await browser.post(waiting.path, { proof: proofOf(waiting.page), action: 'approve' });
  assert.equal(forced.status, 403);
  assert.deepEqual(await grantsOf(reader), []);
  const sent = await decideOn(browser, waiting, 'deny');
  assert.equal(sent.searchParams.get('error'), 'access_denied');
});

test('what a page has offered before the role changed is not allowed by it afterwards, neither more nor less', async () => {
  for (const [before, then] of [
    ['owner', 'reader'],
    ['reader', 'owner'],
  ] as const) {
    const person = await openPerson(service, undefined, before);
    const { browser, waiting } = await waitingFor(person, 'orders:read orders:write');
    await setRole(person, then);
    const late = await browser.post(waiting.path, { proof: proofOf(waiting.page), action: 'approve' });
    assert.equal(late.status, 403, late.text);
    assert.deepEqual(await grantsOf(person), []);
  }
});

test('a role with fewer scopes ends what the person has allowed, one with as many or more does not', async () => {
  const owner = await openRole(service, 'owner');
  const change = async (person: Person, role: PersonRole) => {
    const { body } = await owner.request<{ data: { id: string; email: string }[] }>('GET', '/people');
    const id = body.data.find(({ email }) => email === person.email)?.id;
    const answer = await owner.request('PATCH', `/people/${id}`, { body: { role } });
    assert.equal(answer.status, 200, answer.text);
  };
  const person = await openPerson(service, undefined, 'owner');
  const tokens = await obtainTokens(service, app, person, { scope: 'orders:read' });
  await change(person, 'manager');
  const kept = await refresh(service, app, tokens.refresh_token);
  assert.equal(kept.status, 200, 'a manager has all scopes');
  await change(person, 'orders');
  const [refused, ended] = [
    await refresh(service, app, kept.body.refresh_token),
    await rows(service, 'select id from oauth_grant where user_id = $1 and revoked_at is null', [person.id]),
  ];
  assert.deepEqual([refused.status, refused.body.error, ended], [400, 'invalid_grant', []]);
  const fresh = await obtainTokens(service, app, person, { scope: 'orders:write' });
  await change(person, 'owner');
  assert.equal((await refresh(service, app, fresh.refresh_token)).status, 200, 'more scopes end nothing');
});
