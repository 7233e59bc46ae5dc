import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** What may have happened to an order, as its account sees it. */
export const OWN_MOVES = [
  'placed',
  'payment_failed',
  'payment_tried',
  'paid',
  'held',
  'resumed',
  'confirmed',
  'in_production',
  'line_held',
  'line_resumed',
  'artwork_replaced',
  'address_changed',
  'pieces_cancelled',
  'tracking_corrected',
  'remade',
  'dispatched',
  'cancel_asked',
  'cancel_withdrawn',
  'cancel_refused',
  'cancelled',
] as const;
export type OwnMoveKind = (typeof OWN_MOVES)[number];

const OwnMove = Type.Object(
  {
    kind: oneOf(OWN_MOVES),
    at: Timestamp,
    by: oneOf(['customer', 'shop', 'system'], { description: 'Who did it; people of the shop are not named.' }),
    reason: Type.String({ description: 'Why it is held, as the shop says it to its customer; "" for anything else.' }),
    line_id: nullable(Type.String({ description: 'The line that it is about; null: the whole order.' })),
    print_area: nullable(Type.String({ description: 'The area whose artwork was replaced; else null.' })),
  },
  { title: 'OwnMove' },
);
export type OwnMove = Static<typeof OwnMove>;

/** What happened to an order. */
export const OrderHistory = Type.Object(
  {
    data: Type.Array(OwnMove, { description: 'Latest first.' }),
    is_whole: Type.Boolean({ description: 'False where earlier entries are left out.' }),
  },
  { title: 'OrderHistory' },
);
export type OrderHistory = Static<typeof OrderHistory>;
