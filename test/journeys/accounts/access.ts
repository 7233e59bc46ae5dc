import assert from 'node:assert/strict';
import { newToken } from '../../../src/accounts/token.ts';
import { newId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { eventually } from '../../harness/context.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

/** Two nodes of one service, on one database. What is withdrawn at one must end at both. */
export let service: TestService;
export let otherNode: TestService;

/** Who withdraws, at the first node. */
export let admin: OperatorClient;

/** Opens what these journeys share; for `before`. */
export async function openAccess(): Promise<void> {
  service = await startTestService({ role: 'api' });
  otherNode = await startTestService({ role: 'api', database: service.database });
  admin = await service.openOperator('admin');
}

/** Closes it again; for `after`. */
export async function closeAccess(): Promise<void> {
  await otherNode.stop();
  await service.stop();
}

/** What is withdrawn has ended on every node within this time. */
const WITHIN_MS = 2_000;

/** All that a caller can tell of an answer to a token: its status, challenge and bytes, but for the request's id. */
async function answerTo(node: TestService, path: string, token: string): Promise<string> {
  const response = await fetch(node.url + path, { headers: { authorization: `Bearer ${token}` } });
  const text = (await response.text()).replace(/"request_id":"req_\w+"/, '"request_id":""');
  return JSON.stringify([response.status, response.headers.get('www-authenticate'), text]);
}

const ORDERS = '/api/v1/orders?limit=1';

/** Whether both nodes accept a token. */
export async function isAccepted(token: string, path = ORDERS): Promise<boolean> {
  const answers = await Promise.all([service, otherNode].map((node) => answerTo(node, path, token)));
  return answers.every((answer) => answer.startsWith('[200,'));
}

/** Waits until both nodes answer to a token as to one that was never issued, to the byte. */
export async function untilUnknown(token: string, path = ORDERS): Promise<void> {
  const prefix = token.startsWith('pop_') ? 'pop_' : 'pat_live_';
  const unknown = await answerTo(service, path, newToken(prefix));
  assert.ok(unknown.startsWith('[401,'), unknown);
  for (const node of [service, otherNode]) {
    await eventually('it is as an unknown one', async () => (await answerTo(node, path, token)) === unknown, WITHIN_MS);
  }
}

/** A POST of the admin that must be answered with 200. */
export async function act<Body>(path: string, body?: object, headers?: Record<string, string>): Promise<Body> {
  const answer = await admin.request<Body>('POST', path, body, headers);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** The records of a list, as any operator reads it. */
export async function listed<Item>(path: string): Promise<readonly Item[]> {
  const viewer = await service.openOperator('viewer');
  const answer = await viewer.request<Page<Item>>('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** A list of two or more records, page by page: each once, in the same order. */
export async function assertPaged(path: string, key = 'id'): Promise<void> {
  const idsOf = (page: Page<Record<string, unknown>>): string[] => page.data.map((record) => String(record[key]));
  const whole = await admin.request<Page<Record<string, unknown>>>('GET', `${path}${mark(path)}limit=100`);
  assert.ok(whole.body.data.length >= 2, whole.text);
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await admin.request<Page<Record<string, unknown>>>('GET', `${path}${mark(path)}limit=1${cursor}`);
    assert.equal(page.status, 200, page.text);
    found.push(...idsOf(page.body));
    if (page.body.next_cursor === null) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  assert.deepEqual(found, idsOf(whole.body));
}

const mark = (path: string): string => (path.includes('?') ? '&' : '?');

/** An operation on what does not exist is 404 by its name, and leaves nothing in the audit log. */
export async function assertUnknown(pathOf: (id: string) => string, prefix: string, what: string, body?: object) {
  const before = await auditOf(undefined);
  for (const id of [publicId('user', newId()).replace('user_', prefix), 'nothing', `${prefix}1`]) {
    const answer = await admin.request('POST', pathOf(id), body);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], answer.text);
    assert.match(answer.body.detail, new RegExp(`no such ${what}`));
  }
  assert.deepEqual(await auditOf(undefined), before);
}

/** What the audit log has of a subject, or of everything: the newest last. */
export async function auditOf(subjectId: Uuid | undefined): Promise<readonly { action: string; detail: object }[]> {
  return rows(
    service,
    `select a.action, o.email as who, a.detail from operator_action a left join operator o on o.id = a.operator_id
     where $1::uuid is null or a.subject_id = $1 order by a.id`,
    [subjectId ?? null],
  );
}
