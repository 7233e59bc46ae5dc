import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publicId, type Uuid } from '../../../src/lib/ids.ts';
import {
  type App,
  authorizePath,
  decideOn,
  nextOf,
  openApp,
  openBrowser,
  openPerson,
  type Person,
  proofOf,
  REDIRECT,
  reachPage,
  redeem,
  signInOn,
  type Visit,
} from '../../harness/oauth.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
let app: App;
let person: Person;

before(async () => {
  service = await startTestService({ role: 'api' });
  app = await openApp(service, { name: 'Shirt & <b>Planner</b>' });
  person = await openPerson(service);
});
after(() => service.stop());

/** A page that says what is wrong, and that nothing was sent to the address that the request has named. */
function assertErrorPage(visit: Visit, status: number, ...words: string[]): void {
  assert.equal(visit.status, status, visit.text);
  assert.equal(visit.headers.get('location'), null);
  assert.match(visit.headers.get('content-type') ?? '', /^text\/html/);
  for (const word of words) assert.ok(visit.text.includes(word), `${word} in ${visit.text}`);
  assertKeptToItself(visit);
}

function assertKeptToItself(visit: Visit): void {
  const policy = visit.headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    assert.ok(policy.includes(rule), policy);
  }
  assert.ok(!policy.includes('unsafe'), policy);
  assert.equal(visit.headers.get('x-frame-options'), 'DENY');
  assert.equal(visit.headers.get('cache-control'), 'no-store');
  assert.equal(visit.headers.get('referrer-policy'), 'no-referrer');
  assert.match(visit.headers.get('x-request-id') ?? '', /^req_/);
  assert.doesNotMatch(visit.text, /<script|<img|<link|javascript:|onclick|src=/i);
}

/** Grants, and codes that were issued. */
async function allowed(): Promise<unknown> {
  const [counts] = await rows(
    service,
    `select (select count(*) from oauth_grant) as grants,
       (select count(*) from oauth_record where kind = 'authorization_code') as codes`,
  );
  return counts;
}

async function waitingFor(who: Person | undefined, changes: Record<string, string | undefined> = {}, its = app) {
  const browser = openBrowser(service);
  const signIn = await reachPage(browser, authorizePath(its, changes));
  return { browser, waiting: who === undefined ? signIn : await signInOn(browser, signIn, who) };
}

describe('5.6 the person is asked', () => {
  test('signing in shows who asks, consenting who, for whom, what and that it is live; then a code comes back with its state', async () => {
    const { browser, waiting: signIn } = await waitingFor(undefined);
    assert.equal(signIn.page.status, 200);
    assertKeptToItself(signIn.page);
    assert.ok(signIn.page.text.includes('Shirt &amp; &lt;b&gt;Planner&lt;/b&gt;'));
    for (const field of ['for="email"', 'for="password"', 'autocomplete="current-password"', '<html lang="en">']) {
      assert.ok(signIn.page.text.includes(field), field);
    }
    const consent = await signInOn(browser, signIn, person);
    assert.equal(consent.page.status, 200);
    assertKeptToItself(consent.page);
    for (const words of [
      'Shirt &amp; &lt;b&gt;Planner&lt;/b&gt;',
      person.email,
      'Demo Print Club',
      'orders:read',
      'Every token is live',
      'app.example',
    ]) {
      assert.ok(consent.page.text.includes(words), `${words} in ${consent.page.text}`);
    }
    assert.ok(!consent.page.text.includes('orders:write'));
    // Browsers hold a form to where its answer redirects as well.
    assert.match(
      consent.page.headers.get('content-security-policy') ?? '',
      /form-action 'self' https:\/\/app\.example(;|$)/,
    );
    const sent = await decideOn(browser, consent, 'approve');
    assert.equal(sent.origin + sent.pathname, REDIRECT);
    assert.deepEqual([...sent.searchParams.keys()].toSorted(), ['code', 'iss', 'state']);
    assert.equal(sent.searchParams.get('state'), 'state of the app');
    assert.equal(sent.searchParams.get('iss'), service.ctx.config.baseUrl);
    assert.equal((await redeem(service, app, sent.searchParams.get('code') ?? '')).status, 200);
  });

  test('who refuses, before or after signing in, is sent back with access_denied, and nothing is allowed', async () => {
    const before = await allowed();
    for (const who of [undefined, person]) {
      const { browser, waiting } = await waitingFor(who);
      const sent = await decideOn(browser, waiting, 'deny');
      assert.equal(sent.searchParams.get('error'), 'access_denied');
      assert.equal(sent.searchParams.get('state'), 'state of the app');
      assert.equal(sent.searchParams.get('code'), null);
    }
    assert.deepEqual(await allowed(), before);
  });

  test('who has signed in is asked again for each request, but not for the password', async () => {
    const { browser, waiting } = await waitingFor(person);
    await decideOn(browser, waiting, 'approve');
    const again = await reachPage(browser, authorizePath(app));
    assert.ok(again.page.text.includes('Every token is live'), again.page.text);
    const sent = await decideOn(browser, again, 'approve');
    assert.ok(sent.searchParams.has('code'));
  });

  test('somebody else can sign in instead, and the grant is his', async () => {
    const other = await service.openCustomer();
    const second = await openPerson(service, other.accountId);
    const { browser, waiting } = await waitingFor(person);
    const switched = await browser.post(waiting.path, { proof: proofOf(waiting.page), action: 'switch' });
    const signIn = await reachPage(browser, nextOf(switched));
    assert.ok(signIn.page.text.includes('id="password"'), signIn.page.text);
    const consent = await signInOn(browser, signIn, second);
    assert.ok(consent.page.text.includes(second.email));
    await decideOn(browser, consent, 'approve');
    const [grant] = await rows<{ account_id: Uuid }>(
      service,
      'select account_id from oauth_grant order by id desc limit 1',
    );
    assert.equal(grant?.account_id, other.accountId);
  });

  test('two tabs in which two people sign in: the second stands, and nobody allows anything for the other', async () => {
    const other = await service.openCustomer();
    const second = await openPerson(service, other.accountId);
    const browser = openBrowser(service);
    const first = await reachPage(browser, authorizePath(app));
    const later = await reachPage(browser, authorizePath(app));
    const firstConsent = await signInOn(browser, first, person);
    const laterConsent = await signInOn(browser, later, second);
    assert.ok(laterConsent.page.text.includes(second.email));
    const before = await allowed();
    const stale = await browser.post(firstConsent.path, { proof: proofOf(firstConsent.page), action: 'approve' });
    assertErrorPage(stale, 400);
    assert.deepEqual(await allowed(), before);
    await decideOn(browser, laterConsent, 'approve');
    const [grant] = await rows<{ account_id: Uuid }>(
      service,
      'select account_id from oauth_grant order by id desc limit 1',
    );
    assert.equal(grant?.account_id, other.accountId);
  });

  test('of two answers to one question one counts', async () => {
    const { browser, waiting } = await waitingFor(person);
    const form = { proof: proofOf(waiting.page), action: 'approve' };
    const answers = await Promise.all([browser.post(waiting.path, form), browser.post(waiting.path, form)]);
    const ends = await Promise.all(answers.map((answer) => reachPage(browser, nextOf(answer)).catch(() => undefined)));
    assert.equal(ends.filter((end) => end?.path.startsWith(REDIRECT)).length, 1);
  });

  test('the cookies are for this server alone: HttpOnly, SameSite=Lax, and Secure where the service is reached by https', async () => {
    const { browser } = await waitingFor(person);
    const lines = browser.cookies().map(({ line }) => line.toLowerCase());
    assert.ok(lines.length >= 2);
    for (const line of lines) {
      assert.ok(line.includes('httponly') && line.includes('samesite=lax') && !line.includes('secure'), line);
    }
    const secure = await startTestService({ role: 'api', env: { BASE_URL: 'https://print.example' } });
    try {
      const visit = await fetch(secure.url + authorizePath(await openApp(secure)), { redirect: 'manual' });
      assert.ok(
        nextOf({ status: visit.status, headers: visit.headers, text: '' }).startsWith('/api/v1/oauth/consent/'),
      );
      const cookies = visit.headers.getSetCookie();
      assert.ok(cookies.length > 0 && cookies.every((line) => / secure(;|$)/i.test(line)), cookies.join('\n'));
    } finally {
      await secure.stop();
    }
  });

  test('a session is over after eight hours, and at once when the account is suspended', async () => {
    const other = await service.openCustomer();
    const second = await openPerson(service, other.accountId);
    const { browser, waiting } = await waitingFor(second);
    await rows(service, 'update account set suspended_at = created_at where id = $1', [other.accountId]);
    assertErrorPage(await browser.get(waiting.path), 400);
    const answered = await browser.post(waiting.path, { proof: proofOf(waiting.page), action: 'approve' });
    assertErrorPage(answered, 400);
    const signIn = await reachPage(browser, authorizePath(app));
    assert.ok(signIn.page.text.includes('id="password"'));
    const refused = await signInOn(browser, signIn, second);
    assert.equal(refused.page.status, 422);
    await rows(service, 'update account set suspended_at = null where id = $1', [other.accountId]);
    await signInOn(browser, signIn, second);
    assert.ok((await reachPage(browser, authorizePath(app))).page.text.includes('Every token is live'));
    service.shiftMs(8 * 3_600_000);
    assert.ok((await reachPage(browser, authorizePath(app))).page.text.includes('id="password"'));
  });

  test('a question that nobody has answered is over after fifteen minutes', async () => {
    const { browser, waiting } = await waitingFor(person);
    service.shiftMs(15 * 60_000);
    assertErrorPage(await browser.get(waiting.path), 400, 'fifteen minutes');
  });
});

describe('a form counts only for the browser and the request that it was made for', () => {
  test("without its proof, with another request's, or in another browser nothing is allowed", async () => {
    const { browser, waiting } = await waitingFor(person);
    const other = await waitingFor(person);
    const before = await allowed();
    assertErrorPage(await browser.post(waiting.path, { action: 'approve' }), 403);
    assertErrorPage(await browser.post(waiting.path, { action: 'approve', proof: 'x' }), 403);
    assertErrorPage(await browser.post(waiting.path, { action: 'approve', proof: proofOf(other.waiting.page) }), 403);
    const good = { action: 'approve', proof: proofOf(waiting.page) };
    assertErrorPage(await openBrowser(service).post(waiting.path, good), 400);
    assertErrorPage(await other.browser.post(waiting.path, good), 400);
    assertErrorPage(await browser.post(waiting.path, { ...good, action: 'sign_in', email: person.email }), 403);
    assertErrorPage(await browser.post(waiting.path, { ...good, action: 'fly' }), 403);
    assert.deepEqual(await allowed(), before);
    assert.ok((await decideOn(browser, waiting, 'approve')).searchParams.has('code'));
  });

  test('nobody allows anything without having signed in', async () => {
    const { browser, waiting } = await waitingFor(undefined);
    const before = await allowed();
    assertErrorPage(await browser.post(waiting.path, { proof: proofOf(waiting.page), action: 'approve' }), 403);
    assert.deepEqual(await allowed(), before);
  });

  test('a cookie that somebody has made up is none', async () => {
    const { waiting } = await waitingFor(undefined);
    const uid = waiting.path.split('/').at(-1) ?? '';
    for (const cookie of [
      `platen_waiting=${uid}`,
      `platen_waiting=${uid}; platen_waiting.sig=x`,
      'platen_waiting=%00',
    ]) {
      const response = await fetch(service.url + waiting.path, { headers: { cookie } });
      assert.equal(response.status, 400);
      assert.ok(!(await response.text()).includes('id="password"'));
    }
  });

  test('a form that is none, or too large, is refused and leaves the question as it was', async () => {
    const { browser, waiting } = await waitingFor(person);
    const json = await fetch(service.url + waiting.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(json.status, 400);
    const large = await browser.post(waiting.path, { proof: 'x'.repeat(70_000) });
    assert.equal(large.status, 413);
    assert.equal((await browser.get(waiting.path)).status, 200);
  });
});

describe('passwords are not guessed', () => {
  test('a wrong password, an unknown address and a malformed one are the same page, the address kept and escaped', async () => {
    const { browser, waiting } = await waitingFor(undefined);
    const wrong = await signInOn(browser, waiting, { email: person.email, password: 'not the password' });
    const unknown = await signInOn(browser, waiting, { email: 'nobody@example.com' });
    const malformed = await signInOn(browser, waiting, { email: '"><script>alert(1)</script>' });
    const empty = await signInOn(browser, waiting, { email: '', password: '' });
    const unstorable = await signInOn(browser, waiting, { email: `\0${person.email}`, password: '\0' });
    for (const { page } of [wrong, unknown, malformed, empty, unstorable]) {
      assert.equal(page.status, 422);
      assertKeptToItself(page);
      assert.ok(page.text.includes('role="alert"'));
    }
    const withoutAddress = (page: Visit, email: string): string => page.text.replace(`value="${email}"`, '');
    assert.equal(withoutAddress(wrong.page, person.email), withoutAddress(unknown.page, 'nobody@example.com'));
    assert.ok(!malformed.page.text.includes('<script'));
  });

  test('after ten wrong ones the right one is refused too, known address or not, until a quarter of an hour is over', async () => {
    const target = await openPerson(service);
    const { browser, waiting } = await waitingFor(undefined);
    for (const email of [target.email, 'nobody.at.all@example.com']) {
      // At once, so that many together are not many guesses.
      const attempts = await Promise.all(
        Array.from({ length: 14 }, () => signInOn(browser, waiting, { email, password: 'a wrong password' })),
      );
      const statuses = attempts.map(({ page }) => page.status).toSorted((a, b) => a - b);
      assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 422), ...Array.from({ length: 4 }, () => 429)]);
    }
    const limited = await signInOn(browser, waiting, { email: target.email.toUpperCase() });
    assert.equal(limited.page.status, 429);
    assert.ok(Number(limited.page.headers.get('retry-after')) > 0);
    assert.ok(limited.page.text.includes('Too many attempts'));
    service.shiftMs(15 * 60_000);
    const later = await waitingFor(target);
    assert.ok(later.waiting.page.text.includes('Every token is live'));
  });

  test('from one machine sixty wrong ones end it for all addresses; right ones do not count', async () => {
    const fresh = await startTestService({ role: 'api' });
    try {
      const its = await openApp(fresh);
      const who = await openPerson(fresh);
      const browser = openBrowser(fresh);
      for (let times = 0; times < 3; times += 1) {
        const own = openBrowser(fresh);
        await signInOn(own, await reachPage(own, authorizePath(its)), who);
      }
      const waiting = await reachPage(browser, authorizePath(its));
      for (let batch = 0; batch < 6; batch += 1) {
        const attempts = await Promise.all(
          Array.from({ length: 10 }, (_, at) =>
            signInOn(browser, waiting, { email: `guess${batch}.${at}@example.com` }),
          ),
        );
        for (const { page } of attempts) assert.equal(page.status, 422);
      }
      assert.equal((await signInOn(browser, waiting, who)).page.status, 429);
    } finally {
      await fresh.stop();
    }
  });
});

describe('L183 L184 L189 what an app may ask', () => {
  const atTheApp: Record<string, [changes: Record<string, string | undefined>, error: string]> = {
    'L183 a plain challenge': [{ code_challenge_method: 'plain' }, 'invalid_request'],
    'L183 a challenge without its method, which would be plain': [
      { code_challenge_method: undefined },
      'invalid_request',
    ],
    'L183 no challenge, though the app has a secret': [
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    'a challenge that is too short': [{ code_challenge: 'short' }, 'invalid_request'],
    'L186 an unknown scope': [{ scope: 'orders:read orders:eat' }, 'invalid_scope'],
    'L186 the scope of another protocol': [{ scope: 'openid' }, 'invalid_scope'],
    'L186 a malformed scope': [{ scope: ' ' }, 'invalid_scope'],
    'another response type': [{ response_type: 'token' }, 'unsupported_response_type'],
    'no response type': [{ response_type: undefined }, 'invalid_request'],
  };
  for (const [what, [changes, error]] of Object.entries(atTheApp)) {
    test(`${what}: ${error} at the app's own address, with the state; nobody is asked`, async () => {
      const visit = await openBrowser(service).get(authorizePath(app, changes));
      assert.equal(visit.status, 303, visit.text);
      // What asks for the answer in the fragment gets its refusal there.
      const sent = new URL(nextOf(visit).replace('#', '?'));
      assert.equal(sent.origin + sent.pathname, REDIRECT);
      assert.deepEqual([sent.searchParams.get('error'), sent.searchParams.get('state')], [error, 'state of the app']);
      assert.equal(sent.searchParams.get('code'), null);
    });
  }

  test('L186 a scope beyond the registration of the app is invalid_scope', async () => {
    const small = await openApp(service, { scopes: ['products:read'] });
    const visit = await openBrowser(service).get(authorizePath(small, { scope: 'orders:read' }));
    assert.equal(new URL(nextOf(visit)).searchParams.get('error'), 'invalid_scope');
  });

  const elsewhere: Record<string, string | undefined> = {
    'another path': `${REDIRECT}/more`,
    'a slash more': `${REDIRECT}/`,
    'a query': `${REDIRECT}?a=b`,
    'another port': 'https://app.example:8443/callback',
    'the port written out': 'https://app.example:443/callback',
    'another case': 'https://app.example/Callback',
    'the host in capitals': 'https://APP.EXAMPLE/callback',
    'a fragment': `${REDIRECT}#a`,
    'a subdomain': 'https://evil.app.example/callback',
    'a longer host': 'https://app.example.evil.example/callback',
    'a user name': 'https://app.example@evil.example/callback',
    'another scheme': 'http://app.example/callback',
    'a script': 'javascript:alert(1)',
    'a path that is resolved to the same': 'https://app.example/x/../callback',
    'a relative path': '/callback',
    nothing: undefined,
  };
  for (const [what, redirectUri] of Object.entries(elsewhere)) {
    test(`L184 a redirect address with ${what} is refused on a page, and the browser is sent nowhere`, async () => {
      const visit = await openBrowser(service).get(authorizePath(app, { redirect_uri: redirectUri }));
      assertErrorPage(visit, 400, 'redirect_uri');
    });
  }

  test('L184 the port counts on the loopback address too, and a registered address there works', async () => {
    const native = await openApp(service, {
      isPublic: true,
      redirectUris: ['http://127.0.0.1:7000/cb', 'http://[::1]/cb'],
    });
    const other = await openBrowser(service).get(authorizePath(native, { redirect_uri: 'http://127.0.0.1:7001/cb' }));
    assertErrorPage(other, 400, 'redirect_uri');
    for (const redirectUri of ['http://127.0.0.1:7000/cb', 'http://[::1]/cb']) {
      const { browser, waiting } = await waitingFor(person, { redirect_uri: redirectUri }, native);
      const sent = await decideOn(browser, waiting, 'approve');
      assert.equal(sent.origin + sent.pathname, redirectUri);
    }
  });

  test('an unknown app, none, or one that is given twice is refused on a page', async () => {
    const unknown = publicId('client', '01890000-0000-7000-8000-000000000000' as Uuid);
    for (const clientId of [unknown, 'nobody', 'client_\0', undefined]) {
      assertErrorPage(await openBrowser(service).get(authorizePath(app, { client_id: clientId })), 400);
    }
    const twice = `${authorizePath(app)}&client_id=${app.clientId}`;
    assertErrorPage(await openBrowser(service).get(twice), 400, 'client_id');
  });

  test('L188 a parameter that is given twice is invalid_request, a redirect address that is, on a page', async () => {
    const state = await openBrowser(service).get(`${authorizePath(app)}&state=b`);
    assert.equal(new URL(nextOf(state)).searchParams.get('error'), 'invalid_request');
    const redirectUri = await openBrowser(service).get(
      `${authorizePath(app)}&redirect_uri=${encodeURIComponent('https://evil.example')}`,
    );
    assertErrorPage(redirectUri, 400);
  });

  test('parameters that are not known are passed over, whatever another protocol makes of them', async () => {
    const { waiting } = await waitingFor(undefined, {
      response_mode: 'form_post',
      prompt: 'none',
      request: 'x.y.z',
      request_uri: 'https://evil.example/request',
      claims: '{',
      max_age: '0',
      id_token_hint: 'x',
      resource: 'urn:x',
      web_message_uri: 'https://evil.example',
    });
    assert.ok(waiting.page.text.includes('id="password"'), waiting.page.text);
  });

  for (const [what, state] of [
    ['line breaks and quotes', 'a\r\nSet-Cookie: b=c\r\n\r\n<script>"\'&'],
    ['a NUL and what is not ASCII', 'a\0ü👕'],
    ['10,000 characters', 's'.repeat(10_000)],
  ] as const) {
    test(`L189 a state of ${what} comes back as it was, encoded, when allowed and when refused`, async () => {
      for (const action of ['approve', 'deny'] as const) {
        const { browser, waiting } = await waitingFor(person, { state });
        const sent = await decideOn(browser, waiting, action);
        assert.equal(sent.searchParams.get('state'), state);
        assert.doesNotMatch(sent.href, /[\r\n\0<>"]/);
      }
      const wrong = await openBrowser(service).get(authorizePath(app, { state, code_challenge_method: 'plain' }));
      assert.equal(new URL(nextOf(wrong)).searchParams.get('state'), state);
      assert.equal(wrong.headers.get('set-cookie'), null);
    });
  }

  test('the address keeps its own query, to which the answer is added', async () => {
    const redirectUri = 'https://app.example/callback?tenant=a%20b';
    const its = await openApp(service, { redirectUris: [redirectUri] });
    const { browser, waiting } = await waitingFor(person, { redirect_uri: redirectUri }, its);
    const sent = await decideOn(browser, waiting, 'approve');
    assert.equal(sent.searchParams.get('tenant'), 'a b');
    assert.ok(sent.searchParams.has('code'));
    const tokens = await redeem(service, its, sent.searchParams.get('code') ?? '', { redirect_uri: redirectUri });
    assert.equal(tokens.status, 200);
  });

  test('POST is not a way to authorize, and a question that never was has no page', async () => {
    const post = await fetch(`${service.url}/api/v1/oauth/authorize`, { method: 'POST' });
    assert.equal(post.status, 405);
    assertErrorPage(await openBrowser(service).get('/api/v1/oauth/consent/nothing'), 400);
    assertErrorPage(await openBrowser(service).get('/api/v1/oauth/authorize/nothing'), 400);
  });
});
