import { type OpsRoute, route } from '../lib/route.ts';
import { Address } from '../orders/schema.ts';
import type { ChannelsContext } from './context.ts';
import {
  correctByOps,
  getOpsShopOrder,
  ignoreByOps,
  listOpsShopOrders,
  placeByOps,
  reportByOps,
} from './inbox/answer-by-ops.ts';
import { ListOpsShopOrdersQuery, OpsShopOrderPage, OpsShopOrderWithAddress, ShopOrderParams } from './inbox-schema.ts';

const READING = { roles: ['viewer', 'production', 'finance'] } as const;
const ANSWERING = { roles: ['production'] } as const;

/** Orders of connected shops, as operators see and mend them. */
export const shopOrderOpsRoutes: readonly OpsRoute<ChannelsContext>[] = [
  route({
    method: 'GET',
    path: '/shop-orders',
    access: READING,
    operationId: 'listShopOrders',
    summary: 'List orders of connected shops',
    description: 'Of all accounts, the newest first; those that failed by a fault of ours, unless narrowed otherwise.',
    query: ListOpsShopOrdersQuery,
    errors: ['not_found'],
    replies: { 200: OpsShopOrderPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listOpsShopOrders(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/shop-orders/:id',
    access: READING,
    operationId: 'getShopOrder',
    summary: 'Fetch an order of a connected shop',
    params: ShopOrderParams,
    replies: { 200: OpsShopOrderWithAddress },
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await getOpsShopOrder(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/place',
    access: ANSWERING,
    operationId: 'placeShopOrder',
    summary: 'Have an order of a connected shop placed',
    description: 'It is looked at at once, as approved. For one that failed, once its cause is mended.',
    params: ShopOrderParams,
    errors: ['conflict'],
    replies: { 200: OpsShopOrderWithAddress },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await placeByOps(ctx, operator, { id: params.id, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/address',
    access: ANSWERING,
    operationId: 'correctShopAddress',
    summary: 'Correct the address of an order of a shop',
    description: [
      'Of one that is not placed: it is looked at at once. What the shop sends later with the address that it had keeps',
      'this one; another address of the shop takes its place.',
    ].join(' '),
    params: ShopOrderParams,
    body: Address,
    errors: ['conflict'],
    replies: { 200: OpsShopOrderWithAddress },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await correctByOps(ctx, operator, { id: params.id, address: body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/ignore',
    access: ANSWERING,
    operationId: 'ignoreShopOrder',
    summary: 'Ignore an order of a connected shop',
    description: 'For good: what the shop sends of it later changes nothing.',
    params: ShopOrderParams,
    errors: ['conflict'],
    replies: { 200: OpsShopOrderWithAddress },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await ignoreByOps(ctx, operator, { id: params.id, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/report',
    access: ANSWERING,
    operationId: 'reportShopOrder',
    summary: 'Report an order to its shop again',
    description: 'For one whose shop refused the report, once the cause is mended.',
    params: ShopOrderParams,
    errors: ['conflict'],
    replies: { 200: OpsShopOrderWithAddress },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await reportByOps(ctx, operator, { id: params.id, once }),
    }),
  }),
];
