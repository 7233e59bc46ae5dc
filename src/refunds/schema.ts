import { type Static, Type } from 'typebox';
import { Money, oneOf, Timestamp } from '../lib/schemas.ts';

/** Spec 2.6. */
export const Cancellation = Type.Object(
  {
    id: Type.String(),
    reference: Type.String(),
    status: oneOf(['cancelled']),
    cancelled: Type.Boolean({ description: 'Always true.' }),
    refunded_gbp: { ...Money, description: 'Credited straight back to the account balance, in GBP.' },
    pending_manual_refund: Type.Array(
      Type.Object(
        {
          payment_id: Type.String(),
          method: oneOf(['card', 'direct_debit']),
          amount_gbp: Money,
          reference: Type.String({ description: "The payment provider's name of the payment." }),
          paid_at: Timestamp,
        },
        { title: 'ManualRefund' },
      ),
      {
        description:
          'Charges that are paid back by hand. If it is not empty, money is still owed to you: contact support.',
      },
    ),
    cancellable_until: { ...Timestamp, description: 'When the window closed or closes.' },
    already_cancelled: Type.Optional(Type.Boolean({ description: 'True when it had been cancelled before.' })),
  },
  { title: 'Cancellation' },
);
export type Cancellation = Static<typeof Cancellation>;
