import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Running, type Seen, startDoors } from '../../test/harness/server-fixture.ts';
import { type Deprecation, type Route, route } from '../lib/route.ts';
import { Type } from '../lib/typebox.ts';
import { openApiDocument } from './contract/openapi.ts';
import { deprecationHeaders } from './deprecation.ts';

const INSTEAD = 'Use `GET /orders`.';

function operation(path: string, operationId: string, deprecated?: Deprecation): Route<Seen> {
  return route({
    method: 'GET',
    path,
    operationId,
    access: { scope: 'orders:read' },
    summary: 'List',
    description: 'All of them.',
    ...(deprecated === undefined ? {} : { deprecated }),
    query: Type.Object({ limit: Type.Optional(Type.String({ pattern: '^\\d+$' })) }),
    replies: { 200: Type.Object({ old: Type.Optional(Type.String({ deprecated: true })) }) },
    handle: async () => ({ status: 200, body: {} }),
  });
}

// Operations of the client, since the document has a sample of each.
const ROUTES = [
  operation('/orders', 'listOrders'),
  operation('/orders/replaced', 'listProducts', { since: '2026-11-22', instead: INSTEAD }),
  operation('/orders/ending', 'listWebhooks', { since: '2026-11-22', sunset: '2027-11-22', instead: INSTEAD }),
];

describe('a deprecated operation', () => {
  let doors: Running;
  before(async () => {
    doors = await startDoors({ routes: ROUTES });
  });
  after(() => doors.drain(0));

  async function headersOf(path: string, init: RequestInit = {}): Promise<readonly (string | null)[]> {
    const headers = { authorization: 'Bearer good' };
    const response = await fetch(doors.url + path, { headers, ...init });
    await response.arrayBuffer();
    return [String(response.status), ...['deprecation', 'sunset', 'link'].map((name) => response.headers.get(name))];
  }
  const LINK = '</docs>; rel="deprecation"; type="text/html"';

  test('says since when, and where it is described; nothing of an end that is not decided', async () => {
    assert.deepEqual(await headersOf('/orders/replaced'), ['200', '@1795305600', null, LINK]);
  });

  test('says when it ends, once that is decided, also to HEAD and where it refuses', async () => {
    const said = ['@1795305600', 'Mon, 22 Nov 2027 00:00:00 GMT', LINK];
    assert.deepEqual(await headersOf('/orders/ending'), ['200', ...said]);
    assert.deepEqual(await headersOf('/orders/ending', { method: 'HEAD' }), ['200', ...said]);
    assert.deepEqual(await headersOf('/orders/ending?limit=x'), ['422', ...said]);
    assert.deepEqual(await headersOf('/orders/ending', { headers: {} }), ['401', ...said]);
  });

  test('is the only one that does', async () => {
    assert.deepEqual(await headersOf('/orders'), ['200', null, null, null]);
  });
});

describe('the document', () => {
  type Operation = {
    readonly deprecated?: boolean;
    readonly description?: string;
    readonly responses: { readonly 200: { readonly headers: object; readonly content: object } };
  };
  type Document = {
    readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
    readonly components: { readonly headers: object };
  };
  const written = (routes: readonly Route<Seen>[]): Document =>
    JSON.parse(JSON.stringify(openApiDocument(routes))) as Document;

  test('marks it, says what to use instead and when it ends, and describes its headers', () => {
    const { paths, components } = written(ROUTES);
    const [current, replaced, ending] = ['/orders', '/orders/replaced', '/orders/ending'].map(
      (path) => paths[path]?.get,
    );
    assert.ok(current && replaced && ending);
    assert.deepEqual([current.deprecated, replaced.deprecated, ending.deprecated], [undefined, true, true]);
    assert.match(current.description ?? '', /^All of them\.\n/);
    assert.match(
      replaced.description ?? '',
      /^\*\*Deprecated since 2026-11-22\.\*\* Use `GET \/orders`\.\n\nAll of them\.\n/,
    );
    assert.match(ending.description ?? '', /Use `GET \/orders`\. From 2027-11-22 on it is no longer answered\./);
    for (const name of ['Deprecation', 'Sunset', 'Link']) {
      assert.ok(name in replaced.responses[200].headers && name in components.headers, name);
      assert.ok(!(name in current.responses[200].headers), name);
    }
    assert.match(
      JSON.stringify(current.responses[200].content),
      /"deprecated":true/,
      'a member is marked by its schema',
    );
  });

  test('does not have the headers while nothing is deprecated', () => {
    assert.ok(!('Sunset' in written(ROUTES.slice(0, 1)).components.headers));
  });
});

describe('what is deprecated works for twelve months more', () => {
  const ends = (since: string, sunset: string) => () => deprecationHeaders({ since, sunset, instead: INSTEAD });

  test('twelve months to the day are enough', () => {
    assert.equal(ends('2026-02-28', '2027-02-28')().sunset, 'Sun, 28 Feb 2027 00:00:00 GMT');
  });

  test('an earlier end, and what is no day, end the start', () => {
    assert.throws(ends('2026-11-22', '2027-11-21'), /since 2026-11-22 must work for 12 months more/);
    for (const day of ['2027-02-30', '22.11.2027', 'soon']) assert.throws(ends('2026-11-22', day), /is not a day/);
    assert.throws(() => deprecationHeaders({ since: '', instead: INSTEAD }), /is not a day/);
  });
});
