import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { pence } from '../../../src/lib/money.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import { callBack } from '../../harness/card-shop.ts';
import { openRole } from '../../harness/portal.ts';
import { disputeOf, movedBy } from '../../harness/provider.ts';
import { openShop, type Shop } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { begun, look, balanceOf as ofTill } from './card-top-ups.ts';
import { closeCards, openCardShop, openCards, provider, service } from './cards.ts';

// A dispute that was won gives money back to the balance: what waits for money is paid by it, as by a top-up.

before(openCards);
afterEach(() => assertSound(service));
after(closeCards);

const balanceOf = ({ customer: { accountId } }: Shop): Promise<number> => ofTill({ accountId });

/** An order that waits for money: the balance does not cover it, and the card is declined. */
async function waiting(shop: Shop): Promise<CreatedOrder> {
  provider.decide('decline');
  const order = await shop.order();
  provider.decide('accept');
  assert.equal(order.body.payment_status, 'failed', order.text);
  return order.body;
}

async function statusOf(shop: Shop, { id }: CreatedOrder): Promise<string> {
  return (await shop.customer.request<Order>('GET', `/orders/${id}`)).body.payment_status;
}

test('a dispute of a payment that the customer had made good by bank is won: waiting orders are paid by it', async () => {
  const shop = await openCardShop(0);
  const order = (await shop.order()).body;
  const intent = provider.intents.at(-1);
  assert.ok(intent);
  const told = (event: string, changes: object = {}): Promise<void> =>
    callBack({ service, provider }, `charge.dispute.${event}`, disputeOf(intent, changes));
  await told('funds_withdrawn');
  const finance = await service.openOperator('finance');
  const { body } = await finance.request<{ payment_attempts: { id: string }[] }>('GET', `/orders/${order.id}`);
  await finance.request('POST', `/orders/${order.id}/payments/${body.payment_attempts[0]?.id}/recovered`);
  const later = await waiting(shop);
  await told('funds_reinstated', { status: 'won' });
  assert.deepEqual([await statusOf(shop, later), await balanceOf(shop)], ['paid', 0]);
  const last = await waiting(shop);
  await creditAccount(service.ctx, {
    accountId: shop.customer.accountId,
    amountPence: pence(shop.totalPence),
    reference: 'a credit whose process died before it settled anything',
  });
  assert.equal(await statusOf(shop, last), 'failed');
  await told('closed', { status: 'won' });
  assert.deepEqual([await statusOf(shop, last), await balanceOf(shop)], ['paid', 0], 'a repeat makes up for it');
});

test('a dispute of a top-up is won: the orders that wait are paid by what comes back to the balance', async () => {
  const shop = await openShop(service, 0);
  const { accountId } = shop.customer;
  const till = { accountId, owner: await openRole(service, 'owner', accountId) };
  const { topUp, page } = await begun(till, 50);
  const intent = provider.pay(page);
  await look(till.owner, topUp);
  const told = (event: string, changes: object): Promise<void> =>
    callBack({ service, provider }, `charge.dispute.${event}`, disputeOf(intent, changes));
  await told('funds_withdrawn', movedBy(-5_000));
  const order = await waiting(shop);
  await told('funds_reinstated', { status: 'won', ...movedBy(-5_000, 5_000) });
  assert.deepEqual([await statusOf(shop, order), await balanceOf(shop)], ['paid', 5_000 - shop.totalPence]);
});
