import { type Static, Type } from 'typebox';
import { oneOf } from '../lib/schemas.ts';
import { LINES_MAX } from './schema.ts';

/** Bounds the text that a person at the shop writes beside what they do. */
const Reason = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: '\\S',
  description: 'Why; it stands in the history.',
});

const LineId = Type.String({ minLength: 1, maxLength: 100 });

/** Operating, `POST /orders/{id}/cancel` of the operations API. */
export const OpsCancelBody = Type.Object(
  {
    reason: Reason,
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
    reason: Reason,
  },
  { title: 'GoodwillRequest' },
);
export type GoodwillBody = Static<typeof GoodwillBody>;

export const OpsPaymentParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
  payment_id: Type.String({ description: 'The payment that was paid back by hand.' }),
});
