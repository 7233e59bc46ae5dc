import { PERSON_ROLES } from '../lib/caller.ts';
import { type PersonRoute, route } from '../lib/route.ts';
import { ChannelParams } from './channel-schema.ts';
import type { ChannelsContext } from './context.ts';
import {
  ChannelProduct,
  ChannelProductPage,
  ChannelProductParams,
  ListChannelProductsQuery,
  PublishProductBody,
} from './product-schema.ts';
import { listOwnChannelProducts, publishProduct, stopProduct } from './products/own-channel-products.ts';

const CHANGING = { people: ['owner', 'manager'] } as const;
const READING = { people: PERSON_ROLES } as const;

/** Products in connected shops, for the people of an account. */
export const channelProductRoutes: readonly PersonRoute<ChannelsContext>[] = [
  route({
    method: 'GET',
    path: '/channels/:id/products',
    access: READING,
    operationId: 'listChannelProducts',
    summary: 'List your products in a shop',
    description: 'Those that were published in it from here, the newest product first.',
    params: ChannelParams,
    query: ListChannelProductsQuery,
    replies: { 200: ChannelProductPage },
    handle: async (ctx, person, { params, query }) => ({
      status: 200,
      body: await listOwnChannelProducts(ctx, person, params.id, query),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/products',
    access: CHANGING,
    operationId: 'publishProduct',
    summary: 'Publish a product in a shop',
    description: [
      'It arrives within a minute as a draft without a price. Texts, pictures, price and the time of its sale are the',
      "shop's, and are never written again; its variants, and which of them are in stock, are kept up to date. The same",
      'again has it tried again. At most 1,000 products a shop.',
    ].join(' '),
    params: ChannelParams,
    body: PublishProductBody,
    errors: ['conflict'],
    replies: { 202: ChannelProduct },
    handle: async (ctx, person, { params, body }) => ({
      status: 202,
      body: await publishProduct(ctx, person, params.id, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/channels/:id/products/:product_id',
    access: CHANGING,
    operationId: 'stopChannelProduct',
    summary: 'Keep a product in a shop up to date no more',
    description: 'In the shop it stays as it is; delete it there. Its orders come in as before.',
    params: ChannelProductParams,
    replies: { 204: null },
    handle: async (ctx, person, { params }) => {
      await stopProduct(ctx, person, params.id, params.product_id);
      return { status: 204 };
    },
  }),
];
