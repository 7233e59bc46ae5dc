import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OPS_ROUTES } from '../../../src/app/ops-routes.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { OperatorRole } from '../../../src/lib/operator.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { ErrorReply } from '../../harness/service.ts';
import { openShop } from '../../harness/shop.ts';
import { closeOperations, openOperations, operator, service, taskOpened } from './operations.ts';

const TASKS = 130;

let order: CreatedOrder;
const channelId = newId();
before(async () => {
  await openOperations();
  const shop = await openShop(service, 10);
  const placed = await shop.order({});
  assert.equal(placed.status, 201, placed.text);
  order = placed.body;
  await service.ctx.database.script(`
    insert into channel (account_id, id, platform, name, state, connected_at)
    values ('${shop.customer.accountId}', '${channelId}', 'signed', 'Shop', 'active', now())`);
  for (let made = 0; made < TASKS; made += 1) await taskOpened();
  const promoted = await operator().request('POST', `/orders/${order.id}/promote`);
  assert.equal(promoted.status, 200, promoted.text);
  const days = { from: '2026-01-01', to: '2026-01-31' };
  assert.equal((await operator().request('POST', '/books/journals', days)).status, 201);
});
after(closeOperations);

/** What a client gets that asks for CSV. */
async function asked(address: string, accept = 'text/csv', role: OperatorRole = 'viewer') {
  const headers = { authorization: `Bearer ${operator(role).token}`, accept };
  const answer = await fetch(`${service.url}/ops/v1${address}`, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** A path with ids of what the shop has. */
const pathOf = (path: string): string =>
  path
    .replace('/books/journals/:to', '/books/journals/2026-01-31')
    .replace('/books/:account', '/books/order_deposits')
    .replace('/accounts/:id', `/accounts/${publicId('acct', service.customer.accountId)}`)
    .replace('/channels/:id', `/channels/${publicId('chan', channelId)}`)
    .replace('/orders/:id', `/orders/${order.id}`);

/** The path and the query that it needs. */
function addressOf(path: string): string {
  if (path === '/books/vat' || path === '/books/vat/documents') return `${path}?from=2026-01-01&to=2026-01-31`;
  if (path === '/pick-list') return `${path}?ids=${order.id}`;
  if (path === '/oauth-grants') return `${path}?account=${publicId('acct', service.customer.accountId)}`;
  return pathOf(path);
}

const codeOf = (text: string): string => (JSON.parse(text) as ErrorReply).code;

const rowsOf = (text: string): string[] => text.split('\r\n').slice(0, -1);

test('every list of the operations API answers as CSV with the records of its JSON', async () => {
  const lists = OPS_ROUTES.filter(({ csv }) => csv !== undefined);
  assert.ok(lists.length >= 12, `${lists.length} lists`);
  for (const { path, csv } of lists) {
    const address = addressOf(path);
    const json = await operator().request<Record<string, unknown[]>>('GET', address);
    assert.equal(json.status, 200, `${path} ${json.text}`);
    const answer = await asked(address);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/, path);
    assert.match(answer.headers.get('vary') ?? '', /accept/i, path);
    const records = json.body[csv ?? ''] ?? [];
    const rows = rowsOf(answer.text);
    assert.ok(rows.length > records.length, `${path} has ${rows.length} rows`);
    const [first] = records as Record<string, unknown>[];
    if (first === undefined) continue;
    const [name] = Object.keys(first);
    assert.equal(rows[0]?.split(',')[0], name, path);
    assert.equal(rows[1]?.split(',')[0], String(Object.values(first)[0]), path);
  }
});

test('no list of the operations API is without it', () => {
  const isList = (reply: unknown): boolean =>
    typeof reply === 'object' && reply !== null && 'properties' in reply && 'data' in (reply.properties as object);
  const without = OPS_ROUTES.filter((route) => isList(route.replies[200]) && route.csv === undefined);
  assert.deepEqual(
    without.map(({ path }) => path),
    [],
  );
});

test('the whole list comes without a limit, one page with it, and Link leads through all', async () => {
  const whole = rowsOf((await asked('/tasks')).text);
  assert.ok(whole.length > TASKS, `${whole.length} rows`);
  const paged: string[] = [];
  for (let query: string | undefined = '?limit=50'; query !== undefined; ) {
    const page: { text: string; headers: Headers } = await asked(`/tasks${query}`);
    paged.push(...rowsOf(page.text).slice(1));
    query = /^<(\?[^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(paged, whole.slice(1));
});

test('the filters of the list hold for its CSV', async () => {
  const found = await asked(`/orders?reference=${order.reference}`);
  assert.equal(rowsOf(found.text).length, 2);
  const none = await asked('/orders?state=cancelled');
  assert.equal(rowsOf(none.text).length, 1, 'only the header');
});

test('a refusal stays JSON, and so does an answer to a client that asks for nothing in particular', async () => {
  const wrong = await asked('/orders?state=lost');
  assert.deepEqual([wrong.status, codeOf(wrong.text)], [422, 'validation_failed']);
  const nobody = await asked('/accounts/nobody/transactions');
  assert.deepEqual([nobody.status, codeOf(nobody.text)], [404, 'not_found']);
  for (const accept of ['*/*', 'text/*;q=0.5, application/json']) {
    const answer = await asked('/tasks', accept);
    assert.equal(answer.headers.get('content-type'), 'application/json', accept);
  }
});
