import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { cpuMsOf } from '../../test/harness/cpu-time.ts';
import { type Answer, exchange, parseAnswer, type Running, startDoors } from '../../test/harness/server-fixture.ts';
import { newId, publicId } from '../lib/ids.ts';

let doors: Running;
before(async () => {
  doors = await startDoors();
});
after(async () => {
  await doors.drain(0);
});

type Request = { method?: string; token?: string; headers?: Record<string, string>; body?: string | Buffer };

async function ask(path: string, request: Request = {}): Promise<{ response: Response; text: string; answer: Answer }> {
  const { method = 'GET', token = 'good', headers = {}, body } = request;
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const bearer: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${doors.url}${path}`, {
    method,
    headers: { ...type, ...bearer, ...headers },
    body: body instanceof Buffer ? new Uint8Array(body) : (body ?? null),
  });
  const text = await response.text();
  return { response, text, answer: parseAnswer(text) };
}

/** Every refusal, whatever it is, has this shape. */
function assertRefusal(
  { response, answer }: { response: Response; answer: Answer },
  status: number,
  code: string,
): void {
  assert.equal(response.status, status, JSON.stringify(answer));
  assert.equal(answer.code, code);
  assert.equal(answer.status, status);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.match(answer.request_id, /^req_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(response.headers.get('x-request-id'), answer.request_id);
  assert.deepEqual(Object.keys(answer).slice(0, 6), ['type', 'title', 'status', 'code', 'detail', 'request_id']);
}

const GOOD = '{"items":[{"quantity":1}]}';

test('a good request is answered as JSON with a request id, and its body is what was sent (1.2, 9.1)', async () => {
  const { response, answer } = await ask('/orders', { method: 'POST', body: GOOD });
  assert.equal(response.status, 201);
  assert.deepEqual(answer, { body: { items: [{ quantity: 1 }] }, unknown_fields: [] });
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.equal(response.headers.get('x-own'), 'yes');
  assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
  assert.equal(response.headers.get('access-control-allow-origin'), null);
});

test('7 invalid_request: a body that is not JSON is 400 invalid_request (A1, A2, A5, A6)', async () => {
  const bodies: (string | Buffer)[] = [
    '',
    '{',
    '[1,]',
    "{'a':1}",
    'NaN',
    '{"a":1}x',
    '\ufeff{}',
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from([0x22, 0xc0, 0x80, 0x22]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from('{}', 'utf16le'),
    '{"a":"\u0000"}',
    '['.repeat(100_000),
  ];
  for (const body of bodies) {
    assertRefusal(await ask('/orders', { method: 'POST', body }), 400, 'invalid_request');
  }
  const { answer } = await ask('/orders', { method: 'POST', body: '{"secret":"abc' });
  assert.doesNotMatch(answer.detail, /secret|abc/, 'the body is not repeated');
});

test('7 validation_failed: a JSON body of another shape is 422 validation_failed, all its problems at once (A3)', async () => {
  for (const body of ['1', '"x"', 'null', '[]', '{}', '{"items":[]}', '{"items":[{"quantity":1e400}]}']) {
    assertRefusal(await ask('/orders', { method: 'POST', body }), 422, 'validation_failed');
  }
  const body = '{"type":"x","items":[{"quantity":0},{"name":"123456"}],"notes":"\\ud800"}';
  const { answer } = await ask('/orders', { method: 'POST', body });
  assert.deepEqual(answer.errors.map(({ path, code }) => `${path} ${code}`).toSorted(), [
    'items[0].quantity out_of_bounds',
    'items[1].name out_of_bounds',
    'items[1].quantity required',
    'notes invalid_character',
    'type unknown_value',
  ]);
  assert.deepEqual(answer.errors.find(({ path }) => path === 'type')?.valid_values, ['sample', 'bulk']);
});

test('text that cannot be stored is 422 with its path, in values and in names (A7, A8)', async () => {
  const cases = [
    ['{"items":[{"quantity":1,"name":"\\u0000"}]}', 'items[0].name'],
    ['{"items":[{"quantity":1}],"notes":"\\uD83D"}', 'notes'],
    ['{"items":[{"quantity":1}],"inputs":{"a\\u0000":"x"}}', 'inputs'],
    ['{"items":[{"quantity":1}],"unknown":["\\udead"]}', 'unknown[0]'],
  ] as const;
  for (const [body, path] of cases) {
    const refused = await ask('/orders', { method: 'POST', body });
    assertRefusal(refused, 422, 'validation_failed');
    assert.deepEqual(
      refused.answer.errors.map((problem) => problem.path),
      [path],
    );
  }
  const pair = await ask('/orders', {
    method: 'POST',
    body: '{"items":[{"quantity":1}],"notes":"\\ud83d\\ude00\\\\u0000"}',
  });
  assert.equal(pair.response.status, 201, 'a whole pair, and an escaped backslash, are text like any other');
});

test('deep nesting is answered at once (A9)', async () => {
  const bodies = ['['.repeat(10_000) + ']'.repeat(10_000), '{"a":'.repeat(10_000) + 1 + '}'.repeat(10_000)];
  for (const body of bodies) {
    const cpuMs = await cpuMsOf(async () => {
      assertRefusal(await ask('/orders', { method: 'POST', body }), 422, 'validation_failed');
    });
    assert.ok(cpuMs < 200, `${cpuMs} ms`);
  }
});

test('9.2 unknown members are ignored, and the names that JavaScript treats specially pollute nothing (A10)', async () => {
  const body =
    '{"items":[{"quantity":1}],"total":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  const { response, answer } = await ask('/orders', { method: 'POST', body });
  assert.equal(response.status, 201);
  assert.deepEqual(
    Object.assign({}, answer),
    JSON.parse(`{"body":${body},"unknown_fields":["total","__proto__","constructor"]}`),
  );
  assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted'), undefined);
});

test('of a name that is given twice the last counts (A11)', async () => {
  await ask('/orders', { method: 'POST', body: '{"items":[{"quantity":1,"quantity":7}]}' });
  assert.deepEqual(doors.seen.bodies.at(-1), { items: [{ quantity: 7 }] });
});

test('a body must be JSON in UTF-8 and not packed, else 415 (1.2, A13, A14)', async () => {
  const cases: [Record<string, string>, number][] = [
    [{ 'content-type': 'application/json' }, 201],
    [{ 'content-type': 'application/json;charset=utf-8' }, 201],
    [{ 'content-type': 'Application/JSON; Charset="UTF-8"' }, 201],
    [{ 'content-type': 'application/json; version=1' }, 201],
    [{ 'content-encoding': 'identity' }, 201],
    [{ 'content-type': 'application/json; charset=utf-16' }, 415],
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, 415],
    [{ 'content-type': 'application/jsonp' }, 415],
    [{ 'content-type': 'nonsense' }, 415],
    [{ 'content-type': '' }, 415],
    [{ 'content-encoding': 'gzip' }, 415],
    [{ 'content-encoding': 'identity, gzip' }, 415],
  ];
  for (const [headers, status] of cases) {
    const refused = await ask('/orders', { method: 'POST', body: GOOD, headers });
    if (status === 201) assert.equal(refused.response.status, 201, JSON.stringify(headers));
    else assertRefusal(refused, 415, 'unsupported_media_type');
  }
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  const refused = await ask('/orders', { method: 'POST', body: bomb, headers: { 'content-encoding': 'gzip' } });
  assertRefusal(refused, 415, 'unsupported_media_type');
});

test('a body of 1 MiB is taken, one byte more is 413 (A12)', async () => {
  const fill = (bytes: number): string => `{"items":[{"quantity":1}],"x":"${'y'.repeat(bytes - GOOD.length - 7)}"}`;
  assert.equal(Buffer.byteLength(fill(1_048_576)), 1_048_576);
  assert.equal((await ask('/orders', { method: 'POST', body: fill(1_048_576) })).response.status, 201);
  assertRefusal(await ask('/orders', { method: 'POST', body: fill(1_048_577) }), 413, 'payload_too_large');
});

test('an operation without a body takes any body, and a GET too (A25)', async () => {
  for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'x' }, { 'content-encoding': 'gzip' }]) {
    const { response, answer } = await ask('/orders/a/cancel', { method: 'POST', body: '{{', headers });
    assert.equal(response.status, 200);
    assert.deepEqual(answer, { hasBody: false });
  }
  const head = 'GET /api/v1/orders/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n';
  const received = await exchange(doors.port, [`${head}Content-Length: 3\r\n\r\n{{{`]);
  assert.match(received ?? '', /^HTTP\/1\.1 200 /);
});

test('an unknown path is 404, with a token or without (A20, A21, A22)', async () => {
  const paths = [
    '//orders',
    '/orders/',
    '/ORDERS',
    '/orders/a/b',
    '/nothing',
    '/orders;x=1',
    '/orders/%E0%A4%A',
    '/orders/%',
    '/%C0%AE',
  ];
  paths.push(
    `/orders/${'a'.repeat(10_000)}`,
    '/orders/a%00b',
    '/orders/a%2Fb',
    '/orders/a%5cb',
    '/orders/%00',
    '/orders/a%0a',
  );
  for (const path of paths) {
    for (const token of ['', 'good']) assertRefusal(await ask(path, { token }), 404, 'not_found');
  }
});

test('dot segments are not folded into another path (A20)', async () => {
  const close = 'Host: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n\r\n';
  for (const target of [
    '/api/v1/orders/../orders',
    '/api/v1/orders/%2e%2e/orders',
    '/api/v1/./orders',
    '*',
    '/api/v1\\orders',
  ]) {
    const method = target === '*' ? 'OPTIONS' : 'GET';
    const received = await exchange(doors.port, [`${method} ${target} HTTP/1.1\r\n${close}`]);
    assert.match(received ?? '', /^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/, target);
  }
  const absolute = await exchange(doors.port, [`GET http://x/api/v1/orders HTTP/1.1\r\n${close}`]);
  assert.match(absolute ?? '', /^HTTP\/1\.1 200 /, 'the absolute form of RFC 9112 is understood');
});

test('a path with another method is 405 with Allow, with a token or without (A18, A19)', async () => {
  const cases: [string, string, string][] = [
    ['PUT', '/orders', 'GET, HEAD, POST'],
    ['OPTIONS', '/orders', 'GET, HEAD, POST'],
    ['PATCH', '/orders/a', 'DELETE, GET, HEAD'],
    ['GET', '/orders/a/cancel', 'POST'],
    ['PROPFIND', '/orders?x=1', 'GET, HEAD, POST'],
  ];
  for (const [method, path, allow] of cases) {
    for (const token of ['', 'good']) {
      const refused = await ask(path, { method, token });
      assertRefusal(refused, 405, 'method_not_allowed');
      assert.equal(refused.response.headers.get('allow'), allow);
    }
  }
  const trace = await exchange(doors.port, ['TRACE /api/v1/orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n']);
  assert.match(trace ?? '', /^HTTP\/1\.1 405 /);
});

test('HEAD answers a readable path as GET does, without the body (A18)', async () => {
  const { response, text } = await ask('/orders/a', { method: 'HEAD' });
  assert.equal(response.status, 200);
  assert.equal(text, '');
  assert.equal(response.headers.get('content-length'), '10');
  assert.equal((await ask('/orders/a', { method: 'HEAD', token: '' })).response.status, 401);
});

test('a reply without a body says nothing of a type', async () => {
  const { response } = await ask('/orders/a', { method: 'DELETE' });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('content-type'), null);
  assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
});

test('whoever asks for HTML gets JSON (A24)', async () => {
  assertRefusal(await ask('/nothing', { headers: { accept: 'text/html' } }), 404, 'not_found');
});

test('5.4 without one valid bearer token the answer is 401 with a challenge (7 unauthorized, B28, B29)', async () => {
  const long = `Bearer ${'a'.repeat(10_000)}`;
  const headers = [
    '',
    'Bearer',
    'Bearer   ',
    'Basic Z29vZA==',
    'good',
    'Bearer good x',
    'Bearer good,',
    'Bearer "good"',
    long,
  ];
  for (const authorization of [...headers, 'Bearer unknown', 'Bearer go\u00f6d', 'Bearer:good', 'Bearer\tgood']) {
    const refused = await ask('/orders', { token: '', headers: { authorization } });
    assertRefusal(refused, 401, 'unauthorized');
    assert.match(refused.response.headers.get('www-authenticate') ?? '', /^Bearer/);
  }
  assertRefusal(await ask('/orders?access_token=good&token=good', { token: '' }), 401, 'unauthorized');
  assert.ok(!doors.seen.authenticated.some((token) => token.length > 1_000), 'an endless token is not looked at');
});

test('5.1 the scheme is read in any case (B30)', async () => {
  for (const authorization of ['bearer good', 'BEARER good', 'Bearer   good']) {
    const { response } = await ask('/orders', { token: '', headers: { authorization } });
    assert.equal(response.status, 200, authorization);
  }
});

test('5.4 two Authorization headers are no valid token, whichever is good (B28)', async () => {
  for (const pair of [
    ['good', 'good'],
    ['good', 'bad'],
    ['bad', 'good'],
  ]) {
    const lines = pair.map((token) => `Authorization: Bearer ${token}\r\n`).join('');
    const received = await exchange(doors.port, [
      `GET /api/v1/orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`,
    ]);
    assert.match(received ?? '', /^HTTP\/1\.1 401 /);
  }
});

test('5.3 a token without the scope of the endpoint is 403, before its body is looked at (5.4, 7 insufficient_scope, B35)', async () => {
  const cases: [string, string, string, string | undefined][] = [
    ['reader', 'POST', '/orders', '{'],
    ['writer', 'GET', '/orders?limit=0', undefined],
    ['none', 'GET', '/orders', undefined],
    ['none', 'POST', '/orders/a/cancel', undefined],
  ];
  for (const [token, method, path, body] of cases) {
    const refused = await ask(path, { token, method, ...(body === undefined ? {} : { body }) });
    assertRefusal(refused, 403, 'insufficient_scope');
    assert.match(refused.response.headers.get('www-authenticate') ?? '', /insufficient_scope/);
  }
});

test('5.4 without a token the body is not parsed (B36)', async () => {
  const before = doors.seen.bodies.length;
  for (const body of ['{', GOOD])
    assertRefusal(await ask('/orders', { method: 'POST', token: '', body }), 401, 'unauthorized');
  assert.equal(doors.seen.bodies.length, before);
});

test('4.1 limit is a whole number from 1 to 100 (C42, A27)', async () => {
  const bad = [
    '0',
    '-1',
    '101',
    '1.5',
    'abc',
    '',
    '1e1',
    '0x10',
    '%2010',
    '10;--',
    '9223372036854775808',
    '01',
    '%2B1',
    '1%00',
    '１',
  ];
  for (const limit of bad) {
    const refused = await ask(`/orders?limit=${limit}`);
    assertRefusal(refused, 422, 'validation_failed');
    assert.deepEqual(
      refused.answer.errors.map((problem) => problem.path),
      ['limit'],
    );
  }
  for (const limit of ['1', '25', '100']) assert.equal((await ask(`/orders?limit=${limit}`)).response.status, 200);
  assertRefusal(await ask('/orders?limit=1&limit=100'), 422, 'validation_failed');
});

test('4.1 status is one of its values, once (C44, A27)', async () => {
  for (const query of [
    'status=PENDING',
    'status=x',
    'status=',
    'status=pending&status=confirmed',
    'status[]=pending&status',
  ]) {
    assertRefusal(await ask(`/orders?${query}`), 422, 'validation_failed');
  }
  const { answer } = await ask('/orders?status=x&limit=0');
  assert.deepEqual(
    new Map(answer.errors.map(({ path, valid_values }) => [path, valid_values])),
    new Map([
      ['limit', undefined],
      ['status', ['pending', 'confirmed']],
    ]),
  );
});

test('2.1 cursors: a cursor is a well-formed id of the kind of its collection, whoever it belongs to (C45)', async () => {
  const id = publicId('ord', newId());
  assert.equal((await ask(`/orders?cursor=${id}`)).response.status, 200);
  for (const cursor of [
    'x',
    '',
    publicId('prod', newId()),
    id.toUpperCase(),
    `${id}%00`,
    'a'.repeat(10_000),
    `${id}&cursor=${id}`,
  ]) {
    assertRefusal(await ask(`/orders?cursor=${cursor}`), 422, 'validation_failed');
  }
});

test('an unknown query parameter is ignored, however it looks', async () => {
  for (const query of ['x=1&x=2', '%zz=%zz', '__proto__=1', 'constructor[a]=1', '&&==']) {
    assert.equal((await ask(`/orders?${query}`)).response.status, 200, query);
  }
});

test('an ignored query parameter is named in a header that nobody can write a second one into', async () => {
  const ignored = async (query: string) => (await ask(`/orders${query}`)).response.headers.get('x-ignored-parameters');
  assert.equal(await ignored(''), null);
  assert.equal(await ignored('?limit=1'), null);
  assert.equal(await ignored('?limitt=1&whatever=2'), '"limitt";nearest="limit", "whatever"');
  assert.equal(await ignored('?a%0D%0AX-Evil:%201=1&%22%5C=2&%C3%A9=3'), '"a%0D%0AX-Evil%3A%201", "%22%5C", "%C3%A9"');
  const many = await ignored(`?${Array.from({ length: 50 }, (_, index) => `p${index}${'x'.repeat(300)}=1`).join('&')}`);
  assert.equal(many?.split(', ').length, 20);
  assert.ok((many?.length ?? 0) < 3_000);
});

test('our own failure is 500 with a request id and shows nothing of the inside; the log has the stack', async () => {
  const refused = await ask('/broken');
  assertRefusal(refused, 500, 'internal_error');
  assert.doesNotMatch(refused.text, /secret_table|relation|Key|at .*\.ts|stack/);
  const entry = doors.log.find(
    (line) => line.level === 'error' && JSON.stringify(line).includes(refused.answer.request_id),
  );
  assert.match(JSON.stringify(entry), /secret_table.*server-fixture\.ts/);
  assert.doesNotMatch(JSON.stringify(entry), /a@b/, 'nor does the log show the values of a row');
});

test('a request leaves one line in the log, without its query string, token, body or id in the path', async () => {
  const { response } = await ask('/orders/ord_123?secret=sesame');
  const id = response.headers.get('x-request-id') ?? '';
  const lines = doors.log.filter((line) => JSON.stringify(line).includes(id));
  assert.equal(lines.length, 1);
  assert.partialDeepStrictEqual(lines[0]?.fields, {
    method: 'GET',
    route: '/api/v1/orders/:id',
    status: 200,
    request_id: id,
  });
  assert.doesNotMatch(JSON.stringify(doors.log), /sesame|good|ord_123/);
});

test('the probes need no token; the metrics count by route pattern and hold no ids', async () => {
  const origin = `http://127.0.0.1:${doors.port}`;
  assert.equal((await fetch(`${origin}/healthz`)).status, 200);
  assert.equal((await fetch(`${origin}/readyz`)).status, 200);
  const text = await (await fetch(`${origin}/metrics`)).text();
  assert.match(
    text,
    /platen_http_request_duration_seconds_count\{[^}]*route="\/api\/v1\/orders\/:id"[^}]*status="200"[^}]*\} \d+/,
  );
  assert.match(text, /nodejs_eventloop_lag_seconds/);
  assert.doesNotMatch(text, /ord_123|req_|"good"/);
});
