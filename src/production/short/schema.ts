import { Sku } from '../../catalogue/document.ts';
import { pageQuery } from '../../lib/paging.ts';
import { oneOf, pageSchema, publicIdPattern, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { OpsOrder } from '../../orders/ops-schema.ts';
import { Garment } from '../station-schema.ts';
import { WAITS_FOR } from './sql.ts';

/** A line with spoiled pieces that are not being made again yet. */
export const ShortLine = Type.Object(
  {
    account_id: Type.String(),
    account_name: Type.String(),
    order_id: Type.String(),
    reference: Type.String(),
    state: OpsOrder.properties.state,
    line_id: Type.String(),
    line_name: Type.String({ description: "The customer's name for it." }),
    ...Garment,
    quantity_short: Type.Integer({ description: 'Spoiled pieces with no blank left. The line has the next blanks.' }),
    quantity_to_start: Type.Integer({
      description: 'Spoiled pieces whose blanks have come in: start the line to take them off the shelf.',
    }),
    short_since: { ...Timestamp, description: 'The line that has been short for the longest has the next blanks.' },
    paused: Type.Boolean(),
    placed_at: Timestamp,
  },
  { title: 'ShortLine' },
);
export type ShortLine = Static<typeof ShortLine>;

export const ShortLinePage = pageSchema(ShortLine);

const LINE_ID = publicIdPattern('line').replace(/^\^|\$$/g, '');

export const ListShortLinesQuery = Type.Object({
  limit: pageQuery('line').limit,
  cursor: Type.Optional(
    Type.String({
      pattern: `^[0-9]{1,15}\\.${LINE_ID}$`,
      description: 'The next_cursor of the previous page.',
      'x-message': 'must be the next_cursor of a page of this collection.',
      // Opaque: its form is not part of the contract.
      'x-openapi': { type: 'string', minLength: 1 },
    }),
  ),
  sku: Type.Optional({ ...Sku, description: 'Only lines of this variant.' }),
  account: Type.Optional(Type.String({ maxLength: 100, description: 'Only lines of this account.' })),
  waits_for: Type.Optional(
    oneOf(WAITS_FOR, {
      description: 'Only lines that wait for blanks to come in, or only those whose blanks wait to be started.',
    }),
  ),
});
export type ListShortLinesQuery = Static<typeof ListShortLinesQuery>;
