import { OpsAccountParams } from '../accounts/ops-schema.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import type { PaymentsContext } from './context.ts';
import { creditByOps } from './credit-by-ops.ts';
import { recoverByOps } from './disputes/recover-by-ops.ts';
import { AccountCredit, CreditBody, OpsAttemptParams, OpsReturnedParams, ResolveAttemptBody } from './ops-schema.ts';
import { resolveByOps } from './resolve-by-ops.ts';
import { retryPayment } from './retry-payment.ts';
import { settleByOps } from './settle-by-ops.ts';

/** What operators do about payments: settle, charge again, resolve, collect, credit. */
export const paymentOpsRoutes: readonly OpsRoute<PaymentsContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/settle',
    access: { roles: ['finance'] },
    movesMoney: true,
    operationId: 'settleOrder',
    summary: 'Record a bank payment for an order',
    description: 'The rest of a waiting order was paid by bank. The order is placed and `order.created` is sent.',
    params: OpsOrderParams,
    errors: ['artwork_expired', 'conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await settleByOps(ctx, operator, params.id, once),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/payments/:payment_id/recovered',
    access: { roles: ['finance'] },
    movesMoney: true,
    operationId: 'markPaymentRecovered',
    summary: 'Record that a returned payment was collected',
    description: [
      'The customer has paid by bank all that is still owed of a returned payment: the returned amount less what',
      'was set off against its refunds. Closes the task. An order on hold for it stays on hold, and production',
      'may then resume it too. What a dispute gives back needs no call. 409 if the payment was not returned or',
      'nothing is owed.',
    ].join(' '),
    params: OpsReturnedParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => {
      const target = { idOrReference: params.id, paymentId: params.payment_id };
      return { status: 200, body: await recoverByOps(ctx, operator, target, once) };
    },
  }),
  route({
    method: 'POST',
    path: '/orders/:id/retry-payment',
    access: { roles: ['finance'] },
    movesMoney: true,
    operationId: 'retryPayment',
    summary: 'Retry the payment of a waiting order',
    description: [
      'Charges the balance first, then the card or direct debit of the account. The reply shows the outcome; a',
      'declined charge is not an error, and the order keeps waiting. 409 if the order is not waiting for',
      'payment, is being charged, or has nothing that can be charged.',
    ].join(' '),
    params: OpsOrderParams,
    errors: ['artwork_expired', 'conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await retryPayment(ctx, operator, params.id, once),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/payment-attempts/:attempt_id/resolve',
    access: { roles: ['finance'] },
    movesMoney: true,
    operationId: 'resolvePaymentAttempt',
    summary: 'End a payment attempt by hand',
    description: [
      'For an attempt that stays `open` or `unknown` because the payment provider can no longer be asked about',
      "it. Look the payment up with the provider first. The outcome you send has the effect of the provider's",
      'own: the order is paid, or keeps waiting. While the provider can be asked, its answer decides. 409 if the',
      'attempt has ended, or if it is to succeed but was never started with the provider.',
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
  route({
    method: 'POST',
    path: '/accounts/:id/credits',
    access: { roles: ['finance'] },
    movesMoney: true,
    operationId: 'creditAccount',
    summary: 'Credit a bank payment to an account',
    description: [
      'Posts the amount once for each reference. One above `TOP_UP_MAX_GBP` is refused with 422: enter it with',
      '`platen account credit` if it is right. Then pays the waiting orders of the account that are not too',
      'old, oldest first, each one that the balance covers. Returns the account afterwards.',
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
