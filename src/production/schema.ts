import { StockLevel } from '../catalogue/ops-schema.ts';
import { StockQuery } from '../catalogue/schema.ts';
import { pageQuery } from '../lib/paging.ts';
import { pageSchema } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

const Reason = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', description, 'x-message': 'must say why.' });
const Quantity = Type.Integer({ minimum: 1, maximum: 10_000, description: 'Pieces.' });

export const OpsLineParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
  line: Type.String({ description: 'Line id.' }),
});

/** As many as an operator picks from one or two pages. */
const IDS_MAX = 100;

export const PromoteBody = Type.Object(
  {
    ids: Type.Array(Type.String({ minLength: 1, maxLength: 100, description: 'Order id or reference.' }), {
      minItems: 1,
      maxItems: IDS_MAX,
      description: 'Orders are promoted, and get stock, in this order.',
    }),
  },
  { title: 'PromoteOrders' },
);

export const PromoteResult = Type.Object(
  {
    id: Type.String({ description: 'As it was sent.' }),
    ok: Type.Boolean(),
    state: Type.Optional(Type.String({ description: 'Its state after the promotion: released.' })),
    repeated: Type.Optional(
      Type.Boolean({
        description: 'True when an earlier request with this key promoted it and this one did nothing.',
      }),
    ),
    state_now: Type.Optional(
      Type.String({
        description: "For a repeat, the order's state now. It may have been held, made or cancelled since.",
      }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'cancellation_window_open: the customer can still cancel the order.',
      }),
    ),
    code: Type.Optional(Type.String({ description: 'The error code of why it was not promoted.' })),
    detail: Type.Optional(Type.String()),
    oversold: Type.Optional(Type.Unknown({ description: 'As in the error out_of_stock.' })),
  },
  { title: 'PromoteResult' },
);
export type PromoteResult = Static<typeof PromoteResult>;

/** The answer to a retry of all failed print files. */
export const RetriedFiles = Type.Object(
  {
    retried: Type.Integer({ description: 'Print files that were started over.' }),
    left: Type.Integer({ description: 'Failed print files that an order waits for and that were not started over.' }),
  },
  { title: 'RetriedFiles' },
);

export const PromoteResults = Type.Object(
  { results: Type.Array(PromoteResult, { description: 'One for each id, in the order of the request.' }) },
  { title: 'PromoteResults' },
);
export type PromoteResults = Static<typeof PromoteResults>;

/** The code of a hold or a pause that was sent without one. */
export const OTHER_REASON = 'other';

const ReasonCode = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,39}$',
  description: `Machine-readable reason, such as address or artwork; ${OTHER_REASON} by default.`,
  'x-message': 'must be a word of lower case letters, digits and _.',
});

export const HoldBody = Type.Object(
  {
    reason: Reason('Why, for the owner of the order: it goes into the event and on the order.'),
    code: Type.Optional(ReasonCode),
  },
  { title: 'HoldOrder' },
);
export type HoldBody = Static<typeof HoldBody>;

export const PauseBody = Type.Object(
  {
    reason: Reason('Why, for the owner of the order: it is shown on the order and on the line.'),
    code: Type.Optional(ReasonCode),
  },
  { title: 'PauseLine' },
);
export type PauseBody = Static<typeof PauseBody>;

export const FinishBody = Type.Object(
  {
    quantity: Quantity,
    area: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Only this print area.' })),
    method: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Only jobs of this method.' })),
  },
  { title: 'FinishPieces' },
);
export type FinishBody = Static<typeof FinishBody>;

export const SpoilBody = Type.Object(
  {
    quantity: Quantity,
    finished: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description:
          'How many of them had been finished; they must be finished again. Without it, finished pieces count as spoiled only where the unfinished ones do not suffice.',
      }),
    ),
    reason: Reason('What happened.'),
  },
  { title: 'SpoilPieces' },
);
export type SpoilBody = Static<typeof SpoilBody>;

/** The number of lines that an order can have. */
const ITEMS_MAX = 1_000;

export const ReplacementBody = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        line_id: Type.String({ minLength: 1, maxLength: 100, description: 'A line with pieces that were shipped.' }),
        quantity: Quantity,
      }),
      { minItems: 1, maxItems: ITEMS_MAX },
    ),
    reason: Reason('What was wrong with the pieces, or what became of them.'),
  },
  { title: 'ReplacePieces' },
);
export type ReplacementBody = Static<typeof ReplacementBody>;

export const StockOverview = Type.Object(
  {
    ...StockLevel.properties,
    awaiting: Type.Integer({ description: 'Pieces in paid orders that are not promoted yet.' }),
  },
  { title: 'StockOverview' },
);
export type StockOverview = Static<typeof StockOverview>;

export const StockOverviewPage = pageSchema(StockOverview);

export const StockOverviewQuery = Type.Object({
  limit: pageQuery('var').limit,
  cursor: StockQuery.properties.cursor,
  sku: StockQuery.properties.variant_sku,
});
export type StockOverviewQuery = Static<typeof StockOverviewQuery>;
