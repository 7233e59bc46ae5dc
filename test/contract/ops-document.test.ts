import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { OPS_ROUTES } from '../../src/app/ops-routes.ts';
import { rolesThatMay } from '../../src/http/authenticate.ts';
import { type Json, lookUp, referencesIn } from './breaking-schema.ts';
import { committedOpsDocument } from './committed.ts';

const { document: text, file } = committedOpsDocument();
const document = JSON.parse(text) as Json;

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Json[];
  readonly responses: Json;
};

const operations = Object.entries(document.paths as Json).flatMap(([path, item]) =>
  Object.entries(item as Json).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    ...(operation as Operation),
  })),
);

test('the committed document of the operations API is the one that the code makes', () => {
  assert.ok(
    existsSync(file) && readFileSync(file, 'utf8') === text,
    `${file} differs from the code. Run: npm run openapi`,
  );
});

/** What scripts of operators rely on. */
const PROMISED = [
  'GET /orders',
  'GET /orders/{id}',
  'POST /orders/promote',
  'POST /orders/{id}/promote',
  'POST /orders/{id}/hold',
  'POST /orders/{id}/resume',
  'POST /orders/{id}/lines/{line}/start',
  'POST /orders/{id}/shipments',
  'PATCH /orders/{id}/shipments/{shipment}',
  'POST /orders/{id}/lines/{line}/pause',
  'POST /orders/{id}/lines/{line}/resume',
  'POST /orders/{id}/lines/{line}/finish',
  'POST /orders/{id}/lines/{line}/spoil',
  'PATCH /orders/{id}/address',
  'POST /orders/{id}/replacement',
  'POST /orders/{id}/refunds',
  'POST /print-files/retry',
  'POST /stock/receipts',
  'POST /stock/counts',
  'GET /stock',
  'POST /orders/{id}/cancel',
  'POST /orders/{id}/settle',
  'POST /orders/{id}/refunds/{payment_id}/paid',
  'GET /orders/{id}/print-files',
  'GET /orders/{id}/packing-slip',
  'GET /orders/{id}/job-sheet',
  'POST /webhooks/flush',
];

describe('the document of the operations API', () => {
  test('has every operation that is promised to scripts', () => {
    const names = operations.map(({ name }) => name.replaceAll('{payment}', '{payment_id}'));
    assert.deepEqual(
      PROMISED.filter((name) => !names.includes(name)),
      [],
    );
  });

  test('has every operation that is served, once, and no other', () => {
    const served = OPS_ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:([^/]+)/g, '{$1}')}`);
    assert.deepEqual(operations.map(({ name }) => name).toSorted(), served.toSorted());
    const names = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(names).size, names.length, 'operations that share a name');
  });

  test('names each operation as a verb and its object, says in a line what it does, and who may', () => {
    const wrong = operations.filter(
      ({ operationId, summary }) =>
        !/^[a-z]+([A-Z][a-z]+)+$/.test(operationId) || summary.length > 50 || /[.\n]$/.test(summary),
    );
    assert.deepEqual(
      wrong.map(({ name, operationId, summary }) => `${name}: ${operationId}: ${summary}`),
      [],
    );
    for (const route of OPS_ROUTES) {
      const { description = '' } = operations.find(({ operationId }) => operationId === route.operationId) ?? {};
      assert.ok(
        description.endsWith(`Needs the role ${rolesThatMay(route.access.roles).join(', ')}.`),
        route.operationId,
      );
    }
  });

  test('gives each change its Idempotency-Key, and no read', () => {
    for (const { name, parameters = [], responses } of operations) {
      const hasKey = parameters.some(({ $ref }) => /\/(Required-)?Idempotency-Key$/.test(String($ref)));
      assert.equal(hasKey, !name.startsWith('GET'), name);
      if (hasKey) assert.ok('409' in responses && '422' in responses, name);
      for (const status of ['400', '401', '403', '429', '500', '503', 'default']) assert.ok(status in responses, name);
    }
  });

  test('describes every parameter', () => {
    const silent = operations.flatMap(({ name, parameters = [] }) =>
      parameters
        .filter((parameter) => {
          const { description } =
            typeof parameter.$ref === 'string' ? (lookUp(document, parameter.$ref) as Json) : parameter;
          return typeof description !== 'string';
        })
        .map((parameter) => `${name} ${String(parameter.name)}`),
    );
    assert.deepEqual(silent, []);
  });

  test('says nothing that is the service’s own business, and leads every reference somewhere', () => {
    for (const word of ['x-message', 'x-openapi', '~kind', '"default":null']) assert.ok(!text.includes(word), word);
    assert.doesNotMatch(text, /\/(home|root|work|tmp)\//);
    const references = referencesIn(document);
    assert.ok(references.length > 100, `${references.length} references`);
    for (const reference of references) lookUp(document, reference);
  });
});
