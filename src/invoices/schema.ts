import { pageQuery } from '../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { INVOICE_FORMS } from './customer.ts';
import { PAID_WITH } from './invoice.ts';

const InvoiceAddress = Type.Object({
  name: Type.String(),
  lines: Type.Array(Type.String()),
  vat_number: Type.String({ description: '"" where there is none.' }),
});

const DOCUMENT_HEAD = {
  order_id: Type.String(),
  order_reference: Type.String(),
  external_reference: Type.String(),
  issued_at: Timestamp,
  issued_on: Type.String({ description: 'The date of issue, YYYY-MM-DD, where the seller is.' }),
};

const DOCUMENT_BODY = {
  seller: InvoiceAddress,
  customer: {
    ...InvoiceAddress,
    description: 'The account, by its legal name and address; `lines` is empty where they were not known.',
  },
  deliver_to: nullable(
    Type.Object(
      { name: Type.String(), lines: Type.Array(Type.String()) },
      { description: 'Where the order goes. It is no part of the document, and null once it is erased.' },
    ),
  ),
  delivery_country: nullable(
    Type.String({ description: 'The country that the goods go to, ISO 3166-1 alpha-2; null on older documents.' }),
  ),
  currency: oneOf(['GBP']),
  lines: Type.Array(
    Type.Object({
      description: Type.String(),
      variant_sku: Type.String({ description: '"" for a line that is not a garment.' }),
      quantity: Type.Integer(),
      unit_price: Money,
      net: Money,
      vat_rate: nullable(
        Type.Number({
          description: 'Per cent. Null where several rates are taken back together, and on older documents.',
        }),
      ),
    }),
  ),
  vat: Type.Array(
    Type.Object({
      rate: Type.Number({ description: 'Per cent.' }),
      net: Money,
      vat: Money,
      note: Type.String({
        description:
          'Why this rate applies, such as zero-rated, reverse charge, or that the seller was not registered for VAT; "" without a note.',
      }),
    }),
  ),
  net_total: Money,
  vat_total: Money,
  duty_total: Money,
  total: Money,
};

/** An invoice as it was issued; it never changes. With the seller's VAT number it is a VAT invoice. */
export const Invoice = Type.Object(
  {
    number: Type.String({ description: 'From one series without gaps, shared with credit notes.' }),
    ...DOCUMENT_HEAD,
    tax_point: Type.String({ description: 'The tax point, YYYY-MM-DD: the day of payment, where the seller is.' }),
    form: oneOf(INVOICE_FORMS, {
      description: [
        'A VAT invoice has the address of the customer; a simplified one, up to £250 within the United Kingdom, may lack it.',
        'An invoice that is neither lacks the VAT number of the seller or the address of the customer.',
      ].join(' '),
    }),
    paid_with: Type.Array(oneOf(PAID_WITH), {
      description: 'What the order was paid with; empty on older documents.',
    }),
    ...DOCUMENT_BODY,
  },
  { title: 'Invoice' },
);
export type Invoice = Static<typeof Invoice>;

/** A credit note as it was issued: what it takes off an invoice. It never changes. */
export const CreditNote = Type.Object(
  {
    id: Type.String(),
    number: Type.String({ description: 'From one series without gaps, shared with invoices.' }),
    invoice_number: Type.String(),
    invoice_issued_at: nullable({ ...Timestamp, description: 'When that invoice was issued; null on older notes.' }),
    ...DOCUMENT_HEAD,
    tax_point: Type.String({ description: 'The date of the credit for VAT, YYYY-MM-DD.' }),
    reason: Type.String(),
    ...DOCUMENT_BODY,
  },
  { title: 'CreditNote' },
);
export type CreditNote = Static<typeof CreditNote>;

export const CreditNotePage = pageSchema(CreditNote);
export const ListCreditNotesQuery = Type.Object(pageQuery('cn'));
export type ListCreditNotesQuery = Static<typeof ListCreditNotesQuery>;
