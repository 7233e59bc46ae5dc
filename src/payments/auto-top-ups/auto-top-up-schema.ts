import { Money, nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

const Pounds = (description: string) => Type.Number({ description, minimum: 0 });

export const SetAutoTopUpBody = Type.Object({
  threshold_gbp: Pounds('The balance below which it is topped up, in GBP with at most two decimals; at least 1.'),
  amount_gbp: Pounds('How much is topped up each time, as for a top-up by card.'),
  daily_cap_gbp: Pounds('The most that is topped up by itself within 24 hours; at least the amount.'),
});
export type SetAutoTopUpBody = Static<typeof SetAutoTopUpBody>;

/** How the balance is topped up by itself. */
export const AutoTopUp = Type.Object(
  {
    state: oneOf(['off', 'on', 'stopped'], {
      description: '`stopped`: the card was refused twice in a row, or is there no longer. Setting it anew starts it.',
    }),
    threshold: nullable(Money),
    amount: nullable(Money),
    daily_cap: nullable(Money),
    failures: Type.Integer({ description: 'Failures in a row; the second one stops it.' }),
    reason: Type.String({ description: 'Why the last one failed; empty otherwise.' }),
    topped_up: { ...Money, description: 'What was topped up by itself in the last 24 hours, or is being.' },
    next_at: nullable({ ...Timestamp, description: 'None begins before; null where one may begin now.' }),
  },
  { title: 'AutoTopUp' },
);
export type AutoTopUp = Static<typeof AutoTopUp>;
