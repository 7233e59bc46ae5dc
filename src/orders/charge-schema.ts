import { Money, nullable, oneOf, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

/** What was paid for an order, as its owner sees it. */
export const Charge = Type.Object(
  {
    payment_id: nullable(Type.String({ description: 'Null for the part paid from the balance.' })),
    method: oneOf(['balance', 'card', 'direct_debit']),
    amount: Money,
    currency: oneOf(['GBP']),
    charged_at: Timestamp,
  },
  { title: 'Charge' },
);

/** What was given back of an order, or is owed. */
export const Refund = Type.Object(
  {
    id: Type.String(),
    payment_id: nullable(Type.String({ description: 'The payment that it refunds; null for the balance.' })),
    method: oneOf(['balance', 'card', 'direct_debit']),
    amount: Money,
    currency: oneOf(['GBP']),
    status: oneOf(['refunded', 'pending'], { description: 'pending: still owed, to be paid out by hand.' }),
    reason: Type.String(),
    created_at: Timestamp,
  },
  { title: 'Refund' },
);

/** A setup that an order needs, and what the order is charged for it. */
export const SetupFee = Type.Object(
  {
    method: Type.String(),
    lines: Type.Array(Type.Integer(), { description: 'The lines that use it, counted from 0.' }),
    areas: Type.Array(Type.String(), { description: 'The print areas that it is used on.' }),
    amount: { ...Money, description: 'What this order is charged for it, in GBP; 0 if it is paid already.' },
    already_paid: Type.Boolean({
      description:
        'Whether another order of the account has paid it. An order that waits for payment gives no right: a setup is paid with the first order that is paid.',
    }),
  },
  { title: 'SetupFee' },
);
export type SetupFee = Static<typeof SetupFee>;
