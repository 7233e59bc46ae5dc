import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { newId, parseId } from '../../../src/lib/ids.ts';
import { CHARGE_WITHIN_MS, chargeAttempt } from '../../../src/payments/attempt.ts';
import type { PaymentProvider } from '../../../src/payments/provider.ts';
import { callBack, openCardShop, placeCharged, seenBy, type Till } from '../../harness/card-shop.ts';
import { type FakeIntent, startProvider } from '../../harness/provider.ts';
import { type OperatorClient, startTestService } from '../../harness/service.ts';
import { assertSound } from '../../harness/written.ts';

// A direct debit that fails between the provider's answer to its confirmation and the booking of that answer.

let till: Till;
let finance: OperatorClient;
before(async () => {
  const provider = await startProvider();
  const service = await startTestService({ role: 'api', env: provider.env });
  till = { service, provider };
  finance = await service.openOperator('finance');
});
afterEach(() => assertSound(till.service));
after(async () => {
  await till.service.stop();
  await till.provider.close();
});

/**
 * An order whose debit is charged while `meanwhile` happens, after the provider has answered and before it is booked.
 */
async function chargedWhile(meanwhile: (intent: FakeIntent, orderId: string) => Promise<void>) {
  const shop = await openCardShop(till, 0, 'direct_debit');
  till.provider.decide('process');
  till.provider.fail('confirm', '500');
  const { order, intent } = await placeCharged(till, shop);
  const { ctx } = till.service;
  const id = parseId('pay', (await seenBy(finance, order)).payment_attempts[0]?.id ?? '') ?? newId();
  assert.ok(ctx.payments);
  const { payments } = ctx;
  const slow: PaymentProvider = {
    ...payments,
    confirmIntent: async (intentId, timeoutMs) => {
      const answer = await payments.confirmIntent(intentId, timeoutMs);
      till.provider.turn(intent, 'requires_payment_method');
      await meanwhile(intent, order.id);
      return answer;
    },
  };
  await chargeAttempt({ ...ctx, payments: slow }, id, CHARGE_WITHIN_MS);
  return { shop, seen: await seenBy(finance, order) };
}

const tellOfFailure = (intent: FakeIntent) => callBack(till, 'payment_intent.payment_failed', { id: intent.id });

test('D65 its callback ends the attempt first: the booking of the older answer is followed by that of the return', async () => {
  const { seen } = await chargedWhile(tellOfFailure);
  const [attempt] = seen.payment_attempts;
  assert.deepEqual([attempt?.state, attempt?.returned_at === null], ['succeeded', false]);
  assert.deepEqual(
    seen.tasks.map(({ kind }) => kind),
    ['payment_returned'],
  );
});

test('D65 its callback cannot read the provider: 503, so that it comes again, and nothing is lost meanwhile', async () => {
  const { seen } = await chargedWhile(async (intent) => {
    till.provider.fail('read', '500', '500');
    await assert.rejects(tellOfFailure(intent), /503/);
  });
  assert.notEqual(seen.payment_attempts[0]?.returned_at, null);
});

test('its order is cancelled in between: money that never came is owed to nobody', async () => {
  const { seen } = await chargedWhile(async (intent, orderId) => {
    await tellOfFailure(intent);
    const cancelled = await finance.request('POST', `/orders/${orderId}/cancel`, { reason: 'The customer rang.' });
    assert.equal(cancelled.status, 200, cancelled.text);
  });
  assert.ok(seen.tasks.some(({ kind }) => kind === 'payment_returned'));
  assert.ok(
    seen.refunds.every(({ status }) => status === 'refunded'),
    JSON.stringify(seen.refunds),
  );
});
