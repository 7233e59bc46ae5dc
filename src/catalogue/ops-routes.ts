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
    summary: 'Receive a delivery of blanks',
    description: [
      'All variants or none. Lines in production that are short of blanks have the first pieces, oldest first. Orders',
      'that automatic promotion found short of stock are then tried again, oldest first.',
      '409 `duplicate_receipt` for a delivery note that was booked before, with what it booked.',
    ].join(' '),
    body: ReceiptBody,
    errors: ['duplicate_receipt'],
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
    summary: 'Record a stock count',
    description: [
      'The counted number becomes the stock on hand, even if it is below what is allocated; `missing` is then',
      'the number of pieces that must arrive before all allocated lines can start.',
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
    summary: 'Adjust stock',
    description: [
      'Adds or removes pieces that were lost, damaged, given away or found, with a reason. Unlike a count, it',
      'does not overwrite what is started or received in the meantime.',
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
    summary: 'List stock movements',
    description: 'Newest first. Every change of stock is a movement, and movements never change.',
    query: MovementsQuery,
    replies: { 200: StockMovementPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listMovements(ctx, query) }),
  }),
];
