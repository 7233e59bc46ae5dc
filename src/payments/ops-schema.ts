import { OpsAccount } from '../accounts/ops-schema.ts';
import { oneOf } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

/** The reason that an operator gives for an action. */
export const Reason = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: '\\S',
  description: 'Why; shown in the history.',
});

/** Ends a payment attempt by hand. */
export const ResolveAttemptBody = Type.Object(
  {
    outcome: oneOf(['succeeded', 'failed'], {
      description: 'Whether the payment provider took the money, as it shows.',
    }),
    reason: Reason,
  },
  { title: 'ResolveAttemptRequest' },
);
export type ResolveAttemptBody = Static<typeof ResolveAttemptBody>;

export const OpsAttemptParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
  attempt_id: Type.String({ description: 'The attempt, as payment_attempts lists it.' }),
});

export const OpsReturnedParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
  payment_id: Type.String({ description: 'The returned payment, as payment_attempts lists it.' }),
});

/** Longer than any bank's own reference. */
const REFERENCE_CHARACTERS_MAX = 200;

export const CreditBody = Type.Object(
  {
    amount_gbp: Type.Number({
      exclusiveMinimum: 0,
      description: 'In GBP, at most two decimals, and at most `TOP_UP_MAX_GBP`.',
    }),
    reference: Type.String({
      minLength: 1,
      maxLength: REFERENCE_CHARACTERS_MAX,
      pattern: '\\S',
      description:
        "The bank's reference of the transfer, shown on the customer's statement. Each is posted once per account; a repeat with another amount is 409.",
    }),
  },
  { title: 'CreditRequest' },
);
export type CreditBody = Static<typeof CreditBody>;

export const AccountCredit = Type.Object(
  {
    ...OpsAccount.properties,
    posted: Type.Boolean({ description: 'False when this reference was posted before: nothing was added.' }),
    settled_orders: Type.Integer({ description: 'How many waiting orders the credit paid for.' }),
  },
  { title: 'AccountCredit' },
);
export type AccountCredit = Static<typeof AccountCredit>;
