import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { issueDueDocuments } from '../../../../src/invoices/issue-due.ts';
import type { Invoice } from '../../../../src/invoices/schema.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { basket } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';

const DAY_MS = 86_400_000;

let service: TestService;
/** The seller is registered from the day after tomorrow on, and has no number yet. */
before(async () => {
  const day = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
  service = await startTestService({ role: 'api', env: { SELLER_NAME: 'Mill Lane', SELLER_VAT_REGISTERED: day } });
});
after(() => service.stop());
afterEach(() => assertSound(service));

async function place(): Promise<CreatedOrder> {
  const answer = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const ask = (order: CreatedOrder) => service.customer.request<Invoice>('GET', `/orders/${order.id}/invoice`);

const issued = () => rows<{ number: number }>(service, 'select number from invoice order by number');

test('when the day of registration comes without a VAT number, invoices with VAT wait for it, and are VAT invoices then', async () => {
  const early = await place();
  service.shiftMs(2 * DAY_MS);
  const late = await place();
  assert.ok(late.charged.vat_amount > 0);
  const before = await ask(early);
  assert.deepEqual([before.status, before.body.vat_total], [200, 0], before.text);

  const refused = await service.customer.request('GET', `/orders/${late.id}/invoice`);
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'], refused.text);
  service.shiftMs(120_000);
  await assert.rejects(issueDueDocuments(service.ctx), { code: 'unavailable' });
  assert.equal((await issued()).length, 1);

  const { config } = service.ctx;
  const numbered = { ...config, seller: { ...config.seller, vatNumber: 'GB999999973' } };
  await issueDueDocuments({ ...service.ctx, config: numbered });
  const { status, body } = await ask(late);
  assert.deepEqual([status, body.seller.vat_number, body.vat_total], [200, 'GB999999973', late.charged.vat_amount]);
  const numbers = (await issued()).map(({ number }) => number);
  assert.equal(numbers.length, 2);
  assert.equal(numbers[1], (numbers[0] ?? 0) + 1, 'the series has no gap');
});
