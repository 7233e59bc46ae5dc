import { Money, nullable, oneOf } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { CardTopUp } from '../top-ups/top-up-schema.ts';
import { UNPAID_MAX } from '../top-ups/top-up-sql.ts';

const Orders = (description: string) =>
  Type.Object(
    {
      orders: Type.Integer(),
      amount: Money,
      is_at_least: Type.Boolean({ description: 'There are more than were summed.' }),
    },
    { description },
  );

/** The money of an account at a glance. */
export const AccountMoney = Type.Object(
  {
    balance: Money,
    currency: oneOf(['GBP']),
    waiting: Orders('Orders that a top-up pays, the oldest first.'),
    to_free_all: { ...Money, description: 'How much is missing for all of them; 0 when nothing is.' },
    pending_refunds: Orders('Orders of which something is still to be paid back by hand.'),
    top_up: nullable(
      Type.Object(
        { min: Money, max: Money },
        { description: 'What a top-up by card may be; null where no card is taken.' },
      ),
    ),
    unpaid_top_ups: Type.Array(CardTopUp, {
      description: `Those of the last 24 hours that are not paid: open, or come to nothing. At most ${UNPAID_MAX}, the newest first; none for whom may not top up.`,
    }),
  },
  { title: 'AccountMoney' },
);
export type AccountMoney = Static<typeof AccountMoney>;
