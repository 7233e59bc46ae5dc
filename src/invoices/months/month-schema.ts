import { Money, oneOf } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

const MonthName = Type.String({
  pattern: '^\\d{4}-\\d{2}$',
  description: 'A month by the days of the seller, as documents are dated.',
  examples: ['2026-11'],
  'x-message': 'must be a month such as 2026-11.',
});

export const MonthQuery = Type.Object({ month: MonthName });
export type MonthQuery = Static<typeof MonthQuery>;

export const MonthPartQuery = Type.Object({
  month: MonthName,
  part: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,5}$',
      description:
        'Which part of the month, 1 by default. `getMonth` and the header `Document-Parts` say how many it has.',
      'x-message': 'must be a whole number, 1 or more.',
      'x-openapi': { type: 'integer', minimum: 1, default: 1 },
    }),
  ),
});
export type MonthPartQuery = Static<typeof MonthPartQuery>;

/** The months in which an account has moved. */
export const MonthList = Type.Object(
  {
    data: Type.Array(Type.Object({ month: Type.String({ description: 'YYYY-MM' }), is_over: Type.Boolean() })),
  },
  { title: 'MonthList' },
);
export type MonthList = Static<typeof MonthList>;

/** What a month has. */
export const MonthOfMoney = Type.Object(
  {
    month: Type.String({ description: 'YYYY-MM' }),
    first_day: Type.String({ description: 'YYYY-MM-DD' }),
    last_day: Type.String({ description: 'YYYY-MM-DD' }),
    is_over: Type.Boolean({ description: 'False while more can be added to it.' }),
    invoices: Type.Integer(),
    credit_notes: Type.Integer(),
    is_at_least: Type.Boolean({ description: 'There are more documents than were counted.' }),
    parts: Type.Integer({ description: 'How many archives its documents are in; 0 without documents.' }),
    documents_of_a_part: Type.Integer({ description: 'How many documents an archive has at most.' }),
    opening_balance: Money,
    closing_balance: Money,
    currency: oneOf(['GBP']),
  },
  { title: 'MonthOfMoney' },
);
export type MonthOfMoney = Static<typeof MonthOfMoney>;
