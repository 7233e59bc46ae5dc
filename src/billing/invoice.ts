import type { Seller } from '../lib/config.ts';

/** A VAT invoice as it is kept: everything that it shows but its number and date. Amounts are pence. */
export type InvoiceDocument = {
  readonly order_reference: string;
  readonly external_reference: string;
  /** When the order was paid, ISO. */
  readonly tax_point: string;
  readonly seller: InvoiceParty;
  readonly customer: InvoiceParty;
  readonly lines: readonly DocumentLine[];
  readonly vat: readonly DocumentVat[];
  readonly net_pence: number;
  readonly vat_pence: number;
  readonly duty_pence: number;
  readonly total_pence: number;
};

export type DocumentLine = {
  readonly description: string;
  /** `""` for what is no garment. */
  readonly variant_sku: string;
  readonly quantity: number;
  readonly unit_pence: number;
  readonly net_pence: number;
};

export type DocumentVat = { readonly rate_bp: number; readonly net_pence: number; readonly vat_pence: number };

/** A credit note as it is kept: what an invoice is made smaller by. Its tax point is the day of the credit. */
export type CreditNoteDocument = InvoiceDocument & { readonly invoice_number: number; readonly reason: string };

export type InvoiceParty = {
  readonly name: string;
  readonly lines: readonly string[];
  readonly vat_number: string;
};

/** The seller of an invoice, as the operator's settings name it. */
export function sellerOf(seller: Seller): InvoiceParty {
  return { name: seller.name, lines: seller.addressLines, vat_number: seller.vatNumber };
}

/** What a credit is, as far as its note shows it. */
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

/** The note of a credit: parties and references are those of the invoice that it belongs to. */
export function creditNoteOf(
  invoice: { readonly number: number; readonly document: InvoiceDocument },
  credit: CreditToNote,
): CreditNoteDocument {
  const { order_reference, external_reference, seller, customer } = invoice.document;
  return {
    order_reference,
    external_reference,
    invoice_number: invoice.number,
    reason: credit.reason,
    tax_point: new Date(credit.created_at).toISOString(),
    seller,
    customer,
    lines: credit.lines,
    vat: credit.vat_breakdown,
    net_pence: credit.net_pence,
    vat_pence: credit.vat_pence,
    duty_pence: credit.duty_pence,
    total_pence: credit.total_pence,
  };
}
