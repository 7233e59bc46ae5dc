import { type Route, route } from '../../lib/route.ts';
import { CancellationRequest } from '../../orders/asking/request-schema.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { OrderParams } from '../../orders/schema.ts';
import { askToCancel } from './ask-to-cancel.ts';
import { AskToCancelBody } from './schema.ts';
import { withdrawRequest } from './withdraw-request.ts';

/** What a customer asks once the cancellation window is over. */
export const askingRoutes: readonly Route<OrdersContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/cancellation-request',
    access: { scope: 'orders:write' },
    operationId: 'askToCancel',
    summary: 'Ask to cancel an order',
    description: [
      'After the cancellation window and before dispatch: `actions.ask_to_cancel` of an order says whether. Within the',
      'window cancel instead. The order goes on while the shop decides; `cancellation_request` of the order has the',
      'answer, and until when it is meant to come. One request is open at a time. Repeating it is harmless.',
    ].join(' '),
    params: OrderParams,
    body: AskToCancelBody,
    errors: ['conflict'],
    replies: { 201: CancellationRequest, 200: CancellationRequest },
    replyHeaders: { 200: ['Idempotent-Replayed'] },
    handle: async (ctx, caller, { params, body }) => {
      const { kind, request } = await askToCancel(ctx, caller, params.id, body);
      if (kind === 'asked') return { status: 201, body: request };
      return { status: 200, body: request, headers: { 'idempotent-replayed': 'true' } };
    },
  }),
  route({
    method: 'DELETE',
    path: '/orders/:id/cancellation-request',
    access: { scope: 'orders:write' },
    operationId: 'withdrawCancellationRequest',
    summary: 'Withdraw the request to cancel',
    description: 'Before the shop has answered; you can then ask anew. A repeat is harmless.',
    params: OrderParams,
    errors: ['conflict'],
    replies: { 200: CancellationRequest },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await withdrawRequest(ctx, caller, params.id) }),
  }),
];
