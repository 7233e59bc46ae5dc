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
    summary: 'Fetch the trial balance',
    description: [
      'The debits, credits and balance of each ledger account, up to and including a time. Debits equal credits,',
      'so the balances sum to zero. Sales, setups and shipping exclude VAT; VAT is listed by rate, and refunds',
      'of sales under `refunds`.',
    ].join(' '),
    query: BooksQuery,
    replies: { 200: Books },
    csv: 'accounts',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await getBooks(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/books/:account',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getLedgerStatement',
    summary: 'Fetch the statement of a ledger account',
    description: [
      'Postings after `from`, up to and including `to`, oldest first, with the opening and closing balance. The',
      'closing balance of a period is the opening balance of the next. Days of the seller belong to the period whole.',
    ].join(' '),
    params: LedgerParams,
    query: LedgerQuery,
    replies: { 200: LedgerStatement },
    csv: 'data',
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
    description: 'The same balance that the account sees. `at` gives the balance at a past time.',
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
    description: 'Top-ups, charges and refunds, newest first, each with the balance after it.',
    params: AccountMoneyParams,
    query: ListTransactionsQuery,
    replies: { 200: TransactionPage },
    csv: 'data',
    handle: async (ctx, _operator, { params, query }) => ({
      status: 200,
      body: await listTransactionsForOps(ctx, params.id, query),
    }),
  }),
];
