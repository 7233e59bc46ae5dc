import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '../../../src/accounts/token.ts';
import { openPerson } from '../../harness/oauth.ts';
import { COOKIE, call, openPortal, PASSWORD, secretOf, signIn } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { act, closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

const PATH = '/portal/api/v1/session';

test('a person signs in by address and password, and is told what a page needs', async () => {
  const person = await openPerson(service);
  const answer = await signIn(service, { email: ` ${person.email.toUpperCase()} `, password: PASSWORD });
  assert.equal(answer.status, 201, answer.text);
  const [line = ''] = answer.headers.getSetCookie();
  assert.match(
    line,
    /^platen_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    'no script reads it, no other site sends it with a change',
  );
  const { body } = answer;
  assert.deepEqual(
    [body.user.email, body.user.role, body.account.name, body.second_factor, body.scopes.length],
    [person.email, 'owner', 'Demo Print Club', false, 6],
  );
  const now = service.ctx.clock.now().getTime();
  const inHours = (time: string): number => Math.round((Date.parse(time) - now) / 3_600_000);
  assert.deepEqual([inHours(body.expires_at), inHours(body.idle_ends_at)], [7 * 24, 12]);
  assert.ok(Date.parse(body.proven_until) - now <= 15 * 60_000);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.ok(!answer.text.includes(secretOf(answer)), 'the secret stands in the cookie alone');
});

test('the database has the hash of the secret alone, which signs nobody in', async () => {
  const client = await openPortal(service, await openPerson(service));
  const stored = await rows<{ token_hash: Buffer }>(service, 'select s.* from portal_session s where user_id = $1', [
    client.person.id,
  ]);
  assert.deepEqual(stored[0]?.token_hash, hashToken(client.secret));
  assert.ok(!JSON.stringify(stored).includes(client.secret));
  for (const stolen of [hashToken(client.secret).toString('base64url'), hashToken(client.secret).toString('hex')]) {
    const answer = await call(service, 'GET', PATH, { headers: { cookie: `${COOKIE}=${stolen}` } });
    assert.equal(answer.status, 401, answer.text);
  }
});

test('a wrong password, an unknown address, a disabled person and a suspended account are answered alike', async () => {
  const person = await openPerson(service);
  const disabled = await openPerson(service);
  await act(`/users/${(await openPortal(service, disabled)).session.user.id}/disable`);
  const { accountId } = await service.openCustomer();
  const suspended = await openPerson(service, accountId);
  const { account } = (await openPortal(service, suspended)).session;
  await act(`/accounts/${account.id}/suspend`, { reason: 'unpaid' });
  const answers = [
    await signIn(service, { email: person.email, password: 'not the password' }),
    await signIn(service, { email: 'nobody@example.com', password: PASSWORD }),
    await signIn(service, { email: 'a\u0000b@example.com', password: PASSWORD }),
    await signIn(service, { email: disabled.email, password: PASSWORD }),
    await signIn(service, { email: suspended.email, password: PASSWORD }),
  ];
  const seen = answers.map(({ status, headers, text }) => {
    const challenge = headers.get('www-authenticate');
    return JSON.stringify([status, challenge, headers.getSetCookie(), text.replace(/req_\w+/, '')]);
  });
  assert.equal(new Set([seen[0], seen[1], seen[3], seen[4]]).size, 1, seen.join('\n'));
  assert.deepEqual(
    answers.map(({ status, body }) => `${status} ${body.code}`),
    [
      '401 sign_in_refused',
      '401 sign_in_refused',
      '422 validation_failed',
      '401 sign_in_refused',
      '401 sign_in_refused',
    ],
  );
});

test('a page of another site signs nobody in: the origin must be that of the service', async () => {
  const person = await openPerson(service);
  const port = new URL(service.url).port;
  for (const origin of [
    undefined,
    'null',
    'https://evil.example',
    `${service.url}.evil.example`,
    `http://127.0.0.1:${Number(port) + 1}`,
    `https://127.0.0.1:${port}`,
    `http://evil.example:${port}`,
  ]) {
    const answer = await signIn(service, { email: person.email, password: PASSWORD }, { origin });
    assert.deepEqual([answer.status, answer.body.code], [403, 'csrf_refused'], `${origin}: ${answer.text}`);
    assert.deepEqual(answer.headers.getSetCookie(), []);
  }
});

test('a cookie that was set before signing in is good for nothing afterwards', async () => {
  const person = await openPerson(service);
  const planted = 'A'.repeat(43);
  const cookie = `${COOKIE}=${planted}`;
  const answer = await signIn(service, { email: person.email, password: PASSWORD }, { cookie });
  assert.equal(answer.status, 201);
  assert.notEqual(secretOf(answer), planted);
  assert.equal((await call(service, 'GET', PATH, { headers: { cookie } })).status, 401);
  const both = `${cookie}; ${COOKIE}=${secretOf(answer)}`;
  assert.equal((await call(service, 'GET', PATH, { headers: { cookie: both } })).status, 401, 'neither of two counts');
});

test('after ten wrong passwords from one address of the network there is a wait, with the right one, too', async () => {
  const person = await openPerson(service);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1) {
    statuses.push((await signIn(service, { email: person.email, password: `wrong ${attempt}` })).status);
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429]);
  const right = await signIn(service, { email: person.email, password: PASSWORD });
  assert.deepEqual([right.status, right.body.code], [429, 'rate_limited']);
  assert.ok(Number(right.headers.get('retry-after')) > 60);
  service.shiftMs(15 * 60_000 + 1_000);
  assert.equal((await signIn(service, { email: person.email, password: PASSWORD })).status, 201);
});

test('members that are not known, or that are missing, are refused', async () => {
  const answer = await signIn(service, { email: 'ada@example.com', pasword: 'x' });
  assert.equal(answer.status, 422);
  assert.deepEqual(problemsOf(answer as never).toSorted(), ['password required', 'pasword unknown_field']);
  const query = await call(service, 'POST', `${PATH}?next=1`, {
    body: { email: 'a@example.com', password: 'x' },
    headers: { origin: service.url },
  });
  assert.equal(query.status, 422);
});
