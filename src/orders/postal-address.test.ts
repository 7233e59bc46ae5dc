import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isCountryCode } from '../lib/countries.ts';
import { cityLines } from './postal-address.ts';

describe('city, county and postcode stand as their country writes them', () => {
  for (const [country, city, county, postcode, expected] of [
    ['GB', 'Leeds', 'West Yorkshire', 'LS1 4DY', ['Leeds', 'West Yorkshire', 'LS1 4DY']],
    ['IE', 'Cobh', 'Co. Cork', 'P24 A012', ['Cobh', 'Co. Cork', 'P24 A012']],
    ['JE', 'St Helier', '', 'JE2 3AB', ['St Helier', 'JE2 3AB']],
    ['DE', 'Erlangen', '', '91052', ['91052 Erlangen']],
    ['DE', 'Erlangen', 'Bayern', '91052', ['91052 Erlangen', 'Bayern']],
    ['FR', 'Paris', '', '75001', ['75001 Paris']],
    ['NL', 'Amsterdam', '', '1012 JS', ['1012 JS Amsterdam']],
    ['SE', 'Stockholm', '', '111 51', ['111 51 Stockholm']],
    ['CH', 'Zürich', 'ZH', '8001', ['8001 Zürich', 'ZH']],
    ['IT', 'Roma', 'RM', '00187', ['00187 Roma RM']],
    ['ES', 'Alcobendas', 'Madrid', '28100', ['28100 Alcobendas Madrid']],
    ['US', 'New York', 'NY', '10001', ['New York, NY 10001']],
    ['US', 'New York', '', '10001', ['New York 10001']],
    ['CA', 'Ottawa', 'ON', 'K1A 0B1', ['Ottawa ON K1A 0B1']],
    ['AU', 'Sydney', 'NSW', '2000', ['Sydney NSW 2000']],
    ['NZ', 'Wellington', '', '6011', ['Wellington 6011']],
    ['JP', 'Shibuya-ku', 'Tokyo', '150-0002', ['Shibuya-ku, Tokyo 150-0002']],
    ['BR', 'São Paulo', 'SP', '01310-100', ['São Paulo, SP', '01310-100']],
    ['IN', 'Mumbai', 'Maharashtra', '400001', ['Mumbai 400001', 'Maharashtra']],
    ['HK', 'Central', 'Hong Kong Island', 'none', ['Central', 'Hong Kong Island', 'none']],
    ['DE', '', '', '91052', ['91052']],
  ] as const) {
    test(`${country}: ${expected.join(' / ')}`, () => {
      assert.deepEqual(cityLines({ city, county, postcode, country_code: country }), expected);
    });
  }
});

test('nothing that was given is ever left out, whatever the country', () => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountryCode);
  assert.ok(codes.length > 200);
  for (const country_code of codes) {
    const all = cityLines({ city: 'City', county: 'County', postcode: 'Postcode', country_code }).join(' ');
    for (const part of ['City', 'County', 'Postcode']) assert.ok(all.includes(part), `${country_code}: ${all}`);
  }
});
