import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pence } from '../lib/money.ts';
import { compileDuty, dutyOn, hasSameDuty } from './duty.ts';
import type { PriceBook } from './price-book.ts';

type Rule = PriceBook['duty_rules'][number];

/** A rule for the rest of the world that takes so many per cent, and what is different about it. */
function rule(percent: number, different: Partial<Rule> = {}): Rule {
  return {
    territory: 'rest',
    ad_valorem_bp: percent * 100,
    per_hs_group_pence: 0,
    per_parcel_pence: 0,
    incoterm: 'DDP',
    valid_from: '2026-01-01T00:00:00.000Z',
    ...different,
  };
}

/** Duty on a tee at 100.00 from Bangladesh to the United States. */
function dutyBy(rules: readonly Rule[], now = '2026-08-01T00:00:00.000Z'): number {
  return dutyOn(compileDuty(rules), {
    territory: 'rest',
    countryCode: 'US',
    now: new Date(now),
    parcels: 1,
    goods: [{ hsCode: '61091000', originCountry: 'BD', netPence: pence(10_000) }],
  }).dutyPence;
}

describe('the most specific rule wins, wherever it stands', () => {
  const cases: { title: string; loser: Rule; winner: Rule }[] = [
    {
      title: 'a country over its territory',
      loser: rule(1, { hs_prefix: '6109' }),
      winner: rule(2, { country_code: 'US' }),
    },
    {
      title: 'a longer tariff prefix',
      loser: rule(1, { hs_prefix: '61', origin_country: 'BD' }),
      winner: rule(2, { hs_prefix: '6109' }),
    },
    { title: 'an origin', loser: rule(1, { declared_up_to_pence: 20_000 }), winner: rule(2, { origin_country: 'BD' }) },
    { title: 'a value band', loser: rule(1), winner: rule(2, { declared_over_pence: 5_000 }) },
    {
      title: 'a narrower band',
      loser: rule(1, { declared_up_to_pence: 20_000 }),
      winner: rule(2, { declared_over_pence: 9_000, declared_up_to_pence: 10_000 }),
    },
    { title: 'the later of two alike', loser: rule(1), winner: rule(2, { valid_from: '2026-07-01T00:00:00.000Z' }) },
  ];
  for (const { title, loser, winner } of cases) {
    test(title, () => assert.deepEqual([dutyBy([loser, winner]), dutyBy([winner, loser])], [200, 200]));
  }
});

describe('a rule that does not fit is passed by', () => {
  const cases: [string, Partial<Rule>][] = [
    ['another territory', { territory: 'eu' }],
    ['another country', { country_code: 'CA' }],
    ['other goods', { hs_prefix: '6912' }],
    ['another origin', { origin_country: 'CN' }],
    ['a band that begins at the value', { declared_over_pence: 10_000 }],
    ['a band that ends below it', { declared_up_to_pence: 9_999 }],
    ['not yet in force', { valid_from: '2026-08-01T00:00:00.001Z' }],
  ];
  for (const [title, different] of cases) {
    test(title, () => assert.equal(dutyBy([rule(1), rule(9, different)]), 100));
  }
});

test('duty is rounded half up once a rule, on all the goods under it', () => {
  const goods = [
    { hsCode: '610910', originCountry: 'BD', netPence: pence(25) },
    { hsCode: '61091000', originCountry: 'IN', netPence: pence(25) },
  ];
  const consignment = { territory: 'rest', countryCode: 'US', now: new Date('2026-08-01'), parcels: 3, goods } as const;
  // 1 % of 50 pence; the two codes are one HS group; three parcels.
  const rules = compileDuty([rule(1, { per_hs_group_pence: 10, per_parcel_pence: 100 })]);
  assert.deepEqual(dutyOn(rules, consignment), { dutyPence: 1 + 10 + 300, dueOnDelivery: false });
});

test('goods that are sent unpaid charge nothing and are told, beside goods that are paid', () => {
  const goods = [
    { hsCode: '610910', originCountry: 'BD', netPence: pence(1_000) },
    { hsCode: '691200', originCountry: 'CN', netPence: pence(1_000) },
  ];
  const consignment = { territory: 'rest', countryCode: 'US', now: new Date('2026-08-01'), parcels: 1, goods } as const;
  const rules = compileDuty([rule(10), rule(0, { hs_prefix: '69', incoterm: 'DAP' })]);
  assert.deepEqual(dutyOn(rules, consignment), { dutyPence: 100, dueOnDelivery: true });
});

test('a book without a rule for the goods is a fault of ours, never free of duty', () => {
  assert.throws(() => dutyBy([rule(1, { hs_prefix: '69' })]), /no duty rule for 61091000 from BD/);
});

test('two countries have the same duty where no rule of their territory names one of them', () => {
  const rules = compileDuty([rule(1), rule(2, { country_code: 'US', valid_from: '2030-01-01T00:00:00.000Z' })]);
  const same = (one: string, other: string) => hasSameDuty(rules, 'rest', one, other);
  assert.deepEqual(
    [same('US', 'US'), same('PR', 'GU'), same('US', 'PR'), same('PR', 'US')],
    [true, true, false, false],
  );
  assert.equal(hasSameDuty(rules, 'eu', 'US', 'PR'), true, 'a rule of another territory is none of theirs');
});
