import { countryName } from '../lib/countries.ts';
import { cityLines } from '../orders/postal-address.ts';
import { HOME_TERRITORIES } from '../pricing/territory.ts';
import type { BuyerRow } from './due-sql.ts';
import type { InvoiceDocument, InvoiceParty } from './invoice.ts';

/**
 * The customer of a document: the legal identity of the account, wherever the parcel goes.
 * An account whose identity is not known is named as it is called, without an address.
 */
export function customerOf({ name, vat_number, billing }: BuyerRow): InvoiceParty {
  if (billing === null) return { name, lines: [], vat_number };
  const { line1, line2, country_code } = billing;
  const lines = [line1, line2, ...cityLines(billing), countryName(country_code)].filter((line) => line !== '');
  return { name: billing.legal_name, lines, vat_number };
}

/** What an invoice is for VAT. */
export const INVOICE_FORMS = ['vat_invoice', 'simplified_vat_invoice', 'invoice'] as const;
export type InvoiceForm = (typeof INVOICE_FORMS)[number];

/** The most that a simplified invoice may come to with VAT (VAT Regulations 1995, regulation 16A). */
const SIMPLIFIED_PENCE_MAX = 25_000;

/**
 * What an invoice is for VAT: a full one has the customer's address, a simplified one may lack it.
 * Without the seller's VAT number it is neither; nor is one without an address that is over the limit of a simplified
 * one, or of a delivery abroad.
 */
export function invoiceFormOf(document: InvoiceDocument): InvoiceForm {
  if (document.seller.vat_number === '') return 'invoice';
  if (document.customer.lines.length > 0) return 'vat_invoice';
  const isAtHome = document.delivery !== undefined && HOME_TERRITORIES.includes(document.delivery.territory);
  return isAtHome && document.total_pence <= SIMPLIFIED_PENCE_MAX ? 'simplified_vat_invoice' : 'invoice';
}

/** In words where the goods of a document go; undefined on older documents. */
export function deliveryCountryOf({ delivery }: InvoiceDocument): string | undefined {
  if (delivery === undefined) return undefined;
  return delivery.territory === 'ni' ? 'United Kingdom (Northern Ireland)' : countryName(delivery.country_code);
}
