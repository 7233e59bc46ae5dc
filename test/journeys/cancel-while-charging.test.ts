import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setPaymentMethod } from '../../src/billing/payment-method.ts';
import type { Cancellation } from '../../src/orders/cancel-schema.ts';
import { sweepAttempts } from '../../src/orders/charge-sweep.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { assertSound, newReference, openShop, type Shop } from '../faults/fixtures.ts';
import { type FakeProvider, startProvider } from '../harness/provider.ts';
import { type OperatorClient, startTestService, type TestService } from '../harness/service.ts';
import { rows } from './fixtures.ts';

// A cancel that is refused changes nothing, not even the charge that is under way.

let provider: FakeProvider;
let service: TestService;
let finance: OperatorClient;
before(async () => {
  provider = await startProvider();
  service = await startTestService({ role: 'api', env: provider.env });
  finance = await service.openOperator('finance');
});
beforeEach(() => {
  provider.decide('accept');
  provider.before('cancel', async () => {});
});
afterEach(() => assertSound(service));
after(async () => {
  await service.stop();
  await provider.close();
});

const HOUR_MS = 3_600_000;
const SWEEP_AFTER_MS = 20 * 60_000;

/** An order whose card the provider was asked to charge, and has not answered. */
async function placeProcessing(): Promise<{ shop: Shop; order: CreatedOrder }> {
  const shop = await openShop(service, 0);
  const reference = `pm_${newReference().replaceAll(/[^a-z0-9]/g, '')}`;
  await setPaymentMethod(service.ctx, { accountId: shop.customer.accountId, kind: 'card', reference });
  provider.fail('confirm', '500');
  const placed = await shop.order();
  assert.deepEqual([placed.status, placed.body.payment_status], [201, 'processing'], placed.text);
  return { shop, order: placed.body };
}

async function eventsOf({ customer }: Shop): Promise<string[]> {
  const found = await rows<{ event: string }>(service, 'select event from event where account_id = $1 order by id', [
    customer.accountId,
  ]);
  return found.map(({ event }) => event);
}

/** The charge goes on and pays the order, as if nobody had tried to cancel. */
async function chargeGoesOn({ shop, order }: Awaited<ReturnType<typeof placeProcessing>>): Promise<void> {
  const { body: waiting } = await shop.customer.request<Order>('GET', `/orders/${order.id}`);
  assert.deepEqual([waiting.status, waiting.payment_status], ['pending', 'processing']);
  assert.deepEqual(await eventsOf(shop), []);
  service.shiftMs(SWEEP_AFTER_MS);
  assert.equal(await sweepAttempts(service.ctx), 1);
  const { body: paid } = await shop.customer.request<Order>('GET', `/orders/${order.id}`);
  assert.equal(paid.payment_status, 'paid');
  assert.deepEqual(await eventsOf(shop), ['order.created']);
}

test('a cancel after the hour is refused and leaves the charge that is under way alone', async () => {
  const placed = await placeProcessing();
  service.shiftMs(HOUR_MS + 1_000);
  const refused = await placed.shop.customer.request('POST', `/orders/${placed.order.id}/cancel`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'cancellation_window_closed']);
  await chargeGoesOn(placed);
});

test('pieces of an order that is not paid for are not cancelled, and its charge is left alone', async () => {
  const placed = await placeProcessing();
  const line = placed.order.items.lineItems[0]?.id;
  const body = { reason: 'one too many', lines: [{ line_id: line, quantity: 1 }] };
  const refused = await finance.request('POST', `/orders/${placed.order.id}/cancel`, body);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  await chargeGoesOn(placed);
});

test('a cancel that came within the hour counts, however long the provider takes to say how the charge stands', async () => {
  const { shop, order } = await placeProcessing();
  provider.before('cancel', async () => service.shiftMs(HOUR_MS + 1_000));
  const cancelled = await shop.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.deepEqual(await eventsOf(shop), ['order.payment_failed', 'order.cancelled']);
});
