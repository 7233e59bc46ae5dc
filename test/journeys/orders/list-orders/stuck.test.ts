import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publicId } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import { count, placeOrder, untilReady } from '../../../harness/floor.ts';
import { addProduct, TEE_WHITE_M, teeItem } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';
import {
  blank,
  closeStations,
  floor,
  linesOf,
  listed,
  openStations,
  promoted,
  service,
} from '../../production/stations.ts';

before(openStations);
after(closeStations);

describe('what is stuck', () => {
  test('orders short of stock, from the promotion that found it until there is enough or they are cancelled', async () => {
    const sku = 'TEE-CLASSIC-NVY-L';
    await count(floor, sku, 2);
    const items = [blank(2, sku)];
    const order = await placeOrder(service, { items });
    const gone = await placeOrder(service, { items });
    await count(floor, sku, 1);
    const short = () => listed('needs=stock');
    assert.deepEqual(await short(), []);
    for (const { id } of [order, gone])
      assert.equal((await floor.request('POST', `/orders/${id}/promote`)).status, 409);
    assert.deepEqual(await short(), [gone.id, order.id]);
    assert.deepEqual(await listed('needs=stock&sort=oldest'), [order.id, gone.id]);
    await floor.post(`/orders/${gone.id}/cancel`, { reason: 'no such blanks' });
    assert.deepEqual(await short(), [order.id]);
    assert.deepEqual(await listed('needs=stock&state=on_hold'), []);
    await floor.post(`/orders/${order.id}/hold`, { reason: 'wait for blanks' });
    assert.deepEqual(await listed('needs=stock&state=on_hold'), [order.id]);
    await floor.post(`/orders/${order.id}/resume`);
    await count(floor, sku, 2);
    assert.deepEqual(await short(), [], 'there is enough now');
    await floor.post(`/orders/${order.id}/promote`);
    assert.deepEqual(await rows(service, 'select 1 from promotion_shortage'), []);
  });

  test('orders that wait for their payment, of all accounts or of one', async () => {
    const poor = await service.openCustomer();
    const product_id = await addProduct(service, poor, 'TEE-CLASSIC');
    const items = [{ product_id, variant_sku: TEE_WHITE_M, quantity: 1, print_jobs: [] }];
    const [one, two] = [await placeOrder(service, { items }, poor), await placeOrder(service, { items }, poor)];
    assert.deepEqual(await listed('needs=payment'), [two.id, one.id]);
    assert.deepEqual(await listed('needs=payment&sort=oldest'), [one.id, two.id]);
    assert.deepEqual(await listed(`needs=payment&account=${publicId('acct', poor.accountId)}`), [two.id, one.id]);
    assert.deepEqual(await listed(`needs=payment&account=${publicId('acct', service.customer.accountId)}`), []);
    assert.deepEqual(await listed('needs=payment&state=placed'), []);
  });

  test('orders whose artwork could not be made, until it is being made anew or nothing of it is wanted', async () => {
    const order = await promoted([teeItem(service), blank()]);
    await untilReady(floor, order.id);
    const [file] = await rows<{ key: Buffer }>(
      service,
      `insert into print_file (key, account_id, recipe, state, failure, created_at)
       select decode(md5('lost'), 'hex'), account_id, '{}', 'failed', 'lost', placed_at from orders where reference = $1 returning key`,
      [order.reference],
    );
    assert.ok(file);
    await rows(
      service,
      `insert into artwork_failure (order_id, print_file_key, account_id, task_id, created_at)
       select id, $2, account_id, id, placed_at from orders where reference = $1`,
      [order.reference, file.key],
    );
    const point = (key: string) =>
      rows(
        service,
        `update print_job set print_file_key = ${key} where order_id = (select id from orders where reference = $1)`,
        [order.reference],
      );
    await point(`decode(md5('lost'), 'hex')`);
    assert.deepEqual(await listed('needs=artwork'), [order.id]);
    await rows(
      service,
      `update print_file set state = 'pending', failure = null where key = decode(md5('lost'), 'hex')`,
    );
    assert.deepEqual(await listed('needs=artwork'), [], 'it is being made');
    await rows(service, `update print_file set state = 'failed' where key = decode(md5('lost'), 'hex')`);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'no artwork', line_ids: [linesOf(order)[0]] });
    assert.deepEqual(await listed('needs=artwork'), [], 'the line is cancelled');
    await point(`(select key from print_file where state = 'ready' limit 1)`);
    await rows(service, `delete from artwork_failure`);
    await rows(service, `delete from print_file where key = decode(md5('lost'), 'hex')`);
  });

  test('orders with a refund that is owed by hand', async () => {
    assert.deepEqual(await listed('needs=refund'), []);
    const order = await placeOrder(service);
    const owe = (pence: number) =>
      rows(service, 'update orders set refund_owed_pence = $2 where reference = $1', [order.reference, pence]);
    await owe(100);
    assert.deepEqual([await listed('needs=refund'), await listed('needs=refund&state=cancelled')], [[order.id], []]);
    await owe(0);
    assert.deepEqual(await listed('needs=refund'), []);
  });

  test('the oldest first, page by page without a gap or a repeat', async () => {
    const newest = await listed('state=placed');
    const oldest = await listed('state=placed&sort=oldest');
    assert.deepEqual(oldest, newest.toReversed());
    const walked: string[] = [];
    let query = 'state=placed&sort=oldest&limit=2';
    for (;;) {
      const { body } = await floor.request<Page<OpsOrder>>('GET', `/orders?${query}`);
      walked.push(...body.data.map(({ id }) => id));
      if (body.next_cursor === null) break;
      query = `state=placed&sort=oldest&limit=2&cursor=${body.next_cursor}`;
    }
    assert.deepEqual(walked, oldest);
    const account = publicId('acct', service.customer.accountId);
    assert.deepEqual(await listed(`account=${account}&sort=oldest`), (await listed(`account=${account}`)).toReversed());
  });
});
