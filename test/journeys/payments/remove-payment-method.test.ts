import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole } from '../../harness/portal.ts';
import { openShop } from '../../harness/shop.ts';
import { closeCards, openCards, provider, service } from './cards.ts';
import { methodOf, saveCard } from './savings.ts';

before(openCards);
after(closeCards);

test('a removed card is charged no more, the provider forgets it, and automatic top-ups end; twice is once', async () => {
  const shop = await openShop(service, 0, 0);
  const owner = await openRole(service, 'owner', shop.customer.accountId);
  await saveCard(owner);
  const body = { threshold_gbp: 1, amount_gbp: 5, daily_cap_gbp: 5 };
  assert.equal((await owner.request('POST', '/auto-top-up', { body })).status, 200);
  const before = provider.forgotten.length;
  assert.equal((await owner.request('DELETE', '/payment-method')).status, 204);
  assert.equal((await owner.request('DELETE', '/payment-method')).status, 204);
  assert.equal(provider.forgotten.length, before + 1);
  assert.equal((await methodOf(owner)).saved, null);
  assert.equal((await owner.request<{ state: string }>('GET', '/auto-top-up')).body.state, 'off');
  assert.equal((await shop.order()).body.payment_status, 'failed');
});

test('a provider that gives no answer keeps what nobody charges, and the card is removed', async () => {
  const { accountId } = await service.openCustomer({ balancePence: 0 });
  const owner = await openRole(service, 'owner', accountId);
  await saveCard(owner);
  provider.fail('forget', '500');
  assert.equal((await owner.request('DELETE', '/payment-method')).status, 204);
  assert.equal((await methodOf(owner)).saved, null);
});
