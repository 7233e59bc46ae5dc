import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runErasures } from '../../../../src/privacy/erase/worker.ts';
import { assertSound, rows } from '../../../harness/written.ts';
import { openReplacing, type ReplaceShop } from './replacing.ts';

let at: ReplaceShop;
before(async () => {
  at = await openReplacing();
});
after(async () => {
  try {
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

test('an erasure removes the picture that failed as well as the one that took its place, and keeps no address of either', async () => {
  const order = await at.failed();
  const url = await at.picture();
  const hashesOf = async (): Promise<string[]> => {
    const used = `select encode(j.design_hash, 'hex') as now, encode(j.sold_design_hash, 'hex') as before
      from print_job j join orders o on o.id = j.order_id where o.reference = $1`;
    const [found] = await rows<{ now: string; before: string | null }>(at.service, used, [order.reference]);
    return [found?.now ?? '', found?.before ?? ''];
  };
  assert.equal((await at.replace(order, { print_area: 'front', url })).status, 200);
  const hashes = await hashesOf();
  assert.equal(new Set(hashes).size, 2);
  const stored = async (): Promise<boolean[]> => Promise.all(hashes.map((hash) => at.service.ctx.blobs.has(hash)));
  assert.deepEqual(await stored(), [true, true]);
  const disclosed = await at.floor.request<{ files: object[] }>(
    'POST',
    `/accounts/${at.service.demo.account_id}/export-person`,
    {
      order: order.reference,
    },
  );
  assert.equal(disclosed.status, 200, disclosed.text);
  for (const hash of hashes) assert.ok(disclosed.text.includes(hash), 'what is held is disclosed');
  assert.ok(!disclosed.text.includes(url), 'the address is not kept');
  assert.equal((await at.service.customer.request('POST', `/orders/${order.id}/cancel`)).status, 200);
  at.service.shiftMs(11 * 60_000);
  const erased = await at.floor.request('POST', `/accounts/${at.service.demo.account_id}/erase`, {
    order: order.reference,
    reason: 'They asked.',
  });
  assert.equal(erased.status, 200, erased.text);
  await runErasures(at.service.ctx);
  assert.deepEqual(await stored(), [false, false]);
  assert.equal((await at.see(order)).items[0]?.artwork?.areas[0]?.actions.replace.available, false);
});
