import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { revokeToken } from '../../../src/accounts/access/revoke-token.ts';
import { SCOPES } from '../../../src/lib/caller.ts';
import { publicId, type Uuid } from '../../../src/lib/ids.ts';
import { AT_THE_COMMAND_LINE } from '../../harness/actors.ts';
import { eventually } from '../../harness/context.ts';
import {
  type App,
  authorizePath,
  callEndpoint,
  obtainCode,
  obtainTokens,
  openApp,
  openPerson,
  type Person,
  REDIRECT,
  redeem,
  refresh,
  statusWith,
  type TokenAnswer,
  VERIFIER,
} from '../../harness/oauth.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
let app: App;
let publicApp: App;
let person: Person;

before(async () => {
  service = await startTestService({ role: 'api' });
  app = await openApp(service);
  publicApp = await openApp(service, { isPublic: true, name: 'Pocket Planner' });
  person = await openPerson(service);
});
after(() => service.stop());

function assertRefused(answer: TokenAnswer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.body.error], [status, error], JSON.stringify(answer.body));
  assert.equal(typeof answer.body.error_description, 'string');
  assert.equal(answer.body.access_token, undefined);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

/** How many tokens, grants and records there are: what a refusal must leave as it was. */
async function issued(): Promise<unknown> {
  const [counts] = await rows(
    service,
    `select (select count(*) from access_token) as tokens, (select count(*) from oauth_grant) as grants,
       (select count(*) from oauth_record where kind = 'refresh_token') as refresh_tokens`,
  );
  return counts;
}

const gone = (token: string): Promise<boolean> =>
  eventually('the token is refused', async () => (await statusWith(service, token)) === 401, 3_000);

describe('5.6 the authorization code grant', () => {
  for (const [what, which] of [
    ['a confidential app', () => app],
    ['a public app', () => publicApp],
  ] as const) {
    test(`${what} gets an access token for an hour and a refresh token, with what was asked for and allowed`, async () => {
      const tokens = await obtainTokens(service, which(), person, { scope: 'orders:read products:read' });
      assert.deepEqual(Object.keys(tokens).toSorted(), [
        'access_token',
        'expires_in',
        'refresh_token',
        'scope',
        'token_type',
      ]);
      assert.deepEqual([tokens.token_type, tokens.expires_in], ['Bearer', 3_600]);
      assert.deepEqual(tokens.scope.split(' ').toSorted(), ['orders:read', 'products:read']);
      assert.match(tokens.access_token, /^oat_[0-9A-Za-z]{38}$/);
      assert.match(tokens.refresh_token, /^ort_[0-9A-Za-z]{38}$/);
      assert.equal(await statusWith(service, tokens.access_token), 200);
      assert.equal(await statusWith(service, tokens.access_token, '/products'), 200);
      assert.equal(await statusWith(service, tokens.access_token, '/webhooks/whk_1'), 404);
    });
  }

  test("the token acts for the account of who allowed it, not for the app's own, and within its scopes", async () => {
    const other = await service.openCustomer();
    const stranger = await openPerson(service, other.accountId);
    const tokens = await obtainTokens(service, app, stranger);
    const created = await other.request<{ id: string }>('POST', '/webhooks', {
      url: service.stranger.url('/hooks'),
      events: [],
    });
    const list = await fetch(`${service.url}/api/v1/webhooks`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const { data } = (await list.json()) as { data: { id: string }[] };
    assert.deepEqual(
      data.map(({ id }) => id),
      [created.body.id],
    );
    const writing = await fetch(`${service.url}/api/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    assert.equal(writing.status, 403);
  });

  test('without a scope the app asks for all that it is registered with', async () => {
    const small = await openApp(service, { scopes: ['products:read', 'tax:read'] });
    const tokens = await obtainTokens(service, small, person, { scope: undefined });
    assert.deepEqual(tokens.scope.split(' ').toSorted(), ['products:read', 'tax:read']);
  });

  test('an access token is nobody after its hour, and a refresh token after its ninety days', async () => {
    const early = await startTestService({ role: 'api' });
    try {
      const [itsApp, itsPerson] = [await openApp(early), await openPerson(early)];
      const first = await obtainTokens(early, itsApp, itsPerson);
      early.shiftMs(3_599_000);
      assert.equal(await statusWith(early, first.access_token), 200);
      early.shiftMs(1_000);
      await eventually('it has expired', async () => (await statusWith(early, first.access_token)) === 401, 3_000);
      early.shiftMs(90 * 86_400_000 - 3_600_000 - 60_000);
      const second = await refresh(early, itsApp, first.refresh_token);
      assert.equal(second.status, 200, 'a minute before ninety days are over');
      assert.equal(await statusWith(early, second.body.access_token), 200);
      early.shiftMs(90 * 86_400_000 + 60_000);
      const late = await refresh(early, itsApp, second.body.refresh_token);
      assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant']);
    } finally {
      await early.stop();
    }
  });
});

describe('L181 L182 a code is good once, for one minute, for the app, address and verifier that it was made for', () => {
  test('L181 a code that is shown again is refused, and the tokens from it end within a second', async () => {
    const code = await obtainCode(service, app, person);
    const { body } = await redeem(service, app, code);
    assert.equal(await statusWith(service, body.access_token), 200);
    assertRefused(await redeem(service, app, code), 400, 'invalid_grant');
    await gone(body.access_token);
    assertRefused(await refresh(service, app, body.refresh_token), 400, 'invalid_grant');
  });

  test('L181 of ten exchanges of one code at once one wins, and not even its tokens outlive the others', async () => {
    const code = await obtainCode(service, app, person);
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(service, app, code)));
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer, 400, 'invalid_grant');
    await gone(winners[0]?.body.access_token ?? '');
  });

  const wrong: Record<string, [app: () => App, changes: Record<string, string>]> = {
    'another app': [() => publicApp, {}],
    'another address': [() => app, { redirect_uri: `${REDIRECT}/` }],
    'another verifier': [() => app, { code_verifier: 'a'.repeat(43) }],
    'a verifier that is too short to be one': [() => app, { code_verifier: 'wrong' }],
    'a verifier with letters that none has': [() => app, { code_verifier: `${'a'.repeat(43)}ä` }],
    'no verifier': [() => app, { code_verifier: '' }],
    'a code that never was': [() => app, { code: 'a'.repeat(43) }],
    'a code with a NUL': [() => app, { code: 'a\0b' }],
    'a refresh token for a code': [() => app, { code: `ort_${'0'.repeat(38)}` }],
  };
  for (const [what, [whose, changes]] of Object.entries(wrong)) {
    test(`L182 ${what} is invalid_grant; nothing is issued, and the code is still good for its owner`, async () => {
      const code = await obtainCode(service, app, person);
      const before = await issued();
      assertRefused(await redeem(service, whose(), changes.code ?? code, { code, ...changes }), 400, 'invalid_grant');
      assert.deepEqual(await issued(), before);
      assert.equal((await redeem(service, app, code)).status, 200);
    });
  }

  test('L182 a code without its address is invalid_request', async () => {
    const code = await obtainCode(service, app, person);
    assertRefused(await redeem(service, app, code, { redirect_uri: '' }), 400, 'invalid_request');
  });

  test('L182 a code is over after a minute', async () => {
    const code = await obtainCode(service, app, person);
    service.shiftMs(60_000);
    assertRefused(await redeem(service, app, code), 400, 'invalid_grant');
  });
});

describe('L185 refresh tokens rotate', () => {
  test('each refresh gives another pair of the same scopes; the access token before stays good for its hour', async () => {
    const first = await obtainTokens(service, app, person, { scope: 'orders:read products:read' });
    const second = await refresh(service, app, first.refresh_token);
    assert.equal(second.status, 200);
    assert.notEqual(second.body.refresh_token, first.refresh_token);
    assert.deepEqual(second.body.scope, first.scope);
    assert.equal(await statusWith(service, second.body.access_token), 200);
    assert.equal(await statusWith(service, first.access_token), 200);
  });

  test('of twenty refreshes with one token at once exactly one wins, and its family goes on', async () => {
    const first = await obtainTokens(service, app, person);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(service, app, first.refresh_token)));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    assert.deepEqual(others, []);
    for (const answer of answers) if (answer !== winner) assertRefused(answer, 400, 'invalid_grant');
    assert.equal(await statusWith(service, winner?.body.access_token ?? ''), 200);
    assert.equal((await refresh(service, app, winner?.body.refresh_token ?? '')).status, 200);
  });

  test('ten seconds after it was used a token is only refused; later its whole family ends, within a second', async () => {
    const first = await obtainTokens(service, app, person);
    const second = await refresh(service, app, first.refresh_token);
    service.shiftMs(9_000);
    assertRefused(await refresh(service, app, first.refresh_token), 400, 'invalid_grant');
    assert.equal(await statusWith(service, second.body.access_token), 200);
    service.shiftMs(2_000);
    assertRefused(await refresh(service, app, first.refresh_token), 400, 'invalid_grant');
    await gone(second.body.access_token);
    await gone(first.access_token);
    assertRefused(await refresh(service, app, second.body.refresh_token), 400, 'invalid_grant');
    const untouched = await obtainTokens(service, app, person);
    assert.equal(await statusWith(service, untouched.access_token), 200);
  });

  test("another app cannot use a refresh token, and trying does not end its owner's family", async () => {
    const first = await obtainTokens(service, app, person);
    assertRefused(await refresh(service, publicApp, first.refresh_token), 400, 'invalid_grant');
    assert.equal((await refresh(service, app, first.refresh_token)).status, 200);
  });

  test('an access token is no refresh token, and a refresh token no bearer token', async () => {
    const tokens = await obtainTokens(service, app, person);
    assertRefused(await refresh(service, app, tokens.access_token), 400, 'invalid_grant');
    assert.equal(await statusWith(service, tokens.refresh_token), 401);
  });
});

describe('L186 scopes', () => {
  test('a refresh may ask for less for its access token, and for all again later', async () => {
    const first = await obtainTokens(service, app, person, { scope: 'orders:read products:read' });
    const less = await refresh(service, app, first.refresh_token, { scope: 'products:read' });
    assert.equal(less.body.scope, 'products:read');
    assert.equal(await statusWith(service, less.body.access_token), 403);
    const all = await refresh(service, app, less.body.refresh_token);
    assert.equal(await statusWith(service, all.body.access_token), 200);
  });

  for (const scope of ['orders:write', 'orders:read orders:write', 'orders:eat', 'openid', 'orders:read  ', '"']) {
    test(`a refresh for "${scope}" is invalid_scope and uses nothing up`, async () => {
      const first = await obtainTokens(service, app, person);
      const before = await issued();
      assertRefused(await refresh(service, app, first.refresh_token, { scope }), 400, 'invalid_scope');
      assert.deepEqual(await issued(), before);
      assert.equal((await refresh(service, app, first.refresh_token)).status, 200);
    });

    test(`client credentials for "${scope}" beyond the registration are invalid_scope`, async () => {
      const small = await openApp(service, { scopes: ['orders:read'] });
      assertRefused(
        await callEndpoint(service, 'token', small, { grant_type: 'client_credentials', scope }),
        400,
        'invalid_scope',
      );
    });
  }
});

describe('5.6 the client credentials grant', () => {
  test('an app acts for the account that registered it, with all its scopes or some, and gets no refresh token', async () => {
    const all = await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' });
    assert.equal(all.status, 200);
    assert.deepEqual(Object.keys(all.body).toSorted(), ['access_token', 'expires_in', 'scope', 'token_type']);
    assert.deepEqual(all.body.scope.split(' '), [...SCOPES]);
    assert.equal(all.body.expires_in, 3_600);
    const list = await fetch(`${service.url}/api/v1/products`, {
      headers: { authorization: `Bearer ${all.body.access_token}` },
    });
    const { data } = (await list.json()) as { data: { id: string }[] };
    assert.ok(data.some(({ id }) => id === service.demo.products.fixed));
    const some = await callEndpoint(service, 'token', app, { grant_type: 'client_credentials', scope: 'tax:read' });
    assert.deepEqual([some.body.scope, await statusWith(service, some.body.access_token)], ['tax:read', 403]);
  });

  test('the app proves itself by header or by form, and not by both', async () => {
    const basic = Buffer.from(`${app.clientId}:${app.secret}`).toString('base64');
    const form = 'grant_type=client_credentials';
    const byHeader = await callEndpoint(service, 'token', undefined, form, { authorization: `Basic ${basic}` });
    assert.equal(byHeader.status, 200);
    const both = { grant_type: 'client_credentials' };
    assertRefused(
      await callEndpoint(service, 'token', app, both, { authorization: `Basic ${basic}` }),
      400,
      'invalid_request',
    );
  });

  test('a public app cannot act by itself', async () => {
    assertRefused(
      await callEndpoint(service, 'token', publicApp, { grant_type: 'client_credentials' }),
      400,
      'unauthorized_client',
    );
  });

  test('an app without a redirect address is for client credentials alone', async () => {
    const machine = await openApp(service, { redirectUris: [] });
    assert.equal((await callEndpoint(service, 'token', machine, { grant_type: 'client_credentials' })).status, 200);
    const page = await fetch(service.url + authorizePath(machine), { redirect: 'manual' });
    assert.equal(page.status, 400);
  });
});

describe('L179 L180 L188 requests that cannot be taken', () => {
  test('L179 a JSON body is invalid_request, and so is any other form of body (1.2, 5.6)', async () => {
    const body = JSON.stringify({
      grant_type: 'client_credentials',
      client_id: app.clientId,
      client_secret: app.secret,
    });
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', '']) {
      for (const endpoint of ['token', 'revoke'] as const) {
        assertRefused(
          await callEndpoint(service, endpoint, undefined, body, { 'content-type': type }),
          400,
          'invalid_request',
        );
      }
    }
  });

  test('L179 GET is 405 with Allow; nothing in the query of a POST counts', async () => {
    for (const endpoint of ['token', 'revoke']) {
      const response = await fetch(`${service.url}/api/v1/oauth/${endpoint}?grant_type=client_credentials`);
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
    }
    const query = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: app.clientId,
      client_secret: app.secret ?? '',
    });
    const response = await fetch(`${service.url}/api/v1/oauth/token?${query.toString()}`, { method: 'POST' });
    assert.equal(response.status, 401);
  });

  test('L180 no grant type, or an unknown one', async () => {
    assertRefused(await callEndpoint(service, 'token', app, {}), 400, 'invalid_request');
    for (const grantType of ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code', '__proto__']) {
      assertRefused(
        await callEndpoint(service, 'token', app, { grant_type: grantType }),
        400,
        'unsupported_grant_type',
      );
    }
  });

  test('L180 an unknown app, a wrong secret, a missing secret or no app at all is 401 with a challenge', async () => {
    const unknown = publicId('client', '01890000-0000-7000-8000-000000000000' as Uuid);
    const forms: Record<string, string>[] = [
      { client_id: unknown, client_secret: app.secret ?? '' },
      { client_id: unknown },
      { client_id: 'nobody', client_secret: 'x' },
      { client_id: `${app.clientId}\0`, client_secret: app.secret ?? '' },
      { client_id: app.clientId, client_secret: `${app.secret}x` },
      { client_id: app.clientId, client_secret: 'x' },
      { client_id: app.clientId },
      { client_id: publicApp.clientId, client_secret: 'x' },
      {},
    ];
    for (const form of forms) {
      const answer = await callEndpoint(service, 'token', undefined, { grant_type: 'client_credentials', ...form });
      assertRefused(answer, 401, 'invalid_client');
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic /);
    }
    const basic = Buffer.from(`${app.clientId}:wrong`).toString('base64');
    const byHeader = await callEndpoint(service, 'token', undefined, 'grant_type=client_credentials', {
      authorization: `Basic ${basic}`,
    });
    assertRefused(byHeader, 401, 'invalid_client');
  });

  test('the hash of a secret is no secret', async () => {
    const [row] = await rows<{ hash: string }>(
      service,
      "select encode(secret_hash, 'hex') as hash from oauth_client where id = $1",
      [app.id],
    );
    const form = { grant_type: 'client_credentials', client_id: app.clientId, client_secret: row?.hash ?? '' };
    assertRefused(await callEndpoint(service, 'token', undefined, form), 401, 'invalid_client');
  });

  test('L188 a parameter that is given twice is invalid_request; an unknown one is passed over', async () => {
    const good = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: app.clientId,
      client_secret: app.secret ?? '',
    });
    for (const name of ['grant_type', 'client_id', 'client_secret', 'scope', 'code', 'refresh_token']) {
      const twice = new URLSearchParams([...good, [name, 'a'], [name, 'a']]);
      assertRefused(await callEndpoint(service, 'token', undefined, twice.toString()), 400, 'invalid_request');
    }
    const unknown = new URLSearchParams([
      ...good,
      ['colour', 'a'],
      ['colour', 'b'],
      ['resource', 'x'],
      ['__proto__', 'y'],
    ]);
    assert.equal((await callEndpoint(service, 'token', undefined, unknown.toString())).status, 200);
  });

  test('a form over 64 KiB is 413, whether its length is told or not, and the service goes on', async () => {
    const form = `grant_type=client_credentials&padding=${'a'.repeat(70_000)}`;
    const told = await fetch(`${service.url}/api/v1/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    assert.equal(told.status, 413);
    const untold = await fetch(`${service.url}/api/v1/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new Blob([form]).stream(),
      duplex: 'half',
    });
    assert.equal(untold.status, 413);
    assert.equal((await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' })).status, 200);
  });

  test('every answer forbids keeping it, and has a request id', async () => {
    const good = await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' });
    const bad = await callEndpoint(service, 'token', app, { grant_type: 'password' });
    for (const { headers } of [good, bad]) {
      assert.deepEqual([headers.get('cache-control'), headers.get('pragma')], ['no-store', 'no-cache']);
      assert.match(headers.get('x-request-id') ?? '', /^req_/);
      assert.equal(headers.get('access-control-allow-origin'), null);
      assert.equal(headers.get('content-type'), 'application/json');
    }
  });
});

describe('L187 revocation', () => {
  test('a refresh token takes its whole family with it, within a second', async () => {
    const tokens = await obtainTokens(service, app, person);
    assert.equal(await statusWith(service, tokens.access_token), 200);
    const { status } = await callEndpoint(service, 'revoke', app, { token: tokens.refresh_token });
    assert.equal(status, 200);
    await gone(tokens.access_token);
    assertRefused(await refresh(service, app, tokens.refresh_token), 400, 'invalid_grant');
  });

  test('a refresh token that was used a moment ago takes the family with it as well', async () => {
    const first = await obtainTokens(service, app, person);
    const second = await refresh(service, app, first.refresh_token);
    assert.equal((await callEndpoint(service, 'revoke', app, { token: first.refresh_token })).status, 200);
    await gone(second.body.access_token);
  });

  test('an access token ends alone', async () => {
    const tokens = await obtainTokens(service, app, person);
    const form = { token: tokens.access_token, token_type_hint: 'access_token' };
    assert.equal((await callEndpoint(service, 'revoke', app, form)).status, 200);
    await gone(tokens.access_token);
    assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200);
  });

  test("an app's token for itself ends, whatever the hint", async () => {
    const { body } = await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' });
    const form = { token: body.access_token, token_type_hint: 'refresh_token' };
    assert.equal((await callEndpoint(service, 'revoke', app, form)).status, 200);
    await gone(body.access_token);
  });

  test("unknown tokens, malformed ones, a person's own tokens and another app's are 200 and untouched", async () => {
    const tokens = await obtainTokens(service, app, person);
    const others = [tokens.access_token, tokens.refresh_token, service.customer.token, 'nothing', 'a\0b', 'ä'];
    for (const token of others) {
      const { status, body } = await callEndpoint(service, 'revoke', publicApp, { token });
      assert.deepEqual([status, body], [200, {}], token);
    }
    assert.equal(await statusWith(service, tokens.access_token), 200);
    assert.equal(await statusWith(service, service.customer.token), 200);
    assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200);
  });

  test('without a token, an app or its right secret it is refused', async () => {
    assertRefused(await callEndpoint(service, 'revoke', app, {}), 400, 'invalid_request');
    assertRefused(await callEndpoint(service, 'revoke', undefined, { token: 'x' }), 401, 'invalid_client');
    const wrong = { client_id: app.clientId, client_secret: 'wrong', token: 'x' };
    assertRefused(await callEndpoint(service, 'revoke', undefined, wrong), 401, 'invalid_client');
    assertRefused(
      await callEndpoint(
        service,
        'revoke',
        app,
        `client_id=${app.clientId}&client_secret=${app.secret}&token=a&token=b`,
      ),
      400,
      'invalid_request',
    );
  });
});

describe('what ends with an account or by hand', () => {
  test('B40 when the account of who allowed it is suspended, its tokens are nobody and cannot be refreshed', async () => {
    const other = await service.openCustomer();
    const tokens = await obtainTokens(service, app, await openPerson(service, other.accountId));
    await rows(service, 'update account set suspended_at = created_at where id = $1', [other.accountId]);
    await gone(tokens.access_token);
    assertRefused(await refresh(service, app, tokens.refresh_token), 400, 'invalid_grant');
    await rows(service, 'update account set suspended_at = null where id = $1', [other.accountId]);
    assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200);
  });

  test('B40 an app of a suspended account is no app', async () => {
    const other = await service.openCustomer();
    const itsApp = await openApp(service, { accountId: other.accountId });
    const tokens = await obtainTokens(service, itsApp, person);
    await rows(service, 'update account set suspended_at = created_at where id = $1', [other.accountId]);
    assertRefused(
      await callEndpoint(service, 'token', itsApp, { grant_type: 'client_credentials' }),
      401,
      'invalid_client',
    );
    assertRefused(await refresh(service, itsApp, tokens.refresh_token), 401, 'invalid_client');
  });

  test('an operator ends an access token of an app like any other', async () => {
    const tokens = await obtainTokens(service, app, person);
    const [row] = await rows<{ id: Uuid }>(service, 'select id from access_token order by id desc limit 1');
    assert.ok(row !== undefined);
    await revokeToken(service.ctx, AT_THE_COMMAND_LINE, row.id);
    await gone(tokens.access_token);
  });
});

test('no code, token, cookie or secret stands in the database in plain, in no table and no column', async () => {
  const code = await obtainCode(service, app, person);
  const tokens = await obtainTokens(service, app, person);
  const secrets = [code, tokens.access_token, tokens.refresh_token, app.secret ?? '', VERIFIER];
  const tables = await rows<{ name: string }>(
    service,
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const secret of secrets) {
    for (const { name } of tables) {
      const found = await rows(service, `select 1 from ${name} as t where t::text like $1 or t::text like $2`, [
        `%${secret}%`,
        `%${Buffer.from(secret).toString('hex')}%`,
      ]);
      assert.deepEqual(found, [], `${secret.slice(0, 4)} in ${name}`);
    }
  }
});

test('what has expired is cleared away by what comes after, and what has not is left', async () => {
  const later = await startTestService({ role: 'api' });
  try {
    const [itsApp, itsPerson] = [await openApp(later), await openPerson(later)];
    const count = async (): Promise<number> => {
      const [row] = await rows<{ count: number }>(later, 'select count(*) from oauth_record');
      return row?.count ?? Number.NaN;
    };
    for (let times = 0; times < 5; times += 1) await fetch(later.url + authorizePath(itsApp), { redirect: 'manual' });
    assert.equal(await count(), 5);
    const tokens = await obtainTokens(later, itsApp, itsPerson);
    later.shiftMs(26 * 3_600_000);
    const again = await refresh(later, itsApp, tokens.refresh_token);
    assert.equal(again.status, 200);
    // The used and the new refresh token.
    assert.equal(await count(), 2);
    const [left] = await rows<{ count: number }>(
      later,
      'select count(*) from access_token where client_id is not null',
    );
    assert.equal(left?.count, 1);
  } finally {
    await later.stop();
  }
});

test('whatever the parameters, an answer is never 5xx, and a refusal says which of the known errors it is', async () => {
  const known = new Set([
    'invalid_request',
    'invalid_client',
    'invalid_grant',
    'invalid_scope',
    'unauthorized_client',
    'unsupported_grant_type',
  ]);
  const names =
    'grant_type client_id client_secret code redirect_uri code_verifier refresh_token scope token token_type_hint';
  const odd = [
    '',
    '\0',
    '%',
    '+',
    '__proto__',
    'constructor',
    '[object Object]',
    'a'.repeat(3_000),
    REDIRECT,
    VERIFIER,
  ];
  const own = [app.clientId, app.secret ?? '', publicApp.clientId, 'orders:read', 'refresh_token', 'access_token'];
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(...odd, ...own));
  const name = fc.oneof(fc.constantFrom(...names.split(' ')), text);
  const start = fc.constantFrom('authorization_code', 'refresh_token', 'client_credentials', 'password', undefined);
  const pairs = fc.array(fc.tuple(name, text), { maxLength: 6 });
  const basic = fc
    .string({ unit: 'binary', maxLength: 30 })
    .map((user) => `Basic ${Buffer.from(user).toString('base64')}`);
  const header = fc.oneof(fc.constant(undefined), basic, fc.constantFrom('Basic', 'Bearer x', 'basic ::'));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('token', 'revoke'),
      start,
      pairs,
      header,
      async (endpoint, grantType, more, how) => {
        const proof = how === undefined ? { client_id: app.clientId, client_secret: app.secret ?? '' } : {};
        const form = new URLSearchParams({ ...proof, ...(grantType === undefined ? {} : { grant_type: grantType }) });
        for (const [key, value] of more) form.set(key.toWellFormed(), value.toWellFormed());
        const headers: Record<string, string> = how === undefined ? {} : { authorization: how };
        const { status, body } = await callEndpoint(service, endpoint, undefined, form.toString(), headers);
        assert.ok(status === 200 || ([400, 401].includes(status) && known.has(body.error)), `${status} ${body.error}`);
      },
    ),
    { numRuns: 300 },
  );
});

test('the metadata names what there is', async () => {
  const response = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
  assert.equal(response.status, 200);
  const metadata = (await response.json()) as Record<string, unknown>;
  const origin = service.ctx.config.baseUrl;
  assert.deepEqual(
    [metadata.issuer, metadata.authorization_endpoint, metadata.token_endpoint, metadata.revocation_endpoint],
    [origin, `${origin}/api/v1/oauth/authorize`, `${origin}/api/v1/oauth/token`, `${origin}/api/v1/oauth/revoke`],
  );
  assert.deepEqual(metadata.grant_types_supported, ['authorization_code', 'refresh_token', 'client_credentials']);
  assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
  assert.deepEqual(metadata.scopes_supported, [...SCOPES]);
});

test('nothing else of the library can be reached', async () => {
  const paths = ['/jwks', '/me', '/reg', '/session/end', '/token', '/auth', '/.well-known/openid-configuration'];
  const below = ['/token/introspection', '/request', '/device/auth', '/jwks', '/userinfo', '/registration'];
  for (const path of [...paths, ...below.map((rest) => `/api/v1/oauth${rest}`), '/api/v1/OAUTH/TOKEN']) {
    const response = await fetch(service.url + path);
    const body = (await response.json()) as { code: string };
    assert.deepEqual([response.status, body.code], [404, 'not_found'], path);
  }
});

describe('an app at an account', () => {
  test('M190 has one limit, however often it is allowed', async () => {
    const limited = await startTestService({ role: 'api', env: { RATE_LIMIT_TOKEN_PER_MINUTE: '5' } });
    try {
      const app = await openApp(limited);
      const person = await openPerson(limited);
      const statuses: number[] = [];
      for (let consent = 0; consent < 3; consent += 1) {
        const tokens = await obtainTokens(limited, app, person);
        for (let request = 0; request < 4; request += 1) statuses.push(await statusWith(limited, tokens.access_token));
      }
      assert.equal(statuses.filter((status) => status === 200).length, 5, statuses.join());
    } finally {
      await limited.stop();
    }
  });

  test('B40 is stopped with the account that registered it, within a second, and works again with it', async () => {
    const owner = await service.openCustomer();
    const app = await openApp(service, { accountId: owner.accountId });
    const person = await openPerson(service);
    const tokens = await obtainTokens(service, app, person);
    assert.equal(await statusWith(service, tokens.access_token), 200);
    await rows(service, 'update account set suspended_at = now() where id = $1', [owner.accountId]);
    await eventually('it is refused', async () => (await statusWith(service, tokens.access_token)) === 401, 1_500);
    await rows(service, 'update account set suspended_at = null where id = $1', [owner.accountId]);
    await eventually('it works again', async () => (await statusWith(service, tokens.access_token)) === 200, 1_500);
  });

  test('leaves nothing behind of grants that are over', async () => {
    const app = await openApp(service);
    const person = await openPerson(service);
    const grants = async () =>
      (await rows<{ count: number }>(service, 'select count(*) from oauth_grant where user_id = $1', [person.id]))[0]
        ?.count;
    for (let consent = 0; consent < 3; consent += 1) await obtainTokens(service, app, person);
    assert.equal(await grants(), 3);
    await rows(service, 'delete from oauth_record where grant_id in (select id from oauth_grant where user_id = $1)', [
      person.id,
    ]);
    await rows(service, 'delete from access_token where grant_id in (select id from oauth_grant where user_id = $1)', [
      person.id,
    ]);
    service.shiftMs(25 * 3_600_000);
    await obtainTokens(service, app, person);
    assert.equal(await grants(), 1);
  });
});
