import { Type } from 'typebox';
import { Money, nullable, oneOf, Timestamp } from '../lib/schemas.ts';

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
