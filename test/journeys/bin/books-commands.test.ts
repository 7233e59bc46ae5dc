import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BookEntry } from '../../../src/books/entry-schema.ts';
import type { Journal, TrialBalance, VatReport } from '../../../src/books/reports/report-schema.ts';
import { type CommandLine, openCommandLine, runManyCommands } from '../../harness/command-line.ts';
import type { CommandResult } from '../../harness/process.ts';

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
  const file = await run('books', 'journal', '--to', '2026-01-31', '--format', 'xero');
  assert.match(file.stdout, /^\*Narration,\*Date/);
  const shown = await run('books', 'reconcile');
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
