import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runAutoTopUps } from '../../../src/payments/auto-top-ups/run-auto-top-ups.ts';
import { sweepTopUps } from '../../../src/payments/top-ups/sweep-top-ups.ts';
import { balanceOf, openTill } from './card-top-ups.ts';
import { closeCards, openCards, provider, service } from './cards.ts';
import { saveCard } from './savings.ts';

before(openCards);
after(closeCards);

test('turned off, nothing begins any more; what is under way is carried on and booked', async () => {
  const till = await openTill();
  await saveCard(till.owner);
  const body = { threshold_gbp: 10, amount_gbp: 20, daily_cap_gbp: 50 };
  assert.equal((await till.owner.request('POST', '/auto-top-up', { body })).status, 200);
  provider.fail('confirm', '500 after');
  await runAutoTopUps(service.ctx);
  assert.equal((await till.owner.request('DELETE', '/auto-top-up')).status, 204);
  service.shiftMs(61_000);
  await sweepTopUps(service.ctx);
  assert.equal(await balanceOf(till), 2_000);
  await runAutoTopUps(service.ctx);
  assert.equal(provider.intents.length, 1);
});
