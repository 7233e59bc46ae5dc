import { type Route, route } from '../lib/route.ts';
import { archiveProduct } from './archive-product.ts';
import { createProduct } from './create-product.ts';
import { productProblems } from './product-request.ts';
import { getPersonalisation, getProduct, listProducts, type ProductsContext } from './read-products.ts';
import {
  CreateProductBody,
  ListProductsQuery,
  Personalisation,
  Product,
  ProductPage,
  ProductParams,
  UpdateProductBody,
  WrittenProduct,
} from './schema.ts';
import { updateProduct } from './update-product.ts';

/** The operations of spec 4.4, and addition 6 of decisions. */
export const productRoutes: readonly Route<ProductsContext>[] = [
  route({
    method: 'GET',
    path: '/products',
    access: { scope: 'products:read' },
    operationId: 'listProducts',
    summary: 'List products',
    description: [
      'The products that the account can order, drafts included. `mockup_url` is signed for one hour: show it,',
      'do not store it. As `text/csv` it is a file for a spreadsheet, without `limit` the whole list and without',
      'what is signed.',
    ].join(' '),
    query: ListProductsQuery,
    replies: { 200: ProductPage },
    csv: 'data',
    csvWithout: ['mockup_url', 'thumbnail_url'],
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listProducts(ctx, caller, query) }),
  }),
  route({
    method: 'GET',
    path: '/products/:id',
    access: { scope: 'products:read' },
    operationId: 'getProduct',
    summary: 'Fetch a product',
    description: 'Archived products are returned too, with `status` `archived`.',
    params: ProductParams,
    replies: { 200: Product },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await getProduct(ctx, caller, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/products',
    access: { scope: 'products:write' },
    operationId: 'createProduct',
    summary: 'Create a product',
    description: [
      'All or nothing: every URL is fetched and checked, and every SKU, area and method resolved, before',
      'anything is written. Creating a product is free. Identical images are one design, whose setup fee is paid',
      'once. Products have fixed designs; create personalised products in the portal.',
    ].join(' '),
    body: CreateProductBody,
    bodyProblems: productProblems,
    replies: { 201: WrittenProduct },
    handle: async (ctx: ProductsContext, caller, request) => ({
      status: 201,
      body: await createProduct(ctx, caller, request),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/products/:id',
    access: { scope: 'products:write' },
    operationId: 'updateProduct',
    summary: 'Change a product',
    description: [
      'Changes only the members that are sent. `decoration.areas` and `variant_skus` replace the stored lists; a',
      'variant that is left out is deactivated, and sending it again reactivates it. Placed orders keep their',
      'artwork. Archived and personalised products cannot be changed (409).',
    ].join(' '),
    params: ProductParams,
    body: UpdateProductBody,
    bodyProblems: productProblems,
    errors: ['conflict'],
    replies: { 200: WrittenProduct },
    handle: async (ctx: ProductsContext, caller, request) => ({
      status: 200,
      body: await updateProduct(ctx, caller, request.params.id, request),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/products/:id',
    access: { scope: 'products:write' },
    operationId: 'archiveProduct',
    summary: 'Archive a product',
    description: [
      'The product leaves the list and can no longer be changed or ordered. Placed orders keep it. A repeat',
      'answers 204 again.',
    ].join(' '),
    params: ProductParams,
    replies: { 204: null },
    handle: async (ctx: ProductsContext, caller, { params }) => {
      await archiveProduct(ctx, caller, params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/products/:id/personalisation',
    access: { scope: 'products:read' },
    operationId: 'getPersonalisation',
    summary: 'Fetch the layers of a personalised product',
    description: [
      'The layers that a buyer can fill in, with their limits, fonts, colours and options. Their values go into',
      '`decoration.personalisation.inputs` of an order line.',
    ].join(' '),
    params: ProductParams,
    replies: { 200: Personalisation },
    handle: async (ctx: ProductsContext, caller, { params }) => ({
      status: 200,
      body: await getPersonalisation(ctx, caller, params.id),
    }),
  }),
];
