import { isoTime } from '../lib/clock.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import type { DeliveryAddress } from './billed-order.ts';
import { invoiceFormOf } from './customer.ts';
import type { InvoiceDocument, InvoiceParty } from './invoice.ts';
import type { CreditNote, Invoice } from './schema.ts';
import type { CreditNoteRow, InvoiceRow } from './sql.ts';

/** Shows an invoice as it was issued, with pence turned into pounds, beside where the order goes. */
export function invoiceView(row: InvoiceRow, deliverTo: DeliveryAddress | undefined): Invoice {
  const { document } = row;
  return {
    number: invoiceNumber(row.number),
    ...headView(row),
    tax_point: document.tax_point.slice(0, 10),
    form: invoiceFormOf(document),
    paid_with: [...(document.paid_with ?? [])],
    ...bodyView(document, deliverTo),
  };
}

/** Shows a credit note as it was issued, with pence turned into pounds, beside where the order goes. */
export function creditNoteView(row: CreditNoteRow, deliverTo: DeliveryAddress | undefined): CreditNote {
  const { document } = row;
  return {
    id: publicId('cn', row.credit_id),
    number: creditNoteNumber(row.number),
    invoice_number: invoiceNumber(document.invoice_number),
    invoice_issued_at: document.invoice_issued_at ?? null,
    ...headView(row),
    tax_point: document.tax_point.slice(0, 10),
    reason: document.reason,
    ...bodyView(document, deliverTo),
  };
}

/** Formats the number of an invoice. Credit notes share its series. */
export function invoiceNumber(number: number): string {
  return `INV-${String(number).padStart(6, '0')}`;
}

/** Formats the number of a credit note. */
export function creditNoteNumber(number: number): string {
  return `CN-${String(number).padStart(6, '0')}`;
}

function headView(row: { order_id: Uuid; document: InvoiceDocument; issued_at: Date }) {
  return {
    order_id: publicId('ord', row.order_id),
    order_reference: row.document.order_reference,
    external_reference: row.document.external_reference,
    issued_at: isoTime(row.issued_at),
    issued_on: dayOfIssue(row),
  };
}

/** The date of issue of a document. */
export function dayOfIssue(row: {
  readonly document: Pick<InvoiceDocument, 'issued_on'>;
  readonly issued_at: Date;
}): string {
  return row.document.issued_on ?? isoTime(row.issued_at).slice(0, 10);
}

function bodyView(document: InvoiceDocument, deliverTo: DeliveryAddress | undefined) {
  return {
    seller: partyView(document.seller),
    customer: partyView(document.customer),
    deliver_to: deliverTo === undefined ? null : { name: deliverTo.name, lines: [...deliverTo.lines] },
    delivery_country: document.delivery?.country_code ?? null,
    currency: 'GBP' as const,
    lines: document.lines.map((line) => ({
      description: line.description,
      variant_sku: line.variant_sku,
      quantity: line.quantity,
      unit_price: pounds(line.unit_pence),
      net: pounds(line.net_pence),
      vat_rate: line.rate_bp === undefined ? null : line.rate_bp / 100,
    })),
    vat: document.vat.map((rate) => ({
      rate: rate.rate_bp / 100,
      net: pounds(rate.net_pence),
      vat: pounds(rate.vat_pence),
      note: rate.note ?? '',
    })),
    net_total: pounds(document.net_pence),
    vat_total: pounds(document.vat_pence),
    duty_total: pounds(document.duty_pence),
    total: pounds(document.total_pence),
  };
}

function partyView(party: InvoiceParty): Invoice['seller'] {
  return { name: party.name, lines: [...party.lines], vat_number: party.vat_number };
}

function pounds(amountPence: number): number {
  return toPounds(pence(amountPence));
}
