import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertOneLine, type CommandLine, openCommandLine, runManyCommands } from '../../harness/command-line.ts';
import type { CommandResult } from '../../harness/environment.ts';

let at: CommandLine;
let account: string;
before(async () => {
  at = await openCommandLine();
  account = (await at.json<{ id: string }>(['account', 'create', '--name', 'A'])).id;
});
after(() => at?.close());

const run = (args: readonly string[], input = ''): Promise<CommandResult> => at.run(args, input);

function json(result: CommandResult): Record<string, unknown> {
  assert.deepEqual([result.status, result.stderr], [0, '']);
  assert.match(result.stdout, /^\{[^\n]*\}\n$/);
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

test('--help explains each command, without a database', async () => {
  const commands = ['user', 'user create', 'oauth', 'oauth client', 'oauth client create', 'token import'];
  const asked = commands.map((command) => [...command.split(' '), '--help']);
  for (const [at, { status, stdout, stderr }] of (await runManyCommands(asked, {})).entries()) {
    assert.deepEqual([status, stderr], [0, ''], commands[at]);
    assert.ok(stdout.startsWith(`Usage: platen ${commands[at]}`), stdout);
  }
});

test('a wrong argument ends with status 2 and one line that says what is wrong, without a database', async () => {
  const some = `acct_${'0'.repeat(26)}`;
  const client = ['oauth', 'client', 'create', '--account', some, '--name', 'App'];
  const cases: [args: string[], input: string, ...words: string[]][] = [
    [['user', 'create', '--email', 'ada@example.com'], 'x', '--account'],
    [['user', 'create', '--account', 'nobody', '--email', 'ada@example.com'], 'x', 'acct_'],
    [['user', 'create', '--account', some, '--email', 'ada'], 'correct horse battery\n', 'email'],
    [['user', 'create', '--account', some, '--email', 'ada@example.com'], 'short\n', 'password', '12'],
    [['user', 'create', '--account', some, '--email', 'ada@example.com'], '', 'standard input'],
    [['user', 'create', '--account', some, '--email', 'ada@example.com'], 'x'.repeat(5_000), 'too long'],
    [['oauth', 'client', 'create', '--account', some], '', '--name'],
    [client, '', 'redirect_uris'],
    [[...client, '--redirect-uri', 'http://app.example/cb'], '', 'redirect_uris[0]', 'https://'],
    [[...client, '--confidential', '--scopes', 'orders:eat'], '', 'orders:write'],
    [['token', 'import', '--account', some, '--token', 'pat_live_x'], '', 'pat_test_'],
    [['token', 'import', '--account', some, '--token', 'pat_test_a b'], '', 'pat_test_'],
    [['token', 'import', '--account', some], '', '--token'],
  ];
  // A command that reads its standard input needs a process of its own.
  const reading = cases.filter(([args]) => args[0] === 'user');
  const without = cases.filter(([args]) => args[0] !== 'user');
  for (const [args, input, ...words] of reading) assertOneLine(await at.run(args, input, {}), 2, ...words);
  const results = await runManyCommands(
    without.map(([args]) => args),
    {},
  );
  for (const [at, result] of results.entries()) {
    const [, , ...words] = without[at] ?? [];
    assertOneLine(result, 2, ...words);
  }
});

test('a person is added with the first line of standard input as the password, once for an address', async () => {
  const create = ['user', 'create', '--account', account, '--email', 'Ada@Example.com', '--json'];
  const user = json(await run(create, 'correct horse battery\nand more\n'));
  assert.deepEqual(Object.keys(user).toSorted(), ['email', 'id', 'role']);
  assert.match(String(user.id), /^user_/);
  assert.deepEqual([user.email, user.role], ['ada@example.com', 'owner']);
  const reader = ['user', 'create', '--account', account, '--email', 'rita@example.com', '--role', 'reader', '--json'];
  assert.equal(json(await run(reader, 'correct horse battery\n')).role, 'reader');
  assertOneLine(await run([...reader, '--role', 'admin'], 'correct horse battery\n'), 2, '--role');
  assertOneLine(await run(create, 'another long password'), 1, 'ada@example.com');
  const person = await run(
    ['user', 'create', '--account', account, '--email', 'bob@example.com'],
    'a password for Bob\r\n',
  );
  assert.match(person.stdout, /^Added user user_\w+, who signs in as bob@example\.com and has the role owner\.\n$/);
  const nobody = ['user', 'create', '--account', `acct_${'0'.repeat(26)}`, '--email', 'cy@example.com'];
  assertOneLine(await run(nobody, 'a password for Cy'), 1);
  const rows = await at.second.query('select email, password_hash from account_user order by email');
  assert.deepEqual(
    rows.map((row) => row.email),
    ['ada@example.com', 'bob@example.com', 'rita@example.com'],
  );
  assert.ok(!JSON.stringify(rows).includes('correct horse'));
});

test('an app is registered with any number of redirects; only a confidential one has a secret', async () => {
  const create = ['oauth', 'client', 'create', '--account', account, '--name', 'Shirt Planner'];
  const redirects = ['--redirect-uri', 'https://a.example/cb', '--redirect-uri', 'http://127.0.0.1:7/cb'];
  const open = json(await run([...create, ...redirects, '--scopes', 'orders:read,tax:read', '--json']));
  assert.deepEqual(Object.keys(open), ['client_id']);
  const confidential = json(await run([...create, '--confidential', '--json']));
  assert.deepEqual(Object.keys(confidential).toSorted(), ['client_id', 'client_secret']);
  const rows = await at.second.query(
    'select redirect_uris, scopes, secret_hash is null as public from oauth_client order by id',
  );
  assert.deepEqual(rows, [
    {
      redirect_uris: ['https://a.example/cb', 'http://127.0.0.1:7/cb'],
      scopes: ['orders:read', 'tax:read'],
      public: true,
    },
    {
      redirect_uris: [],
      scopes: ['orders:read', 'orders:write', 'products:read', 'products:write', 'tax:read', 'shipping:read'],
      public: false,
    },
  ]);
  const shown = await run([...create, '--confidential']);
  assert.match(shown.stdout, /^Client client_\w+ with orders:read, .*\.\nIts secret is shown once:\nocs_\w+\n$/);
  const nobody = ['oauth', 'client', 'create', '--account', `acct_${'0'.repeat(26)}`, '--name', 'A', '--confidential'];
  assertOneLine(await run(nobody), 1);
});

test('B33 a pat_test_ token is imported once, again without harm, and for no second account', async () => {
  const args = ['token', 'import', '--account', account, '--token', 'pat_test_from-long-ago', '--json'];
  const first = json(await run([...args, '--scopes', 'orders:read']));
  assert.match(String(first.id), /^tok_/);
  assert.deepEqual([first.scopes, first.imported], [['orders:read'], true]);
  assert.deepEqual(json(await run(args)), { id: first.id, scopes: ['orders:read'], imported: false });
  assertOneLine(await run([...args, '--scopes', 'orders:write']), 1, 'orders:read');
  const other = (await at.json<{ id: string }>(['account', 'create', '--name', 'B'])).id;
  assertOneLine(await run(args.with(3, other)), 1, 'another account');
  json(await run(['token', 'revoke', '--id', String(first.id), '--json']));
  assertOneLine(await run(args), 1, 'revoked');
  assert.equal((await at.second.query("select 1 from access_token where name = 'imported'")).length, 1);
});
