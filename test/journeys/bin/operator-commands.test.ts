import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertOneLine, type CommandLine, openCommandLine } from '../../harness/command-line.ts';
import type { CommandResult } from '../../harness/environment.ts';
import { runPlaten } from '../../harness/process.ts';

const PASSWORD = 'correct horse battery';

let at: CommandLine;
before(async () => {
  at = await openCommandLine();
});
after(() => at?.close());

const run = (...args: string[]): Promise<CommandResult> => at.run(['operator', ...args]);
type Created = { id: string; email: string; role: string; token: string };

/** As a person does it, with the password on standard input. */
async function create(email: string, ...more: string[]): Promise<Created> {
  const args = ['operator', 'create', '--email', email, '--json', ...more];
  const result = await at.run(args, `${PASSWORD}\nnot read\n`);
  assert.deepEqual([result.status, result.stderr], [0, ''], result.stderr);
  return JSON.parse(result.stdout) as Created;
}

test('operating: operator create gives a token once, with the role admin unless told otherwise', async () => {
  const { id, email, role, token } = await create('Ada@Shop.Example');
  assert.match(id, /^op_[0-9a-z]{26}$/);
  assert.deepEqual([email, role], ['ada@shop.example', 'admin']);
  assert.match(token, /^pop_[0-9A-Za-z]{38}$/);
  for (const given of ['viewer', 'production', 'finance']) {
    assert.equal((await create(`${given}@shop.example`, '--role', given)).role, given);
  }
});

test('operating: a password given as an argument is taken, and standard error warns that others can see it', async () => {
  const given = await run('create', '--email', 'ed@shop.example', '--password', PASSWORD, '--json');
  assert.equal(given.status, 0, given.stderr);
  assert.equal((JSON.parse(given.stdout) as Created).email, 'ed@shop.example');
  assert.match(given.stderr, /^platen: warning: [^\n]*--password[^\n]*\n$/);
  const hashes = await at.second.query(`select password_hash from operator where email = 'ed@shop.example'`);
  assert.equal(hashes.length, 1);
});

test('a missing or short password on standard input ends with status 2 and one line, before a database is opened', async () => {
  const away = { ...at.env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const args = ['operator', 'create', '--email', 'fi@shop.example'];
  assertOneLine(await runPlaten(args, away), 2, 'standard input');
  assertOneLine(await runPlaten(args, away, 'short\n'), 2, 'password', '12');
});

test('operating: operator token gives another each time, and all stay good until the operator is disabled', async () => {
  const first = await create('bo@shop.example');
  const more = await at.json<{ token: string }>(['operator', 'token', '--email', 'BO@shop.example']);
  assert.match(more.token, /^pop_/);
  assert.notEqual(more.token, first.token);
  const live = `select count(*)::int as count from operator_token t join operator o on o.id = t.operator_id
    where o.email = 'bo@shop.example' and t.revoked_at is null and o.disabled_at is null`;
  const count = async (): Promise<number> => Number((await at.second.query(live))[0]?.count);
  assert.equal(await count(), 2);
  const disabled = await at.json(['operator', 'disable', '--email', 'bo@shop.example']);
  assert.deepEqual(disabled, { email: 'bo@shop.example', disabled: true });
  assert.equal(await count(), 0);
  assertOneLine(await run('token', '--email', 'bo@shop.example'), 1, 'disabled', 'operator enable');
});

test('operator list shows who is disabled, and operator enable lets them work again with a new token', async () => {
  const { id, email } = await create('gil@shop.example', '--role', 'finance');
  await at.json(['operator', 'disable', '--email', email]);
  type Listed = { operators: { id: string; email: string; role: string; disabled_at: string | null }[] };
  const found = async () => {
    const { operators } = await at.json<Listed>(['operator', 'list']);
    return operators.find((operator) => operator.id === id);
  };
  assert.deepEqual([(await found())?.role, typeof (await found())?.disabled_at], ['finance', 'string']);
  const spoken = await run('list');
  assert.match(spoken.stdout, new RegExp(`${id}  ${email}  finance  disabled 2`));
  const enabled = await at.json(['operator', 'enable', '--email', 'GIL@shop.example', '--reason', 'came back']);
  assert.deepEqual(enabled, { email, disabled: false });
  assert.equal((await found())?.disabled_at, null);
  const live =
    'select count(*)::int as count from operator_token t join operator o on o.id = t.operator_id where o.email = $1 and t.revoked_at is null';
  const count = async () => (await at.second.query(live.replace('$1', `'${email}'`)))[0]?.count;
  assert.equal(await count(), 0, 'no token came back');
  await at.json(['operator', 'token', '--email', email]);
  assert.equal(await count(), 1);
  const [audit] = await at.second.query(
    "select operator_id, detail->>'reason' as reason, detail->>'os_user' is not null as is_named from operator_action where action = 'enable_operator'",
  );
  assert.deepEqual(audit, { operator_id: null, reason: 'came back', is_named: true });
});

test('what cannot be done ends with status 1 and one line, and adds nobody', async () => {
  await create('cy@shop.example');
  const again = await run('create', '--email', 'CY@shop.example', '--password', PASSWORD, '--role', 'viewer');
  assertOneLine(again, 1, 'cy@shop.example');
  assertOneLine(await run('token', '--email', 'nobody@shop.example'), 1, 'nobody@shop.example');
  for (const change of ['disable', 'enable']) {
    assertOneLine(await run(change, '--email', 'nobody@shop.example'), 1, 'nobody@shop.example');
  }
  const found = await at.second.query(`select role from operator where email = 'cy@shop.example'`);
  assert.deepEqual(
    found.map(({ role }) => role),
    ['admin'],
  );
});

test('passwords are stored as Argon2id and tokens as hashes: neither stands anywhere in the database', async () => {
  const { token } = await create('di@shop.example');
  const [row] = await at.second.query(
    `select o.password_hash, octet_length(t.token_hash) as bytes
     from operator o join operator_token t on t.operator_id = o.id where o.email = 'di@shop.example'`,
  );
  assert.match(String(row?.password_hash), /^\$argon2id\$/);
  assert.equal(row?.bytes, 32);
  const all = await at.second.query(
    'select o::text as text from operator o union all select t::text from operator_token t',
  );
  for (const { text } of all) assert.ok(!String(text).includes(token) && !String(text).includes(PASSWORD));
});
