import { type SellerDays, sellerDay } from '../lib/seller-day.ts';
import { type Seller, sellerAddress } from '../lib/settings/seller.ts';
import type { Territory } from '../pricing/territory.ts';

/** An invoice as it is stored: everything that it shows but its number and date. Amounts are pence. */
export type InvoiceDocument = {
  readonly order_reference: string;
  readonly external_reference: string;
  /** The seller's day of the payment or the credit; on older documents the time, whose day is of UTC. */
  readonly tax_point: string;
  /** The seller's day of issue; absent on older documents. */
  readonly issued_on?: string;
  /** Where the goods go, as far as VAT needs it; absent on older documents. */
  readonly delivery?: { readonly country_code: string; readonly territory: Territory };
  /** What it was paid with. Absent on older documents and on credit notes. */
  readonly paid_with?: readonly PaidWith[];
  readonly seller: InvoiceParty;
  readonly customer: InvoiceParty;
  readonly lines: readonly DocumentLine[];
  readonly vat: readonly DocumentVat[];
  readonly net_pence: number;
  readonly vat_pence: number;
  readonly duty_pence: number;
  readonly total_pence: number;
};

/** What an order can be paid with. Money that came by bank is paid from the balance. */
export const PAID_WITH = ['balance', 'card', 'direct_debit'] as const;
export type PaidWith = (typeof PAID_WITH)[number];

export type DocumentLine = {
  readonly description: string;
  /** `""` for what is not a garment. */
  readonly variant_sku: string;
  readonly quantity: number;
  readonly unit_pence: number;
  readonly net_pence: number;
  /** Its rate of VAT. Absent on older documents, and on a credit that spans several rates. */
  readonly rate_bp?: number;
};

export type DocumentVat = {
  readonly rate_bp: number;
  readonly net_pence: number;
  readonly vat_pence: number;
  /** Why this rate: zero-rated, reverse charge and so on. Absent when there is no reason to give. */
  readonly note?: string;
  /** The seller was not registered for VAT when the order was placed; absent otherwise. */
  readonly unregistered?: true;
};

/** Whether a document is of an order that was placed while the seller was not registered for VAT. */
export function isWithoutVat(vat: readonly DocumentVat[]): boolean {
  return vat.some(({ unregistered }) => unregistered === true);
}

/** A credit note as it is stored: what it takes off an invoice. Its tax point is the day of the credit. */
export type CreditNoteDocument = InvoiceDocument & {
  readonly invoice_number: number;
  /** When the invoice was issued, ISO; absent on older notes. */
  readonly invoice_issued_at?: string;
  /** The day on which the invoice was issued; absent on older notes. */
  readonly invoice_issued_on?: string;
  readonly reason: string;
};

export type InvoiceParty = {
  readonly name: string;
  readonly lines: readonly string[];
  readonly vat_number: string;
};

/**
 * Returns the seller of an invoice, from the operator's settings.
 * Without a VAT number where no VAT was charged because the seller was not registered: that is no VAT invoice.
 */
export function sellerOf(seller: Seller, vat: readonly DocumentVat[]): InvoiceParty {
  const { lines, country } = sellerAddress(seller);
  return {
    name: seller.name,
    lines: country === undefined ? lines : [...lines, country],
    vat_number: isWithoutVat(vat) ? '' : seller.vatNumber,
  };
}

/** When a document is issued, and by whose days it is dated. */
export type Issue = { readonly at: Date; readonly days: SellerDays };

/** A credit, as far as its note shows it. */
export type CreditToNote = {
  readonly lines: readonly DocumentLine[];
  readonly vat_breakdown: readonly DocumentVat[];
  readonly net_pence: number;
  readonly vat_pence: number;
  readonly duty_pence: number;
  readonly total_pence: number;
  readonly reason: string;
  /** When the credit was given, ISO. */
  readonly created_at: string;
};

/**
 * Makes the note of a credit.
 * Parties, references and the notes on rates of VAT are those of its invoice. An older invoice may name the recipient
 * as its customer, who is not written down once more: its note names the customer of today.
 */
export function creditNoteOf(
  invoice: { readonly number: number; readonly issuedAt: Date; readonly document: InvoiceDocument },
  credit: CreditToNote,
  issue: Issue & { readonly customer: InvoiceParty },
): CreditNoteDocument {
  const { order_reference, external_reference, seller, issued_on: invoicedOn, delivery } = invoice.document;
  return {
    order_reference,
    external_reference,
    invoice_number: invoice.number,
    invoice_issued_at: invoice.issuedAt.toISOString(),
    invoice_issued_on: invoicedOn ?? invoice.issuedAt.toISOString().slice(0, 10),
    reason: credit.reason,
    tax_point: sellerDay(issue.days, new Date(credit.created_at)),
    issued_on: sellerDay(issue.days, issue.at),
    seller,
    customer: invoicedOn === undefined ? issue.customer : invoice.document.customer,
    ...(delivery === undefined ? {} : { delivery }),
    lines: credit.lines,
    vat: credit.vat_breakdown.map((rate) => ({ ...rate, ...noteOf(invoice.document, rate.rate_bp) })),
    net_pence: credit.net_pence,
    vat_pence: credit.vat_pence,
    duty_pence: credit.duty_pence,
    total_pence: credit.total_pence,
  };
}

function noteOf(invoice: InvoiceDocument, rateBasisPoints: number): Pick<DocumentVat, 'note' | 'unregistered'> {
  const { note, unregistered } = invoice.vat.find((rate) => rate.rate_bp === rateBasisPoints) ?? {};
  return { ...(note === undefined ? {} : { note }), ...(unregistered === undefined ? {} : { unregistered }) };
}
