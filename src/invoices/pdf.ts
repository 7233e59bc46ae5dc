import { pence, poundsText } from '../lib/money.ts';
import type { PdfBlock, PdfDocument } from '../lib/pdf/document.ts';
import {
  type CreditNoteDocument,
  type InvoiceDocument,
  type InvoiceParty,
  isWithoutVat,
  type PaidWith,
} from './invoice.ts';
import type { CreditNoteRow, InvoiceRow } from './sql.ts';
import { creditNoteNumber, invoiceNumber } from './view.ts';

/**
 * An invoice as a document; always the same.
 * With the seller's VAT number it is a VAT invoice and has all that HMRC's notice 700 (16.3) requires.
 */
export function invoicePdf(row: InvoiceRow): PdfDocument {
  const number = invoiceNumber(row.number);
  const title = row.document.seller.vat_number === '' ? 'Invoice' : 'VAT invoice';
  return documentPdf(title, row, number, [
    ['Invoice number', number],
    ['Date of issue', dayText(row.issued_at.toISOString())],
    // The day of payment, which is shown below the total too.
    ...(isWithoutVat(row.document.vat) ? [] : [['Tax point', dayText(row.document.tax_point)] as const]),
    ...references(row.document),
  ]);
}

/** A credit note as a document: what it takes back, of which invoice, and why. */
export function creditNotePdf(row: CreditNoteRow): PdfDocument {
  const number = creditNoteNumber(row.number);
  const { document } = row;
  return documentPdf('Credit note', row, number, [
    ['Credit note number', number],
    ['For invoice', [invoiceNumber(document.invoice_number), ...ofDay(document.invoice_issued_at)].join(' of ')],
    ['Date of issue', dayText(row.issued_at.toISOString())],
    [isWithoutVat(document.vat) ? 'Date of credit' : 'Tax point', dayText(document.tax_point)],
    ...references(document),
    ...reasonOf(document),
  ]);
}

function references(document: InvoiceDocument): [string, string][] {
  const own: [string, string] = ['Order', document.order_reference];
  return document.external_reference === '' ? [own] : [own, ['Your reference', document.external_reference]];
}

function reasonOf(document: CreditNoteDocument): [string, string][] {
  return document.reason === '' ? [] : [['Reason', document.reason]];
}

function ofDay(iso: string | undefined): string[] {
  return iso === undefined ? [] : [dayText(iso)];
}

function documentPdf(
  title: string,
  { document, issued_at: issuedAt }: Pick<InvoiceRow, 'document' | 'issued_at'>,
  number: string,
  facts: readonly (readonly [string, string])[],
): PdfDocument {
  return {
    title: `${title} ${number}`,
    issuedAt,
    footer: [number, document.seller.name].filter((part) => part !== '').join(' · '),
    blocks: [
      {
        kind: 'columns',
        columns: [
          { widthMm: 100, blocks: [{ kind: 'text', text: title, sizePt: 20, bold: true }] },
          { widthMm: 80, blocks: partyTexts(document.seller) },
        ],
      },
      { kind: 'gap', mm: 6 },
      {
        kind: 'columns',
        columns: [
          { widthMm: 100, blocks: [{ kind: 'text', text: 'To', sizePt: 8 }, ...partyTexts(document.customer)] },
          { widthMm: 80, blocks: facts.map(([name, value]) => ({ kind: 'text', text: `${name}: ${value}` })) },
        ],
      },
      { kind: 'gap', mm: 8 },
      linesTable(document),
      { kind: 'gap', mm: 6 },
      ...(isWithoutVat(document.vat) ? [] : [vatTable(document)]),
      ...vatNotes(document),
      { kind: 'gap', mm: 6 },
      totals(document),
      ...paidOn(document),
    ],
  };
}

function partyTexts(party: InvoiceParty): { kind: 'text'; text: string; bold?: boolean }[] {
  const lines = [...party.lines, ...(party.vat_number === '' ? [] : [`VAT number ${party.vat_number}`])];
  return [
    ...(party.name === '' ? [] : [{ kind: 'text' as const, text: party.name, bold: true }]),
    ...(lines.length === 0 ? [] : [{ kind: 'text' as const, text: lines.join('\n') }]),
  ];
}

/** The VAT rate is on each line; the column is left out where no line knows its rate, and without VAT. */
function linesTable(document: InvoiceDocument): PdfBlock {
  const hasRates = !isWithoutVat(document.vat) && document.lines.some((line) => line.rate_bp !== undefined);
  return {
    kind: 'table',
    columns: [
      { title: 'Description', widthMm: hasRates ? 60 : 71 },
      { title: 'SKU', widthMm: hasRates ? 42 : 45 },
      { title: 'Quantity', widthMm: 18, align: 'right' },
      { title: 'Unit, £', widthMm: 22, align: 'right' },
      ...(hasRates ? [{ title: 'VAT', widthMm: 14, align: 'right' as const }] : []),
      { title: isWithoutVat(document.vat) ? 'Amount, £' : 'Net, £', widthMm: 24, align: 'right' },
    ],
    rows: document.lines.map((line) => [
      line.description,
      line.variant_sku,
      String(line.quantity),
      poundsText(pence(line.unit_pence)),
      ...(hasRates ? [line.rate_bp === undefined ? '' : rateText(line.rate_bp)] : []),
      poundsText(pence(line.net_pence)),
    ]),
  };
}

function vatTable(document: InvoiceDocument): PdfBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'VAT rate', widthMm: 30 },
      { title: 'Net, £', widthMm: 30, align: 'right' },
      { title: 'VAT, £', widthMm: 30, align: 'right' },
    ],
    rows: document.vat.map((rate) => [
      rateText(rate.rate_bp),
      poundsText(pence(rate.net_pence)),
      poundsText(pence(rate.vat_pence)),
    ]),
  };
}

/** Why a rate is what it is, below the rates; or why there is no VAT. */
function vatNotes(document: InvoiceDocument): PdfBlock[] {
  const notes = document.vat.flatMap(({ rate_bp: rate, note, unregistered }) => {
    if (note === undefined) return [];
    return [{ kind: 'text' as const, text: unregistered === true ? note : `${rateText(rate)}: ${note}`, sizePt: 8 }];
  });
  return notes.length === 0 ? [] : [{ kind: 'gap', mm: 2 }, ...notes];
}

function rateText(basisPoints: number): string {
  return `${basisPoints / 100} %`;
}

type TotalRow = readonly [title: string, amountPence: number, bold: boolean];

/** Kept together, so that a page never ends between the sum and its parts. */
function totals(document: InvoiceDocument): PdfBlock {
  const vat: TotalRow[] = [
    ['Net total', document.net_pence, false],
    ['VAT total', document.vat_pence, false],
  ];
  const duty: TotalRow[] = [['Import duty', document.duty_pence, false]];
  const rows: TotalRow[] = [
    ...(isWithoutVat(document.vat) ? [] : vat),
    ...(document.duty_pence === 0 ? [] : duty),
    ['Total, GBP', document.total_pence, true],
  ];
  return {
    kind: 'columns',
    columns: [
      { widthMm: 100, blocks: [] },
      { widthMm: 40, blocks: rows.map(([name, , bold]) => ({ kind: 'text', text: name, bold })) },
      {
        widthMm: 40,
        blocks: rows.map(([, amount, bold]) => ({
          kind: 'text',
          text: poundsText(pence(amount)),
          bold,
          align: 'right',
        })),
      },
    ],
  };
}

const PAID_WITH_TEXT: Readonly<Record<PaidWith, string>> = {
  balance: 'from the account balance',
  card: 'by card',
  direct_debit: 'by direct debit',
};

/** When and how an invoice was paid; nothing on a credit note. */
function paidOn({ paid_with: paidWith, tax_point: paidAt }: InvoiceDocument): PdfBlock[] {
  if (paidWith === undefined) return [];
  const means = paidWith.map((one) => PAID_WITH_TEXT[one]).join(' and ');
  const text = [`Paid on ${dayText(paidAt)}`, means].filter((part) => part !== '').join(' ');
  return [
    { kind: 'gap', mm: 4 },
    { kind: 'text', text, bold: true, align: 'right' },
  ];
}

/** `21 November 2026`, in UTC. */
function dayText(iso: string): string {
  return DAY.format(new Date(iso));
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
