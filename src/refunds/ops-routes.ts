import { type OpsRoute, opsRoute } from '../lib/ops-route.ts';
import type { OrdersContext } from '../orders/context.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import { recoverByOps } from '../payments/recover-by-ops.ts';
import { settleByOps } from '../payments/settle-by-ops.ts';
import { cancelByOps } from './cancel-by-ops.ts';
import { GoodwillBody, OpsCancelBody, OpsPaymentParams, OpsReturnedParams } from './ops-schema.ts';
import { markRefundPaid, refundByOps } from './refund-by-ops.ts';

/** What operators do to an order's money. */
export const orderMoneyOpsRoutes: readonly OpsRoute<OrdersContext>[] = [
  opsRoute({
    method: 'POST',
    path: '/orders/:id/cancel',
    roles: ['production', 'finance'],
    operationId: 'cancelOrder',
    summary: 'Cancel an order or some of its pieces',
    description: [
      'In any state and at any time. Without `line_ids` and `lines` the whole order: everything that was paid goes back, what has',
      'shipped stays a fact, `order.cancelled` says `cancelled_by` `ops`. With them the pieces alone: their price goes back, and',
      'what remains is not priced anew; when all that remains has shipped, the order is dispatched. `refund: none` keeps the',
      'money, and needs the role finance or admin.',
    ].join(' '),
    params: OpsOrderParams,
    body: OpsCancelBody,
    errors: ['conflict', 'refund_failed'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await cancelByOps(ctx, operator, params.id, { body, once }),
    }),
  }),
  opsRoute({
    method: 'POST',
    path: '/orders/:id/refunds',
    roles: ['finance'],
    operationId: 'refundOrder',
    summary: 'Give a part of the money back as a goodwill',
    description:
      'Never above what is left of what was paid. The balance gets its part at once; the rest is owed until it was paid.',
    params: OpsOrderParams,
    body: GoodwillBody,
    errors: ['conflict', 'refund_failed'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await refundByOps(ctx, operator, params.id, { body, once }),
    }),
  }),
  opsRoute({
    method: 'POST',
    path: '/orders/:id/refunds/:payment_id/paid',
    roles: ['finance'],
    operationId: 'markRefundPaid',
    summary: 'Note that a manual refund was made',
    description: 'What was owed of this payment has been paid out. Again: nothing happens.',
    params: OpsPaymentParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => {
      const target = { idOrReference: params.id, paymentId: params.payment_id };
      return { status: 200, body: await markRefundPaid(ctx, operator, target, once) };
    },
  }),
  opsRoute({
    method: 'POST',
    path: '/orders/:id/payments/:payment_id/recovered',
    roles: ['finance'],
    operationId: 'markPaymentRecovered',
    summary: 'Note that a payment which came back was collected',
    description: [
      'All that the customer still owes of it came by bank: what came back, less what refunds of it were set off against. The task is',
      'closed. An order that is held for it stays on hold, and may then be resumed by production too. A dispute that is won',
      'needs no call. 409 for a payment that did not come back, and where nothing is owed any more.',
    ].join(' '),
    params: OpsReturnedParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => {
      const target = { idOrReference: params.id, paymentId: params.payment_id };
      return { status: 200, body: await recoverByOps(ctx, operator, target, once) };
    },
  }),
  opsRoute({
    method: 'POST',
    path: '/orders/:id/settle',
    roles: ['finance'],
    operationId: 'settleOrder',
    summary: 'Record payment of the remainder',
    description: 'The rest of a waiting order came by bank: it is placed, and `order.created` is told.',
    params: OpsOrderParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await settleByOps(ctx, operator, params.id, once),
    }),
  }),
];
