import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError } from './forms.ts';
import {
  isVatRegistered,
  missingOfSeller,
  refuseUnnumbered,
  type Seller,
  sellerAddress,
  vatNumberAt,
} from './seller.ts';

const FROM = { day: '2027-01-01', from: new Date('2027-01-01T00:00:00.000Z') };
const SELLER: Seller = {
  name: 'Mill Lane Prints Ltd',
  addressLines: ['12 Mill Lane'],
  vatNumber: 'GB999999973',
  vatRegistration: 'yes',
  timeZone: 'Europe/London',
};

describe('a seller is registered for VAT', () => {
  for (const [what, registration, at, isRegistered] of [
    ['when nothing is set', undefined, '2026-01-01T00:00:00.000Z', true],
    ['when it says so', 'yes', '2026-01-01T00:00:00.000Z', true],
    ['never when it says no', 'no', '2099-01-01T00:00:00.000Z', false],
    ['not in the last millisecond before its day', FROM, '2026-12-31T23:59:59.999Z', false],
    ['from the beginning of its day on', FROM, '2027-01-01T00:00:00.000Z', true],
  ] as const) {
    test(what, () => assert.equal(isVatRegistered(registration, new Date(at)), isRegistered));
  }
});

test('once its day has come a seller needs a number: one line says so', () => {
  const unnumbered: Seller = { ...SELLER, vatNumber: '', vatRegistration: FROM };
  assert.throws(
    () => refuseUnnumbered(unnumbered, FROM.from),
    (error: unknown) =>
      error instanceof ConfigError && /^SELLER_VAT_NUMBER is missing: [^\n]*2027-01-01/.test(error.message),
  );
  refuseUnnumbered(unnumbered, new Date(FROM.from.getTime() - 1));
  refuseUnnumbered({ ...SELLER, vatRegistration: FROM }, FROM.from);
  refuseUnnumbered({ ...SELLER, vatNumber: '', vatRegistration: undefined }, FROM.from);
});

describe('what is missing is one line', () => {
  for (const [what, changes, line] of [
    ['nothing', {}, undefined],
    ['nothing, without VAT', { vatNumber: '', vatRegistration: 'no' }, undefined],
    ['the name', { name: '' }, /^invoices lack SELLER_NAME, and an issued invoice never changes$/],
    [
      'all of it',
      { name: '', addressLines: [], vatNumber: '', vatRegistration: undefined },
      /^invoices lack SELLER_NAME, SELLER_ADDRESS, SELLER_VAT_NUMBER, and .*they are not VAT invoices/,
    ],
    [
      'the number of a day to come',
      { vatNumber: '', vatRegistration: FROM },
      /^invoices lack SELLER_VAT_NUMBER, and .*from 2027-01-01 on/,
    ],
  ] as const) {
    test(what, () => {
      const missing = missingOfSeller({ ...SELLER, ...changes });
      if (line === undefined) assert.equal(missing, undefined);
      else assert.match(missing ?? '', line);
    });
  }
});

describe("the seller's country stands apart from its address, by its name", () => {
  for (const [addressLines, lines, country] of [
    [['1 Example Street', 'Leeds', 'GB'], ['1 Example Street', 'Leeds'], 'United Kingdom'],
    [['1 Example Street', 'Leeds', 'UK'], ['1 Example Street', 'Leeds'], 'United Kingdom'],
    [['1 Example Street', 'united kingdom'], ['1 Example Street'], 'United Kingdom'],
    [['1 Example Street', 'Belfast', 'Northern Ireland'], ['1 Example Street', 'Belfast'], 'United Kingdom'],
    [['1 Example Street', 'Leeds', 'LS1 1AA'], ['1 Example Street', 'Leeds', 'LS1 1AA'], undefined],
    [[], [], undefined],
  ] as const) {
    test(addressLines.join(', '), () => {
      const address = sellerAddress({ ...SELLER, addressLines });
      assert.deepEqual([address.lines, address.country], [lines, country]);
    });
  }
});

test('documents of a time before the registration show no VAT number', () => {
  const seller: Seller = { ...SELLER, vatRegistration: FROM };
  assert.deepEqual(
    [vatNumberAt(seller, new Date(FROM.from.getTime() - 1)), vatNumberAt(seller, FROM.from)],
    ['', 'GB999999973'],
  );
});
