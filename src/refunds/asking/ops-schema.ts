import { pageQuery } from '../../lib/paging.ts';
import { oneOf, pageSchema } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { CancellationRequest, REQUEST_STATES } from '../../orders/asking/request-schema.ts';

/** A request to cancel as the shop sees it. */
export const OpsCancellationRequest = Type.Object(
  {
    ...CancellationRequest.properties,
    order: Type.Object({ id: Type.String(), reference: Type.String() }, { title: 'AskedOrder' }),
    account_id: Type.String(),
    answered_by: Type.String({ description: 'The operator who answered; empty without an answer.' }),
  },
  { title: 'OpsCancellationRequest' },
);
export type OpsCancellationRequest = Static<typeof OpsCancellationRequest>;
export const OpsCancellationRequestPage = pageSchema(OpsCancellationRequest);

export const OpsRequestParams = Type.Object({ id: Type.String({ description: 'The request, of any account.' }) });

export const ListOpsRequestsQuery = Type.Object({
  ...pageQuery('creq'),
  state: Type.Optional(oneOf(REQUEST_STATES, { description: 'Only requests of this state; open when left out.' })),
});
export type ListOpsRequestsQuery = Static<typeof ListOpsRequestsQuery>;

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

/** The body of `POST /cancellation-requests/{id}/accept`. */
export const AcceptRequestBody = Type.Object(
  {
    message: Message('What to tell the customer.'),
    cancel: Type.Optional(
      oneOf(['whole', 'not_started'], {
        description:
          'whole (default) cancels the order. not_started cancels the lines that have not started; the others are made and sent.',
      }),
    ),
    refund: Type.Optional(
      oneOf(['full', 'none'], {
        description:
          'full (default) refunds what was paid, or for not_started the price of the cancelled pieces. none needs the role finance or admin.',
      }),
    ),
  },
  { title: 'AcceptCancellationRequest' },
);
export type AcceptRequestBody = Static<typeof AcceptRequestBody>;

/** The body of `POST /cancellation-requests/{id}/refuse`. */
export const RefuseRequestBody = Type.Object(
  { message: Message('Why the order is not cancelled.') },
  { title: 'RefuseCancellationRequest' },
);
export type RefuseRequestBody = Static<typeof RefuseRequestBody>;
