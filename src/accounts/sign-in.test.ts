import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openAccount, openTestContext, type TestContext } from '../../test/harness/context.ts';
import { ApiError } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { createOauthClient, oauthClientProblems } from './create-oauth-client.ts';
import { createUser, userProblems } from './create-user.ts';
import { isPassword } from './password.ts';
import { signIn } from './sign-in.ts';
import { hashToken } from './token.ts';

const PASSWORD = 'correct horse battery';

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
});
after(() => ctx.close());

const all = <Row>(text: string, values: readonly (string | Date)[] = []): Promise<Row[]> =>
  ctx.database.all<Row>({ name: `test_${text.length}_${text.slice(0, 20).replaceAll(/\W/g, '_')}`, text }, values);

const isRefusal =
  (code: string, ...paths: string[]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof ApiError && error.code === code, String(error));
    const problems = (error.extras.errors ?? []) as { path: string }[];
    assert.deepEqual(
      problems.map(({ path }) => path),
      paths,
    );
    return true;
  };

describe('people who may sign in', () => {
  test('an address is unique over all accounts and in any case; a taken one is refused and changes nothing', async () => {
    const [one, other] = [await openAccount(ctx), await openAccount(ctx)];
    const made = await createUser(ctx, { accountId: one.accountId, email: ' Ada@Example.COM ', password: PASSWORD });
    assert.equal(made.email, 'ada@example.com');
    for (const { accountId } of [one, other]) {
      const again = createUser(ctx, { accountId, email: 'ADA@example.com', password: 'another password' });
      await assert.rejects(again, isRefusal('conflict'));
    }
    assert.equal((await signIn(ctx, { email: 'aDa@example.com', password: PASSWORD, ipKey: 'a' })).kind, 'signed_in');
    assert.equal((await all('select 1 from account_user')).length, 1);
  });

  test('a malformed address and a short password are both named, and nothing is written', async () => {
    const { accountId } = await openAccount(ctx);
    for (const email of [
      '',
      'ada',
      '@example.com',
      'ada@',
      'ada@example',
      'a b@example.com',
      'a\0@example.com',
      `${'a'.repeat(250)}@b.cd`,
    ]) {
      const making = createUser(ctx, { accountId, email, password: 'too short' });
      await assert.rejects(making, isRefusal('validation_failed', 'email', 'password'), email);
    }
    assert.deepEqual(userProblems({ email: 'ada@example.com', password: 'x'.repeat(201) })[0]?.path, 'password');
    assert.deepEqual(userProblems({ email: 'ada@example.com', password: '👕'.repeat(12) }), []);
    const nobody = createUser(ctx, { accountId: newId(), email: 'bob@example.com', password: PASSWORD });
    await assert.rejects(nobody, isRefusal('not_found'));
    assert.equal((await all('select 1 from account_user')).length, 1);
  });

  test('a password is stored as Argon2id alone, and is the same typed on another keyboard', async () => {
    const { accountId } = await openAccount(ctx);
    await createUser(ctx, { accountId, email: 'cy@example.com', password: 'ﬁancée crème brûlée' });
    const [row] = await all<{ hash: string }>(
      "select password_hash as hash from account_user where email = 'cy@example.com'",
    );
    assert.match(row?.hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const typed = 'fiancée crème brûlée'.normalize('NFD');
    assert.equal(await isPassword(row?.hash, typed), true);
    assert.equal(await isPassword(row?.hash, typed.toUpperCase()), false);
    assert.equal(await isPassword(undefined, typed), false);
    assert.equal(await isPassword(row?.hash, 'x'.repeat(60_000)), false);
  });

  test('two passwords are compared at a time and forty wait; more are told to come back, and the turns are not lost', async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 60 }, () => isPassword(undefined, 'anything at all')),
    );
    const refused = attempts.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 60 - 2 - 40);
    for (const { reason } of refused as PromiseRejectedResult[]) assert.ok(isRefusal('unavailable')(reason));
    assert.equal(await isPassword(undefined, 'anything at all'), false);
  });
});

describe('attempts to sign in', () => {
  test('neither the address of the person nor of the machine stands in the table in plain', async () => {
    await signIn(ctx, { email: 'plain@example.com', password: 'x', ipKey: '203.0.113.9' });
    const rows = await all<{ subject: string }>('select subject from sign_in_attempt');
    assert.ok(rows.length >= 2);
    for (const { subject } of rows) assert.match(subject, /^[\w-]{43}$/);
  });

  test('who fails ten times from one machine is held there; the person still signs in elsewhere, until a hundred have failed', async () => {
    const { accountId } = await openAccount(ctx);
    await createUser(ctx, { accountId, email: 'known@example.com', password: PASSWORD });
    const from = async (ipKey: string, password = 'x') =>
      (await signIn(ctx, { email: 'known@example.com', password, ipKey })).kind;
    for (let at = 0; at < 10; at += 1) assert.equal(await from('stranger'), 'refused');
    for (let at = 0; at < 100; at += 1) assert.equal(await from('stranger', PASSWORD), 'limited');
    assert.equal(await from('home', PASSWORD), 'signed_in', 'what one machine is refused locks nobody out elsewhere');
    for (let at = 0; at < 100; at += 1) assert.equal(await from(`many ${at}`), 'refused');
    assert.equal(await from('home', PASSWORD), 'limited');
    ctx.clock.shift(15 * 60_000 + 1);
    assert.equal(await from('home', PASSWORD), 'signed_in');
  });

  test('a right password forgives the wrong ones before it', async () => {
    const { accountId } = await openAccount(ctx);
    await createUser(ctx, { accountId, email: 'dee@example.com', password: PASSWORD });
    for (let round = 0; round < 3; round += 1) {
      for (let wrong = 0; wrong < 9; wrong += 1) {
        assert.equal((await signIn(ctx, { email: 'dee@example.com', password: 'x', ipKey: 'b' })).kind, 'refused');
      }
      assert.equal((await signIn(ctx, { email: 'dee@example.com', password: PASSWORD, ipKey: 'b' })).kind, 'signed_in');
    }
  });

  test('windows that are over are cleared away by those that come after', async () => {
    for (let at = 0; at < 30; at += 1)
      await signIn(ctx, { email: `e${at}@example.com`, password: 'x', ipKey: `c${at}` });
    ctx.clock.shift(15 * 60_000 + 1);
    for (let at = 0; at < 10; at += 1) await signIn(ctx, { email: `f${at}@example.com`, password: 'x', ipKey: 'd' });
    assert.equal((await all('select 1 from sign_in_attempt where ends_at <= $1', [ctx.clock.now()])).length, 0);
  });
});

describe('apps', () => {
  const make = (accountId: Uuid, changes: Partial<Parameters<typeof createOauthClient>[1]> = {}) =>
    createOauthClient(ctx, {
      accountId,
      name: 'App',
      redirectUris: ['https://app.example/cb'],
      isConfidential: true,
      ...changes,
    });

  test('a confidential one has a secret, stored as its hash; a public one has none', async () => {
    const { accountId } = await openAccount(ctx);
    const confidential = await make(accountId);
    assert.match(confidential.secret ?? '', /^ocs_[0-9A-Za-z]{38}$/);
    const open = await make(accountId, { isConfidential: false, scopes: ['orders:read'] });
    assert.deepEqual([open.secret, open.scopes], [undefined, ['orders:read']]);
    const rows = await all<{ id: Uuid; secret_hash: Buffer | null }>('select id, secret_hash from oauth_client');
    const hashes = new Map(rows.map((row) => [row.id, row.secret_hash]));
    assert.deepEqual(hashes.get(confidential.id), hashToken(confidential.secret ?? ''));
    assert.equal(hashes.get(open.id), null);
  });

  test('all that is wrong is named at once, and nothing is written', async () => {
    const { accountId } = await openAccount(ctx);
    const before = (await all('select 1 from oauth_client')).length;
    const wrong = make(accountId, {
      name: 'a\u202eb',
      scopes: [],
      redirectUris: ['https://app.example/cb', 'http://app.example/cb', 'https://app.example/#x'],
    });
    await assert.rejects(
      wrong,
      isRefusal('validation_failed', 'name', 'scopes', 'redirect_uris[1]', 'redirect_uris[2]'),
    );
    await assert.rejects(make(newId()), isRefusal('not_found'));
    assert.equal((await all('select 1 from oauth_client')).length, before);
  });

  const refused = [
    'app.example/cb',
    '/cb',
    'ftp://app.example/cb',
    'javascript:alert(1)',
    'com.example.app:/cb',
    'http://app.example/cb',
    'http://10.0.0.1/cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'https://app.example/cb#',
    'https://user:secret@app.example/cb',
    'https://*.app.example/cb',
    "https://a;script-src'self'.example/cb",
    'https://app.example/c b',
    'https://äpp.example/cb',
    'https://',
    `https://app.example/${'a'.repeat(1_000)}`,
    '',
  ];
  for (const uri of refused) {
    test(`a redirect to "${uri.slice(0, 40)}" is refused`, () => {
      const problems = oauthClientProblems({ name: 'App', redirectUris: [uri], isConfidential: true });
      assert.deepEqual(
        problems.map(({ path }) => path),
        ['redirect_uris[0]'],
      );
    });
  }

  test('redirects to https, and to http on this machine, are taken; at most twenty', () => {
    const good = [
      'https://app.example/cb?a=b',
      'https://app.example:8443/',
      'http://127.0.0.1:1/cb',
      'http://[::1]/',
      'http://localhost/x',
    ];
    assert.deepEqual(oauthClientProblems({ name: 'App', redirectUris: good, isConfidential: false }), []);
    const many = Array.from({ length: 21 }, (_, at) => `https://app.example/${at}`);
    const problems = oauthClientProblems({ name: 'App', redirectUris: many, isConfidential: true });
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      [['redirect_uris', 'out_of_bounds']],
    );
  });

  test('a public app without a redirect could never be used, and is refused', () => {
    const [problem] = oauthClientProblems({ name: 'App', redirectUris: [], isConfidential: false });
    assert.equal(problem?.path, 'redirect_uris');
    assert.deepEqual(oauthClientProblems({ name: 'App', redirectUris: [], isConfidential: true }), []);
  });
});
