import { BaseProductParams } from '../catalogue/schema.ts';
import { type Route, route } from '../lib/route.ts';
import { getPrices, type PricingContext } from './read-prices.ts';
import { PricesReply } from './schema.ts';

export const pricingRoutes: readonly Route<PricingContext>[] = [
  route({
    method: 'GET',
    path: '/catalog/products/:id/prices',
    access: { scope: 'products:read' },
    operationId: 'getPrices',
    summary: 'Fetch the prices of a base product',
    description: [
      'Net of VAT. To price a whole basket with setups, shipping, VAT and duty, use `POST /orders/estimate`.',
    ].join(' '),
    params: BaseProductParams,
    replies: { 200: PricesReply },
    handle: async (ctx, _caller, { params }) => ({ status: 200, body: await getPrices(ctx, params.id) }),
  }),
];
