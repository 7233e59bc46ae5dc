import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { newReference, openShop, type Shop } from '../harness/shop.ts';
import { assertSound, booksOf } from '../harness/written.ts';

/** How many times each way of losing the connection is tried; the nightly run sets it higher. */
const ROUNDS = Number(process.env.PLATEN_TEST_CUTS ?? 6);

/** The name of the placing function, as it stands in the protocol's messages. */
const PLACING = Buffer.from('orders_place\0');

type Cut = 'before it is forwarded' | 'right after it was forwarded' | 'in place of the answer';

type Proxy = {
  readonly port: number;
  /** Cuts the connection of the next placing statement. */
  readonly arm: (cut: Cut) => void;
  readonly cuts: () => number;
  readonly close: () => Promise<void>;
};

/** Stands between the service and PostgreSQL, and cuts one connection when and where it is told to. */
async function startProxy(target: { host: string; port: number }): Promise<Proxy> {
  let armed: Cut | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((service) => {
    const database = connect(`${target.host}/.s.PGSQL.${target.port}`);
    sockets.add(service).add(database);
    let cutsAnswer = false;
    const cut = (): void => {
      cuts += 1;
      service.resetAndDestroy();
      database.destroy();
    };
    service.on('data', (bytes) => {
      const mode = bytes.includes(PLACING) ? armed : undefined;
      if (mode !== undefined) armed = undefined;
      if (mode === 'before it is forwarded') return cut();
      cutsAnswer = mode === 'in place of the answer';
      database.write(bytes, () => {
        if (mode === 'right after it was forwarded') cut();
      });
    });
    database.on('data', (bytes) => (cutsAnswer ? cut() : service.write(bytes)));
    for (const [one, other] of [
      [service, database],
      [database, service],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    arm: (cut) => {
      armed = cut;
    },
    cuts: () => cuts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

let database: TestDatabase;
let proxy: Proxy;
let service: TestService;
let shop: Shop;

before(async () => {
  database = await createTestDatabase();
  const { address } = database;
  assert.ok('host' in address);
  proxy = await startProxy(address);
  const behindProxy = { ...address, host: '127.0.0.1', port: proxy.port };
  service = await startTestService({ database: { ...database, address: behindProxy } });
  shop = await openShop(service, 3 * ROUNDS + 5);
});
after(async () => {
  await service.stop();
  await proxy.close();
  await database.drop();
});

const CUTS: readonly Cut[] = ['before it is forwarded', 'right after it was forwarded', 'in place of the answer'];

for (const cut of CUTS) {
  test(`N205 the connection is cut ${cut}, ${ROUNDS} times: the retry finds the one order, charged once (F101)`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await booksOf(service, shop.customer);
      const external_reference = newReference();
      const cutsBefore = proxy.cuts();
      proxy.arm(cut);
      const first = await shop.order({ external_reference });
      assert.equal(proxy.cuts(), cutsBefore + 1, 'the placing function was cut off');
      if (cut === 'before it is forwarded') assert.equal(first.status, 503, first.text);
      // It was committed: the look-up that precedes every refusal finds the order.
      else if (cut === 'in place of the answer') assert.equal(first.status, 200, first.text);
      else assert.ok([200, 503].includes(first.status), first.text);
      const retry = await shop.order({ external_reference });
      assert.ok([200, 201].includes(retry.status), retry.text);
      if (first.status === 200) assert.deepEqual([retry.status, retry.body.id], [200, first.body.id]);
      const after = await booksOf(service, shop.customer);
      assert.deepEqual(
        [after.orders - before.orders, after.charges - before.charges, before.balance_pence - after.balance_pence],
        [1, 1, shop.totalPence],
      );
    }
    await assertSound(service);
  });
}

test('N202 an order without a reference whose connection is cut is told to come back, and nothing is guessed', async () => {
  proxy.arm('before it is forwarded');
  const before = await booksOf(service, shop.customer);
  const answer = await shop.order();
  assert.deepEqual([answer.status, answer.body.code], [503, 'unavailable']);
  assert.ok(answer.headers.get('retry-after'));
  assert.deepEqual(await booksOf(service, shop.customer), before);
});
