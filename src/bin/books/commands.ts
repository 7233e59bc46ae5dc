import type { AppContext } from '../../app/context.ts';
import { correct } from '../../books/correct.ts';
import { approveEntry, refuseEntry } from '../../books/decide-entry.ts';
import type { HouseKind } from '../../books/entry-kinds.ts';
import type { BookEntry } from '../../books/entry-schema.ts';
import { listBookEntries } from '../../books/read-entries.ts';
import { recordEntry } from '../../books/record-entry.ts';
import { getSageJournal, getXeroJournal, makeJournal } from '../../books/reports/journal.ts';
import { getReconciliation, getTrialBalance } from '../../books/reports/trial-balance.ts';
import { getVatReport } from '../../books/reports/vat-report.ts';
import { withdraw, writeOff } from '../../books/withdraw.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { type Pence, toPounds } from '../../lib/money.ts';
import { commandLineActor } from '../access-commands.ts';
import { type Output, withContext } from '../commands.ts';
import { poundsShown, printResult } from '../report.ts';

type Why = Output & { readonly reason: string };

const given = <Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };

async function printEntry(options: Output, make: (ctx: AppContext) => Promise<BookEntry>): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const entry = await make(ctx);
    const wait =
      entry.status === 'proposed'
        ? [`Nothing is posted until another person approves it: platen books approve --id ${entry.id}`]
        : [];
    printResult(options, entry, [...linesOf(entry), ...wait]);
  });
}

/** An entry, and for who decides about it what it moves, why, and who proposed it. */
function linesOf(entry: BookEntry): string[] {
  const of = entry.account_id === null ? '' : ` of ${entry.account_id}`;
  const line = `${entry.id}  ${entry.status}  ${entry.kind}${of}  £${poundsShown(entry.amount)}  ${entry.value_day}  ${entry.reference}`;
  if (entry.status !== 'proposed') return [line];
  return [
    line,
    ...entry.postings.map(
      ({ debit, credit, amount }) => `    debit ${debit}, credit ${credit}: £${poundsShown(amount)}`,
    ),
    `    proposed by ${entry.proposed_by}, to be decided by ${entry.expires_at}: ${entry.reason}`,
  ];
}

/** `platen account withdraw` */
export async function withdrawBalance(
  options: Why & { account: Uuid; amount: Pence; reference: string; day?: string },
): Promise<void> {
  const { account, amount, reference, reason, day } = options;
  const body = { amount_gbp: toPounds(amount), reference, reason, ...given('value_day', day) };
  await printEntry(options, (ctx) => withdraw(ctx, commandLineActor(), publicId('acct', account), body));
}

/** `platen account write-off` */
export async function writeOffMoney(
  options: Why & { account: Uuid; of: 'receivable' | 'balance'; order?: string; amount: Pence },
): Promise<void> {
  const { account, of, order, amount, reason } = options;
  const body = { of, amount_gbp: toPounds(amount), reason, ...given('order', order) };
  await printEntry(options, (ctx) => writeOff(ctx, commandLineActor(), publicId('acct', account), body));
}

type Line = Why & {
  kind: HouseKind;
  amount: Pence;
  fees?: number;
  method?: 'card' | 'direct_debit';
  through?: 'bank' | 'payouts_in_transit' | 'clearing' | 'balance';
  vatRate?: number;
  ledgerAccount?: string;
  side?: 'debit' | 'credit';
  debit?: string;
  credit?: string;
  account?: Uuid;
  day?: string;
  reference: string;
};

/** `platen books record` */
export async function recordLine(options: Line): Promise<void> {
  const { kind, amount, reference, reason } = options;
  const body = {
    kind,
    amount_gbp: toPounds(amount),
    reference,
    reason,
    ...given('fees_gbp', options.fees),
    ...given('method', options.method),
    ...given('through', options.through),
    ...given('vat_rate', options.vatRate),
    ...given('account', options.ledgerAccount),
    ...given('side', options.side),
    ...given('debit', options.debit),
    ...given('credit', options.credit),
    ...given('account_id', options.account === undefined ? undefined : publicId('acct', options.account)),
    ...given('value_day', options.day),
  };
  await printEntry(options, (ctx) => recordEntry(ctx, commandLineActor(), body));
}

type Correction = Why & {
  posting?: string;
  account?: Uuid;
  entry?: string;
  amount?: Pence;
  moveTo?: Uuid;
  receivable?: boolean;
};

/** `platen books correct` */
export async function correctPosting(options: Correction): Promise<void> {
  const { account, amount, moveTo } = options;
  const body = {
    reason: options.reason,
    ...given('posting_id', options.posting),
    ...given('account_id', account === undefined ? undefined : publicId('acct', account)),
    ...given('entry_id', options.entry),
    ...given('amount_gbp', amount === undefined ? undefined : toPounds(amount)),
    ...given('move_to', moveTo === undefined ? undefined : publicId('acct', moveTo)),
    ...given('shortfall', options.receivable === true ? ('receivable' as const) : undefined),
  };
  await printEntry(options, (ctx) => correct(ctx, commandLineActor(), body));
}

/** `platen books entries` */
export async function printEntries(
  options: Output & { proposed?: boolean; account?: Uuid; cursor?: string },
): Promise<void> {
  const { proposed, account, cursor } = options;
  const query = {
    limit: '100',
    ...given('status', proposed === true ? ('proposed' as const) : undefined),
    ...given('account', account === undefined ? undefined : publicId('acct', account)),
    ...given('cursor', cursor),
  };
  await withContext('migrated', async (ctx) => {
    const page = await listBookEntries(ctx, query);
    const rest = page.next_cursor === null ? {} : { next_cursor: page.next_cursor };
    const lines = page.data.length === 0 ? ['None.'] : page.data.flatMap(linesOf);
    if (page.next_cursor !== null) lines.push(`There are more: --cursor ${page.next_cursor}`);
    printResult(options, { entries: page.data, ...rest }, lines);
  });
}

/** `platen books approve` */
export async function approve(options: Output & { id: string; reason?: string }): Promise<void> {
  await printEntry(options, (ctx) => approveEntry(ctx, commandLineActor(), options.id, options.reason));
}

/** `platen books refuse` */
export async function refuse(options: Why & { id: string }): Promise<void> {
  await printEntry(options, (ctx) => refuseEntry(ctx, commandLineActor(), options.id, options.reason));
}

/** `platen books trial-balance` */
export async function printTrialBalance(options: Output & { day?: string }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const balance = await getTrialBalance(ctx, given('day', options.day));
    printResult(options, balance, [
      heading('GBP', 'debit', 'credit'),
      ...balance.accounts.map((row) => columns(row.account, row.debit, row.credit)),
      columns(`at the end of ${balance.day}`, balance.debit_total, balance.credit_total),
    ]);
  });
}

function columns(name: string, ...amounts: readonly number[]): string {
  return name.padEnd(28) + amounts.map((amount) => amount.toFixed(2).padStart(16)).join('');
}

function heading(name: string, ...titles: readonly string[]): string {
  return name.padEnd(28) + titles.map((title) => title.padStart(16)).join('');
}

/** `platen books reconcile` */
export async function printReconciliation(options: Output & { day?: string }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const reconciled = await getReconciliation(ctx, given('day', options.day));
    const lines = reconciled.accounts.flatMap((row) => [
      `${columns(row.account, row.balance)}  ${row.side}  ${row.statement}`,
      ...(row.finding === '' ? [] : [`    ${row.overdue > 0 ? `£${row.overdue.toFixed(2)}: ` : ''}${row.finding}`]),
    ]);
    const title = `${heading('GBP', 'balance')}  at the end of ${reconciled.day}, and what it is compared with`;
    printResult(options, reconciled, lines.length === 0 ? ['Nothing is posted.'] : [title, ...lines]);
  });
}

/** `platen books vat` */
export async function printVat(options: Output & { from: string; to: string }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const report = await getVatReport(ctx, { from: options.from, to: options.to });
    printResult(options, report, [
      heading(`GBP, ${report.from} to ${report.to}`, 'net', 'VAT'),
      ...report.rates.map((rate) => columns(`${rate.rate} % ${rate.treatment}`, rate.net, rate.vat)),
      heading('box 1, output VAT', '', report.box_1.toFixed(2)),
      columns('box 6, sales without VAT', report.box_6),
      ...(report.not_invoiced.documents === 0
        ? []
        : [`Still to be issued: ${report.not_invoiced.documents} documents.`]),
      ...(report.is_final ? [] : [`Not final: more may be added until an hour after the end of ${report.to}.`]),
      ...report.ledger
        .filter(({ unexplained }) => unexplained !== 0)
        .map((row) => `UNEXPLAINED ${columns(row.account, row.unexplained)}: run platen verify`),
    ]);
  });
}

/** `platen books journal` */
export async function journal(
  options: Output & { from?: string; to: string; format?: 'xero' | 'sage' },
): Promise<void> {
  const { from, to, format } = options;
  await withContext('migrated', async (ctx) => {
    if (format === undefined) {
      const made = await makeJournal(ctx, commandLineActor(), { to, ...given('from', from) });
      const lines = made.lines.map((line) => columns(line.account, line.debit, line.credit));
      printResult(options, made, [
        heading('GBP', 'debit', 'credit'),
        ...lines,
        columns(`${made.from} to ${made.to}`, made.debit_total, made.credit_total),
      ]);
      return;
    }
    const file = await (format === 'xero' ? getXeroJournal(ctx, to) : getSageJournal(ctx, to));
    printResult(options, { format, to, file }, [file.trimEnd()]);
  });
}
