import { URL_LENGTH_MAX } from '../lib/outbound/addresses.ts';
import { pageQuery } from '../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { EXTERNAL_REFERENCE_MAX, LINES_MAX } from '../orders/schema.ts';

/** What may be wrong with pieces that were sent. */
export const PROBLEM_KINDS = ['damaged', 'wrong_item', 'print_fault', 'missing', 'late', 'lost', 'other'] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** A problem is open until the shop answers it, or its customer withdraws it. */
export const PROBLEM_STATUSES = ['open', 'replaced', 'refunded', 'refused', 'withdrawn'] as const;
export type ProblemStatus = (typeof PROBLEM_STATUSES)[number];

const TEXT_MAX = 2_000;
const PHOTOS_MAX = 5;
const PIECES_MAX = 10_000;

const Kind = oneOf(PROBLEM_KINDS, {
  description:
    'damaged, wrong_item or print_fault: of the pieces. missing: not in the parcel. late or lost: the parcel. other: see the text.',
});
const Status = oneOf(PROBLEM_STATUSES, {
  description:
    'open until it is answered: replaced (the pieces are made again), refunded or refused. withdrawn: by you, before an answer.',
});

/** The body of `POST /orders/{id}/problems`. */
export const ReportProblemBody = Type.Object(
  {
    kind: Kind,
    text: Type.String({ minLength: 1, maxLength: TEXT_MAX, pattern: '\\S', description: 'What is wrong.' }),
    items: Type.Array(
      Type.Object(
        {
          line_id: Type.String({ minLength: 1, maxLength: 100, description: 'A line of the order: items[].id.' }),
          quantity: Type.Integer({ minimum: 1, maximum: PIECES_MAX, description: 'Pieces that have the problem.' }),
        },
        { title: 'ProblemItemBody' },
      ),
      {
        minItems: 1,
        maxItems: LINES_MAX,
        description: 'The pieces: shipped, and in no other problem that was not withdrawn.',
      },
    ),
    photos: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX }), {
        maxItems: PHOTOS_MAX,
        description: 'Https addresses of pictures, fetched at once and checked as artwork is: PNG, JPEG or WebP.',
      }),
    ),
    external_reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: EXTERNAL_REFERENCE_MAX,
        pattern: '\\S',
        description: 'Your own id of the problem, unique in your account: a repeat with it reports nothing anew.',
      }),
    ),
  },
  { title: 'ReportProblemBody' },
);
export type ReportProblemBody = Static<typeof ReportProblemBody>;

const OrderName = Type.Object({ id: Type.String(), reference: Type.String() }, { title: 'ProblemOrder' });

/** A problem, as its customer and the shop see it. */
export const OrderProblem = Type.Object(
  {
    id: Type.String(),
    order: OrderName,
    kind: Kind,
    status: Status,
    text: Type.String({ description: 'Empty once the personal data of the order is erased.' }),
    items: Type.Array(
      Type.Object(
        { line_id: Type.String(), variant_sku: Type.String(), name: Type.String(), quantity: Type.Integer() },
        { title: 'ProblemItem' },
      ),
    ),
    photos: Type.Array(
      Type.Object(
        {
          url: Type.String({ description: 'The picture as it was sent. Signed, valid for one hour.' }),
          thumbnail_url: Type.String({ description: 'A small picture. Signed, valid for one hour.' }),
        },
        { title: 'ProblemPhoto' },
      ),
      { description: 'Deleted some months after the answer.' },
    ),
    external_reference: Type.String(),
    reported_at: Timestamp,
    answer_due_at: { ...Timestamp, description: 'By when the shop means to answer.' },
    ended_at: nullable({ ...Timestamp, description: 'When it was answered or withdrawn.' }),
    answer: nullable(
      Type.Object(
        {
          message: Type.String({ description: 'What the shop says.' }),
          replacement: nullable({
            ...OrderName,
            description: 'The order that makes the pieces again, at a total of 0.',
          }),
          refund_gbp: nullable({ ...Money, description: 'What was refunded of the order.' }),
        },
        { title: 'ProblemAnswer' },
      ),
    ),
    actions: Type.Object({
      withdraw: Type.Object({ available: Type.Boolean({ description: 'Whether it can be withdrawn now.' }) }),
    }),
  },
  { title: 'OrderProblem' },
);
export type OrderProblem = Static<typeof OrderProblem>;

export const OrderProblemPage = pageSchema(OrderProblem);

/** The problems of an order, and what of it can be reported now. */
export const ProblemsOfOrder = Type.Object(
  {
    ...OrderProblemPage.properties,
    actions: Type.Object({
      report: Type.Object(
        {
          available: Type.Boolean({ description: 'Whether a problem can be reported now.' }),
          until: nullable({ ...Timestamp, description: 'The last moment of it; null before anything was shipped.' }),
          items: Type.Array(
            Type.Object(
              { line_id: Type.String(), variant_sku: Type.String(), name: Type.String(), quantity: Type.Integer() },
              { title: 'ReportableItem' },
            ),
            { description: 'The lines with pieces that can be reported, and how many.' },
          ),
        },
        { title: 'ReportAction' },
      ),
    }),
  },
  { title: 'ProblemsOfOrder', description: 'All problems of the order, the newest first: has_more is always false.' },
);
export type ProblemsOfOrder = Static<typeof ProblemsOfOrder>;

export const ProblemParams = Type.Object({ id: Type.String({ description: 'Problem id.' }) });

export const ListProblemsQuery = Type.Object({
  ...pageQuery('prob'),
  status: Type.Optional(oneOf(PROBLEM_STATUSES, { description: 'Only problems of this status.' })),
});
export type ListProblemsQuery = Static<typeof ListProblemsQuery>;
