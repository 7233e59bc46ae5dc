import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countryCodeOf, countryName, isCountryCode } from './countries.ts';

test('country codes are those of ISO 3166-1 alpha-2, in capitals (2.4 country_code)', () => {
  for (const code of ['GB', 'US', 'JE', 'IM', 'AX', 'RE', 'DE']) assert.ok(isCountryCode(code), code);
  for (const code of ['UK', 'EL', 'XX', 'XK', 'EU', 'gb', 'GBR', '826', '', ' GB', '__proto__']) {
    assert.ok(!isCountryCode(code), code);
  }
});

test('a country has an English name, and is known again by its name or code', () => {
  for (const [code, name] of [
    ['GB', 'United Kingdom'],
    ['DE', 'Germany'],
    ['US', 'United States'],
    ['JP', 'Japan'],
  ] as const) {
    assert.equal(countryName(code), name);
    assert.deepEqual(
      [countryCodeOf(name), countryCodeOf(` ${name.toUpperCase()}`), countryCodeOf(code)],
      [code, code, code],
    );
  }
  assert.deepEqual(['UK', 'England', 'great britain'].map(countryCodeOf), ['GB', 'GB', 'GB']);
  assert.deepEqual(['Leeds', 'LS1 4DY', ''].map(countryCodeOf), [undefined, undefined, undefined]);
  assert.deepEqual([countryName('XX'), countryName('not a code')], ['XX', 'not a code']);
});
