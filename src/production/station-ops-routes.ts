import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import type { OrdersContext } from '../orders/context.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import { listJobs } from './list-jobs.ts';
import { pauseLine, resumeLine } from './pause-line.ts';
import { readPickList } from './pick-list.ts';
import { OpsLineParams, PauseBody } from './schema.ts';
import { listShortLines } from './short/list-short-lines.ts';
import { ListShortLinesQuery, ShortLinePage } from './short/schema.ts';
import { startLines } from './start-lines.ts';
import { ListJobsQuery, PickList, PickListQuery, StartBody, StartedOrder, StationJobPage } from './station-schema.ts';

/** The work queue of the stations: what is next, what to pick, starting and pausing lines. */
export const stationOpsRoutes: readonly OpsRoute<OrdersContext>[] = [
  route({
    method: 'GET',
    path: '/jobs',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listJobs',
    summary: 'List the print jobs to work on next',
    description: [
      'Print jobs of promoted orders with pieces left to make, earliest promotion first. `station` filters by',
      'station; an unknown one is refused with the stations there are. Jobs of held orders and paused lines are',
      'included and marked.',
    ].join(' '),
    query: ListJobsQuery,
    replies: { 200: StationJobPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listJobs(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/short-lines',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listShortLines',
    summary: 'List the lines that are short of blanks',
    description: [
      'Lines with spoiled pieces for which no blank was left, the oldest first. Blanks that come in go to them in this',
      'order, before any other order; the line is then started again to take them. `waits_for` tells the two apart.',
    ].join(' '),
    query: ListShortLinesQuery,
    replies: { 200: ShortLinePage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listShortLines(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/pick-list',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getPickList',
    summary: 'List the blanks to pick for some orders',
    description: [
      'For each blank, the allocated pieces that have not been picked yet, and their orders. Starting a line',
      'counts its pieces as picked. Pieces of paused lines are left out.',
    ].join(' '),
    query: PickListQuery,
    replies: { 200: PickList },
    csv: 'blanks',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await readPickList(ctx, query) }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/start',
    access: { roles: ['production'] },
    operationId: 'startLines',
    summary: 'Start the lines of an order',
    description: [
      'Lines that are named start together or not at all. Without names every line that can start does, with a',
      'result for each; the request is refused if none can. Each line consumes its allocated pieces. The first',
      'line of an order sends `order.in_production`.',
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
  route({
    method: 'POST',
    path: '/orders/:id/lines/:line/pause',
    access: { roles: ['production', 'finance'] },
    operationId: 'pauseLine',
    summary: 'Pause a line in production',
    description: [
      'Once a line of the order has started; before that, hold the order. Until the line is resumed, nothing of it',
      'starts, is finished or ships; its pieces can be spoiled and cancelled, and the other lines go on. The owner of',
      'the order sees the reason in `hold`, and the status stays `in_production`. Sends no event.',
    ].join(' '),
    params: OpsLineParams,
    body: PauseBody,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await pauseLine(ctx, operator, { ...params, ...body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/lines/:line/resume',
    access: { roles: ['production', 'finance'] },
    operationId: 'resumeLine',
    summary: 'Resume a paused line',
    description: 'Sends no event. Cancelling what is left of a line ends its pause too.',
    params: OpsLineParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await resumeLine(ctx, operator, { ...params, once }),
    }),
  }),
];
