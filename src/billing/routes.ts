import type { Context } from '../lib/context.ts';
import { type Route, route } from '../lib/route.ts';
import { getBalance, listTransactions } from './read-account.ts';
import { AccountBalance, BalanceQuery, ListTransactionsQuery, TransactionPage } from './schema.ts';

export const billingRoutes: readonly Route<Context>[] = [
  route({
    method: 'GET',
    path: '/account/balance',
    access: { scope: 'orders:read' },
    operationId: 'getBalance',
    summary: 'Fetch the balance',
    description: 'Orders are paid from the balance first. `at` gives the balance at a past time.',
    query: BalanceQuery,
    replies: { 200: AccountBalance },
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await getBalance(ctx, caller, query) }),
  }),
  route({
    method: 'GET',
    path: '/account/transactions',
    access: { scope: 'orders:read' },
    operationId: 'listTransactions',
    summary: 'List transactions',
    description: 'Top-ups, charges and refunds, each with the balance after it.',
    query: ListTransactionsQuery,
    replies: { 200: TransactionPage },
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listTransactions(ctx, caller, query) }),
  }),
];
