import { pageQuery } from '../lib/paging.ts';
import { Moment, Money, nullable, oneOf, publicIdPattern, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

const Account = Type.String({
  description: 'Its name in the ledger: `sales`, `bank`, `vat:2000` for VAT at 20 % and so on.',
});

const BooksTotals = {
  debit_total: { ...Money, description: 'Everything debited up to then, in GBP.' },
  credit_total: { ...Money, description: 'Everything credited up to then, in GBP.' },
  balance: { ...Money, description: 'Debits less credits, in GBP. Negative when credits exceed debits.' },
};

/** The books at a time: each account of the ledger, with equal sums of debits and credits. */
export const Books = Type.Object(
  {
    as_of: Timestamp,
    currency: oneOf(['GBP']),
    accounts: Type.Array(Type.Object({ account: Account, title: Type.String(), ...BooksTotals }), {
      description: 'Every account with a posting, by name.',
    }),
    ...BooksTotals,
    balance: { ...Money, description: 'The sum over all accounts: always 0.' },
  },
  { title: 'Books' },
);
export type Books = Static<typeof Books>;

export const BooksQuery = Type.Object({
  at: Type.Optional({ ...Timestamp, description: 'The books as they were at this time; now by default.' }),
});
export type BooksQuery = Static<typeof BooksQuery>;

/** A posting as it stands on one of its two accounts. */
const LedgerPosting = Type.Object(
  {
    id: Type.String(),
    kind: oneOf([
      'top_up',
      'charge',
      'charge_returned',
      'charge_recovered',
      'sale',
      'refund',
      'refund_owed',
      'refund_paid',
      'sale_reversed',
      'correction',
      'withdrawal',
      'write_off',
      'entry',
    ]),
    side: oneOf(['debit', 'credit'], { description: 'Whether this account is debited or credited.' }),
    other_account: Type.String({ description: 'The account on the other side of the posting.' }),
    amount: Money,
    account_id: nullable(Type.String({ description: 'The customer whose money it is; null for the shop itself.' })),
    order_id: nullable(Type.String()),
    reference: Type.String({ description: "The order's reference, or that of the top-up or the entry." }),
    created_at: Timestamp,
    entry_id: nullable(Type.String({ description: 'The entry of the books that it belongs to.' })),
    value_day: nullable(
      Type.String({
        description: 'The day on the statement of an entry, YYYY-MM-DD; it is posted on the day it is made.',
      }),
    ),
    corrects: nullable(Type.String({ description: 'The posting that it takes back, whole or in part.' })),
  },
  { title: 'LedgerPosting' },
);
export type LedgerPosting = Static<typeof LedgerPosting>;

/**
 * A statement of an account of the ledger over a period.
 * It has the opening balance, a page of postings and the closing balance.
 */
export const LedgerStatement = Type.Object(
  {
    account: Account,
    title: Type.String(),
    currency: oneOf(['GBP']),
    from: nullable({ ...Timestamp, description: 'Null when the statement begins with the first posting.' }),
    to: Timestamp,
    opening_balance: { ...Money, description: 'Debits less credits at `from`, in GBP.' },
    debit_total: { ...Money, description: 'Debited after `from`, up to `to`, in GBP.' },
    credit_total: { ...Money, description: 'Credited after `from`, up to `to`, in GBP.' },
    closing_balance: { ...Money, description: 'The opening balance plus debits less credits, in GBP.' },
    data: Type.Array(LedgerPosting, { description: 'The postings, oldest first.' }),
    has_more: Type.Boolean({ description: 'True when another page exists.' }),
    next_cursor: nullable(
      Type.String({ description: 'Pass as cursor, with the `from` and `to` of this page, to get the next page.' }),
    ),
  },
  { title: 'LedgerStatement' },
);
export type LedgerStatement = Static<typeof LedgerStatement>;

export const LedgerParams = Type.Object({ account: Account });

export const LedgerQuery = Type.Object({
  from: Type.Optional(
    Moment(
      'Only postings after this time, or on this day of the seller and later; the balance before them is the opening balance. All by default.',
    ),
  ),
  to: Type.Optional(Moment('Only postings up to and including this time, or this day of the seller; now by default.')),
  limit: pageQuery('pst').limit,
  cursor: Type.Optional(
    Type.String({
      // A position in time, since a posting's id alone does not give one.
      pattern: `${publicIdPattern('pst').slice(0, -1)}\\.\\d{1,15}$`,
      description: 'The next_cursor of the previous page.',
      'x-message': 'must be the next_cursor of a page of this collection.',
      'x-openapi': { type: 'string', minLength: 1 },
    }),
  ),
});
export type LedgerQuery = Static<typeof LedgerQuery>;

export const AccountMoneyParams = Type.Object({ id: Type.String({ description: 'The customer account.' }) });
