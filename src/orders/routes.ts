import { type Route, route } from '../lib/route.ts';
import type { OrdersContext } from './context.ts';
import { getOrder, listOrders } from './read-orders.ts';
import { ListOrdersQuery, Order, OrderPage, OrderParams } from './schema.ts';

export const orderRoutes: readonly Route<OrdersContext>[] = [
  route({
    method: 'GET',
    path: '/orders',
    access: { scope: 'orders:read' },
    operationId: 'listOrders',
    summary: 'List orders',
    description: [
      'The orders of the API, the portal and connected sales channels, in one list. To follow what changes, ask',
      'with `updated_since`, read `GET /events`, or subscribe to webhooks in place of polling.',
    ].join(' '),
    query: ListOrdersQuery,
    replies: { 200: OrderPage },
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listOrders(ctx, caller, query) }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id',
    access: { scope: 'orders:read' },
    operationId: 'getOrder',
    summary: 'Fetch an order',
    description: [
      'By its id, or by its reference in any letter case. `items[].artwork_ready` turns true once the print',
      'files of a line are made, seconds to minutes after placing.',
    ].join(' '),
    params: OrderParams,
    replies: { 200: Order },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await getOrder(ctx, caller, params.id) }),
  }),
];
