import { Money, oneOf, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

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
          reference: Type.String({ description: "The payment provider's id of the payment." }),
          paid_at: Timestamp,
        },
        { title: 'ManualRefund' },
      ),
      {
        description: 'Charges to be paid back by hand. If it is not empty, you are still owed money: contact support.',
      },
    ),
    cancellable_until: { ...Timestamp, description: 'When the cancellation window closes or closed.' },
    already_cancelled: Type.Optional(Type.Boolean({ description: 'True if the order had already been cancelled.' })),
  },
  { title: 'Cancellation' },
);
export type Cancellation = Static<typeof Cancellation>;
