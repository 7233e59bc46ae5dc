import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCountryCode } from './countries.ts';

test('country codes are those of ISO 3166-1 alpha-2, in capitals (2.4 country_code)', () => {
  for (const code of ['GB', 'US', 'JE', 'IM', 'AX', 'RE', 'DE']) assert.ok(isCountryCode(code), code);
  for (const code of ['UK', 'EL', 'XX', 'XK', 'EU', 'gb', 'GBR', '826', '', ' GB', '__proto__']) {
    assert.ok(!isCountryCode(code), code);
  }
});
