import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makePrintFile } from '../../src/artwork/make-print-file.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { noise } from '../harness/pictures.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { decorated, openShop, type Shop } from '../harness/shop.ts';
import { whileKilled } from '../harness/while-killed.ts';
import { assertSound, rows } from '../harness/written.ts';

// The service has no worker here, so that a test says when a print file is made.
let service: TestService;
let shop: Shop;
let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'platen-render-'));
  service = await startTestService({ role: 'api', dataDir });
  shop = await openShop(service, 10);
});
after(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

let pictures = 0;

/** The key of the one print file of a new order. */
async function placePrint(): Promise<string> {
  pictures += 1;
  const path = `/render-${pictures}.png`;
  service.stranger.serve(path, {
    body: await noise(900 + pictures, 900)
      .png()
      .toBuffer(),
  });
  const placed = await shop.order({ items: [decorated(shop, service.stranger.url(path))] });
  assert.equal(placed.status, 201, placed.text);
  const [job] = await rows<{ key: string }>(
    service,
    `select encode(j.print_file_key, 'hex') as key from print_job j
     join orders o on o.id = j.order_id and o.account_id = j.account_id where o.reference = $1`,
    [(placed.body as CreatedOrder).reference],
  );
  assert.ok(job);
  return job.key;
}

async function stateOf(key: string): Promise<string | undefined> {
  const [file] = await rows<{ state: string }>(service, `select state from print_file where key = decode($1, 'hex')`, [
    key,
  ]);
  return file?.state;
}

const staged = (): string[] => readdirSync(join(dataDir, 'blobs', 'staging'));

test('a render whose child is killed is done by a second child (N200)', async () => {
  const key = await placePrint();
  await whileKilled(service, () => makePrintFile(service.ctx, key), 1);
  assert.equal(await stateOf(key), 'ready');
  await assertSound(service);
});

test('a render whose second child is killed too fails and leaves nothing behind, and the next try makes the file', async () => {
  const key = await placePrint();
  await assert.rejects(
    whileKilled(service, () => makePrintFile(service.ctx, key)),
    /The artwork cannot be made print-ready: it cannot be decoded\./,
  );
  assert.equal(await stateOf(key), 'pending');
  assert.deepEqual(staged(), []);
  await makePrintFile(service.ctx, key);
  assert.equal(await stateOf(key), 'ready');
  assert.deepEqual(staged(), []);
  await assertSound(service);
});
