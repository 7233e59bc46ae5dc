import { pageQuery } from '../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

export const DOCUMENT_KINDS = ['invoice', 'credit_note'] as const;

/** An invoice or a credit note in the list of a period. */
const IssuedDocument = Type.Object(
  {
    number: Type.String({ description: 'Of the one series of invoices and credit notes.' }),
    kind: oneOf(DOCUMENT_KINDS),
    account_id: Type.String(),
    order_id: Type.String(),
    order_reference: Type.String(),
    credit_note_id: nullable(Type.String({ description: 'Null for an invoice.' })),
    issued_at: Timestamp,
    issued_on: Type.String({ description: 'The date of issue, YYYY-MM-DD, where the seller is.' }),
    tax_point: Type.String({ description: 'YYYY-MM-DD, where the seller is.' }),
    customer_name: Type.String(),
    customer_vat_number: Type.String({ description: '"" where there is none.' }),
    currency: oneOf(['GBP']),
    net_total: { ...Money, description: 'As the document shows it: a credit note takes it off.' },
    vat_total: Money,
    duty_total: Money,
    total: Money,
  },
  { title: 'IssuedDocument' },
);
export type IssuedDocument = Static<typeof IssuedDocument>;
export const IssuedDocumentPage = pageSchema(IssuedDocument);

const Day = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    description,
    examples: ['2026-11-30'],
    'x-message': 'must be a date such as 2026-11-30.',
  });

export const ListDocumentsQuery = Type.Object({
  from: Type.Optional(Day('Only documents issued on this day or later, by the days of the seller.')),
  to: Type.Optional(Day('Only documents issued on this day or earlier, by the days of the seller.')),
  account: Type.Optional(Type.String({ maxLength: 100, description: 'Only documents of this account.' })),
  number: Type.Optional(
    Type.String({
      pattern: '^([Ii][Nn][Vv]-|[Cc][Nn]-)?\\d{1,15}$',
      description: 'Only the document with this number.',
      examples: ['INV-000042'],
      'x-message': 'must be the number of an invoice or a credit note, such as INV-000042.',
    }),
  ),
  kind: Type.Optional(oneOf(DOCUMENT_KINDS, { description: 'Only invoices, or only credit notes.' })),
  limit: pageQuery('cn').limit,
  cursor: Type.Optional(
    Type.String({
      // A position in the order of issue, which is not quite that of the numbers.
      pattern: '^\\d{1,15}\\.\\d{1,15}$',
      description: 'The next_cursor of the previous page.',
      'x-message': 'must be the next_cursor of a page of this collection.',
      'x-openapi': { type: 'string', minLength: 1 },
    }),
  ),
});
export type ListDocumentsQuery = Static<typeof ListDocumentsQuery>;
