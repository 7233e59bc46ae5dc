import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setPaymentMethod } from '../../../src/payments/method.ts';
import { openTill } from './card-top-ups.ts';
import { closeCards, openCards, provider, service } from './cards.ts';
import { methodOf, saveCard } from './savings.ts';

before(openCards);
after(closeCards);

test('the saved card of the account alone, never that of another', async () => {
  const [till, other] = [await openTill(), await openTill()];
  await saveCard(till.owner);
  assert.match((await methodOf(till.owner)).saved?.label ?? '', /^Visa ending in \d{4}$/);
  assert.deepEqual(await methodOf(other.owner), {
    saved: null,
    kinds: ['card', 'direct_debit'],
    has_auto_top_up: false,
  });
});

test('what an operator has entered is shown, also where the provider says nothing of it', async () => {
  const till = await openTill();
  provider.methods.set('pm_entered', { type: 'bacs_debit', customer: 'cus_9' });
  await setPaymentMethod(service.ctx, { accountId: till.accountId, kind: 'direct_debit', reference: 'pm_entered' });
  const { saved } = await methodOf(till.owner);
  assert.deepEqual([saved?.kind, saved?.label, saved?.expires_on], ['direct_debit', '', null]);
});
