import { type Static, Type } from 'typebox';
import { OpsAccount } from '../accounts/ops-schema.ts';
import { oneOf } from '../lib/schemas.ts';
import { LINES_MAX } from '../orders/schema.ts';

/** Bounds the text that a person at the shop writes beside what they do. */
const Reason = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: '\\S',
  description: 'Why; it stands in the history.',
});

const LineId = Type.String({ minLength: 1, maxLength: 100 });

/** The same, of money that goes back to the customer, who reads it. */
const ToldReason = Type.String({
  ...Reason,
  description:
    'Why. It stands in the history, and the customer reads it: beside the refund on the order, and on the credit note. No internal remarks.',
});

/** Operating, `POST /orders/{id}/cancel` of the operations API. */
export const OpsCancelBody = Type.Object(
  {
    reason: ToldReason,
    line_ids: Type.Optional(
      Type.Array(LineId, {
        minItems: 1,
        maxItems: LINES_MAX,
        description: 'Lines of which every piece that has not shipped is cancelled.',
      }),
    ),
    lines: Type.Optional(
      Type.Array(Type.Object({ line_id: LineId, quantity: Type.Integer({ minimum: 1, maximum: 10_000 }) }), {
        minItems: 1,
        maxItems: LINES_MAX,
        description: 'Lines of which some pieces are cancelled.',
      }),
    ),
    refund: Type.Optional(
      oneOf(['full', 'none'], {
        description:
          'full, when it is left out: everything that was paid, or for lines what their pieces cost. none needs finance or admin.',
      }),
    ),
  },
  { title: 'OpsCancelRequest' },
);
export type OpsCancelBody = Static<typeof OpsCancelBody>;

/** Operating, `POST /orders/{id}/refunds`. */
export const GoodwillBody = Type.Object(
  {
    amount_gbp: Type.Number({ exclusiveMinimum: 0, description: 'In GBP with its VAT, at most two decimals.' }),
    reason: ToldReason,
  },
  { title: 'GoodwillRequest' },
);
export type GoodwillBody = Static<typeof GoodwillBody>;

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

export const OpsPaymentParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
  payment_id: Type.String({ description: 'The payment that was paid back by hand.' }),
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
