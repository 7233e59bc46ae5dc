import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { API_ROUTES } from '../../src/app/service.ts';
import { errorsPage } from '../../src/http/contract/docs-errors.ts';
import { errorCodesOf } from '../../src/http/contract/error-responses.ts';
import { EXAMPLES } from '../../src/http/contract/examples.ts';
import { PAGE_LIMIT_MAX } from '../../src/lib/paging.ts';
import { compileQuery } from '../../src/lib/validation/validate.ts';
import type { CreatedOrder, Estimate } from '../../src/orders/schema.ts';
import type { Cancellation } from '../../src/refunds/schema.ts';
import { EVENT_NAMES } from '../../src/webhooks/events.ts';
import { EVENT_EXAMPLES } from '../../src/webhooks/recovery/sample-events.ts';
import { problemsAt } from '../harness/contract.ts';
import { isObject, type Json, lookUp, referencesIn } from './breaking-schema.ts';
import { committedDocument } from './committed.ts';

const { document: text, file } = committedDocument();
const document = JSON.parse(text) as Json;

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Json };
  readonly responses: Json;
};

const operations = Object.entries(document.paths as Json).flatMap(([path, item]) =>
  Object.entries(item as Json).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    ...(operation as Operation),
  })),
);

test('the committed document is the one that the code makes', () => {
  assert.ok(
    existsSync(file) && readFileSync(file, 'utf8') === text,
    `${file} differs from the code. Run: npm run openapi`,
  );
});

describe('the document', () => {
  test('has every operation that is served, once, and no other', () => {
    const served = API_ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:([^/]+)/g, '{$1}')}`);
    assert.deepEqual(operations.map(({ name }) => name).toSorted(), served.toSorted());
    const names = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(names).size, names.length, 'operations that share a name');
  });

  test('names each operation as a verb and its object, and says in a line what it does', () => {
    const wrong = operations.filter(
      ({ operationId, summary }) =>
        !/^[a-z]+([A-Z][a-z]+)+$/.test(operationId) || summary.length > 50 || /[.\n]$/.test(summary),
    );
    assert.deepEqual(
      wrong.map(({ name, operationId, summary }) => `${name}: ${operationId}: ${summary}`),
      [],
    );
  });

  test('lists each section once, and each operation in one of them', () => {
    const tags = (document.tags as { name: string }[]).map(({ name }) => name);
    const used = operations.flatMap((operation) => operation.tags);
    assert.deepEqual([...new Set([...used, 'Events'])].toSorted(), tags.toSorted());
  });

  test('says nothing that is the service’s own business', () => {
    for (const word of ['x-message', 'x-openapi', '~kind', '"default":null']) {
      assert.ok(!text.includes(word), word);
    }
    assert.doesNotMatch(text, /\/(home|root|work|tmp)\//);
  });

  test('describes every parameter and every member of a request', () => {
    const silent: string[] = [];
    for (const { name, parameters = [], requestBody } of operations) {
      for (const parameter of parameters) {
        if (typeof parameter.description !== 'string') silent.push(`${name} ${String(parameter.name)}`);
      }
      const content = requestBody?.content['application/json'];
      if (isObject(content)) silent.push(...undescribed(content.schema, name, new Set()));
    }
    assert.deepEqual([...new Set(silent)], []);
  });

  test('gives each refusal that the doors know of, for each operation', () => {
    for (const { name, parameters = [], requestBody, responses } of operations) {
      const expected = ['400', '401', '403', '429', '500', '503', 'default'];
      if (parameters.some((parameter) => parameter.in === 'path')) expected.push('404');
      if (parameters.some((parameter) => parameter.in === 'query')) expected.push('422');
      if (requestBody !== undefined) expected.push('413', '415', '422');
      assert.deepEqual(
        expected.filter((status) => responses[status] === undefined),
        [],
        name,
      );
    }
  });

  test('leads from each operation to each of its errors on the page of errors', () => {
    const pages = errorsPage();
    for (const { name, operationId, description } of operations) {
      const route = API_ROUTES.find((one) => one.operationId === operationId);
      assert.ok(route !== undefined, name);
      const linked = [...description.matchAll(/\[`(\w+)`\]\(\/docs\/errors#(\w+)\)/g)];
      assert.deepEqual(
        linked.map(([, code]) => code),
        errorCodesOf(route),
        name,
      );
      for (const [, code, anchor] of linked) assert.ok(code === anchor && pages.includes(`id="${anchor}"`), name);
    }
  });

  test('leads every reference somewhere', () => {
    const references = referencesIn(document);
    assert.ok(references.length > 100, `${references.length} references`);
    for (const reference of references) lookUp(document, reference);
  });

  test('4.1 documents limit as it is taken: whole numbers from 1 to 100', () => {
    const lists = API_ROUTES.filter(({ query }) => query !== undefined && JSON.stringify(query).includes('"limit"'));
    assert.ok(lists.length >= 5);
    for (const route of lists) {
      assert.ok(route.query !== undefined);
      const shape = compileQuery(route.query);
      const operation = operations.find(({ operationId }) => operationId === route.operationId);
      const limit = operation?.parameters?.find((parameter) => parameter.name === 'limit');
      assert.deepEqual(limit?.schema, { type: 'integer', minimum: 1, maximum: PAGE_LIMIT_MAX, default: 25 });
      for (let value = -2; value <= PAGE_LIMIT_MAX + 2; value += 1) {
        const isTaken = shape({ limit: String(value) }).length === 0;
        assert.equal(isTaken, value >= 1 && value <= PAGE_LIMIT_MAX, `${route.operationId} limit=${value}`);
      }
    }
  });

  test('6.3 shows for every event a payload that its schema takes', () => {
    for (const event of EVENT_NAMES) {
      const content = lookUp(document, `#/webhooks/${event}/post/requestBody/content/application~1json`) as Json;
      const example = content.example as Json;
      assert.deepEqual(example.data, EVENT_EXAMPLES[event]);
      const pointer = ['webhooks', event, 'post', 'requestBody', 'content', 'application/json', 'schema'];
      assert.deepEqual(problemsAt(pointer, example), [], event);
    }
  });

  test('has an example of every request and of every reply there is', () => {
    for (const { operationId, requestBody, responses } of operations) {
      const { request, reply } = EXAMPLES[operationId] ?? {};
      assert.equal(request !== undefined, requestBody !== undefined, operationId);
      const hasReply = Object.entries(responses).some(
        ([status, response]) => status.startsWith('2') && isObject(response) && 'content' in response,
      );
      assert.equal(reply !== undefined, hasReply && responses['501'] === undefined, operationId);
    }
  });

  test('tells one true story in its examples: what was estimated was charged, and given back', () => {
    const example = (operationId: string) => EXAMPLES[operationId]?.reply;
    const estimate = example('estimateOrder') as Estimate;
    const created = example('placeOrder') as CreatedOrder;
    const cancelled = example('cancelOrder') as Cancellation;
    const { charged } = created;
    const parts = [
      charged.subtotal,
      charged.setup_total,
      charged.shipping_cost,
      charged.vat_amount,
      charged.duty_amount,
    ];
    assert.equal(Math.round(parts.reduce((sum, part) => sum + part * 100, 0)), Math.round(charged.total * 100));
    assert.deepEqual([estimate.total, cancelled.refunded_gbp], [charged.total, charged.total]);
    assert.deepEqual((example('getOrder') as { id: string }).id, created.id);
    assert.doesNotMatch(text, /127\.0\.0\.1|localhost|example\.test/);
  });

  test('shows examples of requests and replies that their schemas take', () => {
    const wrong: string[] = [];
    const visit = (value: unknown, pointer: readonly string[]): void => {
      if (Array.isArray(value) || !isObject(value)) return;
      if (isObject(value.schema) && pointer.at(-1) === 'application/json') {
        const named = isObject(value.examples) ? Object.values(value.examples) : [];
        const examples = [
          ...('example' in value ? [value.example] : []),
          ...named.map((example) => (example as Json).value),
        ];
        for (const example of examples) {
          const problems = problemsAt([...pointer, 'schema'], example);
          wrong.push(...problems.map((problem) => `${pointer.join(' ')}: ${problem}`));
        }
      }
      for (const [name, member] of Object.entries(value)) visit(member, [...pointer, name]);
    };
    visit(document, []);
    assert.deepEqual(wrong, []);
  });
});

/** The members of a request, however deep, of which the document does not say what they are. */
function undescribed(schema: unknown, where: string, seen: Set<string>): string[] {
  if (!isObject(schema)) return [];
  if (typeof schema.$ref === 'string') {
    if (seen.has(schema.$ref)) return [];
    return undescribed(lookUp(document, schema.$ref), where, new Set([...seen, schema.$ref]));
  }
  const members = Object.entries(isObject(schema.properties) ? schema.properties : {});
  const own = members.filter(([, member]) => !isDescribed(member)).map(([name]) => `${where} ${name}`);
  const inside = [
    ...members.map(([name, member]) => [member, `${where} ${name}`] as const),
    [schema.items, `${where}[]`] as const,
    ...(Array.isArray(schema.anyOf) ? schema.anyOf.map((branch: unknown) => [branch, where] as const) : []),
  ];
  return [...own, ...inside.flatMap(([member, at]) => undescribed(member, at, seen))];
}

function isDescribed(member: unknown): boolean {
  if (!isObject(member)) return false;
  if (typeof member.description === 'string') return true;
  if (typeof member.$ref === 'string') return isDescribed(lookUp(document, member.$ref));
  return Array.isArray(member.anyOf) && member.anyOf.some(isDescribed);
}
