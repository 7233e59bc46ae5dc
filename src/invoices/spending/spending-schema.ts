import { Money, oneOf } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

const Day = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    description,
    examples: ['2026-11-30'],
    'x-message': 'must be a date such as 2026-11-30.',
  });

export const SpendingQuery = Type.Object({
  from: Type.Optional(Day('The first day, by the days of the seller; 29 days before the last by default.')),
  to: Type.Optional(Day('The last day; today by default. At most 366 days.')),
});
export type SpendingQuery = Static<typeof SpendingQuery>;

const PARTS = {
  products: { ...Money, description: 'Goods and prints, without VAT.' },
  setup: { ...Money, description: 'Setup fees, without VAT.' },
  shipping: { ...Money, description: 'Without VAT.' },
  vat: Money,
  duty: Money,
  refunds: { ...Money, description: 'What credit notes took back, with VAT and duty.' },
  total: { ...Money, description: 'What was spent, less the refunds.' },
  invoices: Type.Integer(),
  credit_notes: Type.Integer(),
};

const SpendingDay = Type.Object(
  { day: Type.String({ description: 'YYYY-MM-DD' }), ...PARTS },
  { title: 'SpendingDay' },
);

/** What an account has spent by day. */
export const Spending = Type.Object(
  {
    from: Type.String({ description: 'YYYY-MM-DD' }),
    to: Type.String({ description: 'YYYY-MM-DD' }),
    data: Type.Array(SpendingDay, { description: 'In the order of days; those without a document are left out.' }),
    sum: Type.Object(PARTS, { title: 'SpendingSum' }),
    currency: oneOf(['GBP']),
    is_complete: Type.Boolean({ description: 'False while documents of the last moments are not in it yet.' }),
  },
  { title: 'Spending' },
);
export type Spending = Static<typeof Spending>;
