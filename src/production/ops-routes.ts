import { type OpsRoute, route } from '../lib/route.ts';
import type { OrdersContext } from '../orders/context.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import { holdOrder, resumeOrder } from './hold-order.ts';
import { listStockOverview } from './list-stock.ts';
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
  SpoilBody,
  StockOverviewPage,
  StockOverviewQuery,
} from './schema.ts';
import { startLine } from './start-line.ts';
import { finishPieces, spoilPieces } from './work-line.ts';

/** How orders are made: promotion, holds, the work on lines, replacements. */
export const productionOpsRoutes: readonly OpsRoute<OrdersContext>[] = [
  route({
    method: 'POST',
    path: '/orders/promote',
    access: { roles: ['production'] },
    operationId: 'promoteOrders',
    summary: 'Promote many orders',
    description: 'Each by itself, in the order of the list, with an answer for each. 200 whatever the answers say.',
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
      'Allocates stock for every piece or for none, and sends each print job to the station of its method. The order must be paid',
      'and not held; its artwork need not be ready. Inside the cancellation window the reply warns: a cancel still wins.',
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
    description: 'Before its first line has started. Allocated stock stays allocated. Event `order.on_hold`.',
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
    summary: 'Let a held order go on',
    description: 'From the state in which it was held. No event tells of it.',
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
    summary: 'Start the production of a line',
    description: [
      "Takes the line's pieces off the shelf. 409 `artwork_not_ready` until its print-ready files are made. The first line of an",
      'order: event `order.in_production`.',
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
    summary: 'Count pieces of a line as done',
    description: 'Of all its print jobs, or of those of an area or a method.',
    params: OpsLineParams,
    body: FinishBody,
    errors: ['conflict', 'validation_failed'],
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
    summary: 'Count pieces of a line as spoiled',
    description: [
      'They are made again: stock is taken for them, and nobody is charged. 409 `out_of_stock` when there is no blank that is promised to',
      'nobody: nothing is recorded, so keep the pieces out of the parcel, and spoil them once there is stock or cancel them.',
    ].join(' '),
    params: OpsLineParams,
    body: SpoilBody,
    errors: ['conflict', 'out_of_stock'],
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
    summary: 'Make failed print files again',
    description: [
      'Those of the order that were given up are made anew, in the background. Their tasks are closed once they are made. 409',
      '`conflict` when none of them has failed.',
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
    path: '/orders/:id/replacement',
    access: { roles: ['production'] },
    operationId: 'replacePieces',
    summary: 'Make shipped pieces again',
    description: [
      'A linked order at a total of 0, to the same address and with the same artwork, worked like every other. At most as many pieces as',
      'were shipped. Event `order.created` with a total of 0.',
    ].join(' '),
    params: OpsOrderParams,
    body: ReplacementBody,
    errors: ['validation_failed'],
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
    summary: 'List stock as operators see it',
    query: StockOverviewQuery,
    replies: { 200: StockOverviewPage },
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listStockOverview(ctx, query) }),
  }),
];
