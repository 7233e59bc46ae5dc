import type { InvoiceDocument, InvoiceParty } from '../invoices/invoice.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoices/sql.ts';
import { isoTime } from '../lib/clock.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, toPounds } from '../lib/money.ts';
import type { EntryRow } from './ledger.ts';
import type { AccountBalance, CreditNote, Invoice, Transaction } from './schema.ts';

export function balanceView(accountId: Uuid, balance: Pence, now: Date): AccountBalance {
  return {
    account_id: publicId('acct', accountId),
    balance: toPounds(balance),
    currency: 'GBP',
    as_of: isoTime(now),
  };
}

/** An entry of the statement; a charge is below zero. */
export function transactionView(accountId: Uuid, row: EntryRow): Transaction {
  return {
    id: publicId('txn', idOfEntry(accountId, row.entry)),
    type: row.kind === 'top_up' || row.kind === 'refund' ? row.kind : 'charge',
    amount: pounds(row.is_credit ? row.amount_pence : -row.amount_pence),
    balance_after: pounds(row.balance_after_pence),
    currency: 'GBP',
    order_id: row.order_id === null ? null : publicId('ord', row.order_id),
    reference: row.reference,
    created_at: isoTime(row.created_at),
  };
}

/**
 * The id of an entry, a UUID of version 8 (RFC 9562): 48 bits of the entry's number, then what is random in the account's id. A
 * statement is in the order in which entries took the balance's lock, which the ids of postings are not, and so a page can begin
 * after an entry without looking it up.
 */
export function idOfEntry(accountId: Uuid, entry: number): Uuid {
  const number = entry.toString(16).padStart(12, '0');
  return `${number.slice(0, 8)}-${number.slice(8)}-8${accountId.slice(15)}` as Uuid;
}

/** The number of an entry by its id. */
export function entryOfId(id: Uuid): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** An invoice as it was issued, pence turned into pounds. */
export function invoiceView(row: InvoiceRow): Invoice {
  const { document } = row;
  return {
    number: invoiceNumber(row.number),
    ...headView(row),
    tax_point: document.tax_point.slice(0, 10),
    ...bodyView(document),
  };
}

/** A credit note as it was issued, pence turned into pounds. */
export function creditNoteView(row: CreditNoteRow): CreditNote {
  const { document } = row;
  return {
    id: publicId('cn', row.credit_id),
    number: creditNoteNumber(row.number),
    invoice_number: invoiceNumber(document.invoice_number),
    invoice_issued_at: document.invoice_issued_at ?? null,
    ...headView(row),
    tax_point: document.tax_point.slice(0, 10),
    reason: document.reason,
    ...bodyView(document),
  };
}

/** The number of an invoice as it is written; credit notes take theirs of the same series. */
export function invoiceNumber(number: number): string {
  return `INV-${String(number).padStart(6, '0')}`;
}

/** The number of a credit note as it is written. */
export function creditNoteNumber(number: number): string {
  return `CN-${String(number).padStart(6, '0')}`;
}

function headView(row: { order_id: Uuid; document: InvoiceDocument; issued_at: Date }) {
  return {
    order_id: publicId('ord', row.order_id),
    order_reference: row.document.order_reference,
    external_reference: row.document.external_reference,
    issued_at: isoTime(row.issued_at),
  };
}

function bodyView(document: InvoiceDocument) {
  return {
    seller: partyView(document.seller),
    customer: partyView(document.customer),
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
