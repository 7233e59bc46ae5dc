import { type OpsRoute, route } from '../lib/route.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { cancelByOps, cancelProblems } from './cancel-by-ops.ts';
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
      'In any state, at any time. Without `items` the whole order is cancelled: everything that was paid is',
      'refunded, shipments that went out stay recorded, and `order.cancelled` has `cancelled_by` `ops`. With',
      '`items` only those pieces are cancelled: their price is refunded, the rest is not priced again, and the',
      'order is dispatched if the rest has shipped. `refund: none` keeps the money and needs the role finance or',
      'admin.',
    ].join(' '),
    params: OpsOrderParams,
    body: OpsCancelBody,
    bodyProblems: cancelProblems,
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
    movesMoney: true,
    operationId: 'refundOrder',
    summary: 'Refund a part of an order as goodwill',
    description: [
      'At most what is left of the payment. The part paid from the balance is credited at once. The rest stays',
      'owed until it is marked as paid out.',
    ].join(' '),
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
    movesMoney: true,
    operationId: 'markRefundPaid',
    summary: 'Record that a manual refund was paid out',
    description: 'The amount owed for this payment has been paid out. A repeat changes nothing.',
    params: OpsPaymentParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => {
      const target = { idOrReference: params.id, paymentId: params.payment_id };
      return { status: 200, body: await markRefundPaid(ctx, operator, target, once) };
    },
  }),
];
