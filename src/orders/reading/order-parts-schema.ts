import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

// Parts of an order as its owner reads it.

/** Why an order, or a line of it, does not go on. */
export const Hold = Type.Object(
  { code: Type.String(), reason: Type.String(), opened_at: Timestamp },
  {
    title: 'Hold',
    description: 'Why and since when work is stopped: on the order before production, or on a line in production.',
  },
);

/** What an order can be blocked by. */
export const BLOCKS = ['payment', 'hold', 'artwork'] as const;
export type BlockKind = (typeof BLOCKS)[number];

/** What keeps an order from going on, and what helps. */
export const Block = Type.Object(
  {
    kind: oneOf(BLOCKS, {
      description: 'payment: it is not paid. hold: the shop holds it, or some lines. artwork: it could not be made.',
    }),
    reason: Type.String({ description: 'In words.' }),
    line_ids: Type.Array(Type.String(), { description: 'The lines that it is about; none: the whole order.' }),
    cure: oneOf(['pay', 'replace_artwork', 'wait'], {
      description:
        'What its customer can do: top up the balance, send other artwork, or nothing but wait for the shop.',
    }),
  },
  { title: 'OrderBlock' },
);
export type Block = Static<typeof Block>;

const Day = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description, examples: ['2026-11-24'] });

/** The days between which an order is to arrive. */
export const ExpectedDelivery = Type.Object(
  { earliest: Day('The first day, where the shop is.'), latest: Day('The last day.') },
  { title: 'ExpectedDelivery' },
);
export type ExpectedDelivery = Static<typeof ExpectedDelivery>;

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
