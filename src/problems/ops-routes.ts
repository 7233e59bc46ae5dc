import { type OpsRoute, route } from '../lib/route.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { refundForProblem, refuseProblem, replaceForProblem } from './answer-problem.ts';
import {
  ListOpsProblemsQuery,
  OpsProblem,
  OpsProblemPage,
  OpsProblemParams,
  RefundForProblemBody,
  RefuseProblemBody,
  ReplaceForProblemBody,
} from './ops-schema.ts';
import { getOpsProblem, listOpsProblems } from './read-for-ops.ts';

/** What customers report about their parcels, and how the shop answers. */
export const problemOpsRoutes: readonly OpsRoute<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/problems',
    access: { roles: ['viewer', 'production', 'finance'] },
    operationId: 'listProblems',
    summary: 'List the problems that customers report',
    description: 'Of all accounts, open ones without a status, in the order of their deadlines.',
    query: ListOpsProblemsQuery,
    replies: { 200: OpsProblemPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listOpsProblems(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/problems/:id',
    access: { roles: ['viewer', 'production', 'finance'] },
    operationId: 'getProblem',
    summary: 'Fetch a problem',
    description: 'With its photos; their addresses work for an hour.',
    params: OpsProblemParams,
    replies: { 200: OpsProblem },
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await getOpsProblem(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/problems/:id/replace',
    access: { roles: ['production'] },
    operationId: 'replaceForProblem',
    summary: 'Answer a problem with a replacement',
    description: [
      'Makes the reported pieces again, or those that `items` names, as a linked order at a total of 0. Ends the',
      'problem, closes its task and mails the customer, all in one step.',
    ].join(' '),
    params: OpsProblemParams,
    body: ReplaceForProblemBody,
    errors: ['conflict', 'artwork_expired'],
    replies: { 200: OpsProblem },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await replaceForProblem(ctx, operator, { id: params.id, body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/problems/:id/refund',
    access: { roles: ['finance'] },
    movesMoney: true,
    operationId: 'refundForProblem',
    summary: 'Answer a problem with a refund',
    description: [
      'Refunds a part of the order, as `POST /orders/{id}/refunds` does. Ends the problem, closes its task and mails',
      'the customer, all in one step.',
    ].join(' '),
    params: OpsProblemParams,
    body: RefundForProblemBody,
    errors: ['conflict', 'refund_failed'],
    replies: { 200: OpsProblem },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await refundForProblem(ctx, operator, { id: params.id, body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/problems/:id/refuse',
    access: { roles: ['production', 'finance'] },
    operationId: 'refuseProblem',
    summary: 'Answer a problem with a reason',
    description: 'Nothing is made good. Ends the problem, closes its task and mails the reason to the customer.',
    params: OpsProblemParams,
    body: RefuseProblemBody,
    errors: ['conflict'],
    replies: { 200: OpsProblem },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await refuseProblem(ctx, operator, { id: params.id, body, once }),
    }),
  }),
];
