import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type CommandLine, openCommandLine } from '../../harness/command-line.ts';

let at: CommandLine;
let account: string;
before(async () => {
  at = await openCommandLine();
  account = (await at.json<{ id: string }>(['account', 'create', '--name', 'A'])).id;
});
after(() => at?.close());

const ADDRESS = ['--line1', '5 High Street', '--city', 'York', '--postcode', 'YO1 7HH', '--country', 'GB'];

describe('platen account billing', () => {
  test('sets whom invoices are addressed to, and later only what it is given', async () => {
    const contact = ['--contact-name', 'Ada', '--contact-email', 'ada@byron.example'];
    const first = ['--legal-name', 'Byron Ltd', ...ADDRESS, '--company-number', '01234567', ...contact];
    const known = {
      account_id: account,
      legal_name: 'Byron Ltd',
      address: { line1: '5 High Street', line2: '', city: 'York', county: '', postcode: 'YO1 7HH', country_code: 'GB' },
      company_number: '01234567',
      contact: { name: 'Ada', email: 'ada@byron.example' },
    };
    assert.deepEqual(await at.json(['account', 'billing', '--account', account, ...first]), known);
    assert.deepEqual(await at.json(['account', 'billing', '--account', account, '--legal-name', 'Lovelace Ltd']), {
      ...known,
      legal_name: 'Lovelace Ltd',
    });
  });

  for (const [what, args, status, line] of [
    ['without anything to change', [], 2, /nothing is to be changed/],
    [
      'with half an address',
      ['--legal-name', 'Byron', '--line1', '5 High Street'],
      2,
      /address\.city .*address\.postcode/,
    ],
    ['with a contact without an address', ['--contact-name', 'Ada'], 2, /contact\.email/],
    ['with a country that is none', ['--legal-name', 'Byron', ...ADDRESS.slice(0, -1), 'UK'], 1, /GB/],
  ] as const) {
    test(`${what} it is one line and status ${status}`, async () => {
      const result = await at.run(['account', 'billing', '--account', account, ...args]);
      assert.equal(result.status, status, result.stderr);
      assert.match(result.stderr, /^platen: [^\n]+\n$/);
      assert.match(result.stderr, line);
    });
  }

  test('of an account that is not there it is one line', async () => {
    const none = `acct_${'0'.repeat(26)}`;
    const result = await at.run(['account', 'billing', '--account', none, '--legal-name', 'B', ...ADDRESS]);
    assert.equal(result.status, 1);
    assert.match(result.stderr, /^platen: [^\n]*account[^\n]*\n$/);
  });
});
