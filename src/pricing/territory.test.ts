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

describe('the longest matching postcode prefix wins', () => {
  const table = new Map([
    [placeKey('GB', ''), 'country'],
    [placeKey('GB', 'PA'), 'area PA'],
    [placeKey('GB', 'PA20'), 'district PA20'],
    [placeKey('GB', 'W1'), 'district W1'],
    [placeKey('GB', 'W1A'), 'outward W1A'],
    [placeKey('US', ''), 'states'],
    [placeKey('US', '99'), '99'],
    [placeKey('US', '995'), '995'],
  ]);
  const places: [string, string, string | undefined][] = [
    ['GB', 'PA20 9AA', 'district PA20'],
    ['GB', 'PA2 0AA', 'area PA'],
    ['GB', 'PA20', 'district PA20'],
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
    ['FR', '99501', undefined],
  ];
  for (const [countryCode, postcode, expected] of places) {
    test(`${countryCode} ${postcode || 'without a postcode'}: ${expected ?? 'nothing'}`, () => {
      assert.equal(longestMatch(table, { countryCode, postcode }), expected);
    });
  }

  test('a postcode of a million characters costs no more than a usual one', () => {
    const startedMs = performance.now();
    assert.equal(longestMatch(table, { countryCode: 'US', postcode: '9'.repeat(1_000_000) }), '99');
    assert.equal(longestMatch(table, { countryCode: 'GB', postcode: 'A1'.repeat(500_000) }), 'country');
    assert.ok(performance.now() - startedMs < 1_000);
  });
});
