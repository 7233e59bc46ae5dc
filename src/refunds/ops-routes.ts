import { type OpsRoute, route } from '../lib/route.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { cancelByOps } from './cancel-by-ops.ts';
import { GoodwillBody, OpsCancelBody, OpsPaymentParams } from './ops-schema.ts';
import { markRefundPaid, refundByOps } from './refund-by-ops.ts';

/** What operators cancel and give back. */
export const refundOpsRoutes: readonly OpsRoute<PaymentsContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/cancel',
    access: { roles: ['production', 'finance'] },
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
  route({
    method: 'POST',
    path: '/orders/:id/refunds',
    access: { roles: ['finance'] },
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
  route({
    method: 'POST',
    path: '/orders/:id/refunds/:payment_id/paid',
    access: { roles: ['finance'] },
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
];
