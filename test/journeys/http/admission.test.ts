import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { type OpsRoute, route } from '../../../src/lib/route.ts';
import { type Running, type Seen, startDoors, until } from '../../harness/server-fixture.ts';

const PLACES = 28;
const WAITING_MAX_OF_EACH = 500;

let doors: Running | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  doors?.release();
  await doors?.drain(0);
});

const operator = {
  id: '00000000-0000-7000-8000-000000000001',
  tokenId: '00000000-0000-7000-8000-000000000002',
  email: 'ops@example.test',
  role: 'admin',
} as never;

const opsRoutes: OpsRoute<Seen>[] = [
  route({
    method: 'GET',
    path: '/orders',
    access: { roles: ['viewer'] },
    operationId: 'opsList',
    summary: '',
    replies: {},
    handle: async () => ({ status: 200, body: { ops: true } }),
  }),
];

/** A server on which one account has taken every place and has `more` requests that wait. */
async function busyDoors(more: number): Promise<Running & { slow: Promise<Response>[]; entered: () => number }> {
  let entered = 0;
  const running = await startDoors({
    operations: { routes: opsRoutes, authenticate: async () => operator },
    contextFor: (seen) => {
      entered += 1;
      return seen;
    },
  });
  doors = running;
  const slow = Array.from({ length: PLACES + more }, () => post(running, '/slow', 'good'));
  await until(() => entered === PLACES);
  return { ...running, slow, entered: () => entered };
}

function post(running: Running, path: string, token: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${running.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    ...(signal === undefined ? {} : { signal }),
  });
}

const get = (running: Running, path: string, token: string): Promise<Response> =>
  fetch(`${running.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

describe('who is served while one account fills the service', () => {
  test('another account is served before the second of those that wait', async () => {
    const running = await busyDoors(30);
    void Promise.allSettled(running.slow);
    const read = get(running, '/orders/1', 'second');
    await until(() => running.seen.authenticated.at(-1) === 'second');
    assert.equal(running.entered(), PLACES, 'all places are taken');
    // Twenty places become free, and thirty requests of the first account have waited for longer.
    running.release();
    assert.equal((await read).status, 200);
    assert.ok(running.entered() < PLACES + 31, 'before the last of those');
  });

  test('an account that was alone had every place; beside another it leaves some free', async () => {
    const running = await startDoors();
    doors = running;
    assert.equal((await get(running, '/orders/1', 'second')).status, 200);
    for (let index = 0; index < 40; index += 1) void post(running, '/slow', 'good').catch(() => undefined);
    await until(() => running.seen.authenticated.length === 41);
    assert.equal((await get(running, '/orders/1', 'second')).status, 200, 'without that any request has ended');
  });

  test('operators, cancels, probes and metrics are served at once', async () => {
    const running = await busyDoors(100);
    void Promise.allSettled(running.slow);
    const origin = new URL(running.url).origin;
    const headers = { authorization: 'Bearer of-an-operator' };
    assert.equal((await fetch(`${origin}/ops/v1/orders`, { headers })).status, 200);
    assert.equal((await post(running, '/orders/1/cancel', 'good')).status, 200);
    for (const path of ['/healthz', '/readyz', '/metrics'])
      assert.equal((await fetch(origin + path)).status, 200, path);
    assert.equal(running.entered(), PLACES + 2, 'no other request was let in meanwhile');
  });

  test('a body that arrives slowly takes no place', async () => {
    const running = await startDoors();
    doors = running;
    for (let index = 0; index < 2 * PLACES; index += 1) {
      const socket = connect(running.port, '127.0.0.1');
      sockets.push(socket);
      socket.write(
        'POST /api/v1/orders HTTP/1.1\r\nhost: here\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"items"',
      );
    }
    await until(() => running.seen.authenticated.length === 2 * PLACES);
    assert.equal((await get(running, '/orders/1', 'good')).status, 200);
  });
});

describe('who is not served', () => {
  test('a request whose client has gone leaves the queue and is never worked on', async () => {
    const running = await busyDoors(0);
    const clients = Array.from({ length: 5 }, () => new AbortController());
    const gone = clients.map((client) => assert.rejects(post(running, '/slow', 'second', client.signal)));
    await until(() => running.seen.authenticated.length === PLACES + 5);
    for (const client of clients) client.abort();
    await Promise.all(gone);
    await until(() => running.log.filter(({ fields }) => 'client_gone' in fields).length === 5);
    running.release();
    await Promise.all(running.slow);
    assert.equal((await get(running, '/orders/1', 'second')).status, 200);
    assert.equal(running.entered(), PLACES + 1);
  });

  test('what one account sends beyond what may wait is refused, has done nothing, and hurts no other', async () => {
    const running = await busyDoors(WAITING_MAX_OF_EACH);
    void Promise.allSettled(running.slow);
    await until(() => running.seen.authenticated.length === PLACES + WAITING_MAX_OF_EACH);
    const refused = await post(running, '/orders', 'good');
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '5');
    assert.match(await refused.text(), /"code":"unavailable".*Nothing was done/);
    const other = get(running, '/orders/1', 'second');
    await until(() => running.seen.authenticated.at(-1) === 'second');
    running.release();
    assert.equal((await other).status, 200);
    assert.deepEqual(running.seen.bodies, []);
  });
});
