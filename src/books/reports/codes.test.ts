import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CHART_NAMES } from '../../billing/chart.ts';
import { pence } from '../../lib/money.ts';
import { ConfigError } from '../../lib/settings/forms.ts';
import { codesOf, refuseUnknownCodes } from './codes.ts';
import { sageFile, xeroFile } from './journal-files.ts';

const NONE = { xeroCodes: new Map<string, string>(), sageCodes: new Map<string, string>() };

describe('the codes of accounts', () => {
  test('every account of the chart has its own in both systems, and all rates of VAT one', () => {
    for (const system of ['xero', 'sage'] as const) {
      const codes = CHART_NAMES.map((name) => codesOf(name, NONE)[system]);
      assert.equal(new Set(codes).size, codes.length, `${system}: ${codes.join(' ')}`);
      assert.equal(codesOf('vat:2000', NONE)[system], codesOf('vat:500', NONE)[system]);
    }
  });

  test('a setting replaces one of them, for one rate of VAT too', () => {
    const own = { ...NONE, xeroCodes: new Map([['vat:500', '821']]) };
    assert.equal(codesOf('vat:500', own).xero, '821');
    assert.equal(codesOf('vat:2000', own).xero, '820');
    assert.equal(codesOf('vat:500', own).sage, '2200');
  });

  test('a code for an account that the books do not have is refused', () => {
    refuseUnknownCodes({ ...NONE, sageCodes: new Map([['sales', '4010']]) });
    for (const name of ['sale', 'vat:20000', '__proto__', 'toString']) {
      const own = { ...NONE, sageCodes: new Map([[name, '1']]) };
      assert.throws(() => refuseUnknownCodes(own), ConfigError, name);
    }
  });
});

describe('a file', () => {
  const journal = (title: string) => ({
    from: '2026-11-01',
    to: '2026-11-30',
    lines: [{ title, codes: { xero: '-200', sage: '=4000' }, pence: pence(-5) }],
  });

  test('runs no formula in a spreadsheet, and keeps an amount below zero a number', () => {
    for (const title of ['=1+1', '+1', '-1', '@x', '\t=1', '\uFF1D1']) {
      const [, xero = ''] = xeroFile(journal(title)).split('\r\n');
      assert.ok(xero.includes(`'${title}`) && xero.includes(",'-200,") && xero.includes(',-0.05,'), xero);
      const [, sage = ''] = sageFile(journal(title)).split('\r\n');
      assert.ok(sage.includes(`'${title}`) && sage.includes(",'=4000,") && sage.includes(',0.05,T9'), sage);
    }
  });
});
