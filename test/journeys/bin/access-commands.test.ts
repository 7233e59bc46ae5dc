import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertOneLine, type CommandLine, openCommandLine, runManyCommands } from '../../harness/command-line.ts';

const PASSWORD = 'correct horse battery';
const NOBODY = `acct_${'0'.repeat(26)}`;

let at: CommandLine;
let account: string;
before(async () => {
  at = await openCommandLine();
  account = (await at.json<{ id: string }>(['account', 'create', '--name', 'A'])).id;
});
after(() => at?.close());

type Json = Record<string, unknown>;
const json = (...args: string[]): Promise<Json> => at.json<Json>(args);
const list = async (name: string, ...args: string[]): Promise<Json[]> => (await json(...args))[name] as Json[];

async function withPassword(command: string, email: string, password = PASSWORD): Promise<Json> {
  const args = ['user', command, '--account', account, '--email', email, '--json'];
  const result = await at.run(args, `${password}\n`);
  assert.deepEqual([result.status, result.stderr], [0, ''], result.stderr);
  return JSON.parse(result.stdout) as Json;
}

test('a wrong argument ends with status 2 and one line that says what is wrong, without a database', async () => {
  const cases: [args: string[], ...words: string[]][] = [
    [['account', 'suspend', '--account', NOBODY], '--reason'],
    [['account', 'suspend', '--account', NOBODY, '--reason', ' '], 'blank'],
    [['account', 'suspend', '--reason', 'x'], '--account'],
    [['account', 'resume', '--account', 'nobody'], 'acct_'],
    [['token', 'list'], '--account'],
    [['token', 'list', '--account', NOBODY, '--cursor', 'x'], 'tok_'],
    [['user', 'disable', '--account', NOBODY], '--email'],
    [['user', 'list'], '--account'],
    [['session', 'revoke'], '--id'],
    [['oauth', 'client', 'list'], '--client', '--account'],
    [['oauth', 'client', 'rotate', '--client', 'x'], 'client_'],
    [['oauth', 'client', 'remove'], '--client', '--account'],
    [['oauth', 'grant', 'list'], '--client', '--account'],
    [['oauth', 'grant', 'revoke'], '--client', '--account'],
    [['oauth', 'grant', 'revoke', '--id', `gnt_${'0'.repeat(26)}`, '--account', NOBODY], '--id'],
    [['operator', 'token'], '--email'],
    [['operator', 'token', 'revoke'], '--id'],
    [['operator', 'token', 'revoke', '--id', NOBODY], 'otk_'],
  ];
  const results = await runManyCommands(
    cases.map(([args]) => args),
    {},
  );
  for (const [at, result] of results.entries()) {
    const [, ...words] = cases[at] ?? [];
    assertOneLine(result, 2, ...words);
  }
  const reading = ['user', 'password', '--account', NOBODY, '--email', 'ada@example.com'];
  assertOneLine(await at.run(reading, 'short\n', {}), 2, 'password', '12');
  assertOneLine(await at.run(reading, '', {}), 2, 'standard input');
});

test('an account is suspended and resumed, any number of times, and the audit log has who, when and why', async () => {
  for (const reason of ['unpaid', 'still unpaid']) {
    const args = ['account', 'suspend', '--account', account, '--reason', reason];
    assert.deepEqual(await json(...args), { id: account, suspended: true });
  }
  const [row] = await at.second.query('select suspended_reason from account');
  assert.equal(row?.suspended_reason, 'unpaid');
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await json('account', 'resume', '--account', account), { id: account, suspended: false });
  }
  const acts = await at.second.query(
    `select action, operator_id is null as by_command, detail->>'reason' as reason,
       length(detail->>'os_user') > 0 as named, created_at is not null as dated from operator_action order by id`,
  );
  const entry = (action: string, reason: string | null) => ({
    action,
    by_command: true,
    reason,
    named: true,
    dated: true,
  });
  assert.deepEqual(acts, [
    entry('suspend_account', 'unpaid'),
    entry('suspend_account', 'still unpaid'),
    entry('resume_account', null),
    entry('resume_account', null),
  ]);
});

test('tokens are listed and revoked by their id', async () => {
  const minted = await json('token', 'mint', '--account', account, '--name', 'till', '--scopes', 'orders:read');
  const [before] = await list('tokens', 'token', 'list', '--account', account);
  assert.deepEqual(Object.keys(before ?? {}), [
    'id',
    'name',
    'scopes',
    'created_at',
    'expires_at',
    'last_used_at',
    'revoked_at',
  ]);
  assert.deepEqual([before?.id, before?.name, before?.scopes], [minted.id, 'till', ['orders:read']]);
  for (let round = 0; round < 2; round += 1) {
    const revoked = await json('token', 'revoke', '--id', String(minted.id), '--reason', 'leaked');
    assert.deepEqual(revoked, { id: minted.id, revoked: true });
  }
  const [after] = await list('tokens', 'token', 'list', '--account', account);
  assert.match(String(after?.revoked_at), /Z$/);
});

test('people are listed, disabled, enabled and given a password, by account and address', async () => {
  const created = await withPassword('create', 'ada@example.com');
  const one = ['--account', account, '--email', 'ADA@example.com'];
  const known = { id: created.id, email: 'ada@example.com' };
  assert.deepEqual(await json('user', 'disable', ...one, '--reason', 'left'), { ...known, disabled: true });
  const [disabled] = await list('users', 'user', 'list', ...one);
  assert.match(String(disabled?.disabled_at), /Z$/);
  assert.deepEqual(await json('user', 'enable', ...one), { ...known, disabled: false });
  const [hash] = await at.second.query('select password_hash from account_user');
  assert.deepEqual(await withPassword('password', 'ada@example.com', 'another long password'), {
    ...known,
    changed: true,
  });
  assert.notDeepEqual(await at.second.query('select password_hash from account_user'), [hash]);
  const { url, expires_at: expiresAt, ...linked } = await json('user', 'link', ...one, '--reason', 'forgotten');
  assert.deepEqual(linked, { ...known, mailed: false }, 'no mail server is set');
  assert.match(String(url), /\/portal\/link#[\w-]{43}$/);
  assert.match(String(expiresAt), /Z$/);
  assert.equal((await list('users', 'user', 'list', '--account', account)).length, 1);
  assert.deepEqual(await list('sessions', 'session', 'list', '--account', account), []);
  const other = (await at.json<{ id: string }>(['account', 'create', '--name', 'B'])).id;
  const foreign = ['user', 'disable', '--account', other, '--email', 'ada@example.com'];
  assertOneLine(await at.run(foreign), 1, 'has no user');
});

test('apps are listed, rotated and removed, by the app or by the account; grants are listed and revoked', async () => {
  const create = ['oauth', 'client', 'create', '--account', account, '--name'];
  const till = await json(...create, 'Till', '--confidential');
  const other = await json(...create, 'Other', '--confidential');
  const pocket = await json(...create, 'Pocket', '--redirect-uri', 'https://app.example/cb');
  const id = String(till.client_id);
  const rotated = await json('oauth', 'client', 'rotate', '--client', id);
  assert.deepEqual(Object.keys(rotated), ['client_id', 'client_secret']);
  assert.match(String(rotated.client_secret), /^ocs_/);
  assert.notEqual(rotated.client_secret, till.client_secret);
  const all = await list('clients', 'oauth', 'client', 'rotate', '--account', account);
  assert.deepEqual(
    all.map((client) => client.client_id),
    [other.client_id, id],
    'a public app has no secret',
  );
  assertOneLine(await at.run(['oauth', 'client', 'rotate', '--client', String(pocket.client_id)]), 1, 'public');
  for (let round = 0; round < 2; round += 1) {
    const removed = await json('oauth', 'client', 'remove', '--client', id);
    assert.deepEqual(removed, { client_id: id, removed: true });
  }
  const listed = await list('clients', 'oauth', 'client', 'list', '--account', account);
  assert.deepEqual(
    listed.map((client) => [client.name, client.removed_at === null]),
    [
      ['Pocket', true],
      ['Other', true],
      ['Till', false],
    ],
  );
  assert.equal((await list('clients', 'oauth', 'client', 'list', '--client', id)).length, 1);
  await withPassword('create', 'bo@example.com');
  await at.second.query(
    `insert into oauth_grant (account_id, id, user_id, client_id, scopes, created_at)
     select u.account_id, gen_random_uuid(), u.id, c.id, '{orders:read}', u.created_at
     from account_user u, oauth_client c where u.email = 'bo@example.com' and c.name in ('Other', 'Pocket')`,
  );
  assert.equal((await list('grants', 'oauth', 'grant', 'list', '--account', account)).length, 2);
  const clientId = String(pocket.client_id);
  const [grant] = await list('grants', 'oauth', 'grant', 'list', '--client', clientId);
  assert.equal(grant?.email, 'bo@example.com');
  assert.deepEqual(await json('oauth', 'grant', 'revoke', '--id', String(grant?.id)), { id: grant?.id, revoked: 1 });
  assert.deepEqual(await json('oauth', 'grant', 'revoke', '--client', clientId), { revoked: 0 });
  assert.deepEqual(await json('oauth', 'grant', 'revoke', '--account', account), { revoked: 1 });
  const rest = await list('clients', 'oauth', 'client', 'remove', '--account', account);
  assert.deepEqual(
    rest.map((client) => client.client_id),
    [pocket.client_id, other.client_id],
  );
});

test('one token of an operator is revoked, and the others stay', async () => {
  const args = ['operator', 'create', '--email', 'op@shop.example', '--json'];
  assert.equal((await at.run(args, `${PASSWORD}\n`)).status, 0);
  assert.match(String((await json('operator', 'token', '--email', 'op@shop.example')).token), /^pop_/);
  const tokens = (): Promise<Json[]> => list('tokens', 'operator', 'token', 'list', '--email', 'op@shop.example');
  const [newer, older] = await tokens();
  const revoked = await json('operator', 'token', 'revoke', '--id', String(older?.id), '--reason', 'leaked');
  assert.deepEqual(revoked, { id: older?.id, revoked: true });
  assert.deepEqual(
    (await tokens()).map((token) => [token.id, token.revoked_at === null]),
    [
      [newer?.id, true],
      [older?.id, false],
    ],
  );
});

test('what does not exist ends with status 1 and one line, and leaves nothing in the audit log', async () => {
  const before = await at.second.query('select count(*) as count from operator_action');
  const none = (prefix: string): string => `${prefix}_${'0'.repeat(26)}`;
  for (const [args, what] of [
    [['account', 'suspend', '--account', NOBODY, '--reason', 'x'], 'no such account'],
    [['account', 'resume', '--account', NOBODY], 'no such account'],
    [['token', 'list', '--account', NOBODY], 'no such account'],
    [['token', 'revoke', '--id', none('tok')], 'no such token'],
    [['user', 'disable', '--account', account, '--email', 'nobody@example.com'], 'has no user'],
    [['session', 'revoke', '--id', none('ses')], 'no such session'],
    [['oauth', 'client', 'rotate', '--client', none('client')], 'no such app'],
    [['oauth', 'client', 'remove', '--account', NOBODY], 'no such account'],
    [['oauth', 'grant', 'revoke', '--id', none('gnt')], 'no such grant'],
    [['oauth', 'grant', 'revoke', '--client', none('client')], 'no such app'],
    [['operator', 'token', 'revoke', '--id', none('otk')], 'no such token'],
  ] as const) {
    assertOneLine(await at.run(args), 1, what);
  }
  assert.deepEqual(await at.second.query('select count(*) as count from operator_action'), before);
});
