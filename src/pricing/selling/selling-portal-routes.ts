import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { ProductsContext } from '../../products/read-products.ts';
import type { PricingContext } from '../read-prices.ts';
import { listGallery, listGarments } from './list-priced.ts';
import { priceProduct } from './price-product.ts';
import {
  GalleryPage,
  GarmentSummaryPage,
  ListGalleryQuery,
  ListGarmentsQuery,
  PriceProductBody,
  ProductPrices,
} from './selling-schema.ts';

/** What a customer sells, and what is left of its price. */
export const sellingPortalRoutes: readonly PersonRoute<PricingContext & ProductsContext>[] = [
  route({
    method: 'GET',
    path: '/garments',
    access: { people: PERSON_ROLES },
    operationId: 'listGarments',
    summary: 'List garments to design on',
    description: 'With a picture in each colour, and the price of the cheapest blank.',
    query: ListGarmentsQuery,
    replies: { 200: GarmentSummaryPage },
    handle: async (ctx, _person, { query }) => ({ status: 200, body: await listGarments(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/products',
    access: { people: PERSON_ROLES },
    operationId: 'listGallery',
    summary: 'List products as a gallery',
    description: 'As `GET /products` of the public API, with a price, narrowed by status, kind and words.',
    query: ListGalleryQuery,
    replies: { 200: GalleryPage },
    csv: 'data',
    csvWithout: ['mockup_url', 'thumbnail_url'],
    handle: async (ctx, person, { query }) => ({ status: 200, body: await listGallery(ctx, person, query) }),
  }),
  route({
    method: 'POST',
    path: '/product-prices',
    access: { people: PERSON_ROLES },
    operationId: 'priceProduct',
    summary: 'Price a product that is designed',
    description: [
      'The unit price by quantity with all prints, the margin that a retail price leaves of each variant, and what can',
      'be ordered now. Net of VAT; nothing is written.',
    ].join(' '),
    body: PriceProductBody,
    replies: { 200: ProductPrices },
    handle: async (ctx, _person, { body }) => ({ status: 200, body: await priceProduct(ctx, body) }),
  }),
];
