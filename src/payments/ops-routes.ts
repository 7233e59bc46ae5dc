import { OpsAccountParams } from '../accounts/ops-schema.ts';
import { type OpsRoute, opsRoute } from '../lib/ops-route.ts';
import type { OrdersContext } from '../orders/context.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import { AccountCredit, CreditBody, OpsAttemptParams, ResolveAttemptBody } from '../refunds/ops-schema.ts';
import { creditByOps } from './credit-by-ops.ts';
import { resolveByOps } from './resolve-by-ops.ts';
import { retryPayment } from './retry-payment.ts';

/** What operators do about orders that wait for their payment, beside settling them by hand. */
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
  opsRoute({
    method: 'POST',
    path: '/orders/:id/payment-attempts/:attempt_id/resolve',
    roles: ['finance'],
    operationId: 'resolvePaymentAttempt',
    summary: 'End a payment attempt by hand',
    description: [
      'For an attempt that stays `open` or `unknown` because the payment provider can no longer be asked about it. Look',
      'the payment up with the provider first. What follows is what would have followed from its own word: the order is',
      'paid, or waits on. As long as the provider can be asked, it is, and its answer counts: 409 for an attempt that has',
      'ended, and for one that is to have succeeded although it was never begun with the provider.',
    ].join(' '),
    params: OpsAttemptParams,
    body: ResolveAttemptBody,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => {
      const target = { idOrReference: params.id, attemptId: params.attempt_id };
      return { status: 200, body: await resolveByOps(ctx, operator, target, { body, once }) };
    },
  }),
  opsRoute({
    method: 'POST',
    path: '/accounts/:id/credits',
    roles: ['finance'],
    operationId: 'creditAccount',
    summary: 'Add money to an account',
    description: [
      'Money that came by bank. It is posted once for each reference, and then pays the orders of the account that wait for their payment',
      'and are not too old, the oldest first, each that the balance covers. The answer is the account as it is then.',
    ].join(' '),
    params: OpsAccountParams,
    body: CreditBody,
    errors: ['conflict'],
    replies: { 200: AccountCredit },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await creditByOps(ctx, operator, params.id, { body, once }),
    }),
  }),
];
