import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { assertSound } from '../../harness/written.ts';
import { bankCharge, closeEntries, ledgerOf, made, moved, openEntries, refused, service } from './entries.ts';

before(() => openEntries());
after(closeEntries);
afterEach(() => assertSound(service));

const PATH = '/books/entries';

const entry = (changes: object): object => ({
  amount_gbp: 100,
  reference: newId(),
  reason: 'as on the statement',
  ...changes,
});

describe('every line of a statement moves the accounts that it is about', () => {
  const cases: readonly (readonly [body: object, moves: Record<string, number>])[] = [
    [
      { kind: 'payout', method: 'card', fees_gbp: 1.7 },
      { bank: 9_830, provider_fees: 170, card_clearing: -10_000 },
    ],
    [
      { kind: 'payout', method: 'direct_debit' },
      { bank: 10_000, direct_debit_clearing: -10_000 },
    ],
    [
      { kind: 'payout', method: 'card', fees_gbp: 2, through: 'payouts_in_transit' },
      { payouts_in_transit: 9_800, provider_fees: 200, card_clearing: -10_000 },
    ],
    [
      { kind: 'payout', method: 'card', fees_gbp: 100 },
      { provider_fees: 10_000, card_clearing: -10_000 },
    ],
    [{ kind: 'payout_arrived' }, { bank: 10_000, payouts_in_transit: -10_000 }],
    [
      { kind: 'provider_fee', through: 'bank' },
      { provider_fees: 10_000, bank: -10_000 },
    ],
    [
      { kind: 'provider_fee', through: 'clearing', method: 'direct_debit' },
      { provider_fees: 10_000, direct_debit_clearing: -10_000 },
    ],
    [{ kind: 'bank_charge' }, { bank_charges: 10_000, bank: -10_000 }],
    [{ kind: 'bank_interest' }, { bank: 10_000, bank_interest: -10_000 }],
    [
      { kind: 'vat_return', vat_rate: 20 },
      { 'vat:2000': 10_000, vat_control: -10_000 },
    ],
    [{ kind: 'input_vat' }, { vat_control: 10_000, other_books: -10_000 }],
    [{ kind: 'vat_paid' }, { vat_control: 10_000, bank: -10_000 }],
    [{ kind: 'vat_refunded' }, { bank: 10_000, vat_control: -10_000 }],
    [{ kind: 'duty_paid' }, { duty_owed: 10_000, bank: -10_000 }],
    [{ kind: 'duty_shortfall' }, { duty_difference: 10_000, duty_owed: -10_000 }],
    [{ kind: 'duty_surplus' }, { duty_owed: 10_000, duty_difference: -10_000 }],
    [
      { kind: 'opening_balance', account: 'bank', side: 'debit' },
      { bank: 10_000, other_books: -10_000 },
    ],
    [
      { kind: 'opening_balance', account: 'vat:2000', side: 'credit' },
      { other_books: 10_000, 'vat:2000': -10_000 },
    ],
    [
      { kind: 'adjustment', debit: 'suspense', credit: 'bank' },
      { suspense: 10_000, bank: -10_000 },
    ],
  ];
  for (const [body, moves] of cases) {
    test(JSON.stringify(body), async () => {
      assert.deepEqual(await moved(() => made(PATH, entry(body))), moves);
    });
  }
});

describe('the day on the statement', () => {
  test('is kept with the entry, which is posted today: a day that is closed never changes', async () => {
    const made1 = await made(PATH, entry({ kind: 'bank_interest', value_day: '2026-01-31' }));
    assert.equal(made1.value_day, '2026-01-31');
    const last = (await ledgerOf('bank_interest')).data.at(-1);
    assert.deepEqual([last?.value_day, last?.entry_id, last?.account_id], ['2026-01-31', made1.id, null]);
    assert.ok(Date.parse(last?.created_at ?? '') > service.ctx.clock.now().getTime() - 60_000);
  });
});

describe('what is refused, with nothing written', () => {
  const cases: readonly (readonly [body: object, problems: readonly unknown[]])[] = [
    [{ kind: 'payout' }, ['method required']],
    [{ kind: 'payout', method: 'card', fees_gbp: 100.01 }, ['fees_gbp out_of_bounds']],
    [{ kind: 'payout', method: 'card', through: 'balance' }, ['through unknown_value']],
    [{ kind: 'payout', method: 'card', vat_rate: 20 }, ['vat_rate unknown_field']],
    [{ kind: 'bank_charge', method: 'card' }, ['method unknown_field']],
    [{ kind: 'bank_charge', amount_gbp: 0.001 }, ['amount_gbp decimals']],
    [{ kind: 'bank_charge', amount_gbp: -5 }, ['amount_gbp out_of_bounds']],
    [{ kind: 'bank_charge', amount_gbp: 1e15 }, ['amount_gbp decimals']],
    [{ kind: 'bank_charge', value_day: '2026-02-30' }, ['value_day time']],
    [{ kind: 'bank_charge', value_day: '2199-01-01' }, ['value_day out_of_bounds']],
    [{ kind: 'bank_charge', value_day: 'today' }, ['value_day pattern']],
    [{ kind: 'bank_charge', reference: '' }, ['reference out_of_bounds']],
    [{ kind: 'bribe' }, ['kind unknown_value']],
    [{ kind: 'vat_return', vat_rate: 17.555 }, ['vat_rate out_of_bounds']],
    [{ kind: 'vat_return', vat_rate: 101 }, ['vat_rate out_of_bounds']],
    [{ kind: 'adjustment', debit: 'suspense' }, ['credit required']],
    [{ kind: 'adjustment', debit: 'bank', credit: 'bank' }, ['credit out_of_bounds']],
    [{ kind: 'adjustment', debit: 'customer_balance', credit: 'bank' }, ['debit unknown_value']],
    [{ kind: 'adjustment', debit: 'bank', credit: 'order_deposits' }, ['credit unknown_value']],
    [{ kind: 'adjustment', debit: 'bank', credit: 'vat:99999' }, ['credit unknown_value']],
    [{ kind: 'opening_balance', account: 'other_books', side: 'debit' }, ['account out_of_bounds']],
    [{ kind: 'receivable_paid', through: 'bank' }, ['account_id required']],
    [{ kind: 'receivable_paid', through: 'bank', account_id: 'acct_nobody' }, [404, 'not_found']],
  ];
  for (const [body, problems] of cases) {
    test(JSON.stringify(body), async () => assert.deepEqual(await refused(PATH, entry(body)), problems));
  }

  test('a reference that an entry of the kind has, and not one of another kind', async () => {
    const reference = newId();
    await made(PATH, bankCharge({ reference }));
    assert.deepEqual(await refused(PATH, bankCharge({ reference, amount_gbp: 8 })), [409, 'conflict']);
    await made(PATH, entry({ kind: 'bank_interest', reference }));
    const answers = await Promise.all(
      [1, 2, 3].map(() => made(PATH, bankCharge({ reference: `${reference} again` })).catch(() => undefined)),
    );
    assert.equal(answers.filter((answer) => answer !== undefined).length, 1, 'of three at once one is posted');
  });
});
