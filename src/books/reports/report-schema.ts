import { pageQuery } from '../../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

const Day = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  description: 'A day of the seller, YYYY-MM-DD.',
  'x-message': 'must be a day such as 2026-11-22.',
});

export const DayQuery = Type.Object({
  day: Type.Optional({ ...Day, description: 'At the end of this day of the seller, YYYY-MM-DD; now by default.' }),
});
export type DayQuery = Static<typeof DayQuery>;

const Title = { account: Type.String(), title: Type.String() };

/** The trial balance in two columns. */
export const TrialBalance = Type.Object(
  {
    day: Day,
    currency: oneOf(['GBP']),
    accounts: Type.Array(
      Type.Object({
        ...Title,
        debit: { ...Money, description: 'The balance if it is a debit, else 0.' },
        credit: { ...Money, description: 'The balance if it is a credit, else 0.' },
      }),
      { description: 'Every account with a posting, by name.' },
    ),
    debit_total: Money,
    credit_total: { ...Money, description: 'Equal to debit_total.' },
  },
  { title: 'TrialBalance' },
);
export type TrialBalance = Static<typeof TrialBalance>;

/** Each account beside the statement that it is compared with. */
export const Reconciliation = Type.Object(
  {
    day: Day,
    currency: oneOf(['GBP']),
    accounts: Type.Array(
      Type.Object({
        ...Title,
        side: oneOf(['debit', 'credit'], { description: 'The side on which the balance normally is.' }),
        statement: Type.String({ description: 'What the balance is compared with.' }),
        balance: { ...Money, description: 'On its normal side, in GBP; below zero on the other side.' },
        overdue_after_days: nullable(Type.Integer({ description: 'How long money may lie on it; null for any time.' })),
        overdue: { ...Money, description: 'What has been on it for longer.' },
        finding: Type.String({ description: 'What is wrong, and what to do; "" where nothing is wrong.' }),
      }),
    ),
  },
  { title: 'Reconciliation' },
);
export type Reconciliation = Static<typeof Reconciliation>;

export const PeriodQuery = Type.Object({
  from: { ...Day, description: 'The first day, YYYY-MM-DD, of the seller.' },
  to: { ...Day, description: 'The last day, included; at most 100 days in all.' },
});
export type PeriodQuery = Static<typeof PeriodQuery>;

const TREATMENTS = ['charged', 'zero_rated', 'export', 'reverse_charge', 'not_registered'] as const;
export type Treatment = (typeof TREATMENTS)[number];

const Treatment = oneOf(TREATMENTS, {
  description:
    'charged: VAT above 0 %. zero_rated: 0 % at home. export: 0 % because it leaves the country. reverse_charge: 0 %, the customer accounts for it. not_registered: sold before the seller was registered, outside the return.',
});

const NetAndVat = { net: Money, vat: Money };

const VatRate = Type.Object({
  rate: Type.Number({ description: 'Per cent.' }),
  treatment: Treatment,
  ...NetAndVat,
  sales_net: { ...Money, description: 'Of invoices.' },
  sales_vat: Money,
  credits_net: { ...Money, description: 'Of credit notes, taken off.' },
  credits_vat: Money,
  documents: Type.Integer({ description: 'Invoices and credit notes, and sales and credits that still await theirs.' }),
});

const VatLedger = Type.Object({
  account: Type.String({
    description: 'vat: and the rate in basis points; net for sales, setups, shipping less refunds.',
  }),
  documents: { ...Money, description: 'By the tax points of documents.' },
  posted_after: {
    ...Money,
    description: 'Of these documents posted after the period: their tax point is milliseconds before its end.',
  },
  posted_of_others: { ...Money, description: 'Posted in the period for documents with a tax point before it.' },
  entries: { ...Money, description: 'Posted by entries of the books: VAT returns and adjustments.' },
  ledger: { ...Money, description: 'Credits less debits of the account in the period.' },
  unexplained: {
    ...Money,
    description: 'ledger − entries − (documents − posted_after + posted_of_others): always 0.',
  },
});

/** Output VAT of a period by rate, with the proof that it is what the ledger has. */
export const VatReport = Type.Object(
  {
    from: Day,
    to: Day,
    currency: oneOf(['GBP']),
    box_1: { ...Money, description: 'VAT due on sales: box 1 of the return, before corrections of earlier periods.' },
    box_6: { ...Money, description: 'Sales without VAT, zero-rated and exports included: box 6, in pounds and pence.' },
    rates: Type.Array(VatRate),
    not_invoiced: Type.Object(
      {
        documents: Type.Integer({ description: 'Sales and credits whose document is still to be issued.' }),
        ...NetAndVat,
      },
      { description: 'In the figures already: their tax point is the payment, and a document follows within minutes.' },
    ),
    ledger: Type.Array(VatLedger, { description: 'The same by account of the ledger.' }),
    is_final: Type.Boolean({ description: 'The period is over, and nothing of it can be added any more.' }),
  },
  { title: 'VatReport' },
);
export type VatReport = Static<typeof VatReport>;

/** One document of the VAT report, at one rate. */
export const VatDocument = Type.Object(
  {
    kind: oneOf(['invoice', 'credit_note']),
    number: nullable(Type.String({ description: 'Null while it is still to be issued.' })),
    tax_point: { ...Day, description: 'The seller’s day of the payment or the credit.' },
    order_reference: Type.String(),
    account_id: Type.String(),
    rate: Type.Number({ description: 'Per cent.' }),
    treatment: Treatment,
    ...NetAndVat,
  },
  { title: 'VatDocument' },
);
export type VatDocument = Static<typeof VatDocument>;

export const VatDocumentPage = pageSchema(VatDocument);
export const VatDocumentsQuery = Type.Object({
  ...PeriodQuery.properties,
  limit: pageQuery('pst').limit,
  cursor: Type.Optional(
    Type.String({
      pattern: '^[sc]\\.\\d{1,15}\\.[0-9a-f-]{36}$',
      description: 'The next_cursor of the previous page.',
      'x-message': 'must be the next_cursor of a page of this collection.',
      'x-openapi': { type: 'string', minLength: 1 },
    }),
  ),
});
export type VatDocumentsQuery = Static<typeof VatDocumentsQuery>;

/** Days that are handed over to the accounting system in one journal. */
export const JournalBody = Type.Object(
  {
    from: Type.Optional({
      ...Day,
      description: 'The first day. Needed for the first journal; every later one begins the day after the one before.',
    }),
    to: { ...Day, description: 'The last day, included. It must have ended more than an hour ago.' },
  },
  { title: 'JournalRequest' },
);
export type JournalBody = Static<typeof JournalBody>;

const JournalHead = {
  from: Day,
  to: { ...Day, description: 'The last day; the journal is known by it.' },
  made_by: Type.String(),
  made_at: Timestamp,
};

/** The movements of some days as one journal: debits equal credits. */
export const Journal = Type.Object(
  {
    ...JournalHead,
    currency: oneOf(['GBP']),
    lines: Type.Array(
      Type.Object({
        ...Title,
        xero_code: Type.String(),
        sage_code: Type.String(),
        debit: { ...Money, description: 'What the account moved to the debit, else 0.' },
        credit: { ...Money, description: 'What the account moved to the credit, else 0.' },
      }),
    ),
    debit_total: Money,
    credit_total: { ...Money, description: 'Equal to debit_total.' },
  },
  { title: 'Journal' },
);
export type Journal = Static<typeof Journal>;

export const JournalSummary = Type.Object(JournalHead, { title: 'JournalSummary' });
export type JournalSummary = Static<typeof JournalSummary>;
export const JournalPage = pageSchema(JournalSummary);
export const JournalParams = Type.Object({ to: Type.String({ description: 'The last day of the journal.' }) });
export const ListJournalsQuery = Type.Object({
  limit: pageQuery('pst').limit,
  cursor: Type.Optional({ ...Day, description: 'The next_cursor of the previous page.' }),
});
export type ListJournalsQuery = Static<typeof ListJournalsQuery>;
