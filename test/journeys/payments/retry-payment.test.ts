import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import { openShop } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { closeCards, openCardShop, openCards, provider, service, sweep } from './cards.ts';

before(openCards);
after(closeCards);
beforeEach(() => {
  provider.decide('accept');
  provider.calls.length = 0;
});
afterEach(() => assertSound(service));

test('an operator charges a waiting order once more: a new intent, once for each key, and only finance may', async () => {
  const shop = await openCardShop(400);
  provider.decide('decline');
  const order = await shop.order();
  const finance = await service.openOperator('finance');
  const path = `/orders/${order.body.id}/retry-payment`;
  const declined = await finance.request<OpsOrder>('POST', path, undefined, { 'idempotency-key': 'try-1' });
  assert.deepEqual([declined.status, declined.body.payment_status], [200, 'failed'], declined.text);
  provider.decide('accept');
  const repeat = await finance.request<OpsOrder>('POST', path, undefined, { 'idempotency-key': 'try-1' });
  assert.deepEqual([repeat.status, repeat.body.payment_status], [200, 'failed'], 'a repeat charges nothing');
  const paid = await finance.request<OpsOrder>('POST', path, undefined, { 'idempotency-key': 'try-2' });
  assert.deepEqual([paid.status, paid.body.payment_status], [200, 'paid'], paid.text);
  assert.deepEqual(
    paid.body.history.map(({ action }) => action),
    ['place', 'payment_failed', 'retry_payment', 'payment_failed', 'retry_payment', 'settle'],
  );
  const again = await finance.request('POST', path);
  assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
  const production = await service.openOperator('production');
  assert.equal((await production.request('POST', path)).status, 403);
});

test('a charge that is under way is not charged a second time by an operator', async () => {
  const shop = await openCardShop(0);
  provider.fail('confirm', '500');
  const order = await shop.order();
  const finance = await service.openOperator('finance');
  const refused = await finance.request('POST', `/orders/${order.body.id}/retry-payment`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.equal(await sweep(), 1);
});

test('without a card an operator cannot charge what the balance does not cover', async () => {
  const shop = await openShop(service, 0);
  const order = await shop.order();
  const finance = await service.openOperator('finance');
  const refused = await finance.request('POST', `/orders/${order.body.id}/retry-payment`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
});
