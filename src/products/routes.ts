import { type Route, route } from '../lib/route.ts';
import { getProduct, listProducts, type ProductsContext } from './read-products.ts';
import { ListProductsQuery, Product, ProductPage, ProductParams } from './schema.ts';

export const productRoutes: readonly Route<ProductsContext>[] = [
  route({
    method: 'GET',
    path: '/products',
    scope: 'products:read',
    operationId: 'listProducts',
    summary: "List the account's products that are not archived, newest first",
    query: ListProductsQuery,
    replies: { 200: ProductPage },
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listProducts(ctx, caller, query) }),
  }),
  route({
    method: 'GET',
    path: '/products/:id',
    scope: 'products:read',
    operationId: 'getProduct',
    summary: 'Fetch a product',
    params: ProductParams,
    replies: { 200: Product },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await getProduct(ctx, caller, params.id) }),
  }),
];
