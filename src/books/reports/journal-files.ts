import { type Pence, poundsText } from '../../lib/money.ts';
import { writeCsv } from '../../lib/text/write-csv.ts';
import type { Codes } from './codes.ts';

/** A journal as accounting systems take it. Debits are above zero, credits below. */
export type JournalFile = {
  /** YYYY-MM-DD */
  readonly from: string;
  readonly to: string;
  readonly lines: readonly { readonly title: string; readonly codes: Codes; readonly pence: Pence }[];
};

/**
 * A journal as Xero imports manual journals.
 * It has the columns of Xero's template, days as `dd/mm/yyyy`, debits positive and credits negative.
 * One narration and one date make one journal. The rate is `No VAT`: VAT has a line of its own, so Xero must add none.
 * Source: help.xero.com/nz/ManualJournalsImport (columns, date, signs, 300 lines a file).
 */
export function xeroFile({ from, to, lines }: JournalFile): string {
  const narration = narrationOf(from, to);
  const head = [
    '*Narration',
    '*Date',
    'Description',
    '*AccountCode',
    '*TaxRate',
    '*Amount',
    'TrackingName1',
    'TrackingOption1',
    'TrackingName2',
    'TrackingOption2',
  ];
  const rows = lines.map((line) => [
    safe(narration),
    dayText(to),
    safe(line.title),
    safe(line.codes.xero),
    'No VAT',
    amountText(line.pence),
    '',
    '',
    '',
    '',
  ]);
  return csv([head, ...rows]);
}

/**
 * A journal as Sage 50 imports audit trail transactions: a line `JD` or `JC` each, amounts positive.
 * Tax code T9 is outside VAT: VAT has a line of its own. Source: makingithappen.co.uk/CI/std/audittrans.htm and
 * pimbrook.ie/knowledge-base/sage-50-audit-trail-import (columns, types, dates).
 */
export function sageFile({ from, to, lines }: JournalFile): string {
  const head = [
    'Type',
    'Account Reference',
    'Nominal A/C Ref',
    'Department Code',
    'Date',
    'Reference',
    'Details',
    'Net Amount',
    'Tax Code',
    'Tax Amount',
    'Exchange Rate',
    'Extra Reference',
    'User Name',
    'Project Refn',
    'Cost Code Refn',
  ];
  const reference = `PLATEN ${to.replaceAll('-', '')}`;
  const rows = lines.map((line) => [
    line.pence > 0 ? 'JD' : 'JC',
    '',
    safe(line.codes.sage),
    '0',
    dayText(to),
    reference,
    safe(line.title.slice(0, 60)),
    amountText(Math.abs(line.pence)),
    'T9',
    '0.00',
    '1',
    narrationOf(from, to),
    'PLATEN',
    '',
    '',
  ]);
  return csv([head, ...rows]);
}

/** The same for the same days, so that a second import is seen in the accounting system. */
function narrationOf(from: string, to: string): string {
  return from === to ? `Platen ${to}` : `Platen ${from} to ${to}`;
}

function dayText(day: string): string {
  return day.split('-').toReversed().join('/');
}

/** Without separators of thousands, which an import does not read. */
function amountText(amountPence: number): string {
  return poundsText(amountPence as Pence).replaceAll(',', '');
}

/** A text that begins as a formula does must not be run by a spreadsheet. */
function safe(text: string): string {
  return /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
}

function csv(rows: readonly (readonly string[])[]): string {
  // Credits begin with a minus: the texts of customers are guarded one by one.
  return writeCsv(rows, { escape_formulas: false });
}
