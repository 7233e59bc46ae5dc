import { pageQuery } from '../lib/paging.ts';
import { nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { Sku } from './document.ts';

/** The most variants of one delivery note or count sheet; more are sent in several requests. */
const ITEMS_MAX = 1_000;
/** The most pieces of one entry and on one shelf: far below what the database's integers hold. */
export const PIECES_MAX = 10_000_000;

const Note = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));

export const ReceiptBody = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        sku: Type.String({ minLength: 1, maxLength: 64, description: 'A blank variant of the catalogue.' }),
        quantity: Type.Integer({ minimum: 1, maximum: PIECES_MAX, description: 'Pieces that came in.' }),
      }),
      { minItems: 1, maxItems: ITEMS_MAX },
    ),
    reference: Note(
      'The number of the delivery note. It is booked once, whatever its letter case and spaces; a receipt without one is not compared.',
    ),
  },
  { title: 'StockReceipt' },
);
export type ReceiptBody = Static<typeof ReceiptBody>;

export const CountBody = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        sku: Type.String({ minLength: 1, maxLength: 64, description: 'A blank variant of the catalogue.' }),
        on_hand: Type.Integer({ minimum: 0, maximum: PIECES_MAX, description: 'Pieces counted on the shelf.' }),
      }),
      { minItems: 1, maxItems: ITEMS_MAX },
    ),
    reason: Note('Why it was counted: a cycle count, a check after a complaint.'),
  },
  { title: 'StockCount' },
);
export type CountBody = Static<typeof CountBody>;

export const AdjustmentBody = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        sku: Type.String({ minLength: 1, maxLength: 64, description: 'A blank variant of the catalogue.' }),
        change: Type.Integer({
          minimum: -PIECES_MAX,
          maximum: PIECES_MAX,
          description: 'Pieces to add, or to take away when negative. Not 0.',
        }),
      }),
      { minItems: 1, maxItems: ITEMS_MAX },
    ),
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '\\S',
      description: 'Why: lost, damaged, given away, found again.',
      'x-message': 'must say why.',
    }),
  },
  { title: 'StockAdjustment' },
);
export type AdjustmentBody = Static<typeof AdjustmentBody>;

export const StockLevel = Type.Object(
  {
    sku: Type.String(),
    on_hand: Type.Integer({ description: 'Pieces on the shelf.' }),
    allocated: Type.Integer({
      description: 'Pieces promised to lines and not started, with those that lines are short of.',
    }),
    available: Type.Integer({ description: 'Pieces that can still be allocated; never negative.' }),
    missing: Type.Integer({
      description:
        'Pieces allocated but not on the shelf: since a count found fewer, or since lines are short of them; otherwise 0.',
    }),
    short: Type.Integer({
      description:
        'Pieces that lines in production are short of: spoiled, with no blank left. These lines have the next pieces that come in.',
    }),
    updated_at: Timestamp,
  },
  { title: 'StockLevel' },
);
export type StockLevel = Static<typeof StockLevel>;

export const StockLevels = Type.Object({ items: Type.Array(StockLevel) }, { title: 'StockLevels' });
export type StockLevels = Static<typeof StockLevels>;

export const StockMovement = Type.Object(
  {
    id: Type.String({ description: 'Larger for a later movement.' }),
    sku: Type.String(),
    kind: oneOf(['receipt', 'count', 'allocate', 'release', 'consume', 'spoil']),
    on_hand_change: Type.Integer({ description: 'Change in the pieces on the shelf.' }),
    allocated_change: Type.Integer({ description: 'Change in the allocated pieces.' }),
    order_id: nullable(Type.String()),
    line_id: nullable(Type.String()),
    reason: Type.String(),
    reference: Type.String(),
    actor: Type.String({ description: 'system, or operator and an address.' }),
    created_at: Timestamp,
  },
  { title: 'StockMovement' },
);
export type StockMovement = Static<typeof StockMovement>;

export const StockMovementPage = pageSchema(StockMovement);

export const MovementsQuery = Type.Object({
  limit: pageQuery('var').limit,
  cursor: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,14}$',
      description: 'The next_cursor of the previous page.',
      'x-message': 'must be the next_cursor of a page of this collection.',
    }),
  ),
  sku: Type.Optional({ ...Sku, description: 'Only movements of this variant.' }),
});
export type MovementsQuery = Static<typeof MovementsQuery>;
