import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { PORTAL_ROUTES } from '../../src/app/portal-routes.ts';
import { whoMayCall } from '../../src/http/contract/portal-openapi.ts';
import { isPersonRoute } from '../../src/lib/route.ts';
import { call, openRole } from '../harness/portal.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../harness/service.ts';
import { type Json, lookUp, referencesIn } from './breaking-schema.ts';
import { committedPortalDocument } from './committed.ts';

const { document: text, file } = committedPortalDocument();
const document = JSON.parse(text) as Json;

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Json[];
  readonly parameters?: readonly Json[];
  readonly responses: Json;
};

const operations = Object.entries(document.paths as Json).flatMap(([path, item]) =>
  Object.entries(item as Json).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    ...(operation as Operation),
  })),
);

test('the committed document of the portal is the one that the code makes', () => {
  const isSame = existsSync(file) && readFileSync(file, 'utf8') === text;
  assert.ok(isSame, `${file} differs from the code. Run: npm run openapi`);
});

/** Operations that must not be done twice, however often they are asked for. */
const KEYED: ReadonlySet<string> = new Set(['POST /top-ups', 'POST /payment-method/savings']);

describe('the document of the portal', () => {
  test('has every operation that is served, once, and no other', () => {
    const served = PORTAL_ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:([^/]+)/g, '{$1}')}`);
    assert.deepEqual(operations.map(({ name }) => name).toSorted(), served.toSorted());
    const names = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(names).size, names.length, 'operations that share a name');
  });

  test('names each operation as a verb and its object, says in a line what it does, and who may', () => {
    for (const { operationId, summary } of operations) {
      assert.match(operationId, /^[a-z]+([A-Z][a-z]+)+$/);
      assert.ok(summary.length <= 50 && !/[.\n]$/.test(summary), summary);
    }
    for (const route of PORTAL_ROUTES) {
      const { description = '', security } = operations.find((one) => one.operationId === route.operationId) ?? {};
      assert.ok(description.endsWith(whoMayCall(route)), route.operationId);
      assert.deepEqual(security, isPersonRoute(route) ? [{ session: [] }] : []);
    }
  });

  test('gives each change its headers and the refusal without them, and no read', () => {
    for (const { name, parameters = [], responses, security } of operations) {
      const given = parameters.flatMap(({ $ref }) => /\/parameters\/([\w-]+)$/.exec(String($ref))?.[1] ?? []);
      const ofPerson = security.length > 0 ? ['X-Platen-CSRF'] : [];
      const wanted = ['Origin', ...ofPerson, ...(KEYED.has(name) ? ['Idempotency-Key'] : [])];
      assert.deepEqual(given, name.startsWith('GET') ? [] : wanted, name);
      const refused = JSON.stringify(responses['403']).includes('csrf_refused');
      assert.equal(refused, !name.startsWith('GET'), name);
    }
  });

  test('leads every reference somewhere, and says nothing that is the service’s own business', () => {
    for (const word of ['x-message', 'x-openapi', '~kind', '"default":null']) assert.ok(!text.includes(word), word);
    const references = referencesIn(document);
    assert.ok(references.length > 50, `${references.length} references`);
    for (const reference of references) lookUp(document, reference);
  });
});

describe('what the document says of every operation is so', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ role: 'api' });
  });
  after(() => service.stop());

  test('the document is served to anyone', async () => {
    const response = await fetch(`${service.url}/portal/api/v1/openapi.json`);
    assert.equal(await response.text(), JSON.stringify(document));
  });

  test('without a session each is 401, and a change without the origin or the token 403', async () => {
    const client = await openRole(service, 'owner');
    for (const route of PORTAL_ROUTES) {
      const path = `/portal/api/v1${route.path.replaceAll(/:\w+/g, 'nothing')}`;
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : {};
      if (isPersonRoute(route)) {
        const { status } = await call(service, route.method, path, { body, headers: { origin: service.url } });
        assert.equal(status, 401, route.operationId);
      }
      if (route.method === 'GET') continue;
      const cookie = `platen_session=${client.secret}`;
      const token = client.session.csrf_token;
      const wrong = [
        { cookie, 'x-platen-csrf': token },
        ...(isPersonRoute(route) ? [{ cookie, origin: service.url }] : []),
      ];
      for (const headers of wrong) {
        const answer: Answer<ErrorReply> = await call(service, route.method, path, { body, headers });
        assert.deepEqual([answer.status, answer.body.code], [403, 'csrf_refused'], route.operationId);
      }
    }
  });

  test('each role that an operation does not name is refused', async () => {
    for (const role of ['owner', 'manager', 'orders', 'reader'] as const) {
      const client = await openRole(service, role);
      for (const route of PORTAL_ROUTES.filter(isPersonRoute)) {
        if (route.access.people.includes(role)) continue;
        const body = route.method === 'GET' ? {} : { body: {} };
        const answer = await client.request(route.method, route.path.replaceAll(/:\w+/g, 'nothing'), body);
        assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_scope'], route.operationId);
      }
    }
  });
});
