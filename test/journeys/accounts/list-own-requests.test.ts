import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRequestLog } from '../../../src/accounts/requests/request-log.ts';
import { insertRequests } from '../../../src/accounts/requests/request-log-sql.ts';
import type { OwnRequest } from '../../../src/accounts/requests/requests-schema.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import type { Customer } from '../../harness/service.ts';
import { closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

/** Writes what was answered: the worker of the service does so every second. */
async function written(customer: Customer, count: number): Promise<void> {
  await eventually('the log', async () => {
    await service.ctx.requestLog.flush(service.ctx.database);
    const rows = await service.ctx.database.all<{ count: number }>(
      { name: 'test_requests', text: 'select count(*)::integer as count from request_log where account_id = $1' },
      [customer.accountId],
    );
    return rows[0]?.count === count;
  });
}

test('the requests of a token, with their ids and refusals, and nothing of what they held', async () => {
  const customer = await service.openCustomer();
  const client = await openRole(service, 'owner', customer.accountId);
  const list = async (query = '') => (await client.request<Page<OwnRequest>>('GET', `/requests${query}`)).body;
  const good = await customer.request('GET', '/orders?external_reference=not-for-a-log');
  const refused = await customer.request('POST', '/orders', { items: [], notes: 'not for a log' });
  const unknown = await customer.request('GET', `/orders/PF-7KQ2M9XA`);
  await written(customer, 3);

  const { data, has_more: more } = await list();
  assert.equal(more, false);
  assert.deepEqual(
    data.map(({ method, route, path, status, code }) => [method, route, path, status, code]),
    [
      ['GET', '/api/v1/orders/:id', '/api/v1/orders/PF-7KQ2M9XA', 404, 'not_found'],
      ['POST', '/api/v1/orders', '/api/v1/orders', 422, 'validation_failed'],
      ['GET', '/api/v1/orders', '/api/v1/orders', 200, null],
    ],
  );
  const ids = [unknown, refused, good].map(({ headers }) => headers.get('x-request-id'));
  assert.deepEqual(
    data.map(({ id }) => id),
    ids,
  );
  assert.ok(data.every(({ ms, client_id: app }) => ms > 0 && app === null));
  const tokens = await client.request<Page<{ id: string }>>('GET', '/tokens');
  assert.deepEqual([...new Set(data.map((each) => each.token_id))], [tokens.body.data[0]?.id]);
  assert.doesNotMatch(JSON.stringify(data), /not.for.a.log/);

  assert.deepEqual(
    (await list('?outcome=refused')).data.map(({ status }) => status),
    [404, 422],
  );
  assert.deepEqual((await list(`?id=${ids[1]}`)).data, [data[1]]);
  const first = await list('?limit=2');
  assert.deepEqual([first.data, first.has_more], [data.slice(0, 2), true]);
  assert.deepEqual((await list(`?limit=2&cursor=${first.next_cursor}`)).data, data.slice(2));
  const statuses = async (query: string) => (await list(query)).data.map(({ status }) => status);
  for (const [query, expected] of [
    ['?method=POST', [422]],
    ['?status=404', [404]],
    ['?status=4xx', [404, 422]],
    ['?path=orders/PF-', [404]],
    ['?path=%25', []],
    [`?token=${tokens.body.data[0]?.id}&status=2xx`, [200]],
    [`?token=${publicId('tok', newId())}`, []],
    ['?outcome=refused&method=GET', [404]],
  ] as const) {
    assert.deepEqual(await statuses(query), expected, query);
  }
  const part = await list('?method=GET&limit=1');
  assert.deepEqual([part.data, part.has_more], [data.slice(0, 1), true]);
  assert.deepEqual((await list(`?method=GET&limit=1&cursor=${part.next_cursor}`)).data, data.slice(2));
  assert.equal((await client.api('GET', '/orders')).status, 200);
  await written(customer, 3);
});

test('what has no index is looked for among two thousand at a time: a page may be empty, and the next goes on', async () => {
  const customer = await service.openCustomer();
  const client = await openRole(service, 'owner', customer.accountId);
  const at = service.ctx.clock.now();
  const row = { accountId: customer.accountId, at, code: null, ms: 1, tokenId: null, clientId: null, status: 200 };
  const of = { route: '/api/v1/orders', path: '/api/v1/orders' };
  const id = newId();
  const many = Array.from({ length: 2_000 }, () => ({ ...row, ...of, id: newId(), method: 'GET' }));
  await insertRequests(service.ctx.database, [{ ...row, ...of, id, method: 'POST' }, ...many]);
  const list = async (query: string) => (await client.request<Page<OwnRequest>>('GET', `/requests${query}`)).body;
  const first = await list('?method=POST');
  assert.deepEqual([first.data, first.has_more], [[], true]);
  const rest = await list(`?method=POST&cursor=${first.next_cursor}`);
  assert.deepEqual([rest.data.map((each) => each.id), rest.has_more], [[publicId('req', id)], false]);
});

test('a request whose client went before the answer is refused in the log, not 200', async () => {
  const customer = await service.openCustomer();
  const client = await openRole(service, 'owner', customer.accountId);
  service.stranger.serve('/slow.png', { delayMs: 3_000 });
  const gone = fetch(`${service.url}/api/v1/uploads/validate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: service.stranger.url('/slow.png') }),
    signal: AbortSignal.timeout(500),
  });
  await assert.rejects(gone, /timeout|aborted/);
  await written(customer, 1);
  const { data } = (await client.request<Page<OwnRequest>>('GET', '/requests?outcome=refused')).body;
  assert.deepEqual(
    data.map(({ status, code }) => [status, code]),
    [[499, 'client_gone']],
  );
});

test('roles: owners, managers and readers read it, of their own account alone', async () => {
  const customer = await service.openCustomer();
  await customer.request('GET', '/orders');
  await written(customer, 1);
  for (const role of ['owner', 'manager', 'reader'] as const) {
    const client = await openRole(service, role, customer.accountId);
    assert.equal((await client.request<Page<OwnRequest>>('GET', '/requests')).body.data.length, 1, role);
  }
  const packer = await openRole(service, 'orders', customer.accountId);
  assert.equal((await packer.request('GET', '/requests')).status, 403);
  const other = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  assert.deepEqual((await other.request<Page<OwnRequest>>('GET', '/requests')).body.data, []);
  for (const query of [
    'id=7',
    'outcome=served',
    'limit=0',
    'status=40',
    'method=get',
    'token=7',
    'path=',
    `cursor=${publicId('tok', newId())}`,
  ]) {
    assert.equal((await other.request('GET', `/requests?${query}`)).status, 422, query);
  }
});

test('what the database does not take is dropped: no request waits, and memory has a bound', async () => {
  const log = createRequestLog(2);
  const note = () =>
    log.note({
      accountId: service.customer.accountId,
      id: newId(),
      ...{ method: 'GET', route: '/api/v1/orders', path: '/api/v1/orders' },
      ...{ at: new Date(), status: 200, code: null, ms: 1, tokenId: null, clientId: null },
    });
  for (let count = 0; count < 5; count += 1) note();
  const taken: number[] = [];
  const database = {
    ...service.ctx.database,
    all: async (_what: unknown, [rows]: readonly unknown[]) => {
      taken.push((JSON.parse(String(rows)) as unknown[]).length);
      return [];
    },
  };
  await log.flush(database);
  assert.deepEqual(taken, [2], 'what came beyond the bound is not there');
  note();
  const away = { ...database, all: () => Promise.reject(new Error('away')) };
  await assert.rejects(log.flush(away), /away/);
  await log.flush(database);
  assert.deepEqual(taken, [2], 'nothing is kept for later');
});
