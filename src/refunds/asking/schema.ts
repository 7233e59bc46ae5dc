import { type Static, Type } from '../../lib/typebox.ts';
import { AskingReason } from '../../orders/asking/request-schema.ts';

const TEXT_MAX = 500;

/** The body of `POST /orders/{id}/cancellation-request`. */
export const AskToCancelBody = Type.Object(
  {
    reason: AskingReason,
    text: Type.Optional(
      Type.String({ maxLength: TEXT_MAX, description: 'What the shop should know; required with the reason other.' }),
    ),
  },
  { title: 'AskToCancelBody' },
);
export type AskToCancelBody = Static<typeof AskToCancelBody>;
