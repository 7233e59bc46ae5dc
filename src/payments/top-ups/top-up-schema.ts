import { pageQuery } from '../../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

export const BeginTopUpBody = Type.Object({
  amount_gbp: Type.Number({ description: 'GBP in major units, at most two decimals; at least 5.', minimum: 0 }),
});
export type BeginTopUpBody = Static<typeof BeginTopUpBody>;

/** A top-up by card on the payment provider's page. */
export const CardTopUp = Type.Object(
  {
    id: Type.String(),
    amount: Money,
    currency: oneOf(['GBP']),
    state: oneOf(['open', 'paid', 'expired', 'failed'], {
      description: '`paid` is on the balance. `expired` and `failed` took nothing.',
    }),
    pay_url: nullable(
      Type.String({
        description: 'Where it is paid; null once it cannot be, and in lists, which do not ask the provider.',
      }),
    ),
    created_at: Timestamp,
    ends_at: { ...Timestamp, description: 'It can be paid until then.' },
    settled_at: nullable({
      ...Timestamp,
      description: 'When it ended; a paid one stands on the statement of that day.',
    }),
    is_automatic: Type.Boolean({
      description: 'Whether the saved card is charged by itself: it has no page to be paid on.',
    }),
  },
  { title: 'CardTopUp' },
);
export type CardTopUp = Static<typeof CardTopUp>;

export const CardTopUpPage = pageSchema(CardTopUp);
export const ListTopUpsQuery = Type.Object(pageQuery('top'));
export type ListTopUpsQuery = Static<typeof ListTopUpsQuery>;
export const TopUpParams = Type.Object({ id: Type.String({ description: 'The top-up.' }) });
