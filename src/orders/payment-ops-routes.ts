import { type OpsRoute, opsRoute } from '../lib/ops-route.ts';
import type { OrdersContext } from './context.ts';
import { OpsOrder, OpsOrderParams } from './ops-schema.ts';
import { retryPayment } from './retry-payment.ts';

/** What operators do about orders whose charge has failed, beside settling them by hand. */
export const paymentOpsRoutes: readonly OpsRoute<OrdersContext>[] = [
  opsRoute({
    method: 'POST',
    path: '/orders/:id/retry-payment',
    roles: ['finance'],
    operationId: 'retryPayment',
    summary: 'Charge a waiting order once more',
    description: [
      'The balance first, then the card or direct debit of the account for the rest. The answer shows how it',
      'went: a charge that is declined is no error, and the order waits on. 409 for an order that waits for no',
      'payment, is being charged, or has nothing that could be charged.',
    ].join(' '),
    params: OpsOrderParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await retryPayment(ctx, operator, params.id, once),
    }),
  }),
];
