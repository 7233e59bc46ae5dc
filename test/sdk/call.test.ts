import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Call, type ClientOptions, createCall, type Outside } from '../../sdk/src/call.ts';
import { createClient } from '../../sdk/src/client.ts';
import { isPlatenError, PlatenConnectionError, PlatenError } from '../../sdk/src/errors.ts';
import { refused, type Step, scriptedFetch } from './scripted-fetch.ts';

const ORDER = { status: 200, body: { id: 'ord_1' } };
const TOKEN = 'pat_live_sample';

/** A call whose waits take no time and are written down. */
function openCall(
  steps: readonly [Step, ...Step[]],
  options: Partial<ClientOptions> = {},
  outside: Partial<Outside> = {},
): { call: Call; sent: ReturnType<typeof scriptedFetch>['sent']; waitsMs: number[] } {
  const { fetch, sent } = scriptedFetch(...steps);
  const waitsMs: number[] = [];
  const call = createCall(
    { token: TOKEN, baseUrl: 'https://print.example', fetch, ...options },
    { random: () => 1, wait: async (ms) => void waitsMs.push(ms), ...outside },
  );
  return { call, sent, waitsMs };
}

const getOrder = (call: Call, settings: Parameters<Call>[2] = {}) =>
  call('getOrder', { path: { id: 'PF-1' } }, settings);
const createWebhook = (call: Call) => call('createWebhook', { body: { url: 'https://shop.example/hooks' } });

/** What a promise was refused with. */
async function failureOf(promise: Promise<unknown>): Promise<PlatenError | PlatenConnectionError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof PlatenError || error instanceof PlatenConnectionError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('what is sent', () => {
  test('a GET has the token, asks for JSON, has no body and follows no redirect', async () => {
    const { call, sent } = openCall([ORDER]);
    const { value } = await getOrder(call);
    assert.deepEqual(value, { id: 'ord_1' });
    const [request] = sent;
    assert.deepEqual(
      [request?.method, request?.url, request?.body, request?.redirect],
      ['GET', 'https://print.example/api/v1/orders/PF-1', undefined, 'manual'],
    );
    assert.equal(request?.headers.authorization, `Bearer ${TOKEN}`);
    assert.equal(request.headers.accept, 'application/json');
    assert.match(request.headers['user-agent'] ?? '', /^platen-sdk\/\d+\.\d+\.\d+$/);
    assert.equal(request.headers['content-type'], undefined);
  });

  test('a body is JSON, and members left undefined are not sent', async () => {
    const { call, sent } = openCall([{ status: 201, body: {} }]);
    await call('createWebhook', { body: { url: 'https://shop.example/hooks', description: undefined } });
    assert.deepEqual(sent[0]?.body, { url: 'https://shop.example/hooks' });
    assert.equal(sent[0]?.headers['content-type'], 'application/json');
  });

  test('query parameters are written out, and those left undefined are not', async () => {
    const { call, sent } = openCall([{ status: 200, body: { data: [], has_more: false, next_cursor: null } }]);
    await call('listOrders', { query: { limit: 5, status: 'pending', cursor: undefined } });
    assert.equal(sent[0]?.url, 'https://print.example/api/v1/orders?limit=5&status=pending');
  });

  test('an id is one segment of the path whatever is in it, and one that would lead elsewhere is refused unsent', async () => {
    const { call, sent } = openCall([ORDER]);
    await call('getOrder', { path: { id: 'a/b?c#d é' } });
    assert.equal(sent[0]?.url, 'https://print.example/api/v1/orders/a%2Fb%3Fc%23d%20%C3%A9');
    for (const id of ['', '.', '..']) await assert.rejects(call('getOrder', { path: { id } }), TypeError);
    assert.equal(sent.length, 1);
  });

  const bases: [given: string, origin: string][] = [
    ['https://print.example', 'https://print.example/api/v1'],
    ['https://print.example/', 'https://print.example/api/v1'],
    ['https://print.example/api/v1', 'https://print.example/api/v1'],
    ['https://print.example/api/v1/', 'https://print.example/api/v1'],
    ['https://print.example/shop', 'https://print.example/shop/api/v1'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/api/v1'],
  ];
  for (const [given, base] of bases) {
    test(`the base address ${given}`, async () => {
      const { call, sent } = openCall([ORDER], { baseUrl: given });
      await getOrder(call);
      assert.equal(sent[0]?.url, `${base}/orders/PF-1`);
    });
  }

  test('options that cannot work are refused at once, and a token is never shown', () => {
    for (const baseUrl of [
      '',
      'print.example',
      'ftp://print.example',
      'https://a:b@print.example',
      'https://p.example?x=1',
    ]) {
      assert.throws(() => createClient({ token: TOKEN, baseUrl }), /baseUrl must be the address/);
    }
    for (const numbers of [
      { retries: Number.NaN },
      { retries: -1 },
      { retries: 11 },
      { timeoutMs: 0 },
      { timeoutMs: Infinity },
    ]) {
      assert.throws(() => createClient({ token: TOKEN, baseUrl: 'https://print.example', ...numbers }), TypeError);
    }
    for (const token of ['', ' pat_live_secret', 'pat_live_secret\n', 'pat live secret', 'pat_live_sécret']) {
      assert.throws(
        () => createClient({ token, baseUrl: 'https://print.example' }),
        (error: Error) => error instanceof TypeError && !/secret|sécret/.test(error.message),
      );
    }
  });
});

describe('a request is sent again', () => {
  test('after answers that were lost, until one comes', async () => {
    const { call, sent, waitsMs } = openCall(['lost', 'lost', refused(503, 'unavailable'), ORDER]);
    assert.deepEqual((await getOrder(call)).value, { id: 'ord_1' });
    assert.equal(sent.length, 4);
    assert.deepEqual(waitsMs, [500, 1_000, 2_000]);
  });

  test('429: not before the time that Retry-After names', async () => {
    const limited = refused(429, 'rate_limited', { headers: { 'retry-after': '7' } });
    const { call, sent, waitsMs } = openCall([limited, ORDER]);
    await getOrder(call);
    assert.equal(sent.length, 2);
    assert.deepEqual(waitsMs, [7_500]);
  });

  test('never, when Retry-After is longer than a minute: the error says how long', async () => {
    const { call, sent, waitsMs } = openCall([refused(503, 'unavailable', { headers: { 'retry-after': '600' } })]);
    const failure = await failureOf(getOrder(call));
    assert.ok(failure instanceof PlatenError);
    assert.deepEqual([failure.retryAfterSeconds, sent.length, waitsMs.length], [600, 1, 0]);
  });

  test('at most as often as retries says, three times when it does not', async () => {
    const counts: [ClientOptions['retries'], number | undefined, number][] = [
      [undefined, undefined, 4],
      [0, undefined, 1],
      [1, undefined, 2],
      [5, 2, 3],
    ];
    for (const [ofClient, ofCall, attempts] of counts) {
      const { call, sent } = openCall(['lost'], { retries: ofClient });
      const failure = await failureOf(getOrder(call, { retries: ofCall }));
      assert.deepEqual([sent.length, failure.attempts, failure.lostAnswers], [attempts, attempts, attempts]);
    }
  });

  test('never without end: a number of retries that is none is refused unsent', async () => {
    const { call, sent } = openCall(['lost']);
    for (const retries of [Number.NaN, Infinity, 0.5]) await assert.rejects(getOrder(call, { retries }), TypeError);
    await assert.rejects(getOrder(call, { timeoutMs: 2 ** 31 }), TypeError);
    assert.equal(sent.length, 0);
  });

  test('502 refund_failed: a cancellation is safe to repeat', async () => {
    const { call, sent } = openCall([refused(502, 'refund_failed'), { status: 200, body: { cancelled: true } }]);
    const { value } = await call('cancelOrder', { path: { id: 'PF-1' } });
    assert.deepEqual([value.cancelled, sent.length], [true, 2]);
  });

  test('no refusal that would come again: 422, 409, 404, 403, 501', async () => {
    for (const [status, code] of [
      [422, 'validation_failed'],
      [409, 'conflict'],
      [404, 'not_found'],
      [403, 'insufficient_scope'],
      [501, 'not_implemented'],
    ] as const) {
      const { call, sent } = openCall([refused(status, code)]);
      assert.equal((await failureOf(getOrder(call))).attempts, 1);
      assert.equal(sent.length, 1);
    }
  });
});

describe('a creation that would make a second one', () => {
  test('is not sent again when its answer was lost: the caller is told that it may be done', async () => {
    for (const step of ['lost', refused(500, 'internal_error'), refused(503, 'unavailable')] as const) {
      const { call, sent } = openCall([step]);
      await failureOf(createWebhook(call));
      await failureOf(
        call('createProduct', { body: { base_product_id: 'bprod_1', name: 'Tee', variant_skus: ['A'] } }),
      );
      assert.equal(sent.length, 2);
    }
    const failure = await failureOf(createWebhook(openCall(['lost']).call));
    assert.match(
      failure.message,
      /POST .*\/webhooks: no answer \(fetch failed: the connection was reset\).*may have been done/,
    );
  });

  test('is sent again when the limit refused it before anything was done', async () => {
    const { call, sent } = openCall([refused(429, 'rate_limited'), { status: 201, body: { id: 'whk_1' } }]);
    assert.equal((await createWebhook(call)).value.id, 'whk_1');
    assert.equal(sent.length, 2);
  });
});

describe('removing a subscription', () => {
  const base = { token: TOKEN, baseUrl: 'https://print.example' };
  test('404 after a lost answer is the removal that was asked for', async () => {
    const { fetch, sent } = scriptedFetch('lost', refused(404, 'not_found'));
    assert.equal(await createClient({ ...base, fetch }).webhooks.remove('whk_1'), undefined);
    assert.equal(sent.length, 2);
  });

  test('404 at once is an error: there was no such subscription', async () => {
    const { fetch } = scriptedFetch(refused(404, 'not_found'));
    const failure = await failureOf(createClient({ ...base, fetch }).webhooks.remove('whk_1'));
    assert.ok(isPlatenError(failure, 'not_found'));
  });

  test('204 has no body', async () => {
    const { fetch } = scriptedFetch({ status: 204 });
    assert.equal(await createClient({ ...base, fetch }).webhooks.remove('whk_1'), undefined);
  });
});

describe('time and signals', () => {
  test('an attempt that gets no answer in time is lost, and the next is made', async () => {
    const { call, sent } = openCall(['silent', ORDER], { timeoutMs: 20 });
    await getOrder(call);
    assert.equal(sent.length, 2);
    const failure = await failureOf(getOrder(openCall(['silent'], { timeoutMs: 20, retries: 0 }).call));
    assert.ok(failure instanceof PlatenConnectionError);
    assert.deepEqual([failure.isTimeout, failure.lostAnswers], [true, 1]);
    assert.match(failure.message, /no answer within 20 ms/);
  });

  test("the caller's signal ends a request under way, a wait and a call before it begins, with its own reason", async () => {
    const reason = new Error('the shop closes');
    const early = openCall([ORDER]);
    await assert.rejects(getOrder(early.call, { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(early.sent.length, 0);

    const stop = new AbortController();
    const silent = openCall(['silent']);
    const asking = getOrder(silent.call, { signal: stop.signal });
    setImmediate(() => stop.abort(reason));
    await assert.rejects(asking, reason);
    assert.equal(silent.sent.length, 1);

    const waiting = new AbortController();
    const { fetch, sent } = scriptedFetch(refused(429, 'rate_limited', { headers: { 'retry-after': '60' } }));
    const call = createCall({ token: TOKEN, baseUrl: 'https://print.example', fetch });
    const limited = call('getOrder', { path: { id: 'PF-1' } }, { signal: waiting.signal });
    setTimeout(() => waiting.abort(reason), 20);
    await assert.rejects(limited, reason);
    assert.equal(sent.length, 1);
  });
});

describe('a token that is a function', () => {
  const unauthorized = refused(401, 'unauthorized');

  test('is asked before each request', async () => {
    const tokens = ['token_1', 'token_2'];
    const { call, sent } = openCall(['lost', ORDER], { token: () => tokens.shift() ?? 'none' });
    await getOrder(call);
    assert.deepEqual(
      sent.map(({ headers }) => headers.authorization),
      ['Bearer token_1', 'Bearer token_2'],
    );
  });

  test('is asked once more after a 401, and the request goes out with the new one: creations too', async () => {
    const told: (string | undefined)[] = [];
    const token = async (refusedToken?: string): Promise<string> => {
      told.push(refusedToken);
      return refusedToken === undefined ? 'old' : 'new';
    };
    const { call, sent } = openCall([unauthorized, { status: 201, body: { id: 'whk_1' } }], { token });
    await createWebhook(call);
    assert.deepEqual(told, [undefined, 'old']);
    assert.deepEqual(
      sent.map(({ headers }) => headers.authorization),
      ['Bearer old', 'Bearer new'],
    );
  });

  test('that has no other token, or only one that is refused too, leaves the 401', async () => {
    const same = openCall([unauthorized], { token: () => 'old' });
    assert.ok(isPlatenError(await failureOf(getOrder(same.call)), 'unauthorized'));
    assert.equal(same.sent.length, 1);
    const other = openCall([unauthorized], { token: (refusedToken) => (refusedToken === undefined ? 'old' : 'new') });
    assert.ok(isPlatenError(await failureOf(getOrder(other.call)), 'unauthorized'));
    assert.equal(other.sent.length, 2);
  });

  test('that fails, fails the call with its own error', async () => {
    const { call, sent } = openCall([ORDER], {
      token: () => {
        throw new Error('the vault is closed');
      },
    });
    await assert.rejects(getOrder(call), /the vault is closed/);
    assert.equal(sent.length, 0);
  });
});

describe('errors', () => {
  test('carry code, status, detail, request id and every problem', async () => {
    const problems = [{ path: 'items[0].quantity', code: 'out_of_bounds', message: 'must be at least 1.' }];
    const { call } = openCall([refused(422, 'validation_failed', { members: { errors: problems } })]);
    const failure = await failureOf(getOrder(call));
    assert.ok(isPlatenError(failure, 'validation_failed'));
    assert.deepEqual(
      [failure.status, failure.detail, failure.requestId, failure.problems],
      [422, 'validation_failed it is.', 'req_1', problems],
    );
    assert.equal(failure.message, 'validation_failed: validation_failed it is. (req_1)');
    assert.ok(!isPlatenError(failure, 'not_found'));
  });

  test('have their extras typed once the code is told', async () => {
    const times = { placed_at: '2026-11-21T09:30:00.000Z', cancellable_until: '2026-11-21T10:30:00.000Z' };
    const { call } = openCall([refused(409, 'cancellation_window_closed', { members: times })]);
    const failure = await failureOf(call('cancelOrder', { path: { id: 'PF-1' } }));
    assert.ok(isPlatenError(failure, 'cancellation_window_closed'));
    assert.deepEqual(failure.extras, times);
    const until: string = failure.extras.cancellable_until;
    assert.equal(until, times.cancellable_until);
  });

  test('of a code that is newer than the client are errors like others', async () => {
    const { call } = openCall([refused(418, 'short_and_stout', { members: { handle: true } })]);
    const failure = await failureOf(getOrder(call));
    assert.ok(isPlatenError(failure, 'short_and_stout'));
    assert.deepEqual(failure.extras, { handle: true });
  });

  test("of somebody else, such as a proxy's page, say so", async () => {
    for (const body of ['<html>', '', 'null', '[]', '{"error":"nope"}']) {
      const { call } = openCall([{ status: 404, body }]);
      const failure = await failureOf(getOrder(call));
      assert.ok(isPlatenError(failure, 'unreadable_answer'));
      assert.deepEqual([failure.status, failure.requestId], [404, '']);
    }
    const success = openCall([{ status: 200, body: '<html>Sign in to the network</html>' }]);
    assert.ok(isPlatenError(await failureOf(getOrder(success.call)), 'unreadable_answer'));
    const elsewhere = openCall([{ status: 302, body: '', headers: { location: 'https://other.example' } }]);
    assert.ok(isPlatenError(await failureOf(getOrder(elsewhere.call)), 'unreadable_answer'));
    assert.equal(elsewhere.sent.length, 1);
  });

  test('show no token, whatever failed', async () => {
    const { inspect } = await import('node:util');
    const lost = await failureOf(getOrder(openCall(['lost'], { retries: 0 }).call));
    const refusal = await failureOf(getOrder(openCall([refused(401, 'unauthorized')]).call));
    const client = createClient({ token: TOKEN, baseUrl: 'https://print.example' });
    for (const shown of [lost, refusal, client]) assert.ok(!inspect(shown, { depth: 10 }).includes(TOKEN));
  });
});

test('fields and words that are newer than the client are kept and disturb nothing', async () => {
  const order = { id: 'ord_1', status: 'teleported', new_field: { deep: [1] } };
  const { call } = openCall([{ status: 200, body: order }]);
  assert.deepEqual((await getOrder(call)).value, order);
});

test('every token is live, so a browser is refused', (context) => {
  const options = { token: TOKEN, baseUrl: 'https://print.example' };
  Object.assign(globalThis, { window: {}, document: {} });
  context.after(() => {
    Reflect.deleteProperty(globalThis, 'window');
    Reflect.deleteProperty(globalThis, 'document');
  });
  assert.throws(() => createClient(options), /not for browsers/);
  Reflect.deleteProperty(globalThis, 'document');
  assert.ok(createClient(options));
});
