import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { decorated, newReference } from '../harness/shop.ts';
import { type Killable, openKillable, whileKilled } from '../harness/while-killed.ts';
import { assertSound, booksOf } from '../harness/written.ts';

let killable: Killable;
before(async () => {
  killable = await openKillable();
});
after(() => killable.close());

test('N200 the decoder runs out of memory: the order is refused as corrupt and nothing is charged, others are served meanwhile, the next picture works', async () => {
  const { service, shop, newPicture, staged } = killable;
  const url = await newPicture();
  const external_reference = newReference();
  const order = (address: string) => shop.order({ items: [decorated(shop, address)], external_reference });
  const before = await booksOf(service, shop.customer);
  const [refused, checked, others] = await whileKilled(service, () =>
    Promise.all([
      order(url),
      shop.customer.request<{ valid: boolean; results: { code: string }[] }>('POST', '/uploads/validate', { url }),
      Promise.all(Array.from({ length: 20 }, () => shop.customer.request('GET', '/orders'))),
    ]),
  );
  assert.deepEqual([refused.status, refused.body.code], [422, 'validation_failed'], refused.text);
  const { errors } = JSON.parse(refused.text) as { errors: { path: string; code: string }[] };
  assert.deepEqual(
    errors.map(({ path, code }) => [path, code]),
    [['items[0].decoration.areas[0].artwork_url', 'corrupt']],
  );
  assert.deepEqual([checked.status, checked.body.valid, checked.body.results[0]?.code], [200, false, 'corrupt']);
  assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(await booksOf(service, shop.customer), before);
  assert.deepEqual(staged(), []);

  const placed = await order(await newPicture());
  assert.equal(placed.status, 201, placed.text);
  assert.equal((placed.body as CreatedOrder).payment_status, 'paid');
  await assertSound(service);
});
