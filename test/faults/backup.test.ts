import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { markedProcesses, serverMark } from '@platen/embedded-postgres/processes';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { installDemo } from '../harness/database.ts';
import { flat } from '../harness/pictures.ts';
import { freePort, platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { type FakeProvider, startProvider } from '../harness/provider.ts';
import { HOME, newReference } from '../harness/shop.ts';
import { type Stranger, startStranger } from '../harness/stranger.ts';

// The runbook's own way: stop, `cp -a` of DATA_DIR, go on; later stop, put the copy back, verify, start.

let folder: string;
let dataDir: string;
let env: Record<string, string>;
let demo: DemoReport;
let service: ServiceProcess;
let provider: FakeProvider;
let stranger: Stranger;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-backup-'));
  dataDir = join(folder, 'data');
  provider = await startProvider();
  const authority = createAuthority();
  stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  stranger.serve('/hook', { status: 204 });
  stranger.serve('/badge.png', { body: await flat(400, 400, '#336699').png().toBuffer() });
  env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    WEBHOOK_FLUSH_SECONDS: '0',
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    LOG_LEVEL: 'error',
    ...provider.env,
  };
  demo = await installDemo(env);
  await platenJson(['stock', 'set', '--sku', 'TEE-CLASSIC-WHT-M', '--on-hand', '5000'], env);
  service = await startServiceProcess(env);
  await platenJson(
    ['account', 'payment-method', '--account', demo.account_id, '--kind', 'card', '--reference', 'pm_backup'],
    env,
  );
});
after(async () => {
  if (service?.isRunning()) await service.stop();
  await provider?.close();
  await stranger?.close();
  const mark = await serverMark(dataDir);
  await eventually('no database is left running', async () => (await markedProcesses(mark)).length === 0);
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

async function call<Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
  const response = await fetch(`http://127.0.0.1:${env.PORT}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

const place = (external_reference: string, changes: object = {}) =>
  call<CreatedOrder>('POST', '/orders', {
    items: [{ product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, ...changes }],
    shipping_address: HOME,
    external_reference,
  });

/** Printed with a picture that the service has to fetch and store. */
const printed = () => ({
  decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: stranger.url('/badge.png') }] },
});
/** Dearer than the balance, so that the card is charged for the rest. */
const DEAR = { quantity: 2_000, print_jobs: [{ area: 'front', method: 'dtg' }] };

const balance = async (): Promise<number> => (await call<{ balance: number }>('GET', '/account/balance')).body.balance;

async function assertSound(): Promise<void> {
  const { status, stdout } = await runPlaten(['verify', '--json'], env);
  assert.equal(status, 0, stdout);
}

const run = promisify(execFile);

test('N215 a backup of an earlier moment is put back: its orders and their references are as they were, later ones are placed anew, and the books agree', async (t) => {
  const subscribed = await call('POST', '/webhooks', { url: stranger.url('/hook') });
  assert.equal(subscribed.status, 201);
  const [earlier, earlierCancelled, later, laterByCard] = [
    newReference(),
    newReference(),
    newReference(),
    newReference(),
  ];
  const kept = await place(earlier, printed());
  const cancelled = await place(earlierCancelled);
  assert.deepEqual([kept.status, cancelled.status], [201, 201]);
  assert.equal((await call('POST', `/orders/${cancelled.body.id}/cancel`)).status, 200);
  const balanceThen = await balance();

  assert.equal(await service.stop(), 0);
  const backup = join(folder, 'backup');
  await run('cp', ['-a', dataDir, backup]);
  service = await startServiceProcess(env);

  const lost = await place(later, printed());
  assert.equal((await call('POST', `/orders/${kept.body.id}/cancel`)).status, 200, 'cancelled after the backup');
  const lostByCard = await place(laterByCard, DEAR);
  assert.deepEqual([lost.status, lostByCard.status, lostByCard.body.payment_status], [201, 201, 'paid']);
  const charges = () => provider.intents.reduce((sum, intent) => sum + intent.charges, 0);
  assert.equal(charges(), 1);
  const [charged] = provider.intents;
  assert.ok(charged);
  await assertSound();

  assert.equal(await service.stop(), 0);
  await rm(dataDir, { recursive: true });
  await run('cp', ['-a', backup, dataDir]);
  await assertSound();
  service = await startServiceProcess(env);

  assert.equal(await balance(), balanceThen, 'the balance is that of the backup');
  const again = await place(earlier, printed());
  assert.deepEqual([again.status, again.body.id], [200, kept.body.id], 'an earlier reference leads to its order');
  const cancelledAgain = await place(earlierCancelled);
  assert.deepEqual([cancelledAgain.status, cancelledAgain.body.id], [200, cancelled.body.id]);
  assert.equal(await balance(), balanceThen, 'and charges nothing');
  const undone = await call<Order>('GET', `/orders/${kept.body.id}`);
  assert.deepEqual([undone.status, undone.body.status], [200, 'pending'], 'its later cancel is undone, refund and all');
  assert.equal((await call('GET', `/orders/${lost.body.id}`)).status, 404, 'a later order is gone');

  const anew = await place(later, printed());
  assert.equal(anew.status, 201, 'a later reference is free');
  assert.notEqual(anew.body.id, lost.body.id);
  assert.equal((await place(later, printed())).body.id, anew.body.id, 'and is held from then on');
  assert.ok((await balance()) < balanceThen);
  const refunded = await call('POST', `/orders/${kept.body.id}/cancel`);
  assert.equal(refunded.status, 200, 'the cancel that was lost is made again, and refunds once');
  assert.equal(
    (await call<{ already_cancelled?: boolean }>('POST', `/orders/${kept.body.id}/cancel`)).body.already_cancelled,
    true,
  );

  // What the provider has charged since is not in these books, and says for itself what it was for: the runbook's list.
  const heard = provider.callback('payment_intent.succeeded', { id: charged.id, object: 'payment_intent' });
  const hook = await fetch(`http://127.0.0.1:${env.PORT}/hooks/stripe`, { method: 'POST', ...heard });
  assert.equal(hook.status, 200, 'a callback about it is passed over, and books nothing');
  assert.match(charged.attempt, /^[\w-]{20,}$/, 'it carries the attempt that made it');
  assert.equal((await call('GET', `/orders/${lostByCard.body.id}`)).status, 404);
  const byCardAnew = await place(laterByCard, DEAR);
  assert.deepEqual([byCardAnew.status, byCardAnew.body.payment_status], [201, 'paid']);
  assert.equal(charges(), 2, 'a charge of its own, in these books; the one of before is the operator’s to give back');
  assert.deepEqual(new Set(provider.intents.map(({ attempt }) => attempt)).size, 2);

  await eventually('its artwork is made', async () => {
    const order = await call<Order>('GET', `/orders/${anew.body.id}`);
    return order.body.items.every(({ artwork_ready }) => artwork_ready);
  });
  await assertSound();
  t.diagnostic(`${provider.intents.length} intents at the provider`);
});
