import type { Context } from '../lib/context.ts';
import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import { AccountMoneyParams, Books, BooksQuery, LedgerParams, LedgerQuery, LedgerStatement } from './books-schema.ts';
import { getBalanceForOps, listTransactionsForOps } from './read-account.ts';
import { getBooks, getLedgerStatement } from './read-books.ts';
import { AccountBalance, BalanceQuery, ListTransactionsQuery, TransactionPage } from './schema.ts';

/** What operators read of the books; every role may, as they may read the money of every order. */
export const billingOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/books',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getBooks',
    summary: 'Read the books at a time',
    description: [
      'The trial balance: what was debited and credited to each account of the ledger until then, and at it. Debits and credits are',
      'equal, and so the balances sum to zero. Sales, setups and shipping are without VAT; VAT is owed by its rate; what was given',
      'back of sales stands under `refunds`.',
    ].join(' '),
    query: BooksQuery,
    replies: { 200: Books },
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await getBooks(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/books/:account',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getLedgerStatement',
    summary: 'Read the statement of a ledger account',
    description: [
      'What was posted after `from` until `to`, the oldest first, between the balance at the one and the balance at the other. The',
      'closing balance of one period is the opening one of the next.',
    ].join(' '),
    params: LedgerParams,
    query: LedgerQuery,
    replies: { 200: LedgerStatement },
    handle: async (ctx, _operator, { params, query }) => ({
      status: 200,
      body: await getLedgerStatement(ctx, params.account, query),
    }),
  }),
  route({
    method: 'GET',
    path: '/accounts/:id/balance',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getAccountBalance',
    summary: 'Fetch the balance of an account',
    description: 'With `at`, as it was at a past time. The same that its owner is shown.',
    params: AccountMoneyParams,
    query: BalanceQuery,
    replies: { 200: AccountBalance },
    handle: async (ctx, _operator, { params, query }) => ({
      status: 200,
      body: await getBalanceForOps(ctx, params.id, query),
    }),
  }),
  route({
    method: 'GET',
    path: '/accounts/:id/transactions',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listAccountTransactions',
    summary: 'List the transactions of an account',
    description: 'Its statement: top-ups, charges and refunds, the latest first, each with the balance after it.',
    params: AccountMoneyParams,
    query: ListTransactionsQuery,
    replies: { 200: TransactionPage },
    handle: async (ctx, _operator, { params, query }) => ({
      status: 200,
      body: await listTransactionsForOps(ctx, params.id, query),
    }),
  }),
];
