import assert from 'node:assert/strict';
import { Check } from 'typebox/value';
import type { AppContext } from '../../src/app/context.ts';
import { ERRORS, type ErrorCode } from '../../src/lib/error-catalogue.ts';
import type { Problem } from '../../src/lib/errors.ts';
import type { Route } from '../../src/lib/route.ts';

export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** JSON text; undefined for no body. */
  readonly text: string | undefined;
};

export type Received = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

type Refusal = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly request_id: string;
  readonly errors?: readonly Problem[];
};

/** What the doors may refuse any operation with (decisions, "Order of checks"). */
const DOOR_CODES: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];

/** Stacks, statements, and what the database and the network say: in no answer. */
export const OF_THE_INSIDE =
  /node_modules|\bat (?:async )?\S+ \(|file:\/\/|\.ts:\d|\b(?:select|insert|update|delete) [a-z_*]+ (?:from|into|set)\b|violates|constraint|postgres|ECONN|"stack"/i;

/**
 * What holds for every answer, whatever was sent: a status that the operation documents, never one of 5xx but the 501
 * of an endpoint that is not there yet; a success of its schema; a refusal with a code, the request's id, and for a
 * 422 where each problem is in what was sent (spec 7; decisions, "Error body").
 */
export function judge(route: Route<AppContext>, sent: Sent, received: Received): void {
  const { status, headers, text } = received;
  assert.match(String(headers['x-request-id']), /^req_[0-7][0-9a-z]{25}$/);
  if (status < 300) {
    judgeSuccess(route, received);
    return;
  }
  const refusal = readRefusal(received);
  const documented = new Set<ErrorCode>([...DOOR_CODES, ...(route.errors ?? [])]);
  assert.ok(documented.has(refusal.code), `${status} ${refusal.code} is not documented`);
  assert.ok(status < 500 || refusal.code === 'not_implemented', `${status} ${text}`);
  assert.equal(refusal.request_id, headers['x-request-id']);
  assert.doesNotMatch(withoutWhatWasSent(refusal), OF_THE_INSIDE);
  if (status === 422) judgeProblems(route, sent, refusal.errors ?? []);
}

function judgeSuccess(route: Route<AppContext>, { status, headers, text }: Received): void {
  assert.ok(Object.hasOwn(route.replies, status), `${status} is not documented`);
  const schema = route.replies[status];
  if (schema === null || schema === undefined) {
    assert.equal(text, '');
    return;
  }
  assert.equal(headers['content-type'], 'application/json');
  assert.ok(Check(schema, JSON.parse(text)), `the reply does not have its schema: ${text.slice(0, 2_000)}`);
}

function readRefusal({ status, headers, text }: Received): Refusal {
  assert.equal(headers['content-type'], 'application/json', text);
  const refusal = JSON.parse(text) as Refusal;
  assert.equal(ERRORS[refusal.code].status, status);
  assert.equal(refusal.status, status);
  assert.equal(refusal.type, `/docs/errors#${refusal.code}`);
  assert.equal(refusal.title, ERRORS[refusal.code].title);
  assert.notEqual(refusal.detail, '');
  return refusal;
}

/** Messages quote what was sent, which may look like anything. */
function withoutWhatWasSent({ errors = [], ...refusal }: Refusal): string {
  const problems = errors.map(({ code }) => code);
  return JSON.stringify({ ...refusal, detail: errors.length > 0 ? '' : refusal.detail, problems });
}

function judgeProblems(route: Route<AppContext>, sent: Sent, problems: readonly Problem[]): void {
  assert.ok(problems.length > 0, 'a 422 names its problems');
  const known = new Set(['', ...sent.query.map(([name]) => name), ...namesOf(route.query)]);
  if (sent.text !== undefined) addPaths(JSON.parse(sent.text), '', known);
  for (const { path, code, message } of problems) {
    assert.match(code, /^[a-z][a-z0-9_]*$/);
    assert.notEqual(message, '');
    assert.ok(known.has(path) || known.has(parentOf(path)), `"${path}" is nowhere in the request`);
  }
}

/** Names are cut in paths, and what lies too deep has the path of what is above it. */
const NAME_CHARACTERS_MAX = 100;
const DEPTH_MAX = 40;

function addPaths(value: unknown, path: string, known: Set<string>, depth = 0): void {
  known.add(path);
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) addPaths(item, `${path}[${index}]`, known, depth + 1);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const short = name.slice(0, NAME_CHARACTERS_MAX);
    for (const shown of name === short ? [name] : [name, short, `${short}…`]) {
      addPaths(member, path === '' ? shown : `${path}.${shown}`, known, depth + 1);
    }
  }
}

/** A member that is missing is named below what it is missing from, and an entry of a list in text below the text. */
function parentOf(path: string): string {
  const end = Math.max(path.lastIndexOf('.'), path.endsWith(']') ? path.lastIndexOf('[') : -1);
  return end === -1 ? '' : path.slice(0, end);
}

/** The names that the schema of an object or of a query knows. */
export function namesOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return [];
  return typeof schema.properties === 'object' && schema.properties !== null ? Object.keys(schema.properties) : [];
}
