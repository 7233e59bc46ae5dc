import { pageQuery } from '../../lib/paging.ts';
import { Money, oneOf, pageSchema } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { Transaction } from '../schema.ts';

const Day = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    description,
    examples: ['2026-11-30'],
    'x-message': 'must be a date such as 2026-11-30.',
  });

export const StatementQuery = Type.Object({
  from: Type.Optional(Day('The first day, by the days of the seller; the whole past by default.')),
  to: Type.Optional(Day('The last day, by the days of the seller; until now by default.')),
  ...pageQuery('txn'),
});
export type StatementQuery = Static<typeof StatementQuery>;

/** A page of the statement of a period. */
export const AccountStatement = Type.Object(
  {
    ...pageSchema(Transaction).properties,
    opening_balance: { ...Money, description: 'The balance before the first entry of the period.' },
    closing_balance: { ...Money, description: 'The balance after the last entry of the period.' },
    currency: oneOf(['GBP']),
  },
  { title: 'AccountStatement' },
);
export type AccountStatement = Static<typeof AccountStatement>;
