import { pence, poundsText } from '../../lib/money.ts';
import type { PdfBlock, PdfDocument } from '../../lib/pdf/document.ts';
import { dayText, partyTexts, rateText } from '../pdf.ts';
import { type DocumentSum, type MonthStatement, sumsBySort } from './statement.ts';

/**
 * The statement of a month as a document.
 * It has the balances, the movements, totals by kind, and the VAT of the documents of the month.
 */
export function statementPdf(statement: MonthStatement): PdfDocument {
  const { seller, customer, at } = statement;
  const title = `Statement of ${MONTH.format(new Date(statement.firstDay))}`;
  return {
    title,
    issuedAt: at,
    footer: [title, seller.name].filter((part) => part !== '').join(' · '),
    blocks: [
      {
        kind: 'columns',
        columns: [
          {
            widthMm: 100,
            blocks: [
              { kind: 'text', text: 'Statement of account', sizePt: 20, bold: true },
              { kind: 'text', text: MONTH.format(new Date(statement.firstDay)), sizePt: 12 },
            ],
          },
          { widthMm: 80, blocks: partyTexts(seller) },
        ],
      },
      { kind: 'gap', mm: 6 },
      {
        kind: 'columns',
        columns: [
          { widthMm: 100, blocks: [{ kind: 'text', text: 'To', sizePt: 8 }, ...partyTexts(customer)] },
          { widthMm: 80, blocks: factsOf(statement).map((text) => ({ kind: 'text', text })) },
        ],
      },
      { kind: 'gap', mm: 8 },
      ...movementsOf(statement),
      { kind: 'gap', mm: 6 },
      ...totalsOf(statement),
      { kind: 'gap', mm: 6 },
      ...documentsOf(statement),
    ],
  };
}

function factsOf({ firstDay, lastDay, isOver, at, accountId, opening, closing }: MonthStatement): string[] {
  const until = isOver ? dayText(lastDay) : `${dayText(lastDay)}, so far`;
  return [
    `Account: ${accountId}`,
    `Period: ${dayText(firstDay)} to ${until}`,
    ...(isOver ? [] : [`As of: ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`]),
    'Currency: GBP',
    `Balance before: ${pounds(opening.balance_pence)}`,
    `Balance after: ${pounds(closing.balance_pence)}`,
  ];
}

function movementsOf({ movements, opening, closing }: MonthStatement): PdfBlock[] {
  const heading = headingOf('Movements of the balance, £');
  const [before, after] = [pounds(opening.balance_pence), pounds(closing.balance_pence)];
  if (movements.kind === 'single') {
    const rows = movements.rows.map(({ day, what, reference, movedPence, balancePence }) => [
      shortDay(day),
      what,
      reference,
      ...outAndIn(movedPence),
      pounds(balancePence),
    ]);
    const columns = [
      { title: 'Day', widthMm: 16 },
      { title: 'What', widthMm: 52 },
      { title: 'Reference', widthMm: 40 },
      ...AMOUNTS,
    ];
    const ends = (text: string, balance: string): string[] => ['', text, '', '', '', balance];
    return [
      heading,
      { kind: 'table', columns, rows: [ends('Balance before', before), ...rows, ends('Balance after', after)] },
    ];
  }
  const rows = movements.rows.map(({ day, sort, entries, movedPence, balancePence }) => [
    shortDay(day),
    sort,
    count(entries),
    ...outAndIn(movedPence),
    balancePence === undefined ? '' : pounds(balancePence),
  ]);
  const columns = [
    { title: 'Day', widthMm: 16 },
    { title: 'What', widthMm: 68 },
    { title: 'Number', widthMm: 24, align: 'right' as const },
    ...AMOUNTS,
  ];
  const ends = (text: string, balance: string): string[] => ['', text, '', '', '', balance];
  return [
    heading,
    {
      kind: 'text',
      text: 'The month has too many movements to list here. They are summed by day; the statement as CSV has every one.',
      sizePt: 8,
    },
    { kind: 'gap', mm: 2 },
    { kind: 'table', columns, rows: [ends('Balance before', before), ...rows, ends('Balance after', after)] },
  ];
}

const AMOUNTS = [
  { title: 'Out', widthMm: 23, align: 'right' as const },
  { title: 'In', widthMm: 23, align: 'right' as const },
  { title: 'Balance', widthMm: 26, align: 'right' as const },
];

function totalsOf(statement: MonthStatement): PdfBlock[] {
  const sums = sumsBySort(statement);
  if (sums.length === 0) return [{ kind: 'text', text: 'Nothing moved in this month.' }];
  const moved = sums.reduce((sum, { movedPence }) => sum + movedPence, 0);
  const entries = sums.reduce((sum, one) => sum + one.entries, 0);
  return [
    headingOf('Totals by kind, £'),
    {
      kind: 'table',
      columns: [
        { title: 'What', widthMm: 84 },
        { title: 'Number', widthMm: 24, align: 'right' },
        { title: 'Out', widthMm: 36, align: 'right' },
        { title: 'In', widthMm: 36, align: 'right' },
      ],
      rows: [
        ...sums.map(({ sort, entries: number, movedPence }) => [sort, count(number), ...outAndIn(movedPence)]),
        ['Change of the balance', count(entries), ...outAndIn(moved)],
      ],
    },
  ];
}

function documentsOf({ documents }: MonthStatement): PdfBlock[] {
  const { invoices, creditNotes, vat } = documents;
  if (invoices.documents + creditNotes.documents === 0) {
    return [{ kind: 'text', text: 'No invoice and no credit note was issued in this month.' }];
  }
  const row = (name: string, sign: 1 | -1, sum: DocumentSum): string[] => [
    name,
    count(sum.documents),
    ...[sum.netPence, sum.vatPence, sum.dutyPence, sum.totalPence].map((amount) => pounds(sign * amount)),
  ];
  const both: DocumentSum = {
    documents: invoices.documents + creditNotes.documents,
    netPence: invoices.netPence - creditNotes.netPence,
    vatPence: invoices.vatPence - creditNotes.vatPence,
    dutyPence: invoices.dutyPence - creditNotes.dutyPence,
    totalPence: invoices.totalPence - creditNotes.totalPence,
  };
  return [
    headingOf('Invoices and credit notes issued in this month, £'),
    {
      kind: 'table',
      columns: [
        { title: 'Documents', widthMm: 48 },
        { title: 'Number', widthMm: 24, align: 'right' },
        ...['Net', 'VAT', 'Import duty', 'Total'].map((title) => ({ title, widthMm: 27, align: 'right' as const })),
      ],
      rows: [row('Invoices', 1, invoices), row('Credit notes', -1, creditNotes), row('Together', 1, both)],
    },
    { kind: 'gap', mm: 4 },
    {
      kind: 'table',
      columns: [
        { title: 'VAT rate', widthMm: 48 },
        { title: 'Net, £', widthMm: 51, align: 'right' },
        { title: 'VAT, £', widthMm: 27, align: 'right' },
      ],
      rows: vat.map(({ rateBp, netPence, vatPence }) => [rateText(rateBp), pounds(netPence), pounds(vatPence)]),
    },
    { kind: 'gap', mm: 2 },
    {
      kind: 'text',
      text: 'This statement is no VAT invoice: reclaim VAT by the invoices and credit notes themselves.',
      sizePt: 8,
    },
  ];
}

function headingOf(text: string): PdfBlock {
  return { kind: 'text', text, bold: true, sizePt: 11 };
}

function outAndIn(movedPence: number): [out: string, into: string] {
  return movedPence < 0 ? [pounds(-movedPence), ''] : ['', pounds(movedPence)];
}

function pounds(amountPence: number): string {
  return poundsText(pence(amountPence));
}

function count(number: number): string {
  return COUNT.format(number);
}

/** `5 Oct` */
function shortDay(day: string): string {
  return DAY.format(new Date(day));
}

const COUNT = new Intl.NumberFormat('en-GB');
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
