import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import type { OrdersContext } from '../orders/context.ts';
import { OpsOrderParams } from '../orders/ops-schema.ts';
import { listJobs } from './list-jobs.ts';
import { readPickList } from './pick-list.ts';
import { startLines } from './start-lines.ts';
import { ListJobsQuery, PickList, PickListQuery, StartBody, StartedOrder, StationJobPage } from './station-schema.ts';

/** What the shop's desk and its stations ask for: what is next, what to take off the shelf, and to start an order whole. */
export const stationOpsRoutes: readonly OpsRoute<OrdersContext>[] = [
  route({
    method: 'GET',
    path: '/jobs',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listJobs',
    summary: 'List what is to be made next',
    description: [
      'The print jobs of promoted orders that have pieces left to make, those of the oldest promotion first; with `station` those of one.',
      'What is held is listed and says so.',
    ].join(' '),
    query: ListJobsQuery,
    replies: { 200: StationJobPage },
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listJobs(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/pick-list',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getPickList',
    summary: 'What to take off the shelf for some orders',
    description: [
      'By blank: the pieces that are promised to the lines of these orders and not taken yet, and for which orders. Starting a line',
      'counts its pieces as taken.',
    ].join(' '),
    query: PickListQuery,
    replies: { 200: PickList },
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await readPickList(ctx, query) }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/start',
    access: { roles: ['production'] },
    operationId: 'startLines',
    summary: 'Start the lines of an order',
    description: [
      'Those that are named, all or none; without names every line that can start, with an answer for each, and a refusal when none can.',
      "Each takes its pieces off the shelf. The order's first line: event `order.in_production`.",
    ].join(' '),
    params: OpsOrderParams,
    body: StartBody,
    errors: ['conflict', 'out_of_stock', 'artwork_not_ready'],
    replies: { 200: StartedOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await startLines(ctx, operator, { ...params, ...body, once }),
    }),
  }),
];
