import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { longestMatch, placeKey, type Territory, territoryOf } from './territory.ts';

describe('an address belongs to the territory that its country and postcode say (D66)', () => {
  const places: [string, string, Territory][] = [
    ['GB', 'SW1A 2AA', 'gb'],
    ['GB', 'B1 1AA', 'gb'],
    ['GB', 'G1 1AA', 'gb'],
    ['GB', 'BT1 5GS', 'ni'],
    ['GB', 'bt15gs', 'ni'],
    ['GB', ' BT71-4AA ', 'ni'],
    ['GB', 'IM1 1AA', 'im'],
    ['IM', 'IM1 1AA', 'im'],
    ['GB', 'JE2 3AB', 'je'],
    ['GB', 'ＪＥ2 ３ＡＢ', 'je'],
    ['GB', 'ｂｔ1 1ＡＡ', 'ni'],
    ['JE', 'JE2 3AB', 'je'],
    ['GB', 'GY10 1AA', 'gg'],
    ['GG', 'GY1 1WR', 'gg'],
    ['FR', '75001', 'eu'],
    ['FR', '97110', 'eu_outlying'],
    ['FR', '97400', 'eu_outlying'],
    ['FR', '97500', 'rest'],
    ['FR', '97133', 'rest'],
    ['FR', '98800', 'rest'],
    ['MC', '98000', 'eu'],
    ['GP', '97110', 'eu_outlying'],
    ['MQ', '97200', 'eu_outlying'],
    ['GF', '97300', 'eu_outlying'],
    ['RE', '97400', 'eu_outlying'],
    ['YT', '97600', 'eu_outlying'],
    ['ES', '28001', 'eu'],
    ['ES', '35001', 'eu_outlying'],
    ['ES', '38670', 'eu_outlying'],
    ['ES', '51001', 'eu_outlying'],
    ['ES', '52006', 'eu_outlying'],
    ['FI', '00100', 'eu'],
    ['FI', '22100', 'eu_outlying'],
    ['FI', 'AX-22100', 'eu_outlying'],
    ['AX', '22100', 'eu_outlying'],
    ['DE', '10115', 'eu'],
    ['DE', '78266', 'eu_outlying'],
    ['DE', 'D-78266', 'eu_outlying'],
    ['DE', '78267', 'eu'],
    ['DE', '27498', 'eu_outlying'],
    ['IT', '23041', 'eu_outlying'],
    ['IT', '23030', 'eu'],
    ['IT', '22061', 'eu_outlying'],
    ['GR', '630 86', 'eu_outlying'],
    ['GR', '105 57', 'eu'],
    ['IE', 'D02 X285', 'eu'],
    ['NL', '1012 AB', 'eu'],
    ['PT', '1000-001', 'eu'],
    ['CH', '8001', 'rest'],
    ['NO', '0150', 'rest'],
    ['US', '10001', 'rest'],
    ['AE', '-', 'rest'],
  ];
  for (const [country, postcode, territory] of places) {
    test(`${country} ${postcode} is ${territory}`, () => {
      assert.equal(territoryOf({ countryCode: country, postcode }), territory);
    });
  }
});

describe('a text that is no postcode of its country counts as none', () => {
  const places: [string, string, Territory][] = [
    // London, with the letters of Jersey in front.
    ['GB', 'JE SW1A 2AA', 'gb'],
    ['GB', 'JE', 'gb'],
    ['GB', 'JE2', 'gb'],
    ['GB', 'JE2 3Z', 'gb'],
    ['GB', 'JE2 3OV', 'gb'],
    ['GB', 'JE2A 3ZZ', 'gb'],
    ['GB', 'JE2 3ZZ London', 'gb'],
    ['GB', 'Flat 1 JE2 3ZZ', 'gb'],
    ['GB', 'Лондон JE2 3ZZ', 'gb'],
    ['GB', 'JE2 3ZZ SW1A 2AA', 'gb'],
    ['GB', 'GY', 'gb'],
    ['GB', 'IM', 'gb'],
    ['GB', 'BT', 'gb'],
    ['GB', 'BT1', 'gb'],
    ['GB', 'GX11 1AA', 'gb'],
    ['ES', '350012', 'eu'],
    ['ES', '35', 'eu'],
    ['ES', 'Las Palmas 35', 'eu'],
    ['FR', '971', 'eu'],
    ['FR', '9711', 'eu'],
    ['FR', '971100', 'eu'],
    ['FR', '97133 Paris', 'eu'],
    ['FR', '987', 'eu'],
    ['DE', '782660', 'eu'],
    ['DE', '8238', 'eu'],
    ['DE', '27498 Berlin', 'eu'],
    ['FI', '22', 'eu'],
    ['FI', '221000', 'eu'],
    ['GR', '6308', 'eu'],
    ['IT', '2304', 'eu'],
    ['IT', '6911', 'eu'],
  ];
  for (const [country, postcode, territory] of places) {
    test(`${country} ${postcode} is ${territory}`, () => {
      assert.equal(territoryOf({ countryCode: country, postcode }), territory);
    });
  }
});

describe('a well-formed postcode says so however it is written, and a country code says so by itself', () => {
  const places: [string, string, Territory][] = [
    ['GB', 'JE2 3ZZ', 'je'],
    ['GB', 'je2-3zz', 'je'],
    ['GB', 'GB-JE2 3ZZ', 'je'],
    ['GB', '\u200eJE2\u00a03ZZ\u200e', 'je'],
    ['GB', 'GY10 1SA', 'gg'],
    ['GB', 'IM99 1PS', 'im'],
    ['GB', 'BFPO 61', 'gb'],
    ['GB', 'BF1 3AA', 'gb'],
    ['GI', 'GX11 1AA', 'rest'],
    ['JE', 'SW1A 2AA', 'je'],
    ['JE', 'none', 'je'],
    ['GG', 'JE2 3ZZ', 'gg'],
    ['IM', 'SW1A 2AA', 'im'],
    ['GP', '75001', 'eu_outlying'],
    ['AX', '00100', 'eu_outlying'],
    ['ES', 'E-35001', 'eu_outlying'],
    ['FR', 'F-97110', 'eu_outlying'],
    ['GR', 'GR-63086', 'eu_outlying'],
    ['FR', '98714', 'rest'],
    ['FR', '98600', 'rest'],
    ['FR', '98000', 'eu'],
  ];
  for (const [country, postcode, territory] of places) {
    test(`${country} ${postcode} is ${territory}`, () => {
      assert.equal(territoryOf({ countryCode: country, postcode }), territory);
    });
  }
});

describe('the longest matching postcode prefix wins', () => {
  const table = new Map([
    [placeKey('GB', ''), 'country'],
    [placeKey('GB', 'PA'), 'area PA'],
    [placeKey('GB', 'PA20'), 'district PA20'],
    [placeKey('GB', 'BF'), 'forces'],
    [placeKey('AE', '12'), 'no postcode of the Emirates'],
    [placeKey('AE', ''), 'emirates'],
    [placeKey('LV', ''), 'latvia'],
    [placeKey('LV', '10'), 'riga'],
    [placeKey('GB', 'W1'), 'district W1'],
    [placeKey('GB', 'W1A'), 'outward W1A'],
    [placeKey('US', ''), 'states'],
    [placeKey('US', '99'), '99'],
    [placeKey('US', '995'), '995'],
  ]);
  const places: [string, string, string | undefined][] = [
    ['GB', 'PA20 9AA', 'district PA20'],
    ['GB', 'PA2 0AA', 'area PA'],
    ['GB', 'PA20', 'country'],
    ['GB', 'BFPO 61', 'forces'],
    ['GB', 'BF1 3AA', 'forces'],
    ['GB', 'P1 1AA', 'country'],
    ['GB', 'W1A 1AA', 'outward W1A'],
    ['GB', 'W1B 1AA', 'district W1'],
    ['GB', 'W11 1AA', 'country'],
    ['GB', 'GIR 0AA', 'country'],
    ['GB', '', 'country'],
    ['US', '99501-1234', '995'],
    ['US', '99401', '99'],
    ['US', '10001', 'states'],
    ['US', '', 'states'],
    ['US', '9950', 'states'],
    ['US', '995011', 'states'],
    ['AE', '12', 'emirates'],
    ['LV', 'LV-1010', 'riga'],
    ['LV', '1010', 'riga'],
    ['FR', '99501', undefined],
  ];
  for (const [countryCode, postcode, expected] of places) {
    test(`${countryCode} ${postcode || 'without a postcode'}: ${expected ?? 'nothing'}`, () => {
      assert.equal(longestMatch(table, { countryCode, postcode }), expected);
    });
  }

  test('a text of a million characters is refused as a postcode at once', () => {
    const startedMs = performance.now();
    assert.equal(longestMatch(table, { countryCode: 'US', postcode: '9'.repeat(1_000_000) }), 'states');
    assert.equal(longestMatch(table, { countryCode: 'GB', postcode: 'A1'.repeat(500_000) }), 'country');
    assert.ok(performance.now() - startedMs < 1_000);
  });
});
