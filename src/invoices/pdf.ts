import { pence, poundsText } from '../lib/money.ts';
import type { PdfBlock, PdfColumnBlock, PdfDocument } from '../lib/pdf/document.ts';
import type { DeliveryAddress } from './billed-order.ts';
import { deliveryCountryOf, type InvoiceForm, invoiceFormOf } from './customer.ts';
import {
  type CreditNoteDocument,
  type InvoiceDocument,
  type InvoiceParty,
  isWithoutVat,
  type PaidWith,
} from './invoice.ts';
import type { CreditNoteRow, InvoiceRow } from './sql.ts';
import { creditNoteNumber, dayOfIssue, invoiceNumber } from './view.ts';

/**
 * An invoice as a document; the same as long as the order goes to the same address.
 * With the seller's VAT number and the customer's address it is a VAT invoice and has all that regulation 14 of the VAT
 * Regulations 1995 requires (docs/decisions/0033).
 */
export function invoicePdf(row: InvoiceRow, deliverTo: DeliveryAddress | undefined): PdfDocument {
  const { document } = row;
  const number = invoiceNumber(row.number);
  const form = invoiceFormOf(document);
  return documentPdf({ title: TITLES[form], form, row, number, deliverTo }, [
    ['Invoice number', number],
    ['Date of issue', dayText(dayOfIssue(row))],
    // The day of payment, which is shown below the total too.
    ...(isWithoutVat(document.vat) ? [] : [['Tax point', dayText(document.tax_point)] as const]),
    ...references(document),
  ]);
}

const TITLES: Readonly<Record<InvoiceForm, string>> = {
  vat_invoice: 'VAT invoice',
  simplified_vat_invoice: 'VAT invoice',
  invoice: 'Invoice',
};

/** A credit note as a document: what it takes back, of which invoice, and why. */
export function creditNotePdf(row: CreditNoteRow, deliverTo: DeliveryAddress | undefined): PdfDocument {
  const number = creditNoteNumber(row.number);
  const { document } = row;
  const invoicedOn = document.invoice_issued_on ?? document.invoice_issued_at;
  return documentPdf({ title: 'Credit note', form: 'vat_invoice', row, number, deliverTo }, [
    ['Credit note number', number],
    ['For invoice', [invoiceNumber(document.invoice_number), ...ofDay(invoicedOn)].join(' of ')],
    ['Date of issue', dayText(dayOfIssue(row))],
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

type Drawn = {
  readonly title: string;
  readonly form: InvoiceForm;
  readonly row: Pick<InvoiceRow, 'document' | 'issued_at'>;
  readonly number: string;
  readonly deliverTo: DeliveryAddress | undefined;
};

type Fact = readonly [name: string, value: string];

function documentPdf({ title, form, row, number, deliverTo }: Drawn, facts: readonly Fact[]): PdfDocument {
  const { document, issued_at: issuedAt } = row;
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
      partiesAndFacts(document, deliverTo, facts),
      { kind: 'gap', mm: 8 },
      linesTable(document),
      { kind: 'gap', mm: 6 },
      ...(isWithoutVat(document.vat) ? [] : [vatTable(document, form)]),
      ...vatNotes(document),
      ...incomplete(document, form),
      { kind: 'gap', mm: 6 },
      totals(document),
      ...paidOn(document),
    ],
  };
}

/** The customer, where the order goes, and the facts. Older documents do not show where it goes. */
function partiesAndFacts(
  document: InvoiceDocument,
  deliverTo: DeliveryAddress | undefined,
  facts: readonly Fact[],
): PdfBlock {
  const country = deliveryCountryOf(document);
  const customer = [{ kind: 'text', text: 'To', sizePt: 8 }, ...partyTexts(document.customer)] as const;
  const shown = country === undefined ? facts : [...facts, ['Country of delivery', country] as const];
  const texts = shown.map(([name, value]): PdfColumnBlock => ({ kind: 'text', text: `${name}: ${value}` }));
  if (country === undefined || deliverTo === undefined) {
    return {
      kind: 'columns',
      columns: [
        { widthMm: 100, blocks: customer },
        { widthMm: 80, blocks: texts },
      ],
    };
  }
  const recipient = partyTexts({ ...deliverTo, vat_number: '' });
  return {
    kind: 'columns',
    columns: [
      { widthMm: 48, blocks: customer },
      { widthMm: 3, blocks: [] },
      { widthMm: 46, blocks: [{ kind: 'text', text: 'Deliver to', sizePt: 8 }, ...recipient] },
      { widthMm: 3, blocks: [] },
      { widthMm: 80, blocks: texts },
    ],
  };
}

/** What an invoice lacks for being a VAT invoice, other than the seller's number. */
function incomplete({ seller, customer }: InvoiceDocument, form: InvoiceForm): PdfBlock[] {
  if (form !== 'invoice' || seller.vat_number === '' || customer.lines.length > 0) return [];
  const text = 'This is not a VAT invoice: the address of the customer was not known when it was issued.';
  return [
    { kind: 'gap', mm: 2 },
    { kind: 'text', text, sizePt: 8 },
  ];
}

/** A party as the blocks of a column: its name, then its address and VAT number. */
export function partyTexts(party: InvoiceParty): { kind: 'text'; text: string; bold?: boolean }[] {
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

/** A simplified invoice has what is to be paid at each rate, VAT included. */
function vatTable(document: InvoiceDocument, form: InvoiceForm): PdfBlock {
  const hasGross = form === 'simplified_vat_invoice';
  return {
    kind: 'table',
    columns: [
      { title: 'VAT rate', widthMm: 30 },
      { title: 'Net, £', widthMm: 30, align: 'right' },
      { title: 'VAT, £', widthMm: 30, align: 'right' },
      ...(hasGross ? [{ title: 'With VAT, £', widthMm: 30, align: 'right' as const }] : []),
    ],
    rows: document.vat.map((rate) => [
      rateText(rate.rate_bp),
      poundsText(pence(rate.net_pence)),
      poundsText(pence(rate.vat_pence)),
      ...(hasGross ? [poundsText(pence(rate.net_pence + rate.vat_pence))] : []),
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

/** `20 %`, of basis points. */
export function rateText(basisPoints: number): string {
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

/** `21 November 2026`, of a day, or of a time by UTC on older documents. */
export function dayText(iso: string): string {
  return DAY.format(new Date(iso));
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
