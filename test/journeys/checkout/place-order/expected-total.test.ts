import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder, Estimate } from '../../../../src/orders/schema.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { basket, newReference, problemsOf } from '../../../harness/shop.ts';
import { balancePence, rows } from '../../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const place = (body: object) => service.customer.request<CreatedOrder>('POST', '/orders', body);
const refuse = (body: object) => service.customer.request('POST', '/orders', body);

test('an order is placed at the total that was agreed, or refused with the present one and nothing is written', async () => {
  const reference = newReference();
  const body = basket(service, { external_reference: reference });
  const { total } = (await service.customer.request<Estimate>('POST', '/orders/estimate', body)).body;
  const before = await balancePence(service, service.customer);
  for (const expected of [total - 0.01, total + 0.01, 0]) {
    const refused = await refuse({ ...body, expected_total: Math.round(expected * 100) / 100 });
    assert.deepEqual(
      [refused.status, refused.body.code, 'total' in refused.body && refused.body.total],
      [409, 'price_changed', total],
    );
  }
  assert.equal(await balancePence(service, service.customer), before);
  const written = 'select order_id from order_reference where external_reference = $1';
  assert.deepEqual(await rows(service, written, [reference]), []);
  const placed = await place({ ...body, expected_total: total });
  assert.deepEqual([placed.status, placed.body.charged.total], [201, total]);
  const repeat = await place({ ...body, expected_total: 1 });
  assert.deepEqual(
    [repeat.status, repeat.body.id],
    [200, placed.body.id],
    'a repeat answers the order, whatever is sent',
  );
  assert.deepEqual(repeat.body.warnings, placed.body.warnings);
});

test('a total with three decimals, or below zero, is refused as a shape; an estimate takes it and goes on', async () => {
  const body = basket(service);
  for (const [expected, problem] of [
    [1.234, 'expected_total decimals'],
    [-1, 'expected_total out_of_bounds'],
  ] as const) {
    const refused = await refuse({ ...body, expected_total: expected });
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]]);
  }
  const estimate = await service.customer.request('POST', '/orders/estimate', { ...body, expected_total: 1 });
  assert.equal(estimate.status, 200);
});
