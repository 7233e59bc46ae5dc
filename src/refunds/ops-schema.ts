import { oneOf } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { LINES_MAX } from '../orders/schema.ts';
import { Reason } from '../payments/ops-schema.ts';

const LineId = Type.String({ minLength: 1, maxLength: 100 });

const pieces = (description: string) =>
  Type.Array(Type.Object({ line_id: LineId, quantity: Type.Integer({ minimum: 1, maximum: 10_000 }) }), {
    minItems: 1,
    maxItems: LINES_MAX,
    description,
  });

/** As `Reason`, for money that goes back to the customer, who reads it. */
const CustomerReason = Type.String({
  ...Reason,
  description:
    'Why, without internal remarks: the customer reads it with the refund on the order and on the credit note. Also shown in the history.',
});

/** Operating, `POST /orders/{id}/cancel` of the operations API. */
export const OpsCancelBody = Type.Object(
  {
    reason: CustomerReason,
    items: Type.Optional(pieces('Pieces to cancel; the whole order when left out.')),
    lines: Type.Optional({ ...pieces('An older name of items.'), deprecated: true }),
    line_ids: Type.Optional(
      Type.Array(LineId, {
        minItems: 1,
        maxItems: LINES_MAX,
        description: 'In place of items: all pieces of these lines that have not shipped.',
        deprecated: true,
      }),
    ),
    refund: Type.Optional(
      oneOf(['full', 'none'], {
        description:
          'full (default) refunds what was paid, or for lines the price of their pieces. none needs the role finance or admin.',
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
    reason: CustomerReason,
  },
  { title: 'GoodwillRequest' },
);
export type GoodwillBody = Static<typeof GoodwillBody>;

export const OpsPaymentParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
  payment_id: Type.String({ description: 'The payment that was paid back by hand.' }),
});
