import { type Command, InvalidArgumentError, Option } from 'commander';
import { HOUSE_KINDS } from '../../books/entry-kinds.ts';
import { fromPounds } from '../../lib/money.ts';
import { parseDay } from '../../lib/seller-day.ts';
import { addCommand, addGroup, id, nonBlank, pounds } from '../cli-parts.ts';
import * as books from './commands.ts';

const WHY = 'why; the customer reads it where a balance changes';

/** Adds what moves the money of one account: withdrawals and write-offs. */
export function addAccountMoney(account: Command): void {
  addCommand(account, 'withdraw', 'Record that a balance, or a part of it, was paid out by bank')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .requiredOption('--amount <pounds>', 'such as 50.00', pounds)
    .requiredOption('--reference <reference>', "the bank's reference; each is used once", nonBlank)
    .option('--day <day>', 'the day on the bank statement; today when left out', day)
    .requiredOption('--reason <text>', WHY, nonBlank)
    .action(books.withdrawBalance);
  addCommand(account, 'write-off', 'Give up what a customer owes, or take over an unclaimed balance')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .addOption(
      new Option('--of <what>', 'what is written off').choices(['receivable', 'balance']).makeOptionMandatory(),
    )
    .option('--order <order>', 'the order whose payment came back', nonBlank)
    .requiredOption('--amount <pounds>', 'such as 50.00', pounds)
    .requiredOption('--reason <text>', WHY, nonBlank)
    .action(books.writeOffMoney);
}

/** Adds the commands of the books. */
export function addBooks(program: Command): void {
  const group = addGroup(program, 'books', 'The books: entries, corrections, VAT, journals');
  addCommand(group, 'record', 'Record a line of a statement: a payout, fees, bank charges, VAT, duty')
    .addOption(new Option('--kind <kind>', 'what it is').choices(HOUSE_KINDS).makeOptionMandatory())
    .requiredOption('--amount <pounds>', 'of a payout before fees', pounds)
    .option('--fees <pounds>', 'of a payout: what the provider kept', number)
    .addOption(new Option('--method <method>', 'of a payout or fee').choices(['card', 'direct_debit']))
    .addOption(
      new Option('--through <account>', 'where the money went or came from').choices([
        'bank',
        'payouts_in_transit',
        'clearing',
        'balance',
      ]),
    )
    .option('--vat-rate <per cent>', 'of a vat_return', number)
    .option('--ledger-account <name>', 'of an opening balance', nonBlank)
    .addOption(new Option('--side <side>', 'of an opening balance').choices(['debit', 'credit']))
    .option('--debit <name>', 'of an adjustment', nonBlank)
    .option('--credit <name>', 'of an adjustment', nonBlank)
    .option('--account <id>', 'of receivable_paid: the customer', id('acct'))
    .option('--day <day>', 'the day on the statement; today when left out', day)
    .requiredOption('--reference <reference>', 'what the statement calls it; used once for each kind', nonBlank)
    .requiredOption('--reason <text>', WHY, nonBlank)
    .action(books.recordLine);
  addCommand(group, 'correct', 'Take back what was entered wrongly, or move a top-up to the right account')
    .option('--posting <id>', 'the posting, as a ledger statement lists it', nonBlank)
    .option('--account <id>', 'the account of the posting; left out for one of the shop', id('acct'))
    .option('--entry <id>', 'in place of a posting: a whole entry', nonBlank)
    .option('--amount <pounds>', 'a part of the posting; all that is left when left out', pounds)
    .option('--move-to <id>', 'the account that a top-up was for', id('acct'))
    .option('--receivable', 'what the balance does not cover becomes a receivable')
    .requiredOption('--reason <text>', WHY, nonBlank)
    .action(books.correctPosting);
  addCommand(group, 'entries', 'List entries, newest first')
    .option('--proposed', 'only those that wait for a second person')
    .option('--account <id>', 'only those about this account', id('acct'))
    .option('--cursor <id>', 'where to go on: the next_cursor of the list before', nonBlank)
    .action(books.printEntries);
  addCommand(group, 'approve', 'Approve a proposed entry, which posts it')
    .requiredOption('--id <id>', 'the entry', nonBlank)
    .option('--reason <text>', 'why', nonBlank)
    .action(books.approve);
  addCommand(group, 'refuse', 'Refuse a proposed entry')
    .requiredOption('--id <id>', 'the entry', nonBlank)
    .requiredOption('--reason <text>', 'why', nonBlank)
    .action(books.refuse);
  addCommand(group, 'trial-balance', 'Print the trial balance at the end of a day')
    .option('--day <day>', 'such as 2026-11-30; now when left out', day)
    .action(books.printTrialBalance);
  addCommand(group, 'reconcile', 'Print each account beside the statement that it is compared with')
    .option('--day <day>', 'such as 2026-11-30; now when left out', day)
    .action(books.printReconciliation);
  addCommand(group, 'vat', 'Print the output VAT of a period by rate')
    .requiredOption('--from <day>', 'the first day', day)
    .requiredOption('--to <day>', 'the last day', day)
    .action(books.printVat);
  addCommand(group, 'journal', 'Hand days over to the accounting system, or print a journal as its file')
    .option('--from <day>', 'the first day of the first journal', day)
    .requiredOption('--to <day>', 'the last day', day)
    .addOption(new Option('--format <system>', 'print a journal that is made, as a file').choices(['xero', 'sage']))
    .action(books.journal);
}

function day(text: string): string {
  const parsed = parseDay(text);
  if (parsed === undefined) throw new InvalidArgumentError('It must be a day such as 2026-11-30.');
  return parsed;
}

function number(text: string): number {
  if (fromPounds(text) === undefined)
    throw new InvalidArgumentError('It must be a number of 0 or more with at most two decimals.');
  return Number(text);
}
