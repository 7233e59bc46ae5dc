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
    access: { scope: 'products:read' },
    operationId: 'listBaseProducts',
    summary: 'List base products',
    description: 'The blanks that products are made of. This reference data changes rarely.',
    query: ListBaseProductsQuery,
    replies: { 200: BaseProductPage },
    handle: async (ctx, _caller, { query }) => ({ status: 200, body: await listBaseProducts(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/catalog/products/:id',
    access: { scope: 'products:read' },
    operationId: 'getBaseProduct',
    summary: 'Fetch a base product',
    params: BaseProductParams,
    replies: { 200: BaseProductReply },
    handle: async (ctx, _caller, { params }) => ({ status: 200, body: await getBaseProduct(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/catalog/products/:id/print-areas',
    access: { scope: 'products:read' },
    operationId: 'listPrintAreas',
    summary: 'List the print areas of a base product',
    description: 'The print size of each area, and the methods that can decorate it.',
    params: BaseProductParams,
    replies: { 200: PrintAreaPage },
    handle: async (ctx, _caller, { params }) => ({ status: 200, body: await listPrintAreas(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/stock',
    access: { scope: 'products:read' },
    operationId: 'listStock',
    summary: 'List stock',
    description: [
      'Neither this request nor placing an order reserves stock: it is allocated when the order is released to',
      'production.',
    ].join(' '),
    query: StockQuery,
    replies: { 200: StockPage },
    handle: async (ctx, _caller, { query }) => ({ status: 200, body: await listStock(ctx, query) }),
  }),
];
