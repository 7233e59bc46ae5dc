import { pageQuery } from '../../lib/paging.ts';
import { oneOf, publicIdPattern, TIMESTAMP_PATTERN } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { EXTERNAL_REFERENCE_MAX, NonBlank } from '../schema.ts';
import { PUBLIC_STATUSES } from '../status.ts';
import { SORTS } from './direction.ts';
import { BLOCKS } from './order-parts-schema.ts';

const placedTime = (description: string) =>
  Type.String({
    pattern: TIMESTAMP_PATTERN,
    description,
    'x-message': 'must be a time such as 2026-11-21T09:30:00.000Z.',
  });

/** Begins a cursor of a list with the oldest first: the place of an order is another one there. */
export const OLDEST = 'oldest_';

/** What a list of orders is narrowed by, and its order. */
export const ListOrdersQuery = Type.Object({
  ...pageQuery('ord'),
  cursor: Type.Optional(
    Type.String({
      pattern: publicIdPattern('ord').replace('^', `^(${OLDEST})?`),
      description: 'The next_cursor of the previous page, with the `sort` of that page.',
      'x-message': 'must be the next_cursor of a page of this collection.',
      // Opaque: its form is no part of the contract.
      'x-openapi': { type: 'string', minLength: 1 },
    }),
  ),
  sort: Type.Optional(oneOf(SORTS, { description: 'Which orders come first; newest by default.' })),
  status: Type.Optional(oneOf(PUBLIC_STATUSES, { description: 'Only orders of this status.' })),
  type: Type.Optional(oneOf(['sample', 'bulk'], { description: 'Only orders of this type.' })),
  external_reference: Type.Optional(
    NonBlank(EXTERNAL_REFERENCE_MAX, 'Only the order with this reference, if it is yours.'),
  ),
  number: Type.Optional(
    NonBlank(
      EXTERNAL_REFERENCE_MAX,
      'Only orders with this `shop_number` or external_reference. Two connected shops may have the same number; a leading # is optional.',
    ),
  ),
  blocked_by: Type.Optional(
    oneOf(['anything', ...BLOCKS], { description: 'Only orders that do not go on, for anything or for one reason.' }),
  ),
  placed_since: Type.Optional(placedTime('Only orders that were placed at this time or later.')),
  placed_before: Type.Optional(placedTime('Only orders that were placed before this time.')),
  updated_since: Type.Optional(
    Type.String({
      pattern: TIMESTAMP_PATTERN,
      description:
        'Only orders that were placed or changed at this time or later. When you poll, start a minute before your last request: a change shows once every change before it is complete. GET /events is the exact record.',
      'x-message': 'must be a time such as 2026-11-21T09:30:00.000Z.',
    }),
  ),
});
export type ListOrdersQuery = Static<typeof ListOrdersQuery>;
