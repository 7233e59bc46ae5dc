import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { disableOperator } from '../../../src/accounts/access/disable-operator.ts';
import { mintOperatorToken } from '../../../src/accounts/mint-operator-token.ts';
import { newToken } from '../../../src/accounts/token.ts';
import { OPS_ROUTES } from '../../../src/app/ops-routes.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { OPERATOR_ROLES, type OperatorRole } from '../../../src/lib/operator.ts';
import { AT_THE_COMMAND_LINE } from '../../harness/actors.ts';
import { eventually } from '../../harness/context.ts';
import { type ErrorReply, startTestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { closeOperations, logged, openOperations, operator, operators, service, taskOpened } from './operations.ts';

before(openOperations);
after(closeOperations);

/** A path of a route with ids in it that name nothing. */
function pathOf(route: { readonly path: string }): string {
  return route.path.replaceAll(/:[^/]+/g, 'nothing');
}

const NAMES = OPS_ROUTES.map((route) => ({ ...route, name: `${route.method} ${route.path}` }));

const CHANGES = NAMES.filter(({ method }) => method !== 'GET');

const actions = async (operatorId: string): Promise<number> =>
  (
    await rows<{ count: number }>(service, 'select count(*) from operator_action where operator_id = $1', [operatorId])
  )[0]?.count ?? Number.NaN;

describe('who may come in', () => {
  const refusals: readonly (readonly [what: string, header: () => string | undefined])[] = [
    ['no token', () => undefined],
    ["a customer's token", () => `Bearer ${service.customer.token}`],
    ['a token that was never minted', () => `Bearer ${newToken('pop_')}`],
    ['a token with a wrong checksum', () => `Bearer ${operator().token.slice(0, -1)}!`],
    ['a token with a customer’s prefix', () => `Bearer ${operator().token.replace('pop_', 'pat_live_')}`],
    ['another scheme', () => `Basic ${operator().token}`],
  ];
  for (const [what, header] of refusals) {
    test(`B28 ${what} is 401 at every operation`, async () => {
      for (const route of NAMES) {
        const authorization = header();
        const response = await fetch(`${service.url}/ops/v1${pathOf(route)}`, {
          method: route.method,
          headers: authorization === undefined ? {} : { authorization },
        });
        const body = (await response.json()) as ErrorReply;
        assert.deepEqual([response.status, body.code], [401, 'unauthorized'], route.name);
        assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
      }
    });
  }

  test("an operator's token is 401 at the public API", async () => {
    const headers = { authorization: `Bearer ${operator().token}` };
    for (const path of ['/orders', '/account/balance']) {
      assert.equal((await service.customer.request('GET', path, undefined, headers)).status, 401);
    }
  });

  test('B34 a disabled operator is out within a second with every token, stays out, and gets no new one', async () => {
    const { email, request } = await service.openOperator('viewer');
    const { token } = await mintOperatorToken(service.ctx, email.toUpperCase());
    const second = { authorization: `Bearer ${token}` };
    assert.equal((await request('GET', '/orders')).status, 200);
    assert.equal((await request('GET', '/orders', undefined, second)).status, 200);
    for (let round = 0; round < 2; round += 1) await disableOperator(service.ctx, AT_THE_COMMAND_LINE, email);
    await eventually('the first token ends', async () => (await request('GET', '/orders')).status === 401, 2_000);
    await eventually(
      'the second token ends',
      async () => (await request('GET', '/orders', undefined, second)).status === 401,
      2_000,
    );
    await assert.rejects(mintOperatorToken(service.ctx, email), { code: 'conflict' });
    await assert.rejects(mintOperatorToken(service.ctx, 'nobody@shop.example'), { code: 'not_found' });
  });

  test('B34 tokens are stored as hashes only, and no line of the log has one', async () => {
    await operator().request('GET', '/orders');
    await operator().request('POST', '/webhooks/flush', undefined, { 'idempotency-key': 'bad key' });
    const [row] = await rows<{ found: number }>(
      service,
      `select count(*) as found from operator_token where encode(token_hash, 'escape') like 'pop_%'`,
    );
    assert.equal(row?.found, 0);
    for (const { token } of operators.values()) assert.ok(!logged.join('\n').includes(token));
    assert.ok(
      logged.some((line) => line.includes('"operator_id":"op_')),
      'the log names who came',
    );
  });

  test('what is refused is not in the audit log, and the log says who wanted it done to what', async () => {
    const { id, request } = operator('production');
    const { status } = await request('POST', '/orders/PF-NOBODYS1/promote');
    assert.equal(status, 404);
    const who = publicId('op', id);
    await eventually('the line', () => logged.some((line) => line.includes('PF-NOBODYS1') && line.includes(who)));
  });
});

/**
 * Who may change what, beside admin, who may do all. Written here and not read from the routes, so that a role given to
 * an operation by mistake is seen.
 */
const MAY_CHANGE: Readonly<Record<string, readonly OperatorRole[]>> = {
  'POST /orders/:id/settle': ['finance'],
  'POST /orders/:id/payments/:payment_id/recovered': ['finance'],
  'POST /orders/:id/retry-payment': ['finance'],
  'POST /orders/:id/payment-attempts/:attempt_id/resolve': ['finance'],
  'POST /orders/:id/refunds': ['finance'],
  'POST /cancellation-requests/:id/accept': ['production', 'finance'],
  'POST /cancellation-requests/:id/refuse': ['production', 'finance'],
  'POST /problems/:id/replace': ['production'],
  'POST /problems/:id/refund': ['finance'],
  'POST /problems/:id/refuse': ['production', 'finance'],
  'POST /shop-orders/:id/place': ['production'],
  'POST /shop-orders/:id/ignore': ['production'],
  'POST /shop-orders/:id/report': ['production'],
  'POST /shop-orders/:id/address': ['production'],
  'PATCH /channels/:id': ['production'],
  'POST /channels/:id/items': ['production'],
  'POST /channels/:id/items/forget': ['production'],
  'POST /channels/:id/sync': ['production'],
  'POST /channels/:id/pause': ['production'],
  'POST /channels/:id/resume': ['production'],
  'POST /channels/:id/disconnect': ['production'],
  'POST /channels/:id/products/:product_id/retry': ['production'],
  'POST /orders/:id/refunds/:payment_id/paid': ['finance'],
  'POST /accounts/:id/credits': ['finance'],
  'POST /books/corrections': ['finance'],
  'POST /books/entries': ['finance'],
  'POST /books/entries/:id/approve': ['finance'],
  'POST /books/entries/:id/refuse': ['finance'],
  'POST /books/journals': ['finance'],
  'POST /accounts/:id/withdrawals': ['finance'],
  'POST /accounts/:id/write-offs': ['finance'],
  'PATCH /accounts/:id': ['finance'],
  'PATCH /accounts/:id/billing': ['finance'],
  'POST /orders/:id/cancel': ['production', 'finance'],
  'POST /orders/:id/hold': ['production', 'finance'],
  'POST /orders/:id/resume': ['production', 'finance'],
  'POST /orders/:id/lines/:line/pause': ['production', 'finance'],
  'POST /orders/:id/lines/:line/resume': ['production', 'finance'],
  'POST /tasks/:id/close': ['production', 'finance'],
  'POST /orders/promote': ['production'],
  'POST /orders/:id/promote': ['production'],
  'POST /orders/:id/start': ['production'],
  'POST /orders/:id/lines/:line/start': ['production'],
  'POST /orders/:id/lines/:line/finish': ['production'],
  'POST /orders/:id/lines/:line/spoil': ['production'],
  'POST /orders/:id/print-files/retry': ['production'],
  'POST /orders/:id/replacement': ['production'],
  'POST /orders/:id/shipments': ['production'],
  'PATCH /orders/:id/shipments/:shipment': ['production'],
  'PATCH /orders/:id/address': ['production'],
  'POST /print-files/retry': ['production'],
  'POST /stock/receipts': ['production'],
  'POST /stock/counts': ['production'],
  'POST /stock/adjustments': ['production'],
  'POST /webhooks/flush': ['production'],
  'POST /accounts/:id/suspend': [],
  'POST /accounts/:id/resume': [],
  'POST /tokens/:id/revoke': [],
  'POST /operator-tokens/:id/revoke': [],
  'POST /operators/disable': [],
  'POST /operators/enable': [],
  'POST /accounts/:id/invitations': [],
  'POST /invitations/:id/withdraw': [],
  'POST /sign-ups/:id/approve': [],
  'POST /sign-ups/:id/refuse': [],
  'POST /users/:id/disable': [],
  'POST /users/:id/enable': [],
  'POST /users/:id/password': [],
  'POST /users/:id/password-link': [],
  'POST /users/:id/remove-second-factor': [],
  'POST /sessions/:id/revoke': [],
  'POST /oauth-clients/:id/rotate': [],
  'POST /oauth-clients/:id/remove': [],
  'POST /oauth-grants/:id/revoke': [],
  'POST /oauth-grants/revoke': [],
  'POST /accounts/:id/erase': [],
  'POST /accounts/:id/export-person': [],
};

describe('what each role may do', () => {
  test('every operation that changes something is in the table above, and nothing else', () => {
    assert.deepEqual(CHANGES.map(({ name }) => name).sort(), Object.keys(MAY_CHANGE).sort());
  });

  for (const route of NAMES) {
    const allowed = OPERATOR_ROLES.filter(
      (role) => role === 'admin' || route.method === 'GET' || MAY_CHANGE[route.name]?.includes(role),
    );
    test(`${route.name} is for ${allowed.join(', ')} and 403 for the rest, before anything else is looked at`, async () => {
      for (const role of OPERATOR_ROLES) {
        const { id, request } = operator(role);
        const before = await actions(id);
        const body = route.body === undefined ? undefined : '{ not json';
        const answer = await request(route.method, pathOf(route), body);
        if (allowed.includes(role)) {
          assert.notEqual(answer.status, 401);
          assert.notEqual(answer.status, 403);
          if (route.body !== undefined) assert.ok([400, 404].includes(answer.status), `${answer.status}`);
        } else {
          assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_scope']);
          const { required_roles: required } = answer.body as ErrorReply & { required_roles?: string[] };
          assert.deepEqual(required, allowed);
          assert.equal(await actions(id), before, 'a refusal left an entry');
        }
      }
    });
  }
});

/** Written here and not read from the routes, so that one that is left out by mistake is seen. */
const MOVES_MONEY: ReadonlySet<string> = new Set([
  'POST /orders/:id/settle',
  'POST /orders/:id/payments/:payment_id/recovered',
  'POST /orders/:id/retry-payment',
  'POST /orders/:id/payment-attempts/:attempt_id/resolve',
  'POST /orders/:id/refunds',
  'POST /problems/:id/refund',
  'POST /cancellation-requests/:id/accept',
  'POST /orders/:id/refunds/:payment_id/paid',
  'POST /accounts/:id/credits',
  'POST /books/corrections',
  'POST /books/entries',
  'POST /books/entries/:id/approve',
  'POST /accounts/:id/withdrawals',
  'POST /accounts/:id/write-offs',
]);

describe('domain "Operators": a key makes a repeat harmless', () => {
  for (const route of CHANGES) {
    test(`${route.name} refuses a key that is none`, async () => {
      for (const key of ['', 'two words', 'x'.repeat(256), 'a, b', 'ü']) {
        const body = route.body === undefined ? undefined : {};
        const answer = await operator().request(route.method, pathOf(route), body, { 'idempotency-key': key });
        assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed'], JSON.stringify(key));
        assert.ok(answer.body.errors?.some(({ path }) => path === 'Idempotency-Key'));
      }
    });
  }

  test('the same request under its key is done once, another under it is 409, and another operator has keys of his own', async () => {
    const { id, request } = await service.openOperator('production');
    const headers = { 'idempotency-key': `k-${'~'.repeat(253)}` };
    const flush = () => request('POST', '/webhooks/flush', undefined, headers);
    const answers = await Promise.all([flush(), flush(), flush()]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(await actions(id), 1);
    const task = await taskOpened();
    const other = await request('POST', `/tasks/${task}/close`, undefined, headers);
    assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
    assert.equal(await actions(id), 1);
    const another = await service.openOperator('production');
    assert.equal((await another.request('POST', `/tasks/${task}/close`, undefined, headers)).status, 200);
    assert.equal(await actions(another.id), 1);
  });

  test('without a key each request is done, if it moves no money', async () => {
    const { id, request } = await service.openOperator('admin');
    for (let round = 0; round < 2; round += 1) await request('POST', '/webhooks/flush', undefined, {});
    assert.equal(await actions(id), 2);
  });

  for (const route of CHANGES) {
    const isNeeded = MOVES_MONEY.has(route.name);
    test(`${route.name} ${isNeeded ? 'needs a key' : 'can do without a key'}`, async () => {
      const { id, request } = operator();
      const before = await actions(id);
      const answer = await request(route.method, pathOf(route), route.body === undefined ? undefined : {}, {});
      if (!isNeeded) {
        assert.notEqual(answer.body.code, 'idempotency_key_required');
        return;
      }
      assert.deepEqual([answer.status, answer.body.code], [400, 'idempotency_key_required']);
      assert.match(answer.body.detail, /Idempotency-Key/);
      assert.equal(await actions(id), before);
      const unreadable = await request(route.method, pathOf(route), '{ not json', {});
      if (route.body !== undefined) assert.equal(unreadable.body.code, 'invalid_request', 'JSON comes first');
    });
  }
});

describe('the doors of the public API stand here too', () => {
  test('A19 a wrong method is 405 with Allow, an unknown path 404', async () => {
    const wrong = await operator().request('PUT', '/orders');
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD']);
    for (const path of ['/nothing', '/orders/', '//orders', '/ORDERS', '/orders/%2e%2e']) {
      assert.equal((await operator().request('GET', path)).status, 404, path);
    }
  });

  test('A19 a path that is written out is no order of that name', async () => {
    const isWritten = (path: string): boolean => /^\/orders\/[^:/]+$/.test(path);
    for (const { path } of NAMES.filter((route) => isWritten(route.path))) {
      assert.equal((await operator().request('GET', path)).status, 405, path);
    }
  });

  test('A22 an id that none can be is 404 at every operation that takes one', async () => {
    for (const route of NAMES.filter(({ path }) => path.includes(':'))) {
      for (const id of ['x'.repeat(201), '%00', 'a%2Fb', '%F0%9F%A6%86']) {
        const path = route.path.replaceAll(/:[^/]+/g, id);
        const answer = await operator().request(route.method, path, route.body === undefined ? undefined : {});
        assert.ok([404, 422].includes(answer.status), `${route.name} with ${id}: ${answer.status}`);
      }
    }
  });

  test('27 a parameter that is given twice and a cursor of another list are 422', async () => {
    for (const query of ['limit=1&limit=2', 'limit=0', 'limit=101', 'cursor=ord_1', 'state=pending']) {
      assert.equal((await operator().request('GET', `/orders?${query}`)).status, 422, query);
    }
  });

  test('an unknown query parameter is 422 at every operation, with the nearest known name', async () => {
    for (const route of NAMES) {
      const body = route.body === undefined ? undefined : {};
      const answer = await operator().request(route.method, `${pathOf(route)}?whatever=1`, body);
      assert.equal(answer.status, 422, route.name);
      assert.ok(problemsOf(answer).includes('whatever unknown_field'), route.name);
    }
    const { body } = await operator().request('GET', '/jobs?stations=dtg&limit=0');
    assert.deepEqual(
      body.errors?.map(({ path, message }) => [path, message]),
      [
        ['stations', 'stations is not known here. Did you mean `station`?'],
        ['limit', 'must be a whole number from 1 to 100.'],
      ],
    );
  });

  test('an unknown member is 422 at every operation that changes something, and none is done', async () => {
    for (const route of CHANGES) {
      const { id, request } = operator();
      const before = await actions(id);
      const answer = await request(route.method, pathOf(route), { whatever: 1 });
      assert.equal(answer.status, 422, route.name);
      assert.ok(problemsOf(answer).includes('whatever unknown_field'), route.name);
      assert.equal(await actions(id), before, route.name);
    }
  });

  test('an operation without members takes an empty object or no body, and nothing else', async () => {
    const flush = (body: unknown, headers?: Record<string, string>) =>
      operator().request('POST', '/webhooks/flush', body, headers);
    for (const body of [undefined, {}]) assert.equal((await flush(body)).status, 200);
    for (const body of [[], '"all"', 1])
      assert.deepEqual(problemsOf(await flush(body)), [' type'], JSON.stringify(body));
    assert.equal((await flush('{')).status, 400);
    const good = { 'idempotency-key': 'with-and-without-an-empty-object' };
    assert.deepEqual([(await flush(undefined, good)).status, (await flush({}, good)).status], [200, 200]);
  });

  test('7 the limit by token counts operators as well', async () => {
    const limited = await startTestService({ env: { RATE_LIMIT_TOKEN_PER_MINUTE: '2' } });
    try {
      const { request } = await limited.openOperator('viewer');
      const answers = [];
      for (let round = 0; round < 3; round += 1) answers.push(await request('GET', '/tasks'));
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')]),
        [
          [200, '1'],
          [200, '0'],
          [429, '0'],
        ],
      );
    } finally {
      await limited.stop();
    }
  });

  test('its OpenAPI document is served without a token', async () => {
    const response = await fetch(`${service.url}/ops/v1/openapi.json`);
    assert.equal(response.status, 200);
    const { servers, paths } = (await response.json()) as { servers: { url: string }[]; paths: object };
    assert.equal(servers[0]?.url, '/ops/v1');
    assert.equal(Object.keys(paths).length, new Set(OPS_ROUTES.map(({ path }) => path)).size);
  });
});
