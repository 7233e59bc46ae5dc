import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Reconciliation } from '../../../src/books/reports/report-schema.ts';
import { newId } from '../../../src/lib/ids.ts';
import { openCardShop, placeCharged } from '../../harness/card-shop.ts';
import { cents, closeEntries, finance, made, openEntries, provider, service } from './entries.ts';

before(() => openEntries());
after(closeEntries);
beforeEach(() => provider.decide('accept'));

const DAY_MS = 86_400_000;

async function lineOf(account: string): Promise<Reconciliation['accounts'][number] | undefined> {
  const { body } = await finance.request<Reconciliation>('GET', '/books/reconciliation');
  return body.accounts.find((line) => line.account === account);
}

test('charges without a payout are overdue after a week, until the payout is entered', async () => {
  const till = { service, provider };
  const shop = await openCardShop(till);
  await placeCharged(till, shop);
  const fresh = await lineOf('card_clearing');
  assert.deepEqual(
    [fresh?.side, cents(fresh?.balance ?? 0), fresh?.overdue, fresh?.finding],
    ['debit', shop.totalPence, 0, ''],
  );
  service.shiftMs(8 * DAY_MS);
  const overdue = await lineOf('card_clearing');
  assert.deepEqual([cents(overdue?.overdue ?? 0), overdue?.overdue_after_days], [shop.totalPence, 7]);
  assert.match(overdue?.finding ?? '', /look for a payout/);
  const payout = {
    kind: 'payout',
    method: 'card',
    fees_gbp: 1,
    reference: newId(),
    reason: 'payout',
    through: 'payouts_in_transit',
  };
  await made('/books/entries', { ...payout, amount_gbp: shop.totalPence / 100 });
  assert.deepEqual([(await lineOf('card_clearing'))?.balance, (await lineOf('card_clearing'))?.finding], [0, '']);
  assert.equal(cents((await lineOf('payouts_in_transit'))?.balance ?? 0), shop.totalPence - 100);
  await made('/books/entries', { ...payout, amount_gbp: 10, fees_gbp: 0, reference: newId() });
  assert.match((await lineOf('card_clearing'))?.finding ?? '', /More has left this account/);
});

test('money that is not explained is a finding at once', async () => {
  const adjustment = {
    kind: 'adjustment',
    debit: 'suspense',
    credit: 'bank',
    amount_gbp: 3,
    reference: newId(),
    reason: 'what?',
  };
  await made('/books/entries', adjustment);
  const line = await lineOf('suspense');
  assert.equal(line?.overdue, 3);
  assert.match(line?.finding ?? '', /Find out what it is/);
});
