import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Pool } from 'undici';
import { SCOPES } from '../../src/lib/caller.ts';
import { type App, CHALLENGE, openApp, REDIRECT, VERIFIER } from '../harness/oauth.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { oddText } from './arbitraries.ts';
import { OF_THE_INSIDE } from './judge.ts';
import { REQUESTS, SEED } from './settings.ts';

// The endpoints of OAuth have errors of their own form, so they have random requests of their own.

/** Of the requests of `requests.test.ts` a twentieth comes here beside them, shared by three endpoints. */
const RUNS = Math.ceil(REQUESTS / 60);

let service: TestService;
let http: Pool;
let apps: readonly App[];
before(async () => {
  service = await startTestService({ role: 'api' });
  apps = [await openApp(service), await openApp(service, { isPublic: true, name: 'Pocket Planner' })];
  http = new Pool(service.url, { connections: 4 });
});
after(async () => {
  await http.close();
  await service.stop();
});

type Pairs = readonly (readonly [name: string, value: string])[];

/** A right form or query of these, with up to two things left out, put in another's place, or added. */
function nearly(...right: readonly Readonly<Record<string, string>>[]): fc.Arbitrary<Pairs> {
  const values = fc.oneof(
    oddText.filter((text) => text.length < 600),
    fc.constantFrom(...right.flatMap((form) => Object.values(form))),
  );
  const names = fc.constantFrom(...right.flatMap((form) => Object.keys(form)), 'resource', 'prompt', '__proto__');
  const change = fc.record({
    kind: fc.constantFrom('drop', 'replace', 'add'),
    place: fc.nat(20),
    name: names,
    value: values,
  });
  return fc.tuple(fc.constantFrom(...right), fc.array(change, { maxLength: 2 })).map(([form, changes]) =>
    changes.reduce<Pairs>((pairs, { kind, place, name, value }) => {
      const at = place % Math.max(1, pairs.length);
      if (kind === 'add') return pairs.concat([[name, value]]);
      if (kind === 'drop') return pairs.filter((_, index) => index !== at);
      return pairs.map(([own, before], index) => [own, index === at ? value : before]);
    }, Object.entries(form)),
  );
}

function encoded(parameters: Pairs): string {
  const search = new URLSearchParams();
  for (const [name, value] of parameters) search.append(name.toWellFormed(), value.toWellFormed());
  return search.toString();
}

const basic = (app: App | undefined): string =>
  `Basic ${Buffer.from(`${app?.clientId}:${app?.secret ?? ''}`).toString('base64')}`;

const ERRORS = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_token_type',
  'invalid_scope',
]);

type Received = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

async function ask(
  method: 'GET' | 'POST',
  path: string,
  form?: string,
  headers: Record<string, string> = {},
): Promise<Received> {
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await http.request({ method, path, headers: { ...type, ...headers }, body: form ?? null });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

function judgeForm(endpoint: 'token' | 'revoke', { status, headers, text }: Received): void {
  assert.ok(status < 500, `${status} ${text}`);
  assert.match(String(headers['x-request-id']), /^req_/);
  assert.match(String(headers['cache-control']), /no-store/);
  assert.doesNotMatch(text, OF_THE_INSIDE);
  if (status === 200) {
    if (endpoint === 'token')
      assert.equal(typeof (JSON.parse(text) as { access_token: unknown }).access_token, 'string');
    return;
  }
  const { error } = JSON.parse(text) as { error: string };
  assert.ok(ERRORS.has(error), `${status} ${text}`);
}

describe(`random requests of seed ${SEED}`, { concurrency: 3 }, () => {
  for (const endpoint of ['token', 'revoke'] as const) {
    test(`5.6 random forms to the ${endpoint} endpoint never end in 5xx, and are refused in OAuth's own form`, async () => {
      const [own, open] = apps;
      const inBody = { client_id: own?.clientId ?? '', client_secret: own?.secret ?? '' };
      const publicly = { client_id: open?.clientId ?? '' };
      const redeem = {
        grant_type: 'authorization_code',
        redirect_uri: REDIRECT,
        code: 'unknown',
        code_verifier: VERIFIER,
      };
      const parameters =
        endpoint === 'token'
          ? nearly(
              { grant_type: 'client_credentials' },
              { grant_type: 'client_credentials', scope: SCOPES.join(' '), ...inBody },
              { ...redeem, ...publicly },
              { grant_type: 'refresh_token', refresh_token: 'unknown', scope: 'orders:read' },
              { grant_type: 'password', username: 'ada', password: 'x' },
            )
          : nearly(
              { token: 'unknown', token_type_hint: 'refresh_token' },
              { token: service.customer.token, ...inBody },
              { token: 'unknown', ...publicly },
            );
      const authorization = fc.oneof(
        { weight: 4, arbitrary: fc.constant({}) },
        { weight: 4, arbitrary: fc.constant({ authorization: basic(own) }) },
        { weight: 1, arbitrary: fc.constant({ authorization: basic(open) }) },
        {
          weight: 1,
          arbitrary: fc.string({ unit: 'grapheme-ascii' }).map((value) => ({ authorization: `Basic ${value}`.trim() })),
        },
      );
      const property = fc.asyncProperty(parameters, authorization, async (form, headers) => {
        judgeForm(endpoint, await ask('POST', `/api/v1/oauth/${endpoint}`, encoded(form), headers));
      });
      await fc.assert(property, { seed: SEED, numRuns: RUNS });
      assert.equal(
        (await service.customer.request('GET', '/stock')).status,
        200,
        'a personal token is not revoked here',
      );
    });
  }

  test('L184 random authorization requests never end in 5xx, and lead to no address that was not registered', async () => {
    const right = {
      response_type: 'code',
      client_id: apps[0]?.clientId ?? '',
      redirect_uri: REDIRECT,
      scope: 'orders:read',
      state: '\r\nset-cookie: a=b',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    };
    const elsewhere = ['https://app.example.evil.example/callback', `${REDIRECT}?x=1`, `${REDIRECT}/`, 'javascript:1'];
    const parameters = nearly(right, right, right, ...elsewhere.map((redirect_uri) => ({ ...right, redirect_uri })));
    const property = fc.asyncProperty(parameters, async (query) => {
      const { status, headers, text } = await ask('GET', `/api/v1/oauth/authorize?${encoded(query)}`);
      assert.ok(status < 500, `${status} ${text}`);
      assert.doesNotMatch(text, OF_THE_INSIDE);
      if (status < 300 || status >= 400) return;
      const target = new URL(String(headers.location), service.url);
      const isOurs = target.origin === service.url;
      assert.ok(isOurs || `${target.origin}${target.pathname}` === REDIRECT, String(headers.location));
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});
