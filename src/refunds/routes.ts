import { type Route, route } from '../lib/route.ts';
import { OrderParams } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { cancelOrder } from './cancel-order.ts';
import { Cancellation } from './schema.ts';

export const refundRoutes: readonly Route<PaymentsContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/cancel',
    access: { scope: 'orders:write' },
    operationId: 'cancelOrder',
    isUrgent: true,
    summary: 'Cancel an order',
    description: [
      'Takes no body. The refund runs first. If it fails, the order is unchanged (502) and you can try again.',
      'Cancelling a cancelled order answers 200 with `already_cancelled`. Card and direct debit payments are',
      'refunded by hand and listed in `pending_manual_refund`.',
    ].join(' '),
    params: OrderParams,
    errors: ['conflict', 'cancellation_window_closed', 'refund_failed'],
    replies: { 200: Cancellation },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await cancelOrder(ctx, caller, params.id) }),
  }),
];
