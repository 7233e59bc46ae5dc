import type { ArtworkContext } from '../artwork/context.ts';
import { type Route, route } from '../lib/route.ts';
import { archiveBrand } from './archive-brand.ts';
import { getBrand, listBrands } from './read-brands.ts';
import { createBrand, updateBrand } from './save-brand.ts';
import {
  Brand,
  BrandPage,
  BrandParams,
  CreateBrandBody,
  ListBrandsQuery,
  UpdateBrandBody,
  WrittenBrand,
} from './schema.ts';

/** The shop names under which an account sells. */
export const brandRoutes: readonly Route<ArtworkContext>[] = [
  route({
    method: 'GET',
    path: '/brands',
    access: { scope: 'products:read' },
    operationId: 'listBrands',
    summary: 'List brands',
    description:
      'The newest first, without the archived ones. As `text/csv` it is a file for a spreadsheet, without `limit` the whole list.',
    query: ListBrandsQuery,
    replies: { 200: BrandPage },
    csv: 'data',
    csvWithout: ['logo_url'],
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listBrands(ctx, caller, query) }),
  }),
  route({
    method: 'GET',
    path: '/brands/:id',
    access: { scope: 'products:read' },
    operationId: 'getBrand',
    summary: 'Fetch a brand',
    description: 'Archived brands are returned too, with `status` `archived`, as long as an order has them.',
    params: BrandParams,
    replies: { 200: Brand },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await getBrand(ctx, caller, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/brands',
    access: { scope: 'products:write' },
    operationId: 'createBrand',
    summary: 'Create a brand',
    description: [
      'A name under which you sell. The packing slip in a parcel carries it in place of the name of the print shop: for',
      'orders that name it as `brand`, and with `is_default` for those that name none. The logo is fetched at once; if it',
      'fails its checks, nothing is created. An account can have 50.',
    ].join(' '),
    body: CreateBrandBody,
    replies: { 201: WrittenBrand },
    handle: async (ctx, caller, request) => ({ status: 201, body: await createBrand(ctx, caller, request) }),
  }),
  route({
    method: 'PATCH',
    path: '/brands/:id',
    access: { scope: 'products:write' },
    operationId: 'updateBrand',
    summary: 'Change a brand',
    description:
      'Changes only the members that are sent. Placed orders keep what they were placed with. An archived brand cannot be changed (409).',
    params: BrandParams,
    body: UpdateBrandBody,
    errors: ['conflict'],
    replies: { 200: WrittenBrand },
    handle: async (ctx, caller, request) => ({
      status: 200,
      body: await updateBrand(ctx, caller, request.params.id, request),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/brands/:id',
    access: { scope: 'products:write' },
    operationId: 'archiveBrand',
    summary: 'Archive a brand',
    description: [
      'It leaves the list, its name is free again, and no order can name it any more. Placed orders keep it. If it was the',
      'default, orders that name no brand have none. A repeat answers 204 again.',
    ].join(' '),
    params: BrandParams,
    replies: { 204: null },
    handle: async (ctx, caller, { params }) => {
      await archiveBrand(ctx, caller, params.id);
      return { status: 204 };
    },
  }),
];
