import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { newToken } from '../../src/accounts/token.ts';
import { OPS_ROUTES } from '../../src/app/ops-routes.ts';
import { API_ROUTES } from '../../src/app/service.ts';
import { parseId } from '../../src/lib/ids.ts';
import type { Order } from '../../src/orders/schema.ts';
import type { Cancellation } from '../../src/refunds/schema.ts';
import { eventually } from '../harness/context.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { environment } from '../harness/environment.ts';
import { freePort, startServiceProcess } from '../harness/process.ts';
import {
  type Answer,
  type ErrorReply,
  type OperatorClient,
  startTestService,
  type TestService,
} from '../harness/service.ts';
import { newReference, openShop, type Shop } from '../harness/shop.ts';
import { assertSound, booksOf } from '../harness/written.ts';

/** The way to PostgreSQL: it can be cut, with every connection on it, and opened again on the same port. */
type Way = {
  readonly port: number;
  readonly open: () => Promise<void>;
  readonly cut: () => Promise<void>;
  /** Cuts the connection that next sends a text, before it is forwarded or once it was. */
  readonly cutAt: (text: string, when: 'before' | 'after') => void;
};

function wayTo(target: { host: string; port: number }, port: number): Way {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let trap: { text: Buffer; when: 'before' | 'after' } | undefined;
  const pass = (service: Socket): void => {
    const database = connect(`${target.host}/.s.PGSQL.${target.port}`);
    const cut = (): void => {
      service.resetAndDestroy();
      database.destroy();
    };
    // Workers commit, too: the trap is for a transaction that has locked an order.
    let hasLocked = false;
    service.on('data', (bytes: Buffer) => {
      hasLocked = hasLocked || bytes.includes('orders_lock');
      const isCommit = bytes.includes('commit; reset all');
      const sprung = trap !== undefined && hasLocked && bytes.includes(trap.text) ? trap.when : undefined;
      if (isCommit) hasLocked = false;
      if (sprung !== undefined) trap = undefined;
      if (sprung === 'before') return cut();
      database.write(bytes, () => {
        if (sprung === 'after') cut();
      });
    });
    database.on('data', (bytes: Buffer) => service.write(bytes));
    for (const [one, other] of [
      [service, database],
      [database, service],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  };
  return {
    port,
    open: async () => {
      server = createServer(pass).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    cut: async () => {
      const closed = server === undefined ? undefined : once(server, 'close');
      server?.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      server = undefined;
    },
    cutAt: (text, when) => {
      trap = { text: Buffer.from(text), when };
    },
  };
}

function addressOf(database: TestDatabase): { host: string; port: number; user: string; password: string } {
  const { address } = database;
  assert.ok('host' in address);
  return address;
}

/** Come back later, and nothing else: no wrong 401, no wrong 404, no 5xx that asks for a person. */
function assertAway(answer: Answer<Pick<ErrorReply, 'code'>>, what: string): void {
  assert.deepEqual([answer.status, answer.body.code], [503, 'unavailable'], `${what}: ${answer.text}`);
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/, what);
  assert.doesNotMatch(answer.text, /ECONN|127\.0\.0\.1|select |postgres/i, what);
}

describe('while the service runs', () => {
  let database: TestDatabase;
  let way: Way;
  let service: TestService;
  let operator: OperatorClient;
  let shop: Shop;
  let direct: pg.Client;

  before(async () => {
    database = await createTestDatabase();
    const address = addressOf(database);
    way = wayTo(address, await freePort());
    await way.open();
    const behind = { ...database, address: { ...database.address, host: '127.0.0.1', port: way.port } };
    service = await startTestService({ database: behind });
    operator = await service.openOperator();
    shop = await openShop(service, 40);
    direct = new pg.Client(database.address);
    await direct.connect();
  });
  after(async () => {
    await direct?.end();
    await service?.stop();
    await way?.cut();
    await database?.drop();
  });

  const place = async (): Promise<string> => {
    const placed = await shop.order({ external_reference: newReference() });
    assert.equal(placed.status, 201, placed.text);
    return placed.body.id;
  };
  const get = (path: string) => shop.customer.request<Order & Pick<ErrorReply, 'code'>>('GET', path);
  const cancel = (id: string) =>
    shop.customer.request<Cancellation & Pick<ErrorReply, 'code'>>('POST', `/orders/${id}/cancel`);
  const byOperator = (method: string, path: string, body?: object) =>
    operator.request(method, path, body, method === 'GET' ? {} : { 'idempotency-key': randomUUID() });

  test('N202 the database goes away: every operation of both APIs is 503 with Retry-After, a bad token and an unknown id too, and nothing is written', async () => {
    const id = await place();
    const before = await booksOf(service, shop.customer);
    await way.cut();
    // An id that nobody can have is refused without the database, once the token is known.
    await eventually('what is remembered of tokens is over', async () => (await get('/orders/none')).status === 503);
    await eventually('of operators’, too', async () => (await byOperator('GET', '/orders/none')).status === 503);
    for (const { method, path } of API_ROUTES) {
      const answer = await shop.customer.request(method, path.replace(/:\w+/, id));
      assertAway(answer, `${method} ${path}`);
    }
    for (const { method, path } of OPS_ROUTES) {
      assertAway(
        await byOperator(method, path.replaceAll(/:\w+/g, id), method === 'GET' ? undefined : {}),
        `ops ${path}`,
      );
    }
    assertAway(await shop.order({ external_reference: newReference() }), 'an order');
    assertAway(await get('/orders/ord_00000000000000000000000000'), 'an id that is nobody’s');
    const stranger = { authorization: `Bearer ${newToken('pat_live_')}` };
    assertAway(await shop.customer.request('GET', '/orders', undefined, stranger), 'a token that is nobody’s');
    const alive = await fetch(`${service.url}/healthz`);
    const ready = await fetch(`${service.url}/readyz`);
    assert.deepEqual([alive.status, ready.status], [200, 503]);
    assert.ok(ready.headers.get('retry-after'));

    await way.open();
    assert.equal((await get(`/orders/${id}`)).status, 200, 'the first request after it is served');
    assert.deepEqual(await booksOf(service, shop.customer), before);
    await eventually('it is ready', async () => (await fetch(`${service.url}/readyz`)).status === 200);
    assert.equal((await cancel(id)).status, 200);
    await assertSound(service);
  });

  test('N202 a failover under load: who is cut off is told to come back, the others notice nothing, and every order is there once', async () => {
    const references = Array.from({ length: 12 }, newReference);
    const before = await booksOf(service, shop.customer);
    const orders = references.map(async (external_reference) => {
      const statuses: number[] = [];
      await eventually(`${external_reference} is placed`, async () => {
        const answer = await shop.order({ external_reference });
        statuses.push(answer.status);
        return answer.status < 300;
      });
      return statuses;
    });
    for (let failover = 0; failover < 5; failover += 1) {
      await way.cut();
      await way.open();
      await get('/orders?limit=1');
    }
    const statuses = (await Promise.all(orders)).flat();
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => ![200, 201, 503].includes(status)),
      [],
    );
    const after = await booksOf(service, shop.customer);
    assert.deepEqual(
      [after.orders - before.orders, after.charges - before.charges, before.balance_pence - after.balance_pence],
      [12, 12, 12 * shop.totalPence],
    );
    await assertSound(service);
  });

  /** Places an order and waits for the work behind it: the trap must spring for what the test does alone. */
  const placeAtRest = async (): Promise<string> => {
    const id = await place();
    const isFound = async () => {
      const found = await direct.query('select from order_search where order_id = $1 limit 1', [parseId('ord', id)]);
      return found.rowCount === 1;
    };
    await eventually('the order can be searched for', isFound);
    const isCounted = async () => {
      const left = await direct.query(
        'select from orders where changed_by >= (select counted_before from stock_awaiting_progress) limit 1',
      );
      return left.rowCount === 0;
    };
    await eventually('what waits of it is counted', isCounted);
    return id;
  };

  for (const when of ['before', 'after'] as const) {
    test(`N202 the connection is lost in the middle of a cancel, ${when} its commit arrives: 503, and the repeat refunds once`, async () => {
      const id = await placeAtRest();
      const before = await booksOf(service, shop.customer);
      way.cutAt('commit; reset all', when);
      assertAway(await cancel(id), 'the cancel');
      const again = await cancel(id);
      assert.deepEqual([again.status, again.body.status], [200, 'cancelled']);
      assert.equal(again.body.refunded_gbp, shop.totalPence / 100);
      const after = await booksOf(service, shop.customer);
      assert.equal(after.balance_pence - before.balance_pence, shop.totalPence);
      await assertSound(service);
    });

    test(`N202 and in the middle of what an operator does, ${when} its commit arrives: 503, and the repeat with its key does it once`, async () => {
      const id = await placeAtRest();
      const key = { 'idempotency-key': randomUUID() };
      const refund = () => operator.request('POST', `/orders/${id}/refunds`, { amount_gbp: 1, reason: 'late' }, key);
      const before = await booksOf(service, shop.customer);
      way.cutAt('commit; reset all', when);
      assertAway(await refund(), 'the refund');
      const again = await refund();
      assert.equal(again.status, 200, again.text);
      assert.equal((await booksOf(service, shop.customer)).balance_pence - before.balance_pence, 100);
      await assertSound(service);
    });
  }

  test('N202 a database that can only be read, as a standby is: reads are served, every change is 503, and nothing is half done', async () => {
    const [id, promoted] = [await place(), await place()];
    const before = await booksOf(service, shop.customer);
    const name = database.address.database;
    await direct.query(`alter database ${name} set default_transaction_read_only = on`);
    await way.cut();
    await way.open();
    assert.equal(await eventually('it is read', async () => (await get(`/orders/${id}`)).body.id), id);
    assert.equal((await get('/orders?limit=5')).status, 200);
    assert.equal((await byOperator('GET', `/orders/${id}`)).status, 200);
    const estimate = await shop.customer.request('POST', '/orders/estimate', {
      items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 1 }],
      shipping_address: {
        contact_name: 'A',
        line1: '1 High Street',
        city: 'Leeds',
        postcode: 'LS1 4DY',
        country_code: 'GB',
      },
    });
    assert.equal(estimate.status, 200, estimate.text);
    assertAway(await shop.order({ external_reference: newReference() }), 'an order');
    assertAway(await shop.order(), 'an order without a reference');
    assertAway(await cancel(id), 'a cancel');
    assertAway(await shop.customer.request('DELETE', `/products/${shop.productId}`), 'a product');
    assertAway(await byOperator('POST', `/orders/${promoted}/promote`), 'a promotion');
    assertAway(await byOperator('POST', `/orders/${id}/cancel`, { reason: 'asked' }), 'an operator’s cancel');

    await direct.query(`alter database ${name} reset default_transaction_read_only`);
    await way.cut();
    await way.open();
    await eventually('the books can be read', () => booksOf(service, shop.customer).catch(() => undefined));
    assert.deepEqual(await booksOf(service, shop.customer), before);
    assert.equal((await cancel(id)).status, 200);
    assert.equal((await byOperator('POST', `/orders/${promoted}/promote`)).status, 200);
    await assertSound(service);
  });
});

describe('while the service starts', () => {
  let folder: string;
  let database: TestDatabase;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'platen-away-'));
    database = await createTestDatabase();
  });
  after(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  function settings(port: number, databasePort: number, name = database.address.database) {
    const { user, password } = addressOf(database);
    return {
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${databasePort}/${name}`,
      SECRET_KEY: 'one key for the processes of this test',
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      LOG_LEVEL: 'warn',
    };
  }

  const ask = (port: number, path: string, token?: string): Promise<Response | undefined> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    }).catch(() => undefined);

  test('N202 a service whose database is away answers 503 from its start, and serves as soon as the database is there', async () => {
    const port = await freePort();
    const way = wayTo(addressOf(database), await freePort());
    const starting = startServiceProcess(settings(port, way.port));
    await eventually('its doors are open', async () => (await ask(port, '/healthz'))?.status === 200);
    for (const [path, token] of [
      ['/readyz', undefined],
      ['/api/v1/orders', undefined],
      ['/api/v1/orders', 'pat_live_nobody'],
      ['/api/v1/nothing', undefined],
      ['/ops/v1/orders', undefined],
      ['/files/nothing', undefined],
    ] as const) {
      const answer = await ask(port, path, token);
      assert.equal(answer?.status, 503, path);
      assert.ok(answer.headers.get('retry-after'), path);
      assert.equal(((await answer.json()) as ErrorReply).code, 'unavailable');
    }
    await way.open();
    const service = await starting;
    assert.equal((await ask(port, '/readyz'))?.status, 200);
    assert.equal((await ask(port, '/api/v1/orders'))?.status, 401);
    assert.equal(await service.stop(), 0);
    await way.cut();
  });

  test('N202 a service that still waits for its database ends at once, and with status 0, when it is told to', async () => {
    const port = await freePort();
    const env = settings(port, await freePort());
    const child = spawn(process.execPath, ['src/bin/platen.js', 'serve', '--json'], {
      env: environment(env),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    await eventually('its doors are open', async () => (await ask(port, '/healthz'))?.status === 200);
    child.kill('SIGTERM');
    const [status] = (await once(child, 'exit')) as [number | null];
    assert.deepEqual([status, said], [0, ''], 'it never said that it is ready');
  });

  test('N202 a database that will never be there, by another name, is no reason to wait: one line, and the end', async () => {
    const way = wayTo(addressOf(database), await freePort());
    await way.open();
    await assert.rejects(startServiceProcess(settings(await freePort(), way.port, 'no_such_database')), /ended with 1/);
    await way.cut();
  });
});
