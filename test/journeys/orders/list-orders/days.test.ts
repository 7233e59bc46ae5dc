import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import { type Floor, openFloor, placeOrder } from '../../../harness/floor.ts';
import { readPdf } from '../../../harness/pdf.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService({ role: 'api' });
  floor = await openFloor(service, 'admin');
});
after(() => service.stop());

test('a date alone is a day of London: an order of half past midnight on 1 July was not placed in June', async () => {
  service.shiftMs(Date.parse('2027-06-30T22:30:00.000Z') - service.ctx.clock.now().getTime());
  const inJune = await placeOrder(service);
  service.shiftMs(3_600_000);
  const inJuly = await placeOrder(service);
  assert.match(inJuly.created_at, /^2027-06-30T23:3/);
  const listed = async (query: string): Promise<string[]> => {
    const answer = await floor.request<Page<OpsOrder>>('GET', `/orders?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.map(({ id }) => id);
  };
  assert.deepEqual(await listed('placed_from=2027-06-30&placed_to=2027-06-30'), [inJune.id]);
  assert.deepEqual(await listed('placed_from=2027-07-01'), [inJuly.id]);
  assert.deepEqual(await listed('placed_from=2027-06-30&placed_to=2027-07-01'), [inJuly.id, inJune.id]);
  // A time is an instant, as everywhere.
  assert.deepEqual(await listed('placed_from=2027-06-30T23:00:00.000Z'), [inJuly.id]);
});

test('papers have the day of London on which an order was placed', async () => {
  const order = await placeOrder(service);
  assert.match(order.created_at, /^2027-06-30T23:3/);
  const { token } = await service.openOperator();
  for (const paper of ['packing-slip', 'job-sheet']) {
    const path = `${service.url}/ops/v1/orders/${order.id}/${paper}`;
    const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(response.status, 200);
    const text = readPdf(Buffer.from(await response.arrayBuffer()))
      .flatMap(({ texts }) => [...texts])
      .join('\n');
    assert.match(text, /placed 2027-07-01/i, paper);
  }
});
