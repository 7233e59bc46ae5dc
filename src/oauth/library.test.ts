import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { AT_THE_COMMAND_LINE } from '../../test/harness/actors.ts';
import { eventually, openTestContext, type TestContext } from '../../test/harness/context.ts';
import { rotateClient } from '../accounts/access/change-client.ts';
import { revokeGrants } from '../accounts/access/revoke-grants.ts';
import { createAuthenticator } from '../accounts/authenticate.ts';
import { createAccount } from '../accounts/create-account.ts';
import { createOauthClient } from '../accounts/create-oauth-client.ts';
import { createUser } from '../accounts/create-user.ts';
import { OAUTH_PATHS } from '../http/oauth-paths.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, unavailable } from '../lib/errors.ts';
import { newId, publicId, type Uuid } from '../lib/ids.ts';
import { createSecrets } from '../lib/secrets.ts';
import type { OAuthResponse } from './exchange.ts';
import { type Library, openLibrary } from './library.ts';
import { insertGrant } from './sql.ts';

const REDIRECT = 'https://app.example/cb';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

let ctx: TestContext;
let library: Library;
let client: { id: Uuid; clientId: string; secret: string };
let userId: Uuid;

before(async () => {
  ctx = await openTestContext({});
  library = await openLibrary(ctx);
  const accountId = await createAccount(ctx, { name: 'Account' });
  const made = await createOauthClient(ctx, { accountId, name: 'App', redirectUris: [REDIRECT], isConfidential: true });
  client = { id: made.id, clientId: publicId('client', made.id), secret: made.secret ?? '' };
  userId = (await createUser(ctx, { accountId, email: 'ada@example.com', password: 'correct horse battery' })).id;
});
after(() => ctx.close());

/** The way of a person who signs in and consents, without the pages. */
async function obtainCode(): Promise<string> {
  const cookies = new Map<string, string>();
  const visit = async (path: string): Promise<OAuthResponse> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const oauthResponse = await library.handle({ method: 'GET', path, cookie });
    for (const line of oauthResponse.cookies) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=');
      cookies.set(name, value);
    }
    return oauthResponse;
  };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT,
    scope: 'orders:read',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  });
  let oauthResponse = await visit(`${OAUTH_PATHS.authorize}?${query.toString()}`);
  for (const step of ['login', 'consent']) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const path = await library.withInteraction(
      { method: 'GET', path: OAUTH_PATHS.consent, cookie },
      async (pending) => {
        assert.equal(pending.interaction.prompt.name, step);
        if (step === 'login') return pending.decide({ login: { accountId: userId, remember: false } });
        const grantId = newId();
        const { db, now } = pending.transaction;
        await insertGrant(db, { id: grantId, userId, clientId: client.id, scopes: ['orders:read'], createdAt: now });
        return pending.decide({ consent: { grantId } });
      },
    );
    oauthResponse = await visit(path ?? '');
  }
  return new URL(oauthResponse.location ?? '').searchParams.get('code') ?? '';
}

type Reply = { access_token: string; refresh_token: string; error: string };

async function token(form: Record<string, string>, through = library): Promise<{ status: number; body: Reply }> {
  const proof = { client_id: client.clientId, client_secret: client.secret };
  const text = new URLSearchParams({ ...proof, ...form }).toString();
  const { status, body } = await through.handle({ method: 'POST', path: OAUTH_PATHS.token, form: text });
  return { status, body: body as Reply };
}

const redeem = (code: string, through = library) =>
  token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: VERIFIER }, through);

const refresh = (refreshToken: string, through = library) =>
  token({ grant_type: 'refresh_token', refresh_token: refreshToken }, through);

/** A library whose statement of this name fails as often as there are failures. */
function failing(name: string, failures: unknown[]): Promise<Library> {
  const breaking = (db: Db): Db => ({
    ...db,
    all: (what, values) =>
      what.name === name && failures.length > 0 ? Promise.reject(failures.shift()) : db.all(what, values),
    one: (what, values) =>
      what.name === name && failures.length > 0 ? Promise.reject(failures.shift()) : db.one(what, values),
  });
  const database = {
    ...ctx.database,
    transaction: <T>(work: (tx: Db) => Promise<T>) => ctx.database.transaction((tx) => work(breaking(tx))),
  };
  return openLibrary({ ...ctx, database });
}

test('the database fails at any statement of an exchange or refresh: 503, nothing is used up, and the same again works', async () => {
  const code = await obtainCode();
  for (const name of [
    'accounts_live_client',
    'oauth_lock_record',
    'oauth_live_grant',
    'oauth_consume_record',
    'oauth_insert_access_token',
    'oauth_upsert_record',
  ]) {
    const broken = await failing(name, [unavailable('away')]);
    await assert.rejects(
      redeem(code, broken),
      (error) => error instanceof ApiError && error.code === 'unavailable',
      name,
    );
  }
  const first = await redeem(code);
  assert.equal(first.status, 200);
  for (const name of ['oauth_consume_record', 'oauth_upsert_record', 'oauth_insert_access_token']) {
    const broken = await failing(name, [unavailable('away')]);
    await assert.rejects(refresh(first.body.refresh_token, broken), ApiError, name);
  }
  assert.equal((await refresh(first.body.refresh_token)).status, 200);
});

/** A library in which something happens elsewhere just before the statement of this name. */
function interrupted(name: string, meanwhile: () => Promise<unknown>): Promise<Library> {
  const waiting = (db: Db): Db => ({
    ...db,
    one: async (what, values) => {
      if (what.name === name) await meanwhile();
      return db.one(what, values);
    },
  });
  const database = {
    ...ctx.database,
    transaction: <T>(work: (tx: Db) => Promise<T>) => ctx.database.transaction((tx) => work(waiting(tx))),
  };
  return openLibrary({ ...ctx, database });
}

test('a grant that is revoked while it is refreshed is invalid_grant, as one that was revoked before', async () => {
  const { body } = await redeem(await obtainCode());
  const of = { accountId: undefined, clientId: client.id };
  const revoking = await interrupted('oauth_insert_access_token', () =>
    revokeGrants(ctx, AT_THE_COMMAND_LINE, of, 'meanwhile'),
  );
  const oauthResponse = await refresh(body.refresh_token, revoking);
  assert.deepEqual([oauthResponse.status, oauthResponse.body.error], [400, 'invalid_grant']);
  assert.equal((await refresh(body.refresh_token)).status, 400);
  assert.equal(await createAuthenticator(ctx)(body.access_token), undefined);
});

test('a token that is asked for with a secret that is rotated meanwhile is good for nothing', async () => {
  let secret: string | undefined;
  const rotating = await interrupted('oauth_insert_access_token', async () => {
    secret = await rotateClient(ctx, AT_THE_COMMAND_LINE, client.id);
  });
  const { status, body } = await token({ grant_type: 'client_credentials' }, rotating);
  assert.equal(status, 200, 'the secret was right when it was shown');
  assert.equal(await createAuthenticator(ctx)(body.access_token), undefined);
  assert.equal((await token({ grant_type: 'client_credentials' })).status, 401);
  client = { ...client, secret: secret ?? '' };
  const again = await token({ grant_type: 'client_credentials' });
  assert.ok(await createAuthenticator(ctx)(again.body.access_token));
});

test('a failure of ours is thrown as it is, and no answer tells of it', async () => {
  const broken = await failing('oauth_lock_record', [new TypeError('a bug')]);
  await assert.rejects(refresh(`ort_${'0'.repeat(38)}`, broken), new TypeError('a bug'));
});

test('a refresh token that an earlier key sealed goes on with that key in SECRET_KEY_OLD, and is then of the present one', async () => {
  const { body } = await redeem(await obtainCode());
  const KEYS = ['the next key of 32 characters or more', 'a secret key of 32 characters or more'] as const;
  const next = await openLibrary({ ...ctx, secrets: createSecrets(KEYS[0], [KEYS[1]]) });
  const oauthResponse = await refresh(body.refresh_token, next);
  assert.equal(oauthResponse.status, 200, JSON.stringify(oauthResponse.body));
  const alone = await openLibrary({ ...ctx, secrets: createSecrets(KEYS[0]) });
  assert.equal((await refresh(oauthResponse.body.refresh_token, alone)).status, 200);
});

test('what was sealed with another SECRET_KEY is as good as expired: invalid_grant, and no 500', async () => {
  const { body } = await redeem(await obtainCode());
  const changed = await openLibrary({ ...ctx, secrets: createSecrets('quite another key of 32 characters') });
  const oauthResponse = await refresh(body.refresh_token, changed);
  assert.deepEqual([oauthResponse.status, oauthResponse.body.error], [400, 'invalid_grant']);
  assert.equal((await refresh(body.refresh_token)).status, 200);
});

test('L181 L185 the family that ends on one node ends on all of them within a second', async () => {
  const code = await obtainCode();
  const { body } = await redeem(code);
  const nodes = [createAuthenticator(ctx), createAuthenticator(ctx)];
  for (const authenticate of nodes) assert.ok(await authenticate(body.access_token));
  assert.equal((await redeem(code)).status, 400);
  const endedMs = performance.now();
  for (const authenticate of nodes) {
    await eventually('it is nobody', async () => (await authenticate(body.access_token)) === undefined, 2_000);
  }
  assert.ok(performance.now() - endedMs < 1_200);
});

test('L185 of refreshes with one token on two nodes at once exactly one wins, and its family goes on', async () => {
  const nodes = [library, await openLibrary(ctx)];
  const { body } = await redeem(await obtainCode());
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => refresh(body.refresh_token, nodes[at % 2])));
  const winners = answers.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1);
  assert.equal((await refresh(winners[0]?.body.refresh_token ?? '')).status, 200);
});

test('the limit by token counts what all tokens of an app at an account do together, granted or its own', async () => {
  const authenticate = createAuthenticator(ctx);
  const { body } = await redeem(await obtainCode());
  const next = await refresh(body.refresh_token);
  const [before, after] = [await authenticate(body.access_token), await authenticate(next.body.access_token)];
  assert.ok(before !== undefined && before.limitedAs === after?.limitedAs);
  const own = await Promise.all([1, 2].map(() => token({ grant_type: 'client_credentials' })));
  const callers = await Promise.all(own.map((answer) => authenticate(answer.body.access_token)));
  assert.ok(callers[0] !== undefined && callers[0].limitedAs === callers[1]?.limitedAs);
  assert.equal(
    callers[0].limitedAs,
    before.limitedAs,
    'the person who allowed it is of the account that registered it',
  );
});

test('the library writes nothing to the screen of the service', async () => {
  const written: unknown[] = [];
  const { info, warn, error, log } = console;
  const note = (...parts: unknown[]): void => void written.push(parts);
  Object.assign(console, { info: note, warn: note, error: note, log: note });
  try {
    const fresh = await openLibrary(ctx);
    const code = await obtainCode();
    await redeem(code, fresh);
    await redeem(code, fresh);
    await token({ grant_type: 'client_credentials', scope: 'nothing' }, fresh);
    await fresh.handle({ method: 'GET', path: OAUTH_PATHS.authorize });
    const revocation = new URLSearchParams({ client_id: client.clientId, client_secret: client.secret, token: 'x' });
    await fresh.handle({ method: 'POST', path: OAUTH_PATHS.revoke, form: revocation.toString() });
  } finally {
    Object.assign(console, { info, warn, error, log });
  }
  assert.deepEqual(written, []);
});
