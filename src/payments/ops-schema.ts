import { type Static, Type } from 'typebox';
import { OpsAccount } from '../accounts/ops-schema.ts';
import { oneOf } from '../lib/schemas.ts';

/** Bounds the text that a person at the shop writes beside what they do. */
export const Reason = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: '\\S',
  description: 'Why; it stands in the history.',
});

/** Ends a payment attempt by hand. */
export const ResolveAttemptBody = Type.Object(
  {
    outcome: oneOf(['succeeded', 'failed'], {
      description: 'What the payment provider itself shows of this payment: it took the money, or it did not.',
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
  payment_id: Type.String({ description: 'The payment that came back, as payment_attempts lists it.' }),
});

/** As long as a bank's own references are, and longer. */
const REFERENCE_CHARACTERS_MAX = 200;

export const CreditBody = Type.Object(
  {
    amount_gbp: Type.Number({ exclusiveMinimum: 0, description: 'In GBP, at most two decimals.' }),
    reference: Type.String({
      minLength: 1,
      maxLength: REFERENCE_CHARACTERS_MAX,
      pattern: '\\S',
      description:
        "What the transfer was called. The customer's statement shows it. Each is posted once for an account; again with another amount is 409.",
    }),
  },
  { title: 'CreditRequest' },
);
export type CreditBody = Static<typeof CreditBody>;

export const AccountCredit = Type.Object(
  {
    ...OpsAccount.properties,
    posted: Type.Boolean({ description: 'False when this reference was posted before: nothing was added.' }),
    settled_orders: Type.Integer({ description: 'Orders that waited for their payment and are paid by this call.' }),
  },
  { title: 'AccountCredit' },
);
export type AccountCredit = Static<typeof AccountCredit>;
