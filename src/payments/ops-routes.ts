import { OpsAccountParams } from '../accounts/ops-schema.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import type { PaymentsContext } from './context.ts';
import { creditByOps } from './credit-by-ops.ts';
import { AccountCredit, CreditBody, OpsAttemptParams, OpsReturnedParams, ResolveAttemptBody } from './ops-schema.ts';
import { recoverByOps } from './recover-by-ops.ts';
import { resolveByOps } from './resolve-by-ops.ts';
import { retryPayment } from './retry-payment.ts';
import { settleByOps } from './settle-by-ops.ts';

/** What operators do about payments: settle, charge again, resolve, collect, credit. */
export const paymentOpsRoutes: readonly OpsRoute<PaymentsContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/settle',
    access: { roles: ['finance'] },
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
  route({
    method: 'POST',
    path: '/orders/:id/payments/:payment_id/recovered',
    access: { roles: ['finance'] },
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
  route({
    method: 'POST',
    path: '/orders/:id/retry-payment',
    access: { roles: ['finance'] },
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
  route({
    method: 'POST',
    path: '/orders/:id/payment-attempts/:attempt_id/resolve',
    access: { roles: ['finance'] },
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
  route({
    method: 'POST',
    path: '/accounts/:id/credits',
    access: { roles: ['finance'] },
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
