import { countryName } from '../lib/countries.ts';
import type { StoredAddress } from '../orders/order-columns.ts';
import type { InvoiceDocument } from './invoice.ts';

/** Who bought: what an invoice keeps of people once its order is erased. */
export type Buyer = { readonly name: string };

const GOODWILL = 'Goodwill';

/**
 * Takes the recipient out of an issued document, and leaves the buyer.
 * Older documents are made out to the order's own address, which may be a recipient's: the name of the account and
 * the country take its place. Numbers, dates, lines, VAT and amounts stay. The reason of a credit, which is free
 * text, goes.
 */
export function withoutRecipient<Document extends InvoiceDocument & { readonly reason?: string }>(
  document: Document,
  addresses: readonly StoredAddress[],
  buyer: Buyer,
): Document {
  // Those with the place of delivery are made out to the account, whatever its name.
  const isMadeOutTo = document.delivery === undefined && addresses.some((address) => isOf(document, address));
  const country = addresses.at(-1)?.country_code;
  const buyerLines = country === undefined ? [] : [countryName(country)];
  return {
    ...document,
    ...(isMadeOutTo ? { customer: { ...document.customer, name: buyer.name, lines: buyerLines } } : {}),
    ...(document.reason === undefined ? {} : { reason: '' }),
    // Earlier versions repeated the reason there.
    lines: document.lines.map((line) =>
      line.description.startsWith(`${GOODWILL}: `) ? { ...line, description: GOODWILL } : line,
    ),
  };
}

function isOf({ customer }: InvoiceDocument, address: StoredAddress): boolean {
  const names = [address.contact_name, address.company_name].filter((name) => name !== '');
  return names.includes(customer.name) || (address.line1 !== '' && customer.lines.includes(address.line1));
}
