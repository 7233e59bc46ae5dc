import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import { count, placeOrder } from '../../../harness/floor.ts';
import { blank, closeStations, floor, openStations, service } from '../stations.ts';

before(openStations);
after(closeStations);

describe('what is told', () => {
  test('stock is shown however many pieces are awaited', async () => {
    const sku = 'TEE-CLASSIC-NVY-2XL';
    await count(floor, sku, 1);
    const order = await placeOrder(service, { items: [blank(1, sku)] });
    const lines = 214_749;
    // As by one order of so many lines: whoever changes lines notes it at the order.
    const noted = `update orders set changed_by = transaction_number() where reference = '${order.reference}'`;
    await service.ctx.database.script(`
      select set_config('statement_timeout', '0', true);
      ${noted};
      insert into order_line (order_id, id, account_id, ordinal, product_id, sku, quantity, name, unit_price_pence, line_price_pence, vat_class)
      select l.order_id, gen_random_uuid(), l.account_id, n, l.product_id, l.sku, 10000, l.name, 0, 0, l.vat_class
      from order_line l join orders o on o.id = l.order_id, generate_series(1, ${lines}) as n where o.reference = '${order.reference}'`);
    const answer = await floor.request<Page<{ awaiting: number }>>('GET', `/stock?sku=${sku}`);
    assert.deepEqual([answer.status, answer.body.data?.[0]?.awaiting], [200, lines * 10_000 + 1], answer.text);
    await service.ctx.database.script(`
      select set_config('statement_timeout', '0', true);
      ${noted};
      delete from order_line where ordinal > 0 and order_id = (select id from orders where reference = '${order.reference}')`);
  });
});
