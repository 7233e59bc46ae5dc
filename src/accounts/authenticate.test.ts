import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AT_THE_COMMAND_LINE } from '../../test/harness/actors.ts';
import { eventually, openAccount, openTestContext, type TestContext } from '../../test/harness/context.ts';
import { SCOPES } from '../lib/caller.ts';
import type { Database } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { revokeToken } from './access/revoke-token.ts';
import { createAuthenticator } from './authenticate.ts';
import { importToken } from './import-token.ts';
import { mintToken } from './mint-token.ts';
import { newToken } from './token.ts';

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
});
after(() => ctx.close());

async function mint(scopes?: Parameters<typeof mintToken>[1]['scopes']) {
  const { accountId } = await openAccount(ctx);
  const minted = await mintToken(ctx, { accountId, ...(scopes === undefined ? {} : { scopes }) });
  return { accountId, ...minted };
}

/** The service's database, and how many statements went to it. */
function counted(): { database: Database; statements: () => number } {
  let count = 0;
  const one: Database['one'] = (what, values) => {
    count += 1;
    return ctx.database.one(what, values);
  };
  return { database: { ...ctx.database, one }, statements: () => count };
}

const run = (text: string): Promise<void> => ctx.database.script(text);

test('5.3 a token is its account with the scopes it was minted with, all when none were named', async () => {
  const authenticate = createAuthenticator(ctx);
  const all = await mint();
  const caller = await authenticate(all.token);
  assert.deepEqual(caller, { accountId: all.accountId, limitedAs: all.id, scopes: new Set(SCOPES) });
  const reader = await mint(['orders:read']);
  assert.deepEqual([...((await authenticate(reader.token))?.scopes ?? [])], ['orders:read']);
  const none = await mint([]);
  assert.equal((await authenticate(none.token))?.scopes.size, 0);
});

test('the database holds no token in plain, in no table and no column', async () => {
  const { token } = await mint();
  const secret = token.slice('pat_live_'.length);
  const tables = await ctx.database.all<{ name: string }>(
    { name: 'test_tables', text: "select tablename as name from pg_tables where schemaname = 'public'" },
    [],
  );
  assert.ok(tables.length > 20);
  for (const { name } of tables) {
    const found = await ctx.database.all(
      { name: `test_search_${name}`, text: `select 1 from ${name} as t where t::text like $1 or t::text like $2` },
      [`%${secret}%`, `%${Buffer.from(secret).toString('hex')}%`],
    );
    assert.deepEqual(found, [], name);
  }
});

test('5.4 an unknown token is nobody, and one that cannot exist costs no look-up', async () => {
  const { database, statements } = counted();
  const authenticate = createAuthenticator({ ...ctx, database });
  for (const token of ['', 'pat_live_', 'made-up', `${newToken()}x`, `${newToken()}\n`, 'a'.repeat(100_000)]) {
    assert.equal(await authenticate(token), undefined);
  }
  assert.equal(statements(), 0);
  assert.equal(await authenticate(newToken()), undefined);
  assert.equal(await authenticate('pat_test_unknown'), undefined);
  assert.equal(statements(), 2);
});

test('B33 a pat_test_ token that was imported works like every other', async () => {
  const { accountId } = await openAccount(ctx);
  const { id } = await importToken(ctx, { accountId, token: 'pat_test_0001' });
  assert.deepEqual(await createAuthenticator(ctx)('pat_test_0001'), {
    accountId,
    limitedAs: id,
    scopes: new Set(SCOPES),
  });
});

test('a busy client costs one look-up a second and not one a request', async () => {
  const { token } = await mint();
  const { database, statements } = counted();
  const authenticate = createAuthenticator({ ...ctx, database });
  await authenticate(token);
  for (let request = 0; request < 200; request += 1) assert.ok(await authenticate(token));
  assert.ok(statements() <= 2, `${statements()} look-ups`);
});

test('B34 a revoked token is nobody within a second, on every process, and revoking it again changes nothing', async () => {
  const { id, token } = await mint();
  const processes = [createAuthenticator(ctx), createAuthenticator(ctx)];
  for (const authenticate of processes) assert.ok(await authenticate(token));
  await revokeToken(ctx, AT_THE_COMMAND_LINE, id);
  const revokedMs = performance.now();
  for (const authenticate of processes) {
    await eventually('it is refused', async () => (await authenticate(token)) === undefined, 1_500);
  }
  assert.ok(performance.now() - revokedMs < 1_100);
  const revokedAt = () =>
    ctx.database.one<{ at: Date }>(
      { name: 'test_revoked_at', text: 'select revoked_at as at from access_token where id = $1' },
      [id],
    );
  const before = await revokedAt();
  ctx.clock.shift(1_000);
  await revokeToken(ctx, AT_THE_COMMAND_LINE, id);
  assert.deepEqual(await revokedAt(), before);
});

test('revoking a token that is not there is 404', async () => {
  await assert.rejects(
    revokeToken(ctx, AT_THE_COMMAND_LINE, newId()),
    (error) => error instanceof ApiError && error.code === 'not_found',
  );
});

test('B34 a token is nobody from the moment it expires', async () => {
  const { id, token } = await mint();
  await run(`update access_token set expires_at = '${new Date(ctx.clock.now().getTime() + 60_000).toISOString()}'
             where id = '${id}'`);
  assert.ok(await createAuthenticator(ctx)(token));
  ctx.clock.shift(60_000);
  assert.equal(await createAuthenticator(ctx)(token), undefined);
});

test('B40 the tokens of a suspended account are nobody, and somebody again when it is taken back', async () => {
  const { accountId, token } = await mint();
  await run(`update account set suspended_at = now() where id = '${accountId}'`);
  assert.equal(await createAuthenticator(ctx)(token), undefined);
  await run(`update account set suspended_at = null where id = '${accountId}'`);
  assert.ok(await createAuthenticator(ctx)(token));
});

test('M191 made-up tokens without end take no memory without end, and a good token still works among them', async () => {
  const { token } = await mint();
  let held = 0;
  // Misses are answered here: ten thousand look-ups would only show that the database works.
  const one: Database['one'] = (what, values) => {
    held += 1;
    return held > 25_000 ? ctx.database.one(what, values) : Promise.resolve(undefined);
  };
  const authenticate = createAuthenticator({ ...ctx, database: { ...ctx.database, one } });
  const before = process.memoryUsage().heapUsed;
  for (let made = 0; made < 25_000; made += 1) assert.equal(await authenticate(`pat_test_${made}`), undefined);
  assert.ok(process.memoryUsage().heapUsed - before < 64_000_000);
  assert.ok(await authenticate(token));
});

test('a token for an account that is not there is 404, and none is written', async () => {
  const minting = mintToken(ctx, { accountId: newId() });
  await assert.rejects(minting, (error) => error instanceof ApiError && error.code === 'not_found');
});
