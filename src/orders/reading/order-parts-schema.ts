import { nullable, Timestamp } from '../../lib/schemas.ts';
import { Type } from '../../lib/typebox.ts';

// Parts of an order as its owner reads it.

/** Why an order, or a line of it, does not go on. */
export const Hold = Type.Object(
  { code: Type.String(), reason: Type.String(), opened_at: Timestamp },
  {
    title: 'Hold',
    description: 'Why and since when work is stopped: on the order before production, or on a line in production.',
  },
);

/** A parcel of an order. */
export const Shipment = Type.Object(
  {
    id: Type.String(),
    carrier: Type.String(),
    tracking_number: Type.String(),
    tracking_url: nullable(Type.String()),
    shipped_at: Timestamp,
    items: Type.Array(Type.Object({ line_id: Type.String(), quantity: Type.Integer() })),
  },
  { title: 'Shipment' },
);

/** The brand that an order was placed with; null without one. */
export const OrderBrand = nullable(
  Type.Object(
    { id: Type.String(), name: Type.String({ description: 'As it was when the order was placed.' }) },
    { title: 'OrderBrand', description: 'The brand on the packing slip.' },
  ),
);

/** The order that a replacement makes good for. */
export const OrderName = Type.Object(
  { id: Type.String(), reference: Type.String() },
  { title: 'OrderName', description: 'The order that a replacement makes good for.' },
);
