import { type OpsRoute, route } from '../lib/route.ts';
import { adjustStock, countStock, receiveStock } from './change-stock.ts';
import { listMovements } from './list-movements.ts';
import {
  AdjustmentBody,
  CountBody,
  MovementsQuery,
  ReceiptBody,
  StockLevels,
  StockMovementPage,
} from './ops-schema.ts';
import type { CatalogueContext } from './read-catalogue.ts';

/** What operators do with the stock of blanks. */
export const catalogueOpsRoutes: readonly OpsRoute<CatalogueContext>[] = [
  route({
    method: 'POST',
    path: '/stock/receipts',
    access: { roles: ['production'] },
    operationId: 'receiveStock',
    summary: 'Take in a delivery of blanks',
    description: 'All variants or none. Orders that automatic promotion found short are tried again, the oldest first.',
    body: ReceiptBody,
    replies: { 201: StockLevels },
    handle: async (ctx, operator, { body, once }) => ({
      status: 201,
      body: await receiveStock(ctx, operator, { ...body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/stock/counts',
    access: { roles: ['production'] },
    operationId: 'countStock',
    summary: 'Record what was counted on the shelf',
    description: [
      'A cycle count. What is counted becomes what is on hand, even below what is promised to lines;',
      '`missing` then says how many pieces have to come in before those lines can start.',
    ].join(' '),
    body: CountBody,
    replies: { 201: StockLevels },
    handle: async (ctx, operator, { body, once }) => ({
      status: 201,
      body: await countStock(ctx, operator, { ...body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/stock/adjustments',
    access: { roles: ['production'] },
    operationId: 'adjustStock',
    summary: 'Correct stock by some pieces',
    description: [
      'What was lost, damaged, given away or found, by how many pieces and why. Unlike a count it leaves alone what starts or',
      'comes in meanwhile.',
    ].join(' '),
    body: AdjustmentBody,
    replies: { 201: StockLevels },
    handle: async (ctx, operator, { body, once }) => ({
      status: 201,
      body: await adjustStock(ctx, operator, { ...body, once }),
    }),
  }),
  route({
    method: 'GET',
    path: '/stock/movements',
    access: { roles: ['viewer', 'production', 'finance'] },
    operationId: 'listStockMovements',
    summary: 'List what was done to stock',
    description: 'Newest first. Nothing changes stock without a movement, and no movement is ever changed.',
    query: MovementsQuery,
    replies: { 200: StockMovementPage },
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listMovements(ctx, query) }),
  }),
];
