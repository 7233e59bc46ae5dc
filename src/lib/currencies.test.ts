import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCurrencyCode } from './currencies.ts';

test('currency codes are those of ISO 4217, in capitals', () => {
  for (const code of ['GBP', 'EUR', 'USD', 'JPY', 'INR', 'CLF', 'VED', 'XOF', 'ZWG']) {
    assert.ok(isCurrencyCode(code), code);
  }
  for (const code of ['gbp', 'UKP', 'GB', 'GBPX', '826', 'XXX', 'XTS', 'XAU', 'DEM', '', ' GBP', 'constructor']) {
    assert.ok(!isCurrencyCode(code), code);
  }
});

test('a currency that the runtime can format is known, but for those that are gone and what no price is in', () => {
  const gone = ['ANG', 'CUC', 'HRK', 'SLL', 'ZWL', 'XDR', 'XSU'];
  assert.deepEqual(
    Intl.supportedValuesOf('currency').filter((code) => !isCurrencyCode(code)),
    gone.toSorted(),
  );
});
