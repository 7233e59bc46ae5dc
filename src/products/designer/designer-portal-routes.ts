import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { ProductsContext } from '../read-products.ts';
import { ProductParams } from '../schema.ts';
import {
  DesignedProduct,
  DesignProductBody,
  Garment,
  GarmentParams,
  LookAtDesignsBody,
  LookedAtDesigns,
  RedesignProductBody,
  TakeDesignBody,
  TakenDesign,
  WrittenDesignedProduct,
} from './designer-schema.ts';
import { duplicateProduct } from './duplicate-product.ts';
import { getGarment } from './garments.ts';
import { lookAtDesigns } from './look-at-designs.ts';
import { getDesignedProduct } from './read-designed.ts';
import { designProduct, redesignProduct } from './save-product.ts';
import { takeDesign } from './take-design.ts';

const DESIGNERS = { people: ['owner', 'manager'] } as const;

/** How a person designs a product: garments, artwork that is taken in, and the product made of both. */
export const designerPortalRoutes: readonly PersonRoute<ProductsContext>[] = [
  route({
    method: 'GET',
    path: '/garments/:id',
    access: { people: PERSON_ROLES },
    operationId: 'getGarment',
    summary: 'Fetch a garment to design on',
    description: 'Its colours, sizes, stock, and its print areas with where each lies on its picture.',
    params: GarmentParams,
    errors: ['not_found'],
    replies: { 200: Garment },
    handle: async (ctx, _person, { params }) => ({ status: 200, body: await getGarment(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/designs',
    access: DESIGNERS,
    operationId: 'takeDesign',
    summary: 'Take artwork in',
    description: [
      'Fetches and checks the artwork as creating a product does, and stores it as a design of the account, to be',
      'placed. A design that no product has is deleted a day after its last use.',
    ].join(' '),
    body: TakeDesignBody,
    replies: { 201: TakenDesign },
    handle: async (ctx, person, { body, signal }) => ({
      status: 201,
      body: await takeDesign(ctx, person, body, signal),
    }),
  }),
  route({
    method: 'POST',
    path: '/designs/look',
    access: DESIGNERS,
    operationId: 'lookAtDesigns',
    summary: 'Look at designs where they are placed',
    description: [
      'How large and how sharp each prints at its place, on the smallest and the largest size and by each method, what',
      'an order would be warned of, and the garment in each colour. Nothing is written.',
    ].join(' '),
    body: LookAtDesignsBody,
    replies: { 200: LookedAtDesigns },
    handle: async (ctx, person, { body }) => ({ status: 200, body: await lookAtDesigns(ctx, person, body) }),
  }),
  route({
    method: 'POST',
    path: '/products',
    access: DESIGNERS,
    operationId: 'designProduct',
    summary: 'Create a product of designs',
    description: 'As `POST /products` of the public API, of designs that were taken in. Creating a product is free.',
    body: DesignProductBody,
    replies: { 201: WrittenDesignedProduct },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await designProduct(ctx, person, body) }),
  }),
  route({
    method: 'GET',
    path: '/products/:id',
    access: { people: PERSON_ROLES },
    operationId: 'getDesignedProduct',
    summary: 'Fetch a product with its designs',
    description: 'Archived products too.',
    params: ProductParams,
    errors: ['not_found'],
    replies: { 200: DesignedProduct },
    handle: async (ctx, person, { params }) => ({
      status: 200,
      body: await getDesignedProduct(ctx, person, params.id),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/products/:id',
    access: DESIGNERS,
    operationId: 'redesignProduct',
    summary: 'Change a product and its designs',
    description: [
      'Changes what is sent. `decoration.areas`, `variant_skus` and `retail_prices` replace what is stored. Placed orders',
      'keep their artwork. 409 when it is archived or personalised, or was changed since `seen_at`.',
    ].join(' '),
    params: ProductParams,
    body: RedesignProductBody,
    errors: ['not_found', 'conflict'],
    replies: { 200: WrittenDesignedProduct },
    handle: async (ctx, person, { params, body }) => ({
      status: 200,
      body: await redesignProduct(ctx, person, params.id, body),
    }),
  }),
  route({
    method: 'POST',
    path: '/products/:id/duplicate',
    access: DESIGNERS,
    operationId: 'duplicateProduct',
    summary: 'Make a draft like a product',
    description:
      'With its designs, places and prices, and the variants that are still on offer. Archived products too.',
    params: ProductParams,
    errors: ['not_found', 'conflict'],
    replies: { 201: DesignedProduct },
    handle: async (ctx, person, { params }) => ({ status: 201, body: await duplicateProduct(ctx, person, params.id) }),
  }),
];
