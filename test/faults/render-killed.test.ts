import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makePrintFile } from '../../src/artwork/make-print-file.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { decorated } from '../harness/shop.ts';
import { type Killable, openKillable, whileKilled } from '../harness/while-killed.ts';
import { assertSound, rows } from '../harness/written.ts';

// The service has no worker here, so that a test says when a print file is made.
let killable: Killable;
before(async () => {
  killable = await openKillable();
});
after(() => killable.close());

/** The key of the one print file of a new order. */
async function placePrint(): Promise<string> {
  const { service, shop, newPicture } = killable;
  const placed = await shop.order({ items: [decorated(shop, await newPicture())] });
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
  const [file] = await rows<{ state: string }>(
    killable.service,
    `select state from print_file where key = decode($1, 'hex')`,
    [key],
  );
  return file?.state;
}

test('a render whose child is killed is done by a second child (N200)', async () => {
  const { service } = killable;
  const key = await placePrint();
  await whileKilled(service, () => makePrintFile(service.ctx, key), 1);
  assert.equal(await stateOf(key), 'ready');
  await assertSound(service);
});

test('a render whose second child is killed too fails and leaves nothing behind, and the next try makes the file', async () => {
  const { service, staged } = killable;
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
