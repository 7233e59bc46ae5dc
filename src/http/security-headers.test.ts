import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange, startDoors } from '../../test/harness/server-fixture.ts';

const HSTS = 'max-age=31536000';
const [HTTP, HTTPS] = ['http://print.example', 'https://print.example'];

/** Requests come from 127.0.0.1. */
const CASES: readonly (readonly [
  is: string,
  baseUrl: string,
  trustProxy: string | undefined,
  forwarded: string | undefined,
  sent: string | null,
])[] = [
  ['an http service never sends it', HTTP, undefined, undefined, null],
  ['not even to a proxy that says https', HTTP, 'true', 'https', null],
  ['an https service sends it', HTTPS, undefined, undefined, HSTS],
  ['whatever an untrusted sender says', HTTPS, undefined, 'http', HSTS],
  ['TRUST_PROXY=false trusts nobody', HTTPS, 'false', 'http', HSTS],
  ['a trusted proxy without the header', HTTPS, 'true', undefined, HSTS],
  ['a trusted proxy that says https', HTTPS, 'true', 'https', HSTS],
  ['a trusted proxy that says http', HTTPS, 'true', 'http', null],
  ['the nearest proxy counts', HTTPS, '127.0.0.1', 'https, http', null],
  ['a number of proxies', HTTPS, '1', 'http', null],
  ['who is no proxy has come by http', HTTPS, '192.0.2.1', 'https', null],
];
for (const [is, baseUrl, trustProxy, forwarded, sent] of CASES) {
  test(`Strict-Transport-Security: ${is}`, async () => {
    const settings = { baseUrl, trustProxy, rateLimitTokenPerMinute: 0, rateLimitIpPerMinute: 0 };
    const doors = await startDoors({ settings });
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-proto': forwarded };
    const { headers: answered } = await fetch(`${doors.url}/orders`, { headers });
    assert.equal(answered.get('strict-transport-security'), sent);
    await doors.drain(0);
  });
}

const UNREAD = [
  'nonsense\r\n\r\n',
  `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
  'GET /api/v1/orders HTTP/1.1\r\nConnection: close\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  // A body too large to be read.
  'POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\n\r\n{',
];
test('what is answered without having been read has the security headers too', async () => {
  const settings = { baseUrl: HTTPS, trustProxy: undefined, rateLimitTokenPerMinute: 0, rateLimitIpPerMinute: 0 };
  const doors = await startDoors({ settings });
  for (const bytes of UNREAD) {
    const received = (await exchange(doors.port, [bytes])) ?? 'reset';
    for (const line of [
      'cache-control: no-store',
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy: same-origin',
      'referrer-policy: no-referrer',
      'x-content-type-options: nosniff',
      'x-frame-options: DENY',
      `strict-transport-security: ${HSTS}`,
    ]) {
      assert.ok(received.includes(`\r\n${line}\r\n`), `${line} in ${received}`);
    }
  }
  await doors.drain(0);
});
