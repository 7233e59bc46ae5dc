import { type OpsRoute, route } from '../../lib/route.ts';
import type { PaymentsContext } from '../../payments/context.ts';
import { acceptRequest, refuseRequest } from './answer-request.ts';
import {
  AcceptRequestBody,
  ListOpsRequestsQuery,
  OpsCancellationRequest,
  OpsCancellationRequestPage,
  OpsRequestParams,
  RefuseRequestBody,
} from './ops-schema.ts';
import { getOpsRequest, listOpsRequests } from './read-for-ops.ts';

/** What customers ask after their cancellation window, and how the shop answers. */
export const askingOpsRoutes: readonly OpsRoute<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/cancellation-requests',
    access: { roles: ['viewer', 'production', 'finance'] },
    operationId: 'listCancellationRequests',
    summary: 'List the requests to cancel',
    description: 'Of all accounts, open ones without a state, in the order of their deadlines.',
    query: ListOpsRequestsQuery,
    replies: { 200: OpsCancellationRequestPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listOpsRequests(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/cancellation-requests/:id',
    access: { roles: ['viewer', 'production', 'finance'] },
    operationId: 'getCancellationRequest',
    summary: 'Fetch a request to cancel',
    description: 'Why the customer asks, until when an answer is promised, and the answer.',
    params: OpsRequestParams,
    replies: { 200: OpsCancellationRequest },
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await getOpsRequest(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/cancellation-requests/:id/accept',
    access: { roles: ['production', 'finance'] },
    movesMoney: true,
    operationId: 'acceptCancellationRequest',
    summary: 'Accept a request to cancel',
    description: [
      'Cancels the order as `POST /orders/{id}/cancel` does, or with `cancel` `not_started` the lines that have not',
      'started. Ends the request, closes its task and mails the customer, all in one step. `refund: none` keeps the',
      'money and needs the role finance or admin.',
    ].join(' '),
    params: OpsRequestParams,
    body: AcceptRequestBody,
    errors: ['conflict', 'refund_failed'],
    replies: { 200: OpsCancellationRequest },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await acceptRequest(ctx, operator, { id: params.id, body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/cancellation-requests/:id/refuse',
    access: { roles: ['production', 'finance'] },
    operationId: 'refuseCancellationRequest',
    summary: 'Refuse a request to cancel',
    description: 'The order goes on. Ends the request, closes its task and mails the reason to the customer.',
    params: OpsRequestParams,
    body: RefuseRequestBody,
    errors: ['conflict'],
    replies: { 200: OpsCancellationRequest },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await refuseRequest(ctx, operator, { id: params.id, body, once }),
    }),
  }),
];
