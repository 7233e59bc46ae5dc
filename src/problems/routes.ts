import { type Route, route } from '../lib/route.ts';
import type { OrdersContext } from '../orders/context.ts';
import { OrderParams } from '../orders/schema.ts';
import { getProblem, listOrderProblems, listProblems } from './read-problems.ts';
import { reportProblem } from './report-problem.ts';
import {
  ListProblemsQuery,
  OrderProblem,
  OrderProblemPage,
  ProblemParams,
  ProblemsOfOrder,
  ReportProblemBody,
} from './schema.ts';
import { withdrawProblem } from './withdraw-problem.ts';

export const problemRoutes: readonly Route<OrdersContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/problems',
    access: { scope: 'orders:write' },
    operationId: 'reportProblem',
    summary: 'Report a problem',
    description: [
      'With pieces that were shipped, for 30 days after the latest parcel of the order; the operator may set another',
      'time, and `GET /orders/{id}/problems` has its end. The shop answers with a replacement, a refund or a reason.',
      'Photos are fetched at once; if one fails its checks, nothing is reported. Send `external_reference`: repeating',
      'it returns the first problem with status 200.',
    ].join(' '),
    params: OrderParams,
    body: ReportProblemBody,
    errors: ['not_found', 'conflict'],
    replies: { 201: OrderProblem, 200: OrderProblem },
    replyHeaders: { 200: ['Idempotent-Replayed'] },
    handle: async (ctx, caller, { params, body, signal }) => {
      const { kind, problem } = await reportProblem(ctx, caller, { idOrReference: params.id, body, signal });
      if (kind === 'reported') return { status: 201, body: problem };
      return { status: 200, body: problem, headers: { 'idempotent-replayed': 'true' } };
    },
  }),
  route({
    method: 'GET',
    path: '/orders/:id/problems',
    access: { scope: 'orders:read' },
    operationId: 'listOrderProblems',
    summary: 'List the problems of an order',
    description: 'All of them, the newest first. `actions.report` says which pieces can be reported, and until when.',
    params: OrderParams,
    replies: { 200: ProblemsOfOrder },
    handle: async (ctx, caller, { params }) => ({
      status: 200,
      body: await listOrderProblems(ctx, caller, params.id),
    }),
  }),
  route({
    method: 'GET',
    path: '/problems',
    access: { scope: 'orders:read' },
    operationId: 'listProblems',
    summary: 'List problems',
    description:
      'Of all orders, the newest first. As `text/csv` it is a file for a spreadsheet, without `limit` the whole list.',
    query: ListProblemsQuery,
    replies: { 200: OrderProblemPage },
    csv: 'data',
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listProblems(ctx, caller, query) }),
  }),
  route({
    method: 'GET',
    path: '/problems/:id',
    access: { scope: 'orders:read' },
    operationId: 'getProblem',
    summary: 'Fetch a problem',
    description: 'With its photos and what the shop has answered.',
    params: ProblemParams,
    replies: { 200: OrderProblem },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await getProblem(ctx, caller, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/problems/:id/withdraw',
    access: { scope: 'orders:write' },
    operationId: 'withdrawProblem',
    summary: 'Withdraw a problem',
    description:
      'Takes no body. Before the shop has answered; its pieces can then be reported again. A repeat is harmless.',
    params: ProblemParams,
    errors: ['conflict'],
    replies: { 200: OrderProblem },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await withdrawProblem(ctx, caller, params.id) }),
  }),
];
