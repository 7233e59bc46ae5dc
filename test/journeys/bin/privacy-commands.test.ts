import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ErasureReceipt } from '../../../src/privacy/ops-schema.ts';
import { type CommandLine, openCommandLine, runManyCommands } from '../../harness/command-line.ts';

let at: CommandLine;
let account: string;
before(async () => {
  at = await openCommandLine();
  account = (await at.json<{ id: string }>(['account', 'create', '--name', 'Left out'])).id;
});
after(() => at?.close());

test('privacy: an option that is left out erases no account: the whole account must be said', async () => {
  const wrong = [
    [],
    ['--whole-account', '--order', 'PF-7KQ2M9XA'],
    ['--whole-account', '--recipient', 'Ada Byron, LS1 4DY'],
    ['--order', 'PF-7KQ2M9XA', '--recipient', 'Ada Byron, LS1 4DY'],
  ].map((options) => ['erase', '--account', account, ...options]);
  for (const result of await runManyCommands(wrong, at.env)) {
    assert.equal(result.status, 2, result.stderr);
    assert.match(result.stderr, /^platen: give one of --order, --recipient and --whole-account\n$/);
  }
  assert.deepEqual(await at.second.query('select state from erasure'), []);
  assert.deepEqual(await at.second.query('select name, suspended_at from account'), [
    { name: 'Left out', suspended_at: null },
  ]);
});

test('privacy: who asks about a person hears when no order names them, and what a name alone lacks', async () => {
  const nobody = await at.run(['export-person', '--account', account, '--recipient', 'Ada Byron, LS1 4DY']);
  assert.equal(nobody.status, 0);
  assert.deepEqual((JSON.parse(nobody.stdout) as { orders: unknown[] }).orders, []);
  assert.match(nobody.stderr, /^No order names this recipient: check how the name and the postcode are written\.\n$/);
  const alone = await at.run(['export-person', '--account', account, '--recipient', 'Ada Byron']);
  assert.equal(alone.status, 1);
  assert.match(alone.stderr, /is required: a name alone may be that of several people\. .*"NAME, POSTCODE"/);
});

test('privacy: a whole account is erased when that is said, and the receipt says what stays', async () => {
  const shown = await at.run(['erase', '--account', account, '--whole-account']);
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /\nIt stays:\n {2}Invoices and credit notes/);
  const receipt = await at.json<ErasureReceipt>(['erase', '--account', account, '--whole-account']);
  assert.deepEqual([receipt.scope, receipt.state], ['account', 'done']);
});
