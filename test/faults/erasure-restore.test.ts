import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findRunningPostgres } from '@platen/embedded-postgres';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { databaseClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import type { ErasureReceipt } from '../../src/privacy/ops-schema.ts';
import { installDemo } from '../harness/database.ts';
import { freePort, platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { scratchParent } from '../harness/scratch.ts';
import { HOME, TEE_WHITE_M } from '../harness/shop.ts';
import { huntInDatabase, huntInFiles } from '../journeys/privacy/hunt.ts';

const MARK = 'zorblax';

let folder: string;
let dir: string;
let env: Record<string, string>;
let demo: DemoReport;
let service: ServiceProcess | undefined;
let order: CreatedOrder;
let other: CreatedOrder;

before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-erasure-'));
  dir = join(folder, 'backups');
  env = { DATA_DIR: join(folder, 'data'), PORT: String(await freePort()), LOG_LEVEL: 'error' };
  demo = await installDemo(env);
  service = await startServiceProcess(env);
  order = await place(MARK);
  other = await place('wumpus');
  for (const { id } of [order, other]) assert.equal((await call('POST', `/orders/${id}/cancel`)).status, 200);
  await platenJson(['backup', dir], env);
});
after(async () => {
  if (service?.isRunning()) await service.kill();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

async function call<Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${service?.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

async function place(mark: string): Promise<CreatedOrder> {
  const { status, body } = await call<CreatedOrder>('POST', '/orders', {
    items: [{ product_id: demo.products.fixed, variant_sku: TEE_WHITE_M, quantity: 1 }],
    shipping_address: { ...HOME, contact_name: `Ada ${mark}`, email: `ada@${mark}.example` },
    notes: `for ${mark}`,
  });
  assert.equal(status, 201);
  return body;
}

/** Looks for a text in every column of the database of a service that runs on a data directory. */
async function hunt(dataDir: string, mark: string): Promise<string[]> {
  const address = await findRunningPostgres(dataDir);
  assert.ok(address !== undefined);
  const database = await openDatabase({ address, clock: databaseClock(), log: silentLog, connectionsMax: 2 });
  try {
    return await huntInDatabase(database, mark);
  } finally {
    await database.close();
  }
}

test('a backup from before an erasure is erased again when it is restored, and nothing else of it', async () => {
  const recipient = `Ada ${MARK}, ${HOME.postcode}`;
  const erase = ['erase', '--account', demo.account_id, '--recipient', recipient];
  const receipt = await platenJson<ErasureReceipt>(erase, env);
  assert.deepEqual([receipt.state, receipt.orders_erased], ['done', 1]);
  assert.deepEqual(await hunt(env.DATA_DIR ?? '', MARK), []);
  const again = await platenJson<ErasureReceipt>(erase, env);
  assert.deepEqual(again, receipt, 'a repeat has the same receipt');
  // The next backup brings the newest ledger beside the old one.
  await platenJson(['backup', dir], env);
  await service?.kill();

  const old = (await runPlaten(['restore', dir, '--at', '1999-01-01'], { ...env, DATA_DIR: join(folder, 'none') }))
    .stderr;
  assert.match(old, /there are \d{4}/);
  const first = /there are ([^,\s]+)/.exec(old)?.[1] ?? '';
  const restored = { ...env, DATA_DIR: join(folder, 'restored') };
  const result = await platenJson<{ ok: boolean; erased_orders: number }>(['restore', dir, '--at', first], restored);
  assert.deepEqual([result.ok, result.erased_orders], [true, 1]);
  service = await startServiceProcess(restored);
  assert.deepEqual(await hunt(restored.DATA_DIR, MARK), []);
  assert.deepEqual(await huntInFiles(join(restored.DATA_DIR, 'blobs'), [MARK]), []);
  assert.ok((await hunt(restored.DATA_DIR, 'wumpus')).includes('orders.shipping_address'));
  const { body } = await call<Order>('GET', `/orders/${order.reference}`);
  assert.deepEqual([body.shipping_address.contact_name, body.shipping_address.country_code], ['', 'GB']);
  assert.equal((await call<Order>('GET', `/orders/${other.reference}`)).body.erased_at, null);
  assert.equal(
    (await platenJson<ErasureReceipt>(erase, restored)).id,
    receipt.id,
    'the erasure is known by its own id in the restored shop',
  );
});

test('a service does not start without the ledger that its database knows, nor with a shorter or a damaged one', async () => {
  await service?.kill();
  const dataDir = join(folder, 'restored');
  const ledger = join(dataDir, 'erasures');
  const sound = join(folder, 'sound');
  await cp(ledger, sound, { recursive: true });
  const start = async (): Promise<string> => {
    const result = await runPlaten(['serve'], { ...env, DATA_DIR: dataDir });
    assert.equal(result.status, 1, result.stderr);
    return result.stderr;
  };
  const log = join(ledger, 'erasures.log');
  await rm(ledger, { recursive: true });
  assert.match(
    await start(),
    /the ledger of erasures .* is missing, and the database knows 1 erasures: put back .* `platen erasures begin-ledger` begins it anew/,
  );
  await cp(sound, ledger, { recursive: true });
  await truncate(log, 100);
  assert.match(await start(), /has 0 entries, and the database knows 1/);
  const bytes = await readFile(join(sound, 'erasures.log'));
  bytes[120] = (bytes[120] ?? 0) ^ 1;
  await writeFile(log, bytes);
  assert.match(await start(), /is damaged in line 1/);
  await rm(join(ledger, 'erasures.key'));
  assert.match(await start(), /has no erasures\.key/);
  await rm(ledger, { recursive: true });
  await cp(sound, ledger, { recursive: true });
  service = await startServiceProcess({ ...env, DATA_DIR: dataDir });
  assert.equal((await call('GET', '/orders')).status, 200);
});

test('a ledger that is lost with every copy is begun anew, and erases a backup from before again', async () => {
  const own = { ...env, DATA_DIR: join(folder, 'restored') };
  const ledger = join(own.DATA_DIR, 'erasures');
  const begin = ['erasures', 'begin-ledger', '--reason', 'the disk is gone'];
  const refused = await runPlaten(begin, own);
  assert.deepEqual([refused.status, /there and sound/.test(refused.stderr)], [1, true], refused.stderr);
  await service?.kill();
  await rm(ledger, { recursive: true });

  const begun = await platenJson<{ entries: number; former_entries: number }>(begin, own);
  assert.deepEqual([begun.entries, begun.former_entries], [1, 1]);
  service = await startServiceProcess(own);
  // The copy beside the backups is of the ledger that was lost: the new one takes its place.
  await platenJson(['backup', dir], own);
  const next = await platenJson<ErasureReceipt>(
    ['erase', '--account', demo.account_id, '--recipient', `Ada wumpus, ${HOME.postcode}`],
    own,
  );
  assert.equal(next.orders_erased, 1);
  await platenJson(['backup', dir], own);
  await service.kill();

  const { stderr } = await runPlaten(['restore', dir, '--at', '1999-01-01'], {
    ...env,
    DATA_DIR: join(folder, 'none'),
  });
  const first = /there are ([^,\s]+)/.exec(stderr)?.[1] ?? '';
  const again = { ...env, DATA_DIR: join(folder, 'again') };
  const result = await platenJson<{ ok: boolean; erased_orders: number }>(['restore', dir, '--at', first], again);
  assert.deepEqual([result.ok, result.erased_orders], [true, 2], 'both are erased in the oldest backup');
  service = await startServiceProcess(again);
  for (const mark of [MARK, 'wumpus']) assert.deepEqual(await hunt(again.DATA_DIR, mark), []);
});
