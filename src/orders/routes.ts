import { type Route, route } from '../lib/route.ts';
import type { OrdersContext } from './context.ts';
import { estimateOrder } from './estimate-order.ts';
import { placeOrder } from './place-order.ts';
import { getOrder, listOrders } from './read-orders.ts';
import { CreatedOrder, Estimate, ListOrdersQuery, Order, OrderPage, OrderParams, PlaceOrderBody } from './schema.ts';
import { createdOrderView } from './view.ts';

export const orderRoutes: readonly Route<OrdersContext>[] = [
  route({
    method: 'GET',
    path: '/orders',
    scope: 'orders:read',
    operationId: 'listOrders',
    summary: 'List orders of all sources, newest first',
    query: ListOrdersQuery,
    replies: { 200: OrderPage },
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listOrders(ctx, caller, query) }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id',
    scope: 'orders:read',
    operationId: 'getOrder',
    summary: 'Fetch an order by id or reference',
    params: OrderParams,
    replies: { 200: Order },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await getOrder(ctx, caller, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/orders',
    scope: 'orders:write',
    operationId: 'placeOrder',
    summary: 'Place an order: price it, charge it, take its artwork in',
    body: PlaceOrderBody,
    replies: { 201: CreatedOrder, 200: CreatedOrder },
    handle: async (ctx, caller, { body, unknownFields, signal }) => {
      const request = { body, unknownFields, source: 'api', signal } as const;
      const { kind, order } = await placeOrder(ctx, caller, request);
      const view = createdOrderView(ctx, order);
      if (kind === 'replayed') return { status: 200, body: view, headers: { 'idempotent-replayed': 'true' } };
      return { status: 201, body: view };
    },
  }),
  route({
    method: 'POST',
    path: '/orders/estimate',
    scope: 'orders:read',
    operationId: 'estimateOrder',
    summary: 'Price a basket without placing it',
    body: PlaceOrderBody,
    replies: { 200: Estimate },
    handle: async (ctx, caller, { body, unknownFields, signal }) => {
      return { status: 200, body: await estimateOrder(ctx, caller, { body, unknownFields, signal }) };
    },
  }),
];
