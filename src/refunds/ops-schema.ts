import { type Static, Type } from 'typebox';
import { oneOf } from '../lib/schemas.ts';
import { LINES_MAX } from '../orders/schema.ts';
import { Reason } from '../payments/ops-schema.ts';

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

export const OpsPaymentParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
  payment_id: Type.String({ description: 'The payment that was paid back by hand.' }),
});
