import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BookEntry } from '../../../src/books/entry-schema.ts';
import type { Journal, TrialBalance, VatReport } from '../../../src/books/reports/report-schema.ts';
import { type CommandLine, openCommandLine, runManyCommands } from '../../harness/command-line.ts';
import type { CommandResult } from '../../harness/environment.ts';

let at: CommandLine;
before(async () => {
  at = await openCommandLine();
});
after(() => at?.close());

const json = <Result>(...args: string[]): Promise<Result> => at.json<Result>(args);
const run = (...args: string[]): Promise<CommandResult> => at.run(args);

const why = ['--reason', 'as on the statement'];

test('operating: money that was entered wrongly is put right at the command line, and a second step approves it', async () => {
  const { id } = await json<{ id: string }>('account', 'create', '--name', 'Wrong', '--balance', '700');
  const out = ['account', 'withdraw', '--account', id, '--reason', 'asked for', '--reference'];
  const withdrawal = await json<BookEntry>(...out, 'OUT 1', '--amount', '100');
  assert.deepEqual([withdrawal.status, withdrawal.kind], ['posted', 'withdrawal']);
  const back = await json<BookEntry>('books', 'correct', '--entry', withdrawal.id, ...why);
  assert.deepEqual([back.kind, back.account_id], ['correction', id]);
  // With the two above, this is over the limit of a day.
  const proposed = await json<BookEntry>(...out, 'OUT 2', '--amount', '450');
  assert.equal(proposed.status, 'proposed');
  const waiting = await json<{ entries: BookEntry[] }>('books', 'entries', '--proposed');
  assert.deepEqual(
    waiting.entries.map((entry) => entry.id),
    [proposed.id],
  );
  // Who decides reads what it moves, why, and how it is approved.
  const shown = await run('books', 'entries', '--proposed');
  assert.match(shown.stdout, new RegExp(`^${proposed.id} {2}proposed {2}withdrawal of ${id} {2}£450\\.00 .* OUT 2\n`));
  assert.match(shown.stdout, /\n {4}debit customer_balance, credit bank: £450\.00\n/);
  assert.match(shown.stdout, /\n {4}proposed by command line \(.+\), to be decided by 20\d\d-.*Z: asked for\n$/);
  const again = await run(...out, 'OUT 3', '--amount', '450');
  assert.match(again.stdout, /Nothing is posted until another person approves it: platen books approve --id ent_/);
  const approved = await json<BookEntry>('books', 'approve', '--id', proposed.id);
  assert.deepEqual([approved.status, approved.own_approval], ['posted', true]);
  const late = await run('books', 'refuse', '--id', proposed.id, ...why);
  assert.deepEqual([late.status, late.stdout], [1, '']);
});

test('operating: the shop is brought to its statements and handed over at the command line', async () => {
  const line = ['books', 'record', '--kind', 'payout', '--method', 'card', '--amount', '300', '--fees', '4.5'];
  const payout = await json<BookEntry>(...line, '--reference', 'po_1', '--day', '2026-01-31', ...why);
  assert.equal(payout.value_day, '2026-01-31');
  const balance = await json<TrialBalance>('books', 'trial-balance');
  assert.equal(balance.accounts.find(({ account }) => account === 'provider_fees')?.debit, 4.5);
  const report = await json<VatReport>('books', 'vat', '--from', '2026-01-01', '--to', '2026-01-31');
  assert.deepEqual([report.box_1, report.box_6, report.is_final], [0, 0, true]);
  const journal = await json<Journal>('books', 'journal', '--from', '2026-01-01', '--to', '2026-01-31');
  assert.deepEqual(journal.lines, []);
  const printed = await run('books', 'trial-balance');
  assert.match(printed.stdout, /^GBP +debit +credit\n/);
  const vat = await run('books', 'vat', '--from', '2026-01-01', '--to', '2026-01-31');
  assert.match(vat.stdout, /^GBP, 2026-01-01 to 2026-01-31 +net +VAT\n/);
  const none = await run('books', 'journal', '--to', '2026-01-30', '--format', 'xero');
  assert.deepEqual(
    [none.status, none.stderr],
    [1, 'platen: No journal was made that ends on this day. Make it first, or look at GET /books/journals.\n'],
  );
  const file = await run('books', 'journal', '--to', '2026-01-31', '--format', 'xero');
  assert.match(file.stdout, /^\*Narration,\*Date/);
  const shown = await run('books', 'reconcile');
  assert.match(shown.stdout, /^GBP +balance {2}at the end of 20\d\d-\d\d-\d\d, and what it is compared with\n/);
  assert.match(shown.stdout, /card_clearing.*-300\.00.*\n.*More has left this account/);
});

test('operating: a wrong argument is one line and exit 2', async () => {
  const wrong = [
    ['books', 'record', '--kind', 'bribe', '--amount', '1', '--reference', 'r', ...why],
    ['books', 'vat', '--from', '2026-02-30', '--to', '2026-03-01'],
    ['books', 'correct'],
    ['account', 'withdraw', '--account', 'acct_x', '--amount', '1', '--reference', 'r', ...why],
  ];
  for (const result of await runManyCommands(wrong, at.env)) {
    assert.equal(result.status, 2, result.stderr);
    assert.match(result.stderr, /^platen: [^\n]+\n$/);
  }
});

test('operating: a top-up says what was posted, and that without a reference a repeat is a second one', async () => {
  const { id } = await json<{ id: string }>('account', 'create', '--name', 'Twice');
  const twice = await run('account', 'credit', '--account', id, '--amount', '1250');
  assert.equal(
    twice.stdout,
    'Posted £1,250.00.\nBalance £1,250.00, orders settled: 0.\nWithout --reference a repeat is a second top-up.\n',
  );
  const once = await run('account', 'credit', '--account', id, '--amount', '50', '--reference', 'BACS 1');
  assert.equal(once.stdout, 'Posted £50.00.\nBalance £1,300.00, orders settled: 0.\n');
});

test('operating: what is not there is named, and where its id stands', async () => {
  const { id } = await json<{ id: string }>('account', 'create', '--name', 'Wrong ids');
  const nothing = `pst_${'0'.repeat(26)}`;
  const cases: [args: string[], says: RegExp][] = [
    [
      ['books', 'correct', '--posting', nothing, ...why],
      /no such posting of the shop itself\. .* name the account, too/,
    ],
    [
      ['books', 'correct', '--posting', 'txn_1', '--account', id, ...why],
      /no such posting of this account\. .*GET \/books\/bank/,
    ],
    [['books', 'approve', '--id', 'ent_1'], /no such entry of the books/],
    [['user', 'disable', '--account', id, '--email', 'no@one.example'], /no user with the address no@one\.example/],
  ];
  const results = await runManyCommands(
    cases.map(([args]) => args),
    at.env,
  );
  for (const [index, { status, stderr }] of results.entries()) {
    assert.equal(status, 1, stderr);
    assert.match(stderr, cases[index]?.[1] ?? /never/);
  }
});

test('operating: accounts are listed by name with their balances, also those that begin with a text', async () => {
  const { id } = await json<{ id: string }>('account', 'create', '--name', 'Zebra Ltd', '--balance', '1234.5');
  const listed = await json<{ accounts: { id: string; name: string }[] }>('account', 'list', '--name', 'zeb');
  assert.deepEqual(
    listed.accounts.map((account) => [account.id, account.name]),
    [[id, 'Zebra Ltd']],
  );
  const shown = await run('account', 'list');
  assert.match(shown.stdout, new RegExp(`\n${id} {2}Zebra Ltd {2}£1,234\\.50 {2}without a billing identity\n$`));
  await json('account', 'suspend', '--account', id, '--reason', 'unpaid');
  assert.match((await run('account', 'list', '--name', 'Zebra')).stdout, /suspended 20\d\d-/);
  assert.equal((await run('account', 'list', '--name', 'nobody')).stdout, 'None.\n');
});

// Last: it breaks the books.
test('operating: verify shows what is broken below the name of its check, and counts checks, not rows', async () => {
  for (const name of ['One', 'Two']) await json('account', 'create', '--name', name);
  await at.second.query('update account_balance set balance_pence = balance_pence + 1');
  const found = await run('verify');
  assert.equal(found.status, 1);
  assert.match(found.stdout, /^BROKEN {2}cached balances equal their postings\n/);
  assert.match(found.stdout, /\n\ncached balances equal their postings:\n( {4}account .* cached and .* posted\n){2,}/);
  assert.match(found.stderr, /^platen: 1 of \d+ checks found something broken: see docs\/runbook\.md, Verify\n$/);
});
