import assert from 'node:assert/strict';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { OPS_ROUTES } from '../../src/app/ops-routes.ts';
import { PORTAL_ROUTES } from '../../src/app/portal-routes.ts';
import { API_ROUTES } from '../../src/app/service.ts';
import { errorCodesOf } from '../../src/http/contract/error-responses.ts';
import { openApiDocument } from '../../src/http/contract/openapi.ts';
import { opsErrorCodesOf, opsOpenApiDocument } from '../../src/http/contract/ops-openapi.ts';
import { portalErrorCodesOf, portalOpenApiDocument } from '../../src/http/contract/portal-openapi.ts';
import { SHOP_OPERATIONS, shopOpenApiDocument } from '../../src/http/contract/shop-openapi.ts';
import { ERRORS, type ErrorCode } from '../../src/lib/error-catalogue.ts';
import { PROBLEM_GUIDE, WARNING_GUIDE } from '../../src/lib/validation/problem-codes.ts';

/** An answer as it came. */
export type Seen = { readonly status: number; readonly headers: Headers; readonly text: string };

type Json = { readonly [name: string]: unknown };

/** An operation of one of the three APIs, with what its route says of it. */
type Operation = {
  readonly method: string;
  readonly operationId: string;
  /** With parameters as `{id}`. */
  readonly path: string;
  readonly test: RegExp;
  /** By status: a schema, the media type of a file, or null for nothing. */
  readonly replies: Readonly<Record<number, unknown>>;
  readonly replyHeaders: Readonly<Record<number, readonly string[]>>;
  readonly errorCodes: readonly ErrorCode[];
};

/** A document and the operations that it describes; its schemas are found under `name`. */
type Contract = { readonly name: string; readonly document: Json; readonly operations: readonly Operation[] };

// Every file of tests compiles some of these schemas and asks them a few times: quick to compile counts. That the
// documents are valid themselves is the lint's to say.
const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  allErrors: true,
  validateSchema: false,
  inlineRefs: false,
  code: { optimize: false },
});
ajv.addFormat('date-time', (text: string) => text.endsWith('Z') && !Number.isNaN(Date.parse(text)));
ajv.addVocabulary(['discriminator', 'paths', 'webhooks', 'components']);
const compiled = new Map<string, ValidateFunction>();

// Most files of tests meet one of the documents or two.
const publicContract = once(() =>
  contractOf(
    'platen:contract',
    openApiDocument(API_ROUTES),
    API_ROUTES.map((route) => ({
      ...operationOf(route),
      replyHeaders: route.replyHeaders ?? {},
      errorCodes: errorCodesOf(route),
    })),
  ),
);
const operationsContract = once(() =>
  contractOf(
    'platen:operations',
    opsOpenApiDocument(OPS_ROUTES),
    OPS_ROUTES.map((route) => ({ ...operationOf(route), replyHeaders: {}, errorCodes: opsErrorCodesOf(route) })),
  ),
);
const portalContract = once(() =>
  contractOf(
    'platen:portal',
    portalOpenApiDocument(PORTAL_ROUTES),
    PORTAL_ROUTES.map((route) => ({
      ...operationOf(route),
      replyHeaders: route.replyHeaders ?? {},
      errorCodes: portalErrorCodesOf(route),
    })),
  ),
);
const shopContract = once(() =>
  contractOf(
    'platen:shops',
    shopOpenApiDocument(),
    SHOP_OPERATIONS.map((operation) => ({
      ...operationOf(operation),
      replyHeaders: {},
      errorCodes: operation.errorCodes,
    })),
  ),
);

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function contractOf(name: string, document: Json, operations: readonly Operation[]): Contract {
  const { paths, webhooks = {}, components } = document;
  ajv.addSchema({ $id: name, ...(closed({ paths, webhooks, components }) as Json) });
  return { name, document, operations };
}

function operationOf({
  method,
  path,
  operationId,
  replies,
}: Pick<Operation, 'method' | 'path' | 'operationId' | 'replies'>) {
  const test = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[^/]+/g, '[^/]+')}$`);
  return { method, operationId, replies, path: path.replaceAll(/:([^/]+)/g, '{$1}'), test };
}

/**
 * Fails when an answer of the public API is not what the OpenAPI document says of that operation: another status,
 * another code, a missing header, a member of the body that is missing, wrong or not described. Clients must ignore
 * members they do not know; here such a member is a fault of the document. What is no operation of the document must
 * be refused in the one error shape.
 */
export function checkAnswer(method: string, path: string, seen: Seen): void {
  check(publicContract(), method, path, seen);
}

/** As `checkAnswer`, for the operations API. */
export function checkOpsAnswer(method: string, path: string, seen: Seen): void {
  check(operationsContract(), method, path, seen);
}

/** As `checkAnswer`, for what only the portal has. */
export function checkPortalAnswer(method: string, path: string, seen: Seen): void {
  check(portalContract(), method, path, seen);
}

/** As `checkAnswer`, for what connected shops call. */
export function checkShopAnswer(method: string, path: string, seen: Seen): void {
  check(shopContract(), method, path, seen);
}

function check(contract: Contract, method: string, path: string, seen: Seen): void {
  const what = `${method} ${path} answered ${seen.status}: ${seen.text.slice(0, 2_000)}`;
  assert.match(seen.headers.get('x-request-id') ?? '', /^req_/, `${what}\nwithout X-Request-Id`);
  if (method === 'HEAD') return;
  const operation = findOperation(contract, method, path.split('?', 1)[0] ?? '');
  if (seen.status >= 400) checkRefusal(contract, operation, seen, what);
  else checkReply(contract, operation, seen, what);
}

/** Fails when a delivery to a webhook is not what the document's webhooks section says of its event. */
export function checkDelivery(event: string, headers: Readonly<Record<string, unknown>>, body: Buffer): void {
  const contract = publicContract();
  const items = contract.document.webhooks as Json;
  assert.ok(Object.hasOwn(items, event), `the document has no event ${event}`);
  const parameters = (contract.document.components as { parameters: Record<string, { required: boolean }> }).parameters;
  for (const [name, { required }] of Object.entries(parameters)) {
    assert.ok(!required || headers[name] !== undefined, `a delivery of ${event} came without ${name}`);
  }
  const pointer = ['webhooks', event, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  validate(contract, pointer, JSON.parse(body.toString('utf8')), `a delivery of ${event}: ${body.toString('utf8')}`);
}

/** A path that is written out goes before one with a parameter. */
function findOperation(contract: Contract, method: string, path: string): Operation | undefined {
  const found = contract.operations.filter((operation) => operation.method === method && operation.test.test(path));
  return found.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

function checkReply(contract: Contract, operation: Operation | undefined, seen: Seen, what: string): void {
  assert.ok(operation !== undefined, `${what}\nand the document has no such operation`);
  const { method, replies, operationId, replyHeaders } = operation;
  const schema = replies[seen.status];
  assert.ok(schema !== undefined, `${what}\nand ${operationId} has no such status in its replies`);
  if (seen.headers.has('idempotent-replayed')) {
    assert.ok(replyHeaders[seen.status]?.includes('Idempotent-Replayed'), `${what}\nwith a header not described`);
  }
  if (schema === null) {
    assert.equal(seen.text, '', what);
    return;
  }
  if (typeof schema === 'string') {
    assert.equal(seen.headers.get('content-type'), schema, what);
    return;
  }
  assert.equal(seen.headers.get('content-type'), 'application/json', what);
  const head = ['paths', operation.path, method.toLowerCase(), 'responses', String(seen.status)];
  const body = JSON.parse(seen.text) as { readonly warnings?: readonly { readonly code: string }[] };
  validate(contract, [...head, 'content', 'application/json', 'schema'], body, what);
  for (const { code } of body.warnings ?? []) {
    assert.ok(WARNING_CODES.has(code), `${what}\nwith the warning ${code}, which the page does not list`);
  }
}

type ErrorText = {
  readonly code: ErrorCode;
  readonly title: string;
  readonly type: string;
  readonly request_id: string;
  readonly errors?: readonly { readonly code: string }[];
};

const PROBLEM_CODES: ReadonlySet<string> = new Set(PROBLEM_GUIDE.flatMap(({ codes }) => codes.map(({ code }) => code)));
const WARNING_CODES: ReadonlySet<string> = new Set(WARNING_GUIDE.map(({ code }) => code));

function checkRefusal(contract: Contract, operation: Operation | undefined, seen: Seen, what: string): void {
  assert.equal(seen.headers.get('content-type'), 'application/json', what);
  const body = JSON.parse(seen.text) as ErrorText;
  const { code } = body;
  assert.ok(Object.hasOwn(ERRORS, code), `${what}\nwith a code that is not in the catalogue`);
  assert.deepEqual(
    [body.type, body.title, seen.status],
    [`/docs/errors#${code}`, ERRORS[code].title, ERRORS[code].status],
    what,
  );
  assert.equal(body.request_id, seen.headers.get('x-request-id'), what);
  for (const header of ERRORS[code].headers ?? []) assert.ok(seen.headers.has(header), `${what}\nwithout ${header}`);
  const isOfOperation = operation !== undefined && ERRORS[code].operations !== 'none';
  if (isOfOperation && !operation.errorCodes.includes(code)) {
    assert.fail(`${what}\nand the route of ${operation.operationId} does not list ${code} in its errors`);
  }
  validate(contract, ['components', 'schemas', schemaOfCode(contract, code)], body, what);
  for (const problem of body.errors ?? []) {
    assert.ok(
      PROBLEM_CODES.has(problem.code),
      `${what}\nwith the problem ${problem.code}, which the page does not list`,
    );
  }
}

function schemaOfCode({ document }: Contract, code: ErrorCode): string {
  const schemas = (document.components as { schemas: Record<string, { properties?: { code?: { const?: string } } }> })
    .schemas;
  return Object.keys(schemas).find((name) => schemas[name]?.properties?.code?.const === code) ?? 'ApiError';
}

function validate(contract: Contract, pointer: readonly string[], value: unknown, what: string): void {
  const problems = problemsAt(pointer, value, contract);
  assert.deepEqual(problems, [], `${what}\nis not what the document says:\n${problems.join('\n')}`);
}

/** As `problemsAt`, in the document of the operations API. */
export function opsProblemsAt(pointer: readonly string[], value: unknown): readonly string[] {
  return problemsAt(pointer, value, operationsContract());
}

/** As `problemsAt`, in the document of the portal. */
export function portalProblemsAt(pointer: readonly string[], value: unknown): readonly string[] {
  return problemsAt(pointer, value, portalContract());
}

/**
 * What a value has that the schema at a place of the document does not allow, a line each; members not described
 * count.
 */
export function problemsAt(pointer: readonly string[], value: unknown, contract = publicContract()): readonly string[] {
  const at = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const name = `${contract.name}#/${at}`;
  const isValid = compiled.get(name) ?? ajv.compile({ $ref: name });
  compiled.set(name, isValid);
  return isValid(value) ? [] : (isValid.errors ?? []).map(lineOf);
}

function lineOf({ instancePath, message, params }: ErrorObject): string {
  return `  ${instancePath} ${message} ${JSON.stringify(params)}`;
}

/** The document with every described object closed, so that a member that nobody described is found. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isOpenObject = object.type === 'object' && 'properties' in object && !('additionalProperties' in object);
  return isOpenObject ? { ...object, additionalProperties: false } : object;
}
