import assert from 'node:assert/strict';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { setPaymentMethod } from '../../src/payments/method.ts';
import type { FakeIntent, FakeProvider } from './provider.ts';
import type { OperatorClient, TestService } from './service.ts';
import { newReference, openShop, type Shop } from './shop.ts';

/** A service whose payment provider is on this machine. */
export type Till = { readonly service: TestService; readonly provider: FakeProvider };

/** A shop whose balance has so many pence, and a card or direct debit beside it. */
export async function openCardShop(
  { service, provider }: Till,
  balance = 0,
  kind: 'card' | 'direct_debit' = 'card',
): Promise<Shop> {
  const { totalPence } = await openShop(service, 0);
  const shop = { ...(await openShop(service, 0, balance)), totalPence };
  const reference = `pm_${newReference().replaceAll(/[^a-z0-9]/g, '')}`;
  if (kind === 'direct_debit') provider.methods.set(reference, { type: 'bacs_debit', customer: 'cus_2' });
  await setPaymentMethod(service.ctx, { accountId: shop.customer.accountId, kind, reference });
  return shop;
}

/** Places an order and returns it with the intent that it was charged by. */
export async function placeCharged(till: Till, shop: Shop): Promise<{ order: CreatedOrder; intent: FakeIntent }> {
  const answer = await shop.order();
  assert.equal(answer.status, 201, answer.text);
  const intent = till.provider.intents.at(-1);
  assert.ok(intent, 'the provider was asked for nothing');
  return { order: answer.body, intent };
}

/** The provider calls back, and is answered with 200. */
export async function callBack({ service, provider }: Till, type: string, object: object): Promise<void> {
  const { body, headers } = provider.callback(type, object, { at: service.ctx.clock.now() });
  const response = await fetch(`${service.url}/hooks/stripe`, { method: 'POST', headers, body });
  const text = await response.text();
  assert.equal(response.status, 200, text);
}

/** An order as operators see it. */
export async function seenBy(operator: OperatorClient, order: { readonly id: string }): Promise<OpsOrder> {
  return (await operator.request<OpsOrder>('GET', `/orders/${order.id}`)).body;
}
