import { operatorActor } from '../accounts/access/act-on-access.ts';
import { retryAllPrintFiles } from '../artwork/retry-print-files.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import type { OrdersContext } from '../orders/context.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import { holdOrder, resumeOrder } from './hold-order.ts';
import { promoteOrder, promoteOrders } from './promote-order.ts';
import { replacePieces } from './replace-pieces.ts';
import { retryArtwork } from './retry-artwork.ts';
import {
  FinishBody,
  HoldBody,
  OpsLineParams,
  PromoteBody,
  PromoteResults,
  ReplacementBody,
  RetriedFiles,
  SpoilBody,
  StockOverviewPage,
  StockOverviewQuery,
} from './schema.ts';
import { startLine } from './start-line.ts';
import { listStockOverview } from './stock-overview/list-stock.ts';
import { finishPieces, spoilPieces } from './work-line.ts';

/** How orders are made: promotion, holds, the work on lines, replacements. */
export const productionOpsRoutes: readonly OpsRoute<OrdersContext>[] = [
  route({
    method: 'POST',
    path: '/orders/promote',
    access: { roles: ['production'] },
    operationId: 'promoteOrders',
    summary: 'Promote several orders',
    description: [
      'Promotes each order on its own, in the order of the list, with a result for each. Answers 200 whatever',
      'the results are.',
    ].join(' '),
    body: PromoteBody,
    replies: { 200: PromoteResults },
    handle: async (ctx, operator, { body, once }) => ({
      status: 200,
      body: await promoteOrders(ctx, operator, { ...body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/promote',
    access: { roles: ['production'] },
    operationId: 'promoteOrder',
    summary: 'Promote an order to production',
    description: [
      'Allocates stock for every piece or for none, and sends each print job to the station of its method. The',
      'order must be paid and not on hold; its artwork need not be ready yet. Within the cancellation window the',
      'reply has a warning: the customer can still cancel.',
    ].join(' '),
    params: OpsOrderParams,
    errors: ['conflict', 'out_of_stock'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await promoteOrder(ctx, operator, { ...params, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/hold',
    access: { roles: ['production', 'finance'] },
    operationId: 'holdOrder',
    summary: 'Hold an order',
    description: [
      'Only before its first line has started; after that, pause its lines. Allocated stock stays allocated. Sends',
      '`order.on_hold`.',
    ].join(' '),
    params: OpsOrderParams,
    body: HoldBody,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await holdOrder(ctx, operator, { ...params, ...body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/resume',
    access: { roles: ['production', 'finance'] },
    operationId: 'resumeOrder',
    summary: 'Resume a held order',
    description: 'The order returns to the state it was held in. Sends no event.',
    params: OpsOrderParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await resumeOrder(ctx, operator, { ...params, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/lines/:line/start',
    access: { roles: ['production'] },
    operationId: 'startLine',
    summary: 'Start a line',
    description: [
      'Consumes the allocated pieces of the line. 409 `artwork_not_ready` until its print files are made. The',
      'first line of an order sends `order.in_production`. A line that has started is started again once blanks have',
      'come in for its spoiled pieces (`quantity_to_start`).',
    ].join(' '),
    params: OpsLineParams,
    errors: ['conflict', 'out_of_stock', 'artwork_not_ready'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await startLine(ctx, operator, { ...params, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/lines/:line/finish',
    access: { roles: ['production'] },
    operationId: 'finishPieces',
    summary: 'Mark pieces of a line as finished',
    description: [
      'For all print jobs of the line, or only those of one area or method. 409 `pieces_short` for spoiled pieces that',
      'have no blank yet, or whose blanks are not started.',
    ].join(' '),
    params: OpsLineParams,
    body: FinishBody,
    errors: ['conflict', 'pieces_short', 'validation_failed'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await finishPieces(ctx, operator, { ...params, ...body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/lines/:line/spoil',
    access: { roles: ['production'] },
    operationId: 'spoilPieces',
    summary: 'Mark pieces of a line as spoiled',
    description: [
      'The pieces are made again from new blanks, at no charge. Where no blank is available the line is short of the',
      'rest (`quantity_short`): it has the next blanks that come in, before any other order, and is started again to',
      'take them. Until then these pieces cannot be finished or shipped; they can be cancelled.',
    ].join(' '),
    params: OpsLineParams,
    body: SpoilBody,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await spoilPieces(ctx, operator, { ...params, ...body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/print-files/retry',
    access: { roles: ['production'] },
    operationId: 'retryPrintFiles',
    summary: 'Retry failed print files',
    description: [
      'Makes the failed print files of the order again, in the background. Their tasks close once the files are',
      'made. 409 `conflict` if none has failed.',
    ].join(' '),
    params: OpsOrderParams,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await retryArtwork(ctx, operator, { ...params, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/print-files/retry',
    access: { roles: ['production'] },
    operationId: 'retryAllPrintFiles',
    summary: 'Retry all failed print files',
    description: [
      'Makes every failed print file that an order waits for again, in the background: for the day after a fault that',
      'was not the pictures’. Their tasks close once the files are made.',
    ].join(' '),
    replies: { 200: RetriedFiles },
    handle: async (ctx, operator, { once }) => ({
      status: 200,
      body: await retryAllPrintFiles(ctx, operatorActor(operator, once)),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/replacement',
    access: { roles: ['production'] },
    operationId: 'replacePieces',
    summary: 'Replace shipped pieces',
    description: [
      'Creates a linked order at a total of 0, to the same address and with the same artwork, which is produced',
      'like any other. At most as many pieces as were shipped. Sends `order.created` with a total of 0.',
    ].join(' '),
    params: OpsOrderParams,
    body: ReplacementBody,
    errors: ['artwork_expired', 'validation_failed'],
    replies: { 201: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 201,
      body: await replacePieces(ctx, operator, { ...params, ...body, once }),
    }),
  }),
  route({
    method: 'GET',
    path: '/stock',
    access: { roles: ['viewer', 'production', 'finance'] },
    operationId: 'listStockOverview',
    summary: 'List stock with allocations',
    query: StockOverviewQuery,
    replies: { 200: StockOverviewPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listStockOverview(ctx, query) }),
  }),
];
