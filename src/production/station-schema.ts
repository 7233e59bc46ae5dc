import { pageQuery } from '../lib/paging.ts';
import { nullable, oneOf, pageSchema, publicIdPattern, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { OpsOrder } from '../orders/ops-schema.ts';
import { LINES_MAX } from '../orders/schema.ts';
import { WORK_STATES } from './station-sql.ts';

/** What the catalogue says of a blank. */
export const Garment = {
  variant_sku: Type.String(),
  product_title: Type.String({ description: 'Of the blank, as in the catalogue.' }),
  colour: Type.String({ description: "Of the blank, as in the catalogue; not the customer's name for it." }),
  size: Type.String({ description: 'Of the blank, as in the catalogue.' }),
};

const WorkState = oneOf(WORK_STATES, { description: "The order's state." });

/** A print job that has pieces left to make. */
export const StationJob = Type.Object(
  {
    order_id: Type.String(),
    reference: Type.String(),
    state: WorkState,
    held: Type.Boolean({
      description: 'True while the order is on hold or the line is paused: leave it until it is resumed.',
    }),
    paused: Type.Boolean({ description: 'True while the line itself is paused.' }),
    line_id: Type.String(),
    line_name: Type.String({ description: "The customer's name for it." }),
    started: Type.Boolean({ description: 'Whether the line has started: its blanks are off the shelf.' }),
    ...Garment,
    job: Type.Integer({ description: 'The position of the print job in its line, from 0.' }),
    area: Type.String(),
    method: Type.String(),
    station: Type.String(),
    quantity_left: Type.Integer({ description: 'Pieces that are neither done, shipped nor cancelled.' }),
    quantity_short: Type.Integer({
      description: 'Of the line: spoiled pieces with no blank left. They cannot be made until blanks come in.',
    }),
    quantity_to_start: Type.Integer({
      description: 'Of the line: pieces whose blanks are allocated and on the shelf. Start the line to take them.',
    }),
    artwork_ready: Type.Boolean({ description: 'Whether the print file of this area is ready.' }),
    artwork_state: oneOf(['pending', 'ready', 'failed', 'expired']),
    placed_at: Timestamp,
    promoted_at: Timestamp,
  },
  { title: 'StationJob' },
);
export type StationJob = Static<typeof StationJob>;

export const StationJobPage = pageSchema(StationJob);

const bare = (prefix: 'ord' | 'line'): string => publicIdPattern(prefix).replace(/^\^|\$$/g, '');

export const ListJobsQuery = Type.Object({
  limit: pageQuery('ord').limit,
  cursor: Type.Optional(
    Type.String({
      pattern: `^[0-9]{1,15}\\.${bare('ord')}\\.${bare('line')}\\.[0-9]{1,4}$`,
      description: 'The next_cursor of the previous page.',
      'x-message': 'must be the next_cursor of a page of this collection.',
      // Opaque: its form is not part of the contract.
      'x-openapi': { type: 'string', minLength: 1 },
    }),
  ),
  station: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Only jobs of this station.' })),
  state: Type.Optional({ ...WorkState, description: 'Only jobs of orders in this state.' }),
});
export type ListJobsQuery = Static<typeof ListJobsQuery>;

/** As many orders as are picked in one round. */
export const PICKED_MAX = 100;

export const PickListQuery = Type.Object({
  ids: Type.String({
    pattern: `^[A-Za-z0-9_-]{1,100}(,[A-Za-z0-9_-]{1,100}){0,${PICKED_MAX - 1}}$`,
    description: `Up to ${PICKED_MAX} order ids or references, separated by commas.`,
    'x-message': `must be 1 to ${PICKED_MAX} order ids or references, separated by commas.`,
  }),
});
export type PickListQuery = Static<typeof PickListQuery>;

const OrderName = { id: Type.String(), reference: Type.String() };

/** What to take off the shelf for some orders. */
export const PickList = Type.Object(
  {
    blanks: Type.Array(
      Type.Object(
        {
          ...Garment,
          quantity: Type.Integer({ description: 'Pieces to pick for all of these orders.' }),
          orders: Type.Array(Type.Object({ ...OrderName, quantity: Type.Integer() })),
        },
        { title: 'PickedBlank' },
      ),
      { description: 'In the order of their SKUs.' },
    ),
    nothing_to_take: Type.Array(Type.Object({ ...OrderName, state: OpsOrder.properties.state }), {
      description: 'Orders with nothing to pick: not promoted, or every line has started, is paused or is cancelled.',
    }),
  },
  { title: 'PickList' },
);
export type PickList = Static<typeof PickList>;

export const StartBody = Type.Object(
  {
    line_ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: LINES_MAX,
        description: 'Start these lines, all or none. By default, every line that can start.',
      }),
    ),
  },
  { title: 'StartLines' },
);
export type StartBody = Static<typeof StartBody>;

export const StartResult = Type.Object(
  {
    line_id: Type.String(),
    started: Type.Boolean({ description: 'Whether this request started it.' }),
    code: nullable(Type.String({ description: 'The error code of why it did not start; null when it started.' })),
    detail: Type.String({ description: 'The reason in words.' }),
  },
  { title: 'StartResult' },
);
export type StartResult = Static<typeof StartResult>;

export const StartedOrder = Type.Object(
  {
    ...OpsOrder.properties,
    results: Type.Array(StartResult, {
      description: 'One for each line that was named, or for every line of the order.',
    }),
  },
  { title: 'StartedOrder' },
);
export type StartedOrder = Static<typeof StartedOrder>;
