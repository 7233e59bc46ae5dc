import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AutoTopUp } from '../../../src/payments/auto-top-ups/auto-top-up-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { openTill } from './card-top-ups.ts';
import { closeCards, openCards, service } from './cards.ts';
import { saveCard } from './savings.ts';

before(openCards);
after(closeCards);

test('off, or as it was set; each role sees its own account', async () => {
  const [till, other] = [await openTill(), await openTill()];
  const off = {
    state: 'off',
    threshold: null,
    amount: null,
    daily_cap: null,
    failures: 0,
    reason: '',
    topped_up: 0,
    next_at: null,
  };
  assert.deepEqual((await till.owner.request<AutoTopUp>('GET', '/auto-top-up')).body, off);
  await saveCard(till.owner);
  const body = { threshold_gbp: 10, amount_gbp: 20.5, daily_cap_gbp: 50 };
  assert.equal((await till.owner.request('POST', '/auto-top-up', { body })).status, 200);
  const reader = await openRole(service, 'reader', till.accountId);
  assert.deepEqual((await reader.request<AutoTopUp>('GET', '/auto-top-up')).body, {
    ...off,
    state: 'on',
    threshold: 10,
    amount: 20.5,
    daily_cap: 50,
  });
  assert.deepEqual((await other.owner.request<AutoTopUp>('GET', '/auto-top-up')).body, off);
});
