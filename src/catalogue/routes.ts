import { type Route, route } from '../lib/route.ts';
import {
  type CatalogueContext,
  getBaseProduct,
  listBaseProducts,
  listPrintAreas,
  listStock,
} from './read-catalogue.ts';
import {
  BaseProductPage,
  BaseProductParams,
  BaseProductReply,
  ListBaseProductsQuery,
  PrintAreaPage,
  StockPage,
  StockQuery,
} from './schema.ts';

export const catalogueRoutes: readonly Route<CatalogueContext>[] = [
  route({
    method: 'GET',
    path: '/catalog/products',
    scope: 'products:read',
    operationId: 'listBaseProducts',
    summary: 'List the base products on offer',
    query: ListBaseProductsQuery,
    replies: { 200: BaseProductPage },
    handle: async (ctx, _caller, { query }) => ({ status: 200, body: await listBaseProducts(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/catalog/products/:id',
    scope: 'products:read',
    operationId: 'getBaseProduct',
    summary: 'Fetch a base product',
    params: BaseProductParams,
    replies: { 200: BaseProductReply },
    handle: async (ctx, _caller, { params }) => ({ status: 200, body: await getBaseProduct(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/catalog/products/:id/print-areas',
    scope: 'products:read',
    operationId: 'listPrintAreas',
    summary: 'List the print areas of a base product with their templates',
    params: BaseProductParams,
    replies: { 200: PrintAreaPage },
    handle: async (ctx, _caller, { params }) => ({ status: 200, body: await listPrintAreas(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/stock',
    scope: 'products:read',
    operationId: 'listStock',
    summary: 'What can be ordered now, by blank variant',
    query: StockQuery,
    replies: { 200: StockPage },
    handle: async (ctx, _caller, { query }) => ({ status: 200, body: await listStock(ctx, query) }),
  }),
];
