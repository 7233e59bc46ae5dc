import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RegisteredApp } from '../../../src/accounts/own-apps/app-schema.ts';
import { callEndpoint, obtainTokens, openPerson, statusWith } from '../../harness/oauth.ts';
import { openRole, pastProof } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { APP, asApp, registerApp } from './own-apps.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const openAccount = async () => (await service.openCustomer()).accountId;

/** The apps of an account in the database. */
const written = (accountId: string) =>
  rows<{ name: string }>(service, 'select name from oauth_client where account_id = $1 order by id', [accountId]);

test('an owner registers a confidential app, which acts for the account by itself and for people who allow it', async () => {
  const accountId = await openAccount();
  const client = await openRole(service, 'owner', accountId);
  const registered = await registerApp(client, { name: '  Shirt Planner ' });
  assert.deepEqual(
    [registered.name, registered.confidential, registered.redirect_uris, registered.scopes, registered.removed_at],
    ['Shirt Planner', true, APP.redirect_uris, APP.scopes, null],
  );
  const app = asApp(registered);
  const own = await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' });
  assert.equal(await statusWith(service, own.body.access_token), 200);
  const guest = await openPerson(service, await openAccount());
  const tokens = await obtainTokens(service, app, guest);
  assert.equal(await statusWith(service, tokens.access_token), 200);
  const beyond = await callEndpoint(service, 'token', app, { grant_type: 'client_credentials', scope: 'orders:write' });
  assert.equal(beyond.body.error, 'invalid_scope', 'it was not registered with it');

  const stored = await rows(service, 'select * from oauth_client where id = $1', [app.id]);
  assert.ok(!JSON.stringify(stored).includes(app.secret ?? 'none'));
  const [logged] = await rows<{ detail: Record<string, unknown> }>(
    service,
    "select detail from operator_action where action = 'register_own_app' and subject_id = $1",
    [app.id],
  );
  assert.deepEqual(
    [logged?.detail.client_id, logged?.detail.user_id, JSON.stringify(logged).includes(app.secret ?? 'none')],
    [app.clientId, client.session.user.id, false],
  );
});

test('an app on devices has no secret, and takes people back to this machine while it is developed', async () => {
  const client = await openRole(service, 'owner', await openAccount());
  const redirect = 'http://127.0.0.1:4000/back';
  const registered = await registerApp(client, { confidential: false, redirect_uris: [redirect] });
  assert.equal(registered.client_secret, null);
  const tokens = await callEndpoint(service, 'token', asApp(registered), { grant_type: 'client_credentials' });
  assert.equal(tokens.body.error, 'unauthorized_client', 'it never acts by itself');
});

test('what is wrong with an app is refused, all at once, and nothing is written', async () => {
  const accountId = await openAccount();
  const client = await openRole(service, 'owner', accountId);
  for (const [changes, problems] of [
    [{ name: ' ' }, ['name pattern']],
    [{ name: 'Plan\u202ener' }, ['name pattern']],
    [{ redirect_uris: ['http://app.example/back'] }, ['redirect_uris[0] url']],
    [
      { redirect_uris: ['https://*.app.example/', 'https://app.example/#x'] },
      ['redirect_uris[0] url', 'redirect_uris[1] url'],
    ],
    [{ redirect_uris: ['javascript:alert(1)'] }, ['redirect_uris[0] url']],
    [{ confidential: false, redirect_uris: [] }, ['redirect_uris required']],
    [{ scopes: [] }, ['scopes out_of_bounds']],
    [{ scopes: ['everything'] }, ['scopes[0] unknown_value']],
    [{ account_id: 'acct_1' }, ['account_id unknown_field']],
  ] as const) {
    const answer = await client.request('POST', '/apps', { body: { ...APP, ...changes } });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, problems], answer.text);
  }
  assert.deepEqual(await written(accountId), []);
});

test('managers and others cannot, nor an owner whose password was given long ago', async () => {
  const accountId = await openAccount();
  for (const role of ['manager', 'orders', 'reader'] as const) {
    const client = await openRole(service, role, accountId);
    assert.equal((await client.request('POST', '/apps', { body: APP })).status, 403, role);
  }
  const owner = await openRole(service, 'owner', accountId);
  await pastProof(service, owner);
  const late = await owner.request('POST', '/apps', { body: APP });
  assert.deepEqual([late.status, late.body.code], [403, 'proof_required']);
  assert.deepEqual(await written(accountId), []);
});

test('an account has at most twenty apps, of two at once one is the last, and a hundred with those removed', async () => {
  const accountId = await openAccount();
  const client = await openRole(service, 'owner', accountId);
  const other = await openRole(service, 'owner', accountId);
  const add = (count: number, removed: string) =>
    rows(
      service,
      `insert into oauth_client (id, account_id, name, redirect_uris, scopes, created_at, removed_at)
       select gen_random_uuid(), $1, 'app', '{https://app.example/}', '{orders:read}', now(), ${removed} from generate_series(1, $2)`,
      [accountId, count],
    );
  await add(19, 'null');
  const ask = (who: typeof client) => who.request<RegisteredApp & { code: string }>('POST', '/apps', { body: APP });
  const answers = await Promise.all([ask(client), ask(other)]);
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['201', '409']);
  assert.equal((await written(accountId)).length, 20);
  await rows(service, 'update oauth_client set removed_at = now() where account_id = $1', [accountId]);
  await add(79, 'now()');
  assert.equal((await ask(client)).status, 201);
  const last = await ask(client);
  assert.deepEqual([last.status, last.body.code, (await written(accountId)).length], [409, 'conflict', 100]);
});
