import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { errorsMarkdown, errorsPage } from '../../src/http/contract/docs-errors.ts';
import { errorSchemaName, PUBLIC_ERRORS } from '../../src/http/contract/error-responses.ts';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../../src/lib/error-catalogue.ts';
import { PROBLEM_GUIDE, WARNING_GUIDE } from '../../src/lib/validation/problem-codes.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { opsProblemsAt, portalProblemsAt, problemsAt } from '../harness/contract.ts';
import { call, openRole, PASSWORD, pastProof } from '../harness/portal.ts';
import { openProtected } from '../harness/second-factor.ts';
import { exchange, startDoors } from '../harness/server-fixture.ts';
import { type ErrorReply, startTestService, type TestService } from '../harness/service.ts';
import { basket, teeItem } from '../harness/shop.ts';
import type { Json } from './breaking-schema.ts';
import { committedDocument } from './committed.ts';

describe('7 catalogue, document and page say the same', () => {
  const document = JSON.parse(committedDocument().document) as Json;
  const { schemas, responses } = document.components as { schemas: Record<string, Json>; responses: Json };

  test('docs/generated/errors.md is the one that the code makes', () => {
    const isSame = readFileSync('docs/generated/errors.md', 'utf8') === errorsMarkdown();
    assert.ok(isSame, 'docs/generated/errors.md differs from the code. Run: npm run openapi');
  });

  test('the page describes every code of the catalogue, with its status, and no other', () => {
    const sections = [...errorsMarkdown().matchAll(/^### `(\w+)`\n\n- \*\*Status:\*\* (\d+)\. /gm)];
    assert.deepEqual(
      sections.map(([, code, status]) => [code, Number(status)]),
      ERROR_CODES.map((code) => [code, ERRORS[code].status]),
    );
    const anchors = [...errorsPage().matchAll(/<h3 id="(\w+)">/g)].map(([, anchor]) => anchor);
    assert.deepEqual(anchors, ERROR_CODES);
  });

  test('the page tells of each code its cause, its cure, whether to retry, and its own members', () => {
    const page = errorsMarkdown();
    for (const code of ERROR_CODES) {
      const section = page.split(`### \`${code}\`\n`)[1]?.split('\n#')[0] ?? '';
      for (const fact of ['Cause', 'Cure', 'Retry']) assert.match(section, new RegExp(`- \\*\\*${fact}:\\*\\* \\S.+`));
      for (const name of Object.keys(ERRORS[code].extras ?? {})) assert.ok(section.includes(`\`${name}\``), name);
    }
  });

  test('the document has a schema for each code that an operation can answer with, and an example for each other', () => {
    const inSchemas = Object.values(schemas).flatMap(({ properties }) => {
      const members = (properties ?? {}) as { code?: { const?: string }; status?: { const?: number } };
      return members.code?.const === undefined ? [] : [[members.code.const, members.status?.const] as const];
    });
    const other = (responses.ApiError as { content: Record<string, { examples: Record<string, { value: Json }> }> })
      .content;
    const inExamples = Object.values(other['application/json']?.examples ?? {}).map(
      ({ value }) => [value.code, value.status] as const,
    );
    assert.deepEqual(
      Object.fromEntries([...inSchemas, ...inExamples]),
      Object.fromEntries(PUBLIC_ERRORS.codes.map((code) => [code, ERRORS[code].status])),
    );
  });

  test('the page lists the codes of problems and of warnings once each', () => {
    for (const codes of [PROBLEM_GUIDE.flatMap((group) => group.codes), WARNING_GUIDE]) {
      const names = codes.map(({ code }) => code);
      assert.equal(new Set(names).size, names.length);
      for (const name of names) assert.match(name, /^[a-z]+(_[a-z]+)*$/);
    }
  });

  test('the page lists every code of a problem or a warning that the source can give, and no other', () => {
    const listed = [...PROBLEM_GUIDE.flatMap((group) => group.codes), ...WARNING_GUIDE].map(({ code }) => code);
    const given = codesInSource();
    assert.deepEqual(
      {
        missing: given.filter((code) => !listed.includes(code)),
        outdated: listed.filter((code) => !given.includes(code)),
      },
      { missing: [], outdated: [] },
    );
  });
});

/** Commands and the import of a catalogue speak to an operator, not to a caller of the API. */
const NOT_FOR_CALLERS =
  /^src\/(bin\/|lib\/(schemas|error-catalogue|validation\/problem-codes)|pricing\/(check-|import-)|catalogue\/(document|set-stock)|accounts\/|http\/contract\/)|\.test\.ts$/;

/** How the source writes a code: as a member, a constant, or the first argument of what makes a refusal. */
const GIVES_A_CODE = [
  /\bcode: ([^,}\n;]+)/g,
  /\b(?:say|refusal)\(('[a-z_]+')/g,
  /\bconst [A-Z_]+ = ('unknown_[a-z]+')/g,
];

/** Every word that stands as the code of a problem or a warning in the source of the API. */
function codesInSource(): readonly string[] {
  const sources = globSync('src/**/*.ts')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !NOT_FOR_CALLERS.test(path))
    .map((path) => readFileSync(path, 'utf8'));
  const errorCodes: readonly string[] = ERROR_CODES;
  const found = sources.flatMap((text) =>
    GIVES_A_CODE.flatMap((pattern) =>
      [...text.matchAll(pattern)].flatMap((match) =>
        [...(match[1] ?? '').matchAll(/(?<!== |\[)'([a-z_]+)'/g)].map(([, word]) => word ?? ''),
      ),
    ),
  );
  return [...new Set(found)].filter((code) => !errorCodes.includes(code)).toSorted();
}

describe('every code is reached over HTTP, with the body that the document gives it', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  type Refused = { status: number; body: ErrorReply };

  const signInAt = (origin: string): Promise<Refused> =>
    call(service, 'POST', '/portal/api/v1/session', {
      body: { email: 'nobody@shop.example', password: 'wrong' },
      headers: { origin },
    });

  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Refused> => service.customer.request(method, path, body, headers);

  async function placed(): Promise<CreatedOrder> {
    const { status, body } = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
    assert.equal(status, 201);
    return body;
  }

  /** Lets a trigger stand in for what goes wrong while a request is under way. */
  async function withTrigger(kind: string, action: string, refuse: () => Promise<Refused>): Promise<Refused> {
    await service.ctx.database.script(`
      create function go_wrong() returns trigger language plpgsql as $$ begin ${action}; return new; end $$;
      create trigger go_wrong before insert on posting for each row when (new.kind = '${kind}')
        execute function go_wrong();`);
    try {
      return await refuse();
    } finally {
      await service.ctx.database.script('drop function go_wrong() cascade');
    }
  }

  async function throughDoors(
    options: Parameters<typeof startDoors>[0],
    chunks: readonly string[],
    times = 1,
  ): Promise<Refused> {
    const doors = await startDoors(options);
    try {
      let text: string | undefined;
      for (let count = 0; count < times; count += 1) text = await exchange(doors.port, chunks);
      const [head = '', body = ''] = (text ?? '').split('\r\n\r\n');
      return { status: Number(head.split(' ')[1]), body: JSON.parse(body) as ErrorReply };
    } finally {
      await doors.drain(0);
    }
  }

  const request = (line: string, ...headers: string[]): string =>
    [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');

  async function fetchMockup(headers: Record<string, string>): Promise<Refused> {
    const product = await service.customer.request<{ mockup_url: string }>(
      'GET',
      `/products/${service.demo.products.fixed}`,
    );
    const { pathname, search } = new URL(product.body.mockup_url);
    const response = await fetch(service.url + pathname + search, { headers });
    return { status: response.status, body: (await response.json()) as ErrorReply };
  }

  /** Starts a line whose print file was given up. */
  async function startUnready(): Promise<Refused> {
    const order = await placed();
    const [line] = order.items.lineItems;
    const { request: act } = await service.openOperator('production');
    assert.equal((await act('POST', `/orders/${order.id}/promote`)).status, 200);
    await service.ctx.database.script(
      `update print_file set state = 'failed', output_hash = null, ready_at = null, failure = 'no ink'`,
    );
    return act('POST', `/orders/${order.id}/lines/${line?.id}/start`);
  }

  /** Pays an unpaid order whose print files ended. */
  async function settleExpired(): Promise<Refused> {
    const order = await placed();
    await service.ctx.database.script(
      `update orders set changed_by = transaction_number(), state = 'awaiting_payment', balance_paid_pence = 0, paid_at = null where reference = '${order.reference}';
       delete from print_file f using print_job j, orders o
       where j.print_file_key = f.key and o.id = j.order_id and o.reference = '${order.reference}'`,
    );
    const { request: act } = await service.openOperator('finance');
    return act('POST', `/orders/${order.id}/settle`);
  }

  /** Ships a printed piece that has started, in a shop that ships finished ones alone. */
  async function shipUnfinished(): Promise<Refused> {
    const careful = await startTestService({ env: { SHIP_REQUIRES: 'finished' } });
    try {
      const order = await careful.customer.request<CreatedOrder>('POST', '/orders', basket(careful));
      const line = order.body.items.lineItems[0]?.id;
      await careful.ctx.database.script(
        `update order_line set started_at = now(); update orders set changed_by = transaction_number(), state = 'in_production'`,
      );
      const { request: act } = await careful.openOperator('production');
      const items = [{ line_id: line, quantity: 1 }];
      return await act('POST', `/orders/${order.body.id}/shipments`, { carrier: 'DPD', tracking_number: '1', items });
    } finally {
      await careful.stop();
    }
  }

  async function shipShort(): Promise<Refused> {
    const { request: act } = await service.openOperator('production');
    const sku = 'TEE-CLASSIC-NVY-2XL';
    assert.equal((await act('POST', '/stock/counts', { items: [{ sku, on_hand: 1 }] })).status, 201);
    const items = basket(service).items.map((item) => ({ ...item, variant_sku: sku, print_jobs: [] }));
    const { body: order } = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service, { items }));
    const line = order.items.lineItems[0]?.id;
    assert.equal((await act('POST', `/orders/${order.id}/promote`)).status, 200);
    assert.equal((await act('POST', `/orders/${order.id}/start`, {})).status, 200);
    const spoiled = { quantity: 1, reason: 'torn' };
    assert.equal((await act('POST', `/orders/${order.id}/lines/${line}/spoil`, spoiled)).status, 200);
    const parcel = [{ line_id: line, quantity: 1 }];
    return act('POST', `/orders/${order.id}/shipments`, { carrier: 'DPD', tracking_number: '1', items: parcel });
  }

  const rows: readonly (readonly [what: string, code: ErrorCode, refuse: () => Promise<Refused>])[] = [
    ['7 invalid_request', 'invalid_request', () => ask('POST', '/orders', '{ not json')],
    ['7 unauthorized', 'unauthorized', () => ask('GET', '/orders', undefined, { authorization: 'Bearer pat_live_no' })],
    [
      '7 insufficient_scope',
      'insufficient_scope',
      async () => (await service.openCustomer({ scopes: [] })).request('GET', '/orders'),
    ],
    ['7 not_found', 'not_found', () => ask('GET', '/products/prod_unknown')],
    ['a method that the path does not take', 'method_not_allowed', () => ask('PUT', '/orders', {})],
    [
      'a request that does not arrive in time',
      'request_timeout',
      () => throughDoors({ timeouts: { requestMs: 200 } }, ['POST /api/v1/orders HTTP/1.1\r\nHost: x\r\n']),
    ],
    [
      '7 conflict',
      'conflict',
      async () => {
        const base = await service.customer.request<{
          base_product: { id: string };
          variants: { blank_variant_sku: string }[];
        }>('GET', `/products/${service.demo.products.fixed}`);
        const created = await service.customer.request<{ id: string }>('POST', '/products', {
          base_product_id: base.body.base_product.id,
          name: 'Soon archived',
          variant_skus: [base.body.variants[0]?.blank_variant_sku],
        });
        await service.customer.request('DELETE', `/products/${created.body.id}`);
        return ask('PATCH', `/products/${created.body.id}`, { name: 'Again' });
      },
    ],
    [
      '7 cancellation_window_closed',
      'cancellation_window_closed',
      async () => {
        const order = await placed();
        service.shiftMs(3_600_001);
        try {
          return await ask('POST', `/orders/${order.id}/cancel`);
        } finally {
          service.shiftMs(0);
        }
      },
    ],
    [
      '7 out_of_stock',
      'out_of_stock',
      () =>
        ask(
          'POST',
          '/orders',
          basket(service, { items: Array.from({ length: 100 }, () => teeItem(service, { quantity: 10_000 })) }),
        ),
    ],
    ['7 price_changed', 'price_changed', () => ask('POST', '/orders', { ...basket(service), expected_total: 0.01 })],
    [
      '7 duplicate_external_reference',
      'duplicate_external_reference',
      async () => {
        const order = basket(service, { external_reference: 'taken by another' });
        await ask('POST', '/orders', order);
        return (await service.openCustomer()).request('POST', '/orders', order);
      },
    ],
    ['a body of more than 1 MiB', 'payload_too_large', () => ask('POST', '/orders', `"${'x'.repeat(1_048_576)}"`)],
    [
      'a body that is not announced as JSON',
      'unsupported_media_type',
      () => ask('POST', '/orders', '{}', { 'content-type': 'text/plain' }),
    ],
    ['a range that a file does not reach', 'range_not_satisfiable', () => fetchMockup({ range: 'bytes=99999999999-' })],
    ['7 validation_failed', 'validation_failed', () => ask('GET', '/orders?limit=0')],
    [
      '7 webhook event',
      'validation_failed',
      async () => {
        const refused = await ask('POST', '/webhooks', { url: service.stranger.url('/x'), events: ['order.lost'] });
        const { valid_events: names } = refused.body as ErrorReply & { valid_events?: string[] };
        assert.equal(names?.length, 7);
        return refused;
      },
    ],
    [
      'headers of more than 16 KiB',
      'headers_too_large',
      () => throughDoors({}, [request('GET /api/v1/orders', `X: ${'x'.repeat(20_000)}`)]),
    ],
    [
      '7 rate_limited',
      'rate_limited',
      () => {
        const settings = {
          baseUrl: 'http://127.0.0.1',
          trustProxy: undefined,
          rateLimitTokenPerMinute: 1,
          rateLimitIpPerMinute: 0,
        };
        const request =
          'GET /api/v1/orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer good\r\n\r\n';
        return throughDoors({ settings }, [request], 2);
      },
    ],
    [
      'a fault of our own',
      'internal_error',
      () => withTrigger('charge', `raise exception 'broken'`, () => ask('POST', '/orders', basket(service))),
    ],
    [
      '7 not_implemented',
      'not_implemented',
      () =>
        ask('POST', '/tax/rates', {
          destination: { country: 'GB', postcode: 'LS1 4DY' },
          lines: [{ variant_id: 'var_01k9zq5v8xfz3r6t2m4n7p0qsw', qty: 1, unit_price: 10 }],
          currency: 'GBP',
        }),
    ],
    [
      '7 refund_failed',
      'refund_failed',
      async () => {
        const order = await placed();
        const cancel = (): Promise<Refused> => ask('POST', `/orders/${order.id}/cancel`);
        return withTrigger('refund', `raise exception 'no refunds today' using errcode = 'P0001'`, cancel);
      },
    ],
    [
      'money to be moved without a key',
      'idempotency_key_required',
      async () => (await service.openOperator('finance')).request('POST', '/orders/PF-NOBODYS1/settle', undefined, {}),
    ],
    ['a line whose artwork is not ready', 'artwork_not_ready', startUnready],
    ['a parcel with pieces that nobody finished', 'pieces_not_finished', shipUnfinished],
    ['a parcel with a spoiled piece for which there is no blank', 'pieces_short', shipShort],
    ['a payment of an order whose artwork has ended', 'artwork_expired', settleExpired],
    [
      'a delivery note that is booked already',
      'duplicate_receipt',
      async () => {
        const { request: act } = await service.openOperator('production');
        const receipt = { items: [{ sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }], reference: 'DN-1' };
        assert.equal((await act('POST', '/stock/receipts', receipt)).status, 201);
        return act('POST', '/stock/receipts', receipt);
      },
    ],
    ['a sign-in by a wrong password', 'sign_in_refused', () => signInAt(service.url)],
    ['a sign-in from the page of another site', 'csrf_refused', () => signInAt('null')],
    [
      'a sign-in without the code of the second factor',
      'second_factor_required',
      async () => {
        const { person } = await openProtected(service);
        const body = { email: person.email, password: PASSWORD };
        return call(service, 'POST', '/portal/api/v1/session', { body, headers: { origin: service.url } });
      },
    ],
    [
      'a token for which the password was given too long ago',
      'proof_required',
      async () => {
        const client = await openRole(service, 'owner');
        await pastProof(service, client);
        return client.request('POST', '/tokens', { body: { name: 'x', scopes: ['orders:read'] } });
      },
    ],
    [
      'the database is away',
      'unavailable',
      async () => {
        const order = await placed();
        const cancel = (): Promise<Refused> => ask('POST', `/orders/${order.id}/cancel`);
        return withTrigger('refund', 'perform pg_terminate_backend(pg_backend_pid())', cancel);
      },
    ],
  ];

  for (const [what, code, refuse] of rows) {
    test(`${what} is answered with its code, its status and its own members`, async () => {
      const { status, body } = await refuse();
      assert.deepEqual([body.code, body.status, status], [code, ERRORS[code].status, ERRORS[code].status]);
      if (ERRORS[code].api === 'operations') {
        assert.deepEqual(opsProblemsAt(['components', 'schemas', errorSchemaName(code)], body), []);
        return;
      }
      if (ERRORS[code].api === 'portal') {
        assert.deepEqual(portalProblemsAt(['components', 'schemas', errorSchemaName(code)], body), []);
        return;
      }
      const { schemas } = (JSON.parse(committedDocument().document) as { components: { schemas: Json } }).components;
      const name = Object.hasOwn(schemas, errorSchemaName(code)) ? errorSchemaName(code) : 'ApiError';
      assert.deepEqual(problemsAt(['components', 'schemas', name], body), []);
    });
  }

  test('no code of the catalogue is left out above', () => {
    assert.deepEqual([...new Set(rows.map(([, code]) => code))].toSorted(), ERROR_CODES.toSorted());
  });
});
