import { pageQuery } from '../lib/paging.ts';
import { oneOf, pageSchema } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { LINES_MAX } from '../orders/schema.ts';
import { OrderProblem, PROBLEM_STATUSES } from './schema.ts';

/** A problem as the shop sees it. */
export const OpsProblem = Type.Object(
  {
    ...OrderProblem.properties,
    account_id: Type.String(),
    answered_by: Type.String({ description: 'The operator who answered; empty without an answer.' }),
  },
  { title: 'OpsProblem' },
);
export type OpsProblem = Static<typeof OpsProblem>;
export const OpsProblemPage = pageSchema(OpsProblem);

export const OpsProblemParams = Type.Object({ id: Type.String({ description: 'The problem, of any account.' }) });

export const ListOpsProblemsQuery = Type.Object({
  ...pageQuery('prob'),
  status: Type.Optional(oneOf(PROBLEM_STATUSES, { description: 'Only problems of this status; open when left out.' })),
});
export type ListOpsProblemsQuery = Static<typeof ListOpsProblemsQuery>;

/** As long as a reason elsewhere: it stands in the history of the order and on a credit note, too. */
const MESSAGE_MAX = 500;

const Message = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: MESSAGE_MAX,
    pattern: '\\S',
    description: `${description} The customer reads it, so no internal remarks.`,
    'x-message': 'must say what to tell the customer.',
  });

/** The body of `POST /problems/{id}/replace`. */
export const ReplaceForProblemBody = Type.Object(
  {
    message: Message('What to tell the customer.'),
    items: Type.Optional(
      Type.Array(
        Type.Object({
          line_id: Type.String({ minLength: 1, maxLength: 100 }),
          quantity: Type.Integer({ minimum: 1, maximum: 10_000 }),
        }),
        {
          minItems: 1,
          maxItems: LINES_MAX,
          description: 'The pieces to make again; those that were reported when left out.',
        },
      ),
    ),
  },
  { title: 'ReplaceForProblemRequest' },
);
export type ReplaceForProblemBody = Static<typeof ReplaceForProblemBody>;

/** The body of `POST /problems/{id}/refund`. */
export const RefundForProblemBody = Type.Object(
  {
    amount_gbp: Type.Number({ exclusiveMinimum: 0, description: 'In GBP with its VAT, at most two decimals.' }),
    message: Message('Why it is refunded.'),
  },
  { title: 'RefundForProblemRequest' },
);
export type RefundForProblemBody = Static<typeof RefundForProblemBody>;

/** The body of `POST /problems/{id}/refuse`. */
export const RefuseProblemBody = Type.Object(
  { message: Message('Why nothing is made good.') },
  { title: 'RefuseProblemRequest' },
);
export type RefuseProblemBody = Static<typeof RefuseProblemBody>;
