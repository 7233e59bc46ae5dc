import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { line, order, testBook, testCatalogue, to } from '../../test/harness/price-book.ts';
import { readPostcode } from './postcode.ts';
import { type Quote, quote } from './quote.ts';
import { compileReference } from './reference.ts';

// A postcode may lower a charge only when it is one. So the book makes every part of a country that a postcode can name
// as cheap as can be: no VAT for its territory, no duty, and a parcel for a penny.

const PARTS: Readonly<Record<string, readonly string[]>> = {
  GB: ['BF', 'BT', 'EC1A', 'GY', 'IM', 'JE', 'PA20', 'SW1', 'SW'],
  ES: ['35', '38', '51', '52'],
  FI: ['22'],
  FR: ['971', '974', '975', '97133', '986', '987', '988'],
  DE: ['27498', '78266'],
  GR: ['63086'],
  IT: ['22061', '23041'],
  US: ['995', '967', '009'],
};
const COUNTRIES = Object.keys(PARTS);

const cheap = compileReference(testCatalogue, [
  {
    ...testBook,
    vat_rates: testBook.vat_rates
      .filter((rate) => !rate.territories.includes('gb'))
      .concat(
        {
          vat_statuses: ['standard', 'reverse_charge_eu'],
          territories: ['gb', 'eu'],
          vat_classes: ['standard', 'young_children_zero'],
          rate_bp: 2_000,
        },
        {
          vat_statuses: ['standard', 'reverse_charge_eu'],
          territories: ['ni', 'im'],
          vat_classes: ['standard', 'young_children_zero'],
          rate_bp: 0,
        },
      )
      .map((rate) => ({ ...rate, territories: rate.territories.filter((name) => name !== 'eu' || rate.rate_bp > 0) })),
    shipping: {
      ...testBook.shipping,
      zones: [
        { zone: 'countries', title: 'Countries', country_codes: COUNTRIES },
        {
          zone: 'parts',
          title: 'Parts of them',
          country_codes: [],
          postcodes: COUNTRIES.map((code) => ({ country_code: code, prefixes: [...(PARTS[code] ?? [])] })),
        },
      ],
      services: ['countries', 'parts'].map((zone) => ({
        id: zone,
        zone,
        service: 'Tracked',
        carrier: 'Test Post',
        tracked: true,
        eta_days: { min: 1, max: 2 },
        shipping_classes: ['flat', 'boxed', 'tube'],
        weight_bands: [{ up_to_grams: 20_000, pence: zone === 'parts' ? 1 : 900 }],
      })),
    },
  },
]);

function priced(countryCode: string, postcode: string): Quote {
  const result = quote(cheap, order([line('TEE-WHT-M', 30)], { destination: to(countryCode, postcode) }));
  if (result.kind !== 'priced') throw new Error(JSON.stringify(result));
  return result;
}

const amountsOf = (quoted: Quote): Quote => ({ ...quoted, warnings: [] });

/** Texts made of pieces of postcodes, which a plain random text would never hit. */
const piece = fc.constantFrom(
  ...Object.values(PARTS).flat(),
  ...['JE2', '3ZZ', 'SW1A', '2AA', 'GY10 1SA', 'BT1 5GS', '35001', '350', '00', '1', 'AX', 'E-', 'ＪＥ2', '３', 'ſ'],
  ...[' ', '-', '\u200b', '\u0660', 'Ж', 'London'],
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('')),
);

describe('no text lowers a charge but a well-formed postcode', () => {
  test('whatever stands in place of a postcode, the price is that of none, to the penny', () => {
    let recognised = 0;
    fc.assert(
      fc.property(fc.constantFrom(...COUNTRIES), text, (countryCode, postcode) => {
        if (readPostcode(countryCode, postcode).kind === 'recognised') {
          recognised += 1;
          return;
        }
        assert.deepEqual(amountsOf(priced(countryCode, postcode)), amountsOf(priced(countryCode, '')));
      }),
      { numRuns: 5_000 },
    );
    assert.ok(recognised > 100, `${recognised} of the texts were postcodes, or nothing is shown`);
  });

  test('a text that is recognised is one postcode and nothing else: read again it is the same, and its part is its own', () => {
    fc.assert(
      fc.property(fc.constantFrom(...COUNTRIES), text, (countryCode, postcode) => {
        const reading = readPostcode(countryCode, postcode);
        if (reading.kind !== 'recognised') return;
        assert.deepEqual(readPostcode(countryCode, reading.postcode), reading);
        // Its letters and digits are those that were sent, apart from a country's letters in front.
        const sent = postcode
          .normalize('NFKC')
          .toUpperCase()
          .replaceAll(/[^\p{L}\p{N}]/gu, '');
        assert.match(sent.replaceAll('٠', '0'), new RegExp(`^[A-Z]{0,3}${reading.postcode}$`));
        assert.deepEqual(amountsOf(priced(countryCode, reading.postcode)), amountsOf(priced(countryCode, postcode)));
      }),
      { numRuns: 5_000 },
    );
  });

  test('a well-formed postcode does choose: every part of the book is cheaper than its country', () => {
    const written: Record<string, readonly string[]> = {
      GB: ['BF1 3AA', 'BT1 5GS', 'EC1A 1BB', 'GY10 1SA', 'IM1 1AA', 'JE2 3ZZ', 'PA20 9AA', 'SW1A 2AA', 'SW2 1AA'],
      ES: ['35001', '38001', '51001', '52001'],
      FI: ['22100'],
      FR: ['97110', '97400', '97500', '97133', '98600', '98714', '98800'],
      DE: ['27498', '78266'],
      GR: ['630 86'],
      IT: ['22061', '23041'],
      US: ['99501', '96701-1234', '00901'],
    };
    for (const [countryCode, postcodes] of Object.entries(written)) {
      for (const postcode of postcodes) {
        const [part, whole] = [priced(countryCode, postcode), priced(countryCode, '')];
        assert.ok(part.totalPence < whole.totalPence, `${countryCode} ${postcode}`);
      }
    }
  });

  test('an address that is priced as its country says that its postcode is not recognised, and no other does', () => {
    const told = (countryCode: string, postcode: string) =>
      priced(countryCode, postcode).warnings.some(({ code }) => code === 'postcode_unrecognised');
    assert.deepEqual(
      ['JE SW1A 2AA', 'JE2', 'BT1', '971', ''].map((postcode) => told('GB', postcode)),
      [true, true, true, true, true],
    );
    assert.deepEqual(
      ['JE2 3ZZ', 'SW1A 2AA', 'BFPO 61'].map((postcode) => told('GB', postcode)),
      [false, false, false],
    );
    assert.deepEqual([told('ES', '350012'), told('ES', '35001')], [true, false]);
  });
});
