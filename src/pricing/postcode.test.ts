import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import { COUNTRIES } from 'postal-code-checker';
import { isCountryCode } from '../lib/countries.ts';
import { readPostcode } from './postcode.ts';

const COUNTRY_CODES = codes.map(([alpha2]) => alpha2 ?? '').filter(isCountryCode);

function refuses(countryCode: string, postcode: string): boolean {
  return readPostcode(countryCode, postcode).kind === 'unrecognised';
}

describe('what a country writes is recognised', () => {
  const written: Record<string, readonly string[]> = {
    GB: [
      'E1W 1AA',
      'N1C 4AG',
      'EC4Y 1AA',
      'NW1W 0AA',
      'M1 1AE',
      'CR0 2YR',
      'DN55 1PT',
      'SW1A 1AA',
      'sw1a1aa',
      ' ls1  4dy ',
      'BFPO 61',
      'bfpo5456',
      'BF1 3AA',
      'GB-M1 1AE',
      'GIR 0AA',
      'EC1A-1BB',
    ],
    JE: ['JE2 3AB', 'je23ab'],
    GG: ['GY1 1AA'],
    IM: ['IM99 1PS'],
    US: ['10001', '10001-1234', '10001 1234', '100011234', 'NY 10001', '09012', '96799'],
    CA: ['k1a 0b1', 'K1A0B1', 'K1A-0B1'],
    NL: ['1012 AB', '1012ab', 'NL-1012 AB'],
    PT: ['1250-096', '1250096', 'P-1250-096', 'PT 1250-096'],
    PL: ['00-950', '00950', 'PL-00-950'],
    IE: ['D02 X285', 'd02x285', 'A65F4E2', 'D6W AB12'],
    JP: ['154-0023', '1540023', '〒154-0023', '１５４－００２３'],
    BR: ['70002-900', '70002900', '70.002-900'],
    IN: ['110 001', '110001'],
    DE: ['80331', 'D-80331', 'DE-80331'],
    CH: ['8000', 'CH-8000'],
    LI: ['9490', 'FL-9490'],
    LU: ['L-1234', '1234'],
    LV: ['LV-1010', '1010', 'lv1010'],
    AD: ['AD500', '500'],
    SE: ['114 55', '11455', 'S-114 55', 'SE-114 55'],
    GR: ['151 24', '15124'],
    AT: ['A-1010'],
    SK: ['010 01', 'SK-010 01'],
    LT: ['LT-03500'],
    MD: ['MD-2012', '2012'],
    SI: ['SI-1000', 'SLO-1000'],
    AR: ['C1425AAB', '1425', 'AR-C1425AAB'],
    MT: ['VLT 1117', 'VLT1117'],
    EG: ['12411', '١٢٤١١', '1241101'],
    IR: ['11936-12345', '۱۱۹۳۶۱۲۳۴۵'],
    SA: ['12211-7348', '12211'],
    KZ: ['050012', 'A15E3B9'],
    KY: ['KY1-1100', '1-1100'],
    VE: ['1010', '1010-A'],
    SV: ['CP 1101', '1101', '01101'],
    SH: ['STHL 1ZZ', 'TDCU 1ZZ'],
    TW: ['106', '10603', '106-409'],
    FR: ['75001', 'F-75001', '75 001'],
    IL: ['9614303', '96143'],
    KR: ['03051'],
  };
  for (const [countryCode, postcodes] of Object.entries(written)) {
    test(`${countryCode}: ${postcodes.join(', ')}`, () => {
      assert.deepEqual(
        postcodes.filter((postcode) => refuses(countryCode, postcode)),
        [],
      );
    });
  }

  test('every example of the data, as it is, in lower case and without separators', () => {
    for (const countryCode of COUNTRY_CODES) {
      for (const example of COUNTRIES[countryCode]?.example ?? []) {
        for (const text of [example, example.toLowerCase(), example.replaceAll(/[ -]/g, '')]) {
          assert.equal(refuses(countryCode, text), false, `${countryCode} ${text}`);
        }
      }
    }
  });

  test('anything, where a country has no postcodes', () => {
    for (const countryCode of ['AE', 'HK', 'QA', 'AO', 'BO', 'JM']) {
      for (const text of ['-', '00000', 'none', '999077']) assert.equal(refuses(countryCode, text), false);
    }
  });
});

describe('what no post of the country writes is not', () => {
  const unwritten: Record<string, readonly string[]> = {
    GB: [
      'SW1A',
      'SW1A 1A',
      '10001',
      'ZZ1 1AA',
      'N/A',
      '-',
      'SW1A OAA',
      'SW1I 1AA',
      'W1I 1AA',
      'JE2A 3AB',
      'JE SW1A 2AA',
    ],
    JE: ['SW1A 2AA', 'JE2A 3AB', 'JE2', 'GY1 1AA'],
    GG: ['JE2 3AB', 'GY1'],
    IM: ['SW1A 2AA', 'IM1'],
    US: ['2139', '1234567', 'SW1A 1AA', 'none'],
    CA: ['K1A', 'K1A OB1', '12345'],
    NL: ['1012', '10122 AB'],
    DE: ['8033', '803311'],
    JP: ['154'],
    IN: ['11000'],
    AU: ['800'],
    LV: ['101'],
    FR: ['7500'],
    IE: ['Dublin 2', 'Dublin 24', '0000'],
  };
  for (const [countryCode, postcodes] of Object.entries(unwritten)) {
    test(`${countryCode}: ${postcodes.join(', ')}`, () => {
      assert.deepEqual(
        postcodes.filter((postcode) => !refuses(countryCode, postcode)),
        [],
      );
    });
  }
});

test('the data knows every country, and has an example of each form that it has', () => {
  const lacking = COUNTRY_CODES.filter((code) => {
    const country = COUNTRIES[code];
    return country === undefined || (country.patterns.length > 0 && country.example.length === 0);
  });
  assert.deepEqual(lacking, []);
});

test('a text that is no country has no postcodes', () => {
  for (const text of ['XX', '', '__proto__', 'constructor']) assert.equal(refuses(text, '1'), false);
});
